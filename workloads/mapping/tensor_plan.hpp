// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/program/program.hpp"
#include "arch/program/systolic_target.hpp"
#include "workloads/op.hpp"

namespace tilewave {

/// Where a tensor lives while the workload runs. Addresses of one space never overlap.
struct Placement {
  program::Space space = program::Space::dram;
  std::uint64_t base_address = 0;
  Bytes bytes = 0;
  [[nodiscard]] bool on_chip() const { return space == program::Space::on_chip; }
};

struct InputTensor {
  int producer = -1;  ///< op whose result it is; -1: from outside
  Placement place{};
};

/// The tensors an op works on.
struct OpTensors {
  std::vector<InputTensor> inputs{};  ///< as OpFacts::inputs
  Placement weights, output;
  Bytes resident_bytes = 0;  ///< of the activation buffer, held by tensors during this op
};

/// Who produces what each op reads, what stays in the activation buffer between ops, and addresses.
///
/// A result stays on chip from its op to its last reader if, at every op in between, all tensors
/// that stay leave a staging share of the buffer free (kStagingShare, for tiles on their way in and
/// out). Decided in program order, earlier results first. What does not stay goes to DRAM, or,
/// where DRAM holds weights only, to the host; so do the results nobody reads, and all results on a
/// machine without a vector unit: nothing else writes the activation buffer.
struct TensorPlan {
  std::vector<OpTensors> ops;
  Bytes dram_bytes = 0, host_bytes = 0;  ///< allocated in all
  Bytes spill_bytes = 0;                 ///< results with readers that do not stay on chip
};

inline constexpr Bytes kStagingShare = 8;  ///< 1/8 of the activation buffer
inline constexpr std::uint64_t kTensorAlignment = 4096;

[[nodiscard]] TensorPlan plan_tensors(const Workload& workload, const std::vector<OpFacts>& facts,
                                      const SystolicTarget& target);

}  // namespace tilewave
