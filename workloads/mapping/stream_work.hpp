// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "arch/program/region.hpp"
#include "workloads/mapping/tensor_plan.hpp"
#include "workloads/op.hpp"

namespace tilewave {

/// A tensor that streams through the vector unit, so many bits a unit of work.
struct StreamOperand {
  std::string name;
  Placement place;
  Count bits_per_unit = 0;
  /// Read once and kept for all units: a factor that serves many results.
  bool whole = false;
  /// Where the units [chunk i, chunk (i + 1)) of `units` lie, i the index of loop 0; without it one
  /// after another from the tensor's start.
  std::function<program::Region::Shape(Count chunk, Count units)> shape{};
  /// Most bytes that `units` units take, if not bits_per_unit each: windows overlap.
  std::function<Bytes(Count units)> most_bytes{};
};

/// One pass of the vector unit over tensors: rows or elements, one after another.
struct StreamWork {
  Count units = 0;
  Count units_together = 1;     ///< that one core takes, so that they lie where it finds them
  Count elements_per_unit = 1;  ///< results that take lane operations
  Count operations = 1;         ///< lane operations of each
  bool computes = true;         ///< else it only moves what it reads
  /// Numbers of the op's type that a result takes and that the lanes may have to convert; none: all
  /// that it reads, and itself.
  std::optional<Count> converted{};
  /// Read on chip for each result; 0: as many bits as the inputs have.
  Count read_bits_per_element = 0;
  std::vector<StreamOperand> inputs{};
  StreamOperand output{};
};

/// The pass that an op is; none if it is not one. Lane operations are the op's FLOPs, spread over its
/// results (moving alone takes one).
[[nodiscard]] bool is_stream(const Op& op);
[[nodiscard]] StreamWork stream_work(const Op& op, const OpFacts& facts, const OpTensors& tensors);
/// The same in smaller units, for a small buffer: a pool by rows of its input, whose sums (or largest
/// elements) wait in the vector unit. None if there is no such form.
[[nodiscard]] std::optional<StreamWork> finer_stream_work(const Op& op, const OpFacts& facts,
                                                          const OpTensors& tensors);

}  // namespace tilewave
