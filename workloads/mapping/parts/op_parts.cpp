// SPDX-License-Identifier: Apache-2.0
#include "workloads/mapping/parts/op_parts.hpp"

#include <algorithm>

#include "workloads/ops/epilogue.hpp"

namespace tilewave {

Placement Scratch::anywhere(Bytes bytes) {
  return cores_ > 1 || !fits(bytes) ? in_memory(bytes) : by_groups(1, bytes);
}

Placement Scratch::by_groups(Count groups, Bytes bytes) {
  const Bytes of_core = ceil_div(groups, cores_) * bytes;
  if (!unlimited_) free_ -= of_core;
  resident_ += of_core;
  return {program::Space::on_chip, 0, groups * bytes, groups * bytes};
}

Placement Scratch::in_memory(Bytes bytes) { return {space_, take_(bytes), bytes, bytes}; }

Placement slice(const Placement& whole, Bytes offset, Bytes bytes) {
  return {whole.space, whole.base_address + offset, bytes, bytes};
}

Part product(const Op& op, std::string name, Gemm gemm, Placement a, Placement b, Placement c) {
  gemm.b_is_activation = true;
  MatrixPart part;
  part.op = {.name = op.name, .dtype = op.dtype, .shape = gemm};
  part.tensors.inputs = {{.place = a}, {.place = b}};
  part.tensors.output = c;
  return {std::move(name), std::move(part)};
}

Part weight_product(const Op& op, std::string name, Gemm gemm, Placement a, int weights,
                    Placement c) {
  MatrixPart part;
  part.op = {.name = op.name, .dtype = op.dtype, .shape = std::move(gemm)};
  part.tensors.inputs = {{.place = a}};
  part.tensors.output = c;
  part.weights = weights;
  return {std::move(name), std::move(part)};
}

Part pass(std::string name, Count units, Count elements_per_unit, Count operations,
          std::vector<StreamOperand> inputs, StreamOperand output) {
  return {std::move(name), StreamWork{.units = units,
                                      .elements_per_unit = elements_per_unit,
                                      .operations = std::max<Count>(1, operations),
                                      .inputs = std::move(inputs),
                                      .output = std::move(output)}};
}

namespace {

std::vector<Epilogue>* epilogue_of(Op& op) {
  if (auto* gemm = std::get_if<Gemm>(&op.shape)) return &gemm->epilogue;
  if (auto* conv = std::get_if<Conv2d>(&op.shape)) return &conv->epilogue;
  return nullptr;
}

/// The op as one product; without fusion, each step of the epilogue in a pass of its own.
std::vector<Part> product_parts(const Op& op, const OpFacts& facts, const OpTensors& tensors,
                                bool fusion, Scratch& scratch) {
  MatrixPart whole{.op = op, .tensors = tensors, .weights = 0};
  std::vector<Epilogue>& epilogue = *epilogue_of(whole.op);
  if (fusion || epilogue.empty()) return {{"", std::move(whole)}};
  const auto steps = std::exchange(epilogue, {});
  const bool residual = has_epilogue(steps, Epilogue::residual);
  if (residual) whole.tensors.inputs.pop_back();
  const Count bits = activation_bits(op.dtype);
  Placement from = scratch.in_memory(facts.stored_output_bytes);
  whole.tensors.output = from;
  std::vector<Part> parts{{"", std::move(whole)}};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Placement to =
        i + 1 == steps.size() ? tensors.output : scratch.in_memory(facts.stored_output_bytes);
    std::vector<StreamOperand> inputs{{.name = "input", .place = from, .bits_per_unit = bits}};
    if (steps[i] == Epilogue::residual) {
      inputs.push_back(
          {.name = "residual", .place = tensors.inputs.back().place, .bits_per_unit = bits});
    }
    parts.push_back(pass(std::string(to_string(steps[i])), facts.output_elements, 1, 1,
                         std::move(inputs),
                         {.name = "output", .place = to, .bits_per_unit = bits}));
    from = to;
  }
  return parts;
}

std::vector<Part> concat_parts(const Concat& concat, const Op& op, const OpTensors& tensors) {
  const Count bits = activation_bits(op.dtype);
  std::vector<Part> parts;
  Bytes offset = 0;
  for (std::size_t i = 0; i < concat.parts.size(); ++i) {
    const Bytes bytes = bytes_for(concat.parts[i], activation_bits(op.dtype));
    parts.push_back(pass(
        "copy", concat.parts[i], 1, 1,
        {{.name = "input", .place = tensors.inputs[i].place, .bits_per_unit = bits}},
        {.name = "output", .place = slice(tensors.output, offset, bytes), .bits_per_unit = bits}));
    offset += bytes;
  }
  return parts;
}

}  // namespace

std::vector<Part> parts_of(const Op& op, const OpFacts& facts, const OpTensors& tensors,
                           bool fusion, Scratch& scratch) {
  if (const auto* conv = std::get_if<Conv2d>(&op.shape);
      conv != nullptr && (conv->transposed || conv->weight_gradient)) {
    return conv2d_parts(*conv, op, tensors, scratch);
  }
  if (const auto* conv = std::get_if<Conv1d>(&op.shape)) {
    Op flat = op;
    flat.shape = Conv2d{.n = conv->n,
                        .c = conv->c,
                        .h = 1,
                        .w = conv->w,
                        .k = conv->k,
                        .r = 1,
                        .s = conv->s,
                        .stride = {1, conv->stride},
                        .padding = {0, conv->padding[0]},
                        .padding_end = std::array<Count, 2>{0, conv->padding[1]},
                        .dilation = {1, conv->dilation},
                        .groups = conv->groups,
                        .epilogue = conv->epilogue};
    return product_parts(flat, facts, tensors, fusion, scratch);
  }
  if (const auto* conv = std::get_if<Conv3d>(&op.shape)) {
    return conv3d_parts(*conv, op, tensors, scratch);
  }
  if (const auto* attention = std::get_if<Attention>(&op.shape)) {
    return attention->backward ? attention_backward_parts(*attention, op, tensors, scratch)
                               : attention_parts(*attention, op, tensors, scratch);
  }
  if (const auto* moe = std::get_if<Moe>(&op.shape)) return moe_parts(*moe, op, tensors, scratch);
  if (const auto* recurrent = std::get_if<Recurrent>(&op.shape)) {
    return recurrent_parts(*recurrent, op, tensors, scratch);
  }
  if (const auto* concat = std::get_if<Concat>(&op.shape))
    return concat_parts(*concat, op, tensors);
  if (is_stream(op)) return {{"", stream_work(op, facts, tensors)}};
  return product_parts(op, facts, tensors, fusion, scratch);
}

namespace {

struct TakesOnChip {
  std::size_t input;
  bool operator()(const Gemm& v) const { return input != 1 || !v.b_is_activation; }
  bool operator()(const Conv2d& v) const { return input == 0 || !v.weight_gradient; }
  bool operator()(const Attention& v) const { return input == 0 && !v.backward; }
  bool operator()(const Collective&) const { return false; }
  bool operator()(const auto&) const { return true; }
};

}  // namespace

bool takes_on_chip(const Op& op, std::size_t input) {
  return std::visit(TakesOnChip{input}, op.shape);
}

}  // namespace tilewave
