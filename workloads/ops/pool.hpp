// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/config/reader.hpp"
#include "workloads/op.hpp"
#include "workloads/ops/conv2d.hpp"
#include "workloads/ops/shape_fault.hpp"
#include "workloads/ops/window.hpp"

namespace tilewave {

/// Maximum or average over an r x s window, channel by channel. Output sizes by floor.
///
///   oh, ow = outputs of the two axes (see WindowAxis; no dilation)
///   MACs   = 0
///   FLOPs  = n c oh ow r s: a comparison or an addition a tap, taps on padding included; the first
///            tap's saved step stands for the division of the average
///   input  = n c h w, of which n c (touched rows) (touched columns) are read
///   output = n c oh ow
/// backward: inputs = n c oh ow of the output's gradient, for a maximum also the input (where was it);
///   output = n c h w; FLOPs as above, an addition a tap
/// A global average pool has r = h, s = w.
[[nodiscard]] OpFacts count_facts(const Pool& pool);
[[nodiscard]] ShapeFaults find_faults(const Pool& pool);

[[nodiscard]] Pool read_pool(ObjectReader& reader);
void write_shape(const Pool& pool, Json& json);
[[nodiscard]] OutputSize pool_output(const Pool& pool);

[[nodiscard]] WindowAxis height_axis(const Pool& pool);
[[nodiscard]] WindowAxis width_axis(const Pool& pool);

[[nodiscard]] std::string_view to_string(PoolKind kind);

}  // namespace tilewave
