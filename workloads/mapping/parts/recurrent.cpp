// SPDX-License-Identifier: Apache-2.0
// Recurrent layers. The inputs of all steps are multiplied at once; then each step multiplies the
// state, adds its share of the inputs, and takes the gates through the vector unit, which holds the
// cell's memory. A step waits for the one before.
#include "workloads/ops/recurrent.hpp"

#include "workloads/mapping/parts/op_parts.hpp"

namespace tilewave {

std::vector<Part> recurrent_parts(const Recurrent& r, const Op& op, const OpTensors& tensors,
                                  Scratch& scratch) {
  const unsigned bits = activation_bits(op.dtype);
  const Count wide = gates(r.kind) * r.hidden;
  const auto bytes = [&](Count elements) { return bytes_for(elements, bits); };
  const Bytes gate_bytes = bytes(r.batch * wide), state_bytes = bytes(r.batch * r.hidden);

  const Placement state = scratch.anywhere(state_bytes);
  const Placement sums = scratch.anywhere(gate_bytes);
  const Placement shares = scratch.anywhere(r.steps * gate_bytes);
  std::vector<Part> parts;
  parts.push_back(weight_product(op, "inputs", {.m = r.steps * r.batch, .n = wide, .k = r.input},
                                 tensors.inputs[0].place, 0, shares));
  for (Count t = 0; t < r.steps; ++t) {
    Part sum = weight_product(
        op, "state", {.m = r.batch, .n = wide, .k = r.hidden, .epilogue = {Epilogue::residual}},
        state, 1, sums);
    std::get<MatrixPart>(sum.work).tensors.inputs.push_back(
        {.place = slice(shares, t * gate_bytes, gate_bytes)});
    parts.push_back(std::move(sum));
    // The new state is kept for the next step, beside being a result.
    parts.push_back(pass("gates", r.batch, r.hidden, steps_per_state_element(r.kind),
                         {{.name = "sums", .place = sums, .bits_per_unit = wide * bits}},
                         {.name = "output",
                          .place = slice(tensors.output, t * state_bytes, state_bytes),
                          .bits_per_unit = r.hidden * bits}));
  }
  return parts;
}

}  // namespace tilewave
