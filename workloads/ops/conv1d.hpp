// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/config/reader.hpp"
#include "workloads/op.hpp"
#include "workloads/ops/shape_fault.hpp"

namespace tilewave {

/// 1-D convolution of n x c x w with k filters of (c / groups) x s.
///
///   ow      = outputs of the axis (see WindowAxis), padding[0] zeros before and padding[1] after
///   MACs    = n ow k (c / groups) s
///   FLOPs   = 2 MACs + (number of epilogues) n ow k
///   input   = n c w, of which n c (touched positions) are read
///   weights = k (c / groups) s, bias = k, output = n k ow
/// It is the conv2d of as_conv2d(), whose arithmetic it takes.
[[nodiscard]] OpFacts count_facts(const Conv1d& conv);
[[nodiscard]] ShapeFaults find_faults(const Conv1d& conv);

[[nodiscard]] Conv1d read_conv1d(ObjectReader& reader);
void write_shape(const Conv1d& conv, Json& json);

/// The same as a 2-D convolution of height 1.
[[nodiscard]] Conv2d as_conv2d(const Conv1d& conv);

}  // namespace tilewave
