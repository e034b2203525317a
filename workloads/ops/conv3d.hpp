// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/config/reader.hpp"
#include "workloads/op.hpp"
#include "workloads/ops/shape_fault.hpp"
#include "workloads/ops/window.hpp"

namespace tilewave {

/// 3-D convolution of n x c x d x h x w with k filters of (c / groups) x t x r x s.
///
///   od, oh, ow = outputs of the three axes (see WindowAxis)
///   MACs    = n od oh ow k (c / groups) t r s
///   FLOPs   = 2 MACs + (number of epilogues) n od oh ow k
///   input   = n c d h w, of which n c (touched in depth) (in height) (in width) are read
///   weights = k (c / groups) t r s, bias = k, output = n k od oh ow
[[nodiscard]] OpFacts count_facts(const Conv3d& conv);
[[nodiscard]] ShapeFaults find_faults(const Conv3d& conv);

[[nodiscard]] Conv3d read_conv3d(ObjectReader& reader);
void write_shape(const Conv3d& conv, Json& json);

/// The sliding window along depth, height and width.
[[nodiscard]] std::array<WindowAxis, 3> axes(const Conv3d& conv);

}  // namespace tilewave
