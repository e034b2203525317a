// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "workloads/mapping/stream_work.hpp"

namespace tilewave {

/// A product or a convolution that is part of an op, with the tensors it works on. The sub-op's shape
/// is a Gemm or a (forward) Conv2d; a stationary operand that is no weight is its second input.
struct MatrixPart {
  Op op;
  OpTensors tensors;
  int weights = -1;  ///< which of the op's weight tensors; parts with the same number share it
  Count b_group_pitch = 0;  ///< elements from one group's B to the next; 0: as many as B has
};

struct Part {
  std::string name;  ///< in the op: "scores"; empty if it is the whole op
  std::variant<MatrixPart, StreamWork> work;
};

/// Where parts keep what one hands to another.
class Scratch {
 public:
  using TakeAddress = std::function<std::uint64_t(Bytes)>;
  /// At most `on_chip_bytes` of each of `cores` cores stay on chip at a time; the rest goes to
  /// `space`.
  Scratch(program::Space space, Bytes on_chip_bytes, bool unlimited, Count cores, TakeAddress take)
      : space_(space),
        free_(on_chip_bytes),
        unlimited_(unlimited),
        cores_(cores),
        take_(std::move(take)) {}

  /// On chip if it fits beside what is there already, else in memory; what several cores work on
  /// together always goes to memory.
  [[nodiscard]] Placement anywhere(Bytes bytes);
  /// On chip, `groups` times `bytes`, whole groups on each core; they must fit.
  [[nodiscard]] Placement by_groups(Count groups, Bytes bytes);
  [[nodiscard]] Placement in_memory(Bytes bytes);
  [[nodiscard]] Count cores() const { return cores_; }
  /// What fits on chip of a core at a time.
  [[nodiscard]] bool fits(Bytes bytes) const { return unlimited_ || bytes <= free_; }
  [[nodiscard]] Bytes free_bytes() const { return free_; }
  /// Most bytes on chip of a core so far.
  [[nodiscard]] Bytes resident_bytes() const { return resident_; }

 private:
  program::Space space_;
  Bytes free_, resident_ = 0;
  bool unlimited_;
  Count cores_;
  TakeAddress take_;
};

/// What an op is made of, in the order of execution: products, convolutions and passes of the vector
/// unit. A part begins when the one before is complete.
///   gemm, conv2d       one product, its epilogue fused; without fusion a pass for each step of it
///   conv1d             a conv2d of height 1
///   conv3d             the depth slices under each output slice gathered as channels, then a conv2d
///   conv2d transposed  input x filters, then the products added up where they overlap
///   conv2d weight_gradient  windows gathered (im2col), then gradient^T x windows
///   attention          parts/attention.cpp
///   moe                dispatch, up (and gate), activation, down, combine, over experts with tokens
///   lstm, gru, rnn     all inputs x weights, then for each step state x weights and the gates
///   concat             a copy of each input
///   all others         one pass
[[nodiscard]] std::vector<Part> parts_of(const Op& op, const OpFacts& facts,
                                         const OpTensors& tensors, bool fusion, Scratch& scratch);

/// Can an op work on its k-th input where it stays on chip? What a matrix unit holds still comes
/// from memory.
[[nodiscard]] bool takes_on_chip(const Op& op, std::size_t input);

// Of single kinds.
[[nodiscard]] std::vector<Part> attention_parts(const Attention& attention, const Op& op,
                                                const OpTensors& tensors, Scratch& scratch);
[[nodiscard]] std::vector<Part> attention_backward_parts(const Attention& attention, const Op& op,
                                                         const OpTensors& tensors,
                                                         Scratch& scratch);
[[nodiscard]] std::vector<Part> moe_parts(const Moe& moe, const Op& op, const OpTensors& tensors,
                                          Scratch& scratch);
[[nodiscard]] std::vector<Part> recurrent_parts(const Recurrent& recurrent, const Op& op,
                                                const OpTensors& tensors, Scratch& scratch);
[[nodiscard]] std::vector<Part> conv2d_parts(const Conv2d& conv, const Op& op,
                                             const OpTensors& tensors, Scratch& scratch);
[[nodiscard]] std::vector<Part> conv3d_parts(const Conv3d& conv, const Op& op,
                                             const OpTensors& tensors, Scratch& scratch);

// For those.
/// Part of a tensor: `bytes` from `offset` on.
[[nodiscard]] Placement slice(const Placement& whole, Bytes offset, Bytes bytes);
/// A product of A and either B (an input) or weights.
[[nodiscard]] Part product(const Op& op, std::string name, Gemm gemm, Placement a, Placement b,
                           Placement c);
[[nodiscard]] Part weight_product(const Op& op, std::string name, Gemm gemm, Placement a,
                                  int weights, Placement c);
/// A pass over `units`, each of some bits in each operand.
[[nodiscard]] Part pass(std::string name, Count units, Count elements_per_unit, Count operations,
                        std::vector<StreamOperand> inputs, StreamOperand output);

}  // namespace tilewave
