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
  Bytes bytes = 0;         ///< that the op needs of it
  Bytes stored_bytes = 0;  ///< from base_address on, gaps and edges included
  [[nodiscard]] bool on_chip() const { return space == program::Space::on_chip; }
};

/// Hands out the addresses of one space. Tensors take multiples of the alignment; of addresses
/// multiples of the reservation.
class AddressSpace {
 public:
  explicit AddressSpace(Bytes alignment = 1) : AddressSpace(alignment, alignment) {}
  AddressSpace(Bytes alignment, Bytes reservation)
      : alignment_(alignment), reservation_(reservation) {}
  [[nodiscard]] std::uint64_t take(Bytes bytes);
  /// Bytes that tensors take.
  [[nodiscard]] Bytes used() const noexcept { return used_; }
  /// The address that is next.
  [[nodiscard]] std::uint64_t next() const noexcept { return next_; }

 private:
  Bytes alignment_, reservation_;
  Bytes used_ = 0;
  std::uint64_t next_ = 0;
};

struct InputTensor {
  int producer = -1;  ///< op whose result it is; -1: from outside
  Placement place{};
};

/// The tensors an op works on.
struct OpTensors {
  std::vector<InputTensor> inputs{};  ///< as OpFacts::inputs
  Placement output{};
  Placement weights{}, bias{};  ///< their addresses follow from the mapping: place_weights()
  Placement residual{};         ///< of a product: the last of the inputs, if there is one
  Bytes resident_bytes = 0;     ///< of the activation buffer, held by tensors during this op
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
  AddressSpace dram, host;
  Bytes spill_bytes = 0;  ///< results with readers that do not stay on chip
};

inline constexpr Bytes kStagingShare = 8;  ///< 1/8 of the activation buffer

/// Everything but the weights gets an address; of formats below a byte each element takes a byte, so
/// that rows may begin at whole bytes.
[[nodiscard]] TensorPlan plan_tensors(const Workload& workload, const std::vector<OpFacts>& facts,
                                      const SystolicTarget& target);

/// Weights and bias of op `i` in DRAM; the weights take `stored_bytes` as they are laid out.
void place_weights(TensorPlan& plan, std::size_t i, Bytes weight_bytes, Bytes stored_bytes,
                   Bytes bias_bytes);

}  // namespace tilewave
