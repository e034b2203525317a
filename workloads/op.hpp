// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/program/data_type.hpp"
#include "sim/units.hpp"
#include "workloads/op_shapes.hpp"

/// Ops: what the user knows. A struct an op kind (op_shapes.hpp), plain data; the arithmetic of each
/// (sizes, MACs, compulsory bytes) stands in workloads/ops/<kind>.hpp/.cpp and nowhere else.
namespace tilewave {

struct Op {
  std::string name;  ///< unique in the workload
  DataType dtype = DataType::int8;
  OpShape shape;
  /// Names of the ops whose results it reads, or "input" for a tensor from outside. Empty: the op
  /// before it if that one's result has as many elements as this one's input, else from outside.
  /// One name an input, in the order of OpFacts::inputs: a second operand (elementwise with 2,
  /// residual epilogue) is the second name. Inputs after the last name come from outside.
  std::vector<std::string> inputs{};
  /// An input may be a part of the result it names (a slice of a fused product, the last token's
  /// row); without it the elements must be as many.
  bool partial_inputs = false;
  /// Earlier op whose weights these are (an output layer tied to the embedding, a gradient): read
  /// here as well, but no parameters of their own. Empty: its own.
  std::string weights_of{};
  bool functional = false;        ///< compute values (Gemm)
  std::uint64_t values_seed = 0;  ///< of the operands when functional
  friend bool operator==(const Op&, const Op&) = default;
};

struct Workload {
  std::string name;
  std::vector<Op> ops{};
  friend bool operator==(const Workload&, const Workload&) = default;
};

/// Bits of a stored element: those of the op's data type, or others, or both (a record of several
/// numbers).
struct ElementBits {
  unsigned fixed = 0;
  bool data_type = true;  ///< and those of an activation of the op's data type
  friend bool operator==(const ElementBits&, const ElementBits&) = default;
};

/// An activation tensor that an op reads.
struct InputFacts {
  Count elements = 0;          ///< all of it
  Count touched_elements = 0;  ///< of these, the ones that are used (all but for windows' gaps)
  Bytes bytes = 0;             ///< of the touched ones; facts() sets it from the data type
  ElementBits bits{};
  Count stored_elements = 0;  ///< places it takes in memory, gaps included; 0: as many as elements
  Bytes stored_bytes = 0;     ///< of these, a whole byte each at least; facts() sets it
  [[nodiscard]] static InputFacts whole(Count elements) {
    return {.elements = elements, .touched_elements = elements};
  }
  friend bool operator==(const InputFacts&, const InputFacts&) = default;
};

/// The arithmetic of an op; one place, every machine uses it. Counts that do not fit stop at
/// kMaxCount (2^63 - 1); check_shape() reports such an op as a fault.
struct OpFacts {
  Count macs = 0;   ///< multiply-accumulates of matrix work
  Count flops = 0;  ///< 2 x MACs + one an elementwise step
  /// In the order of Op::inputs; those of a residual epilogue come last.
  std::vector<InputFacts> inputs{};
  Count weight_elements = 0;
  /// Of these, the ones that are read, where that is not all: gathered rows, chosen experts.
  std::optional<Count> touched_weight_elements{};
  Count output_elements = 0;
  ElementBits output_bits{};
  Count stored_output_elements = 0;  ///< as InputFacts::stored_elements
  Bytes stored_output_bytes = 0;
  /// Biases, scales and shifts: parameters, too few to count as bytes.
  Count bias_elements = 0;
  /// Results within the op that go to memory and come back: the scores and probabilities of unfused
  /// attention, all of them together.
  Count intermediate_elements = 0;
  /// Bytes that must move if nothing is on chip: each element that is used, once.
  Bytes weight_bytes = 0, output_bytes = 0;
  Bytes intermediate_bytes = 0;  ///< each way
  /// Of all inputs.
  [[nodiscard]] Bytes input_bytes() const {
    Bytes bytes = 0;
    for (const InputFacts& input : inputs) bytes += input.bytes;
    return bytes;
  }
  [[nodiscard]] Bytes compulsory_bytes() const {
    return input_bytes() + weight_bytes + output_bytes + 2 * intermediate_bytes;
  }
  friend bool operator==(const OpFacts&, const OpFacts&) = default;
};
[[nodiscard]] OpFacts facts(const Op& op);
/// "gemm", "conv2d", … as files name it.
[[nodiscard]] std::string_view kind_name(const OpShape& shape);

}  // namespace tilewave
