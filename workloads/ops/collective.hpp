// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/config/reader.hpp"
#include "workloads/op.hpp"
#include "workloads/ops/shape_fault.hpp"

namespace tilewave {

/// A tensor of `elements` that N chips in a ring exchange, in steps: in each, a chip sends a part of
/// P = ceil(elements / N) to the next and receives as much from the one before.
///
///   all_reduce      2 (N - 1) steps: N - 1 of a reduce_scatter, N - 1 of an all_gather.
///                   input = output = elements, FLOPs = (N - 1) P
///   reduce_scatter  N - 1 steps, a received part is added to the own.
///                   input = elements, output = P, FLOPs = (N - 1) P
///   all_gather      N - 1 steps, a received part is kept and passed on.
///                   input = P, output = elements, FLOPs = 0
///
///   bytes over a chip's link = steps times P elements, as many in as out
/// All counts are those of one chip. With one chip it is no work.
[[nodiscard]] OpFacts count_facts(const Collective& op);
[[nodiscard]] ShapeFaults find_faults(const Collective& op);

[[nodiscard]] Collective read_collective(CollectiveKind kind, ObjectReader& reader);
void write_shape(const Collective& op, Json& json);

[[nodiscard]] std::string_view to_string(CollectiveKind kind);
/// P and the steps.
[[nodiscard]] Count part_elements(const Collective& op);
[[nodiscard]] Count ring_steps(const Collective& op);

}  // namespace tilewave
