// SPDX-License-Identifier: Apache-2.0
// Convolutions that are not one product over windows.
#include "workloads/mapping/parts/op_parts.hpp"
#include "workloads/ops/conv2d.hpp"
#include "workloads/ops/conv3d.hpp"

namespace tilewave {

namespace {

/// Each input pixel times all filters, then the overlapping products added up. By group.
std::vector<Part> transposed_parts(const Conv2d& v, const Op& op, const OpTensors& tensors,
                                   Scratch& scratch) {
  const unsigned bits = activation_bits(op.dtype);
  const Count pixels = v.n * v.h * v.w, taps = v.k / v.groups * v.r * v.s;
  const OutputSize out = conv_output(v);
  const Count products = v.groups * pixels * taps, outputs = out.elements();
  const Placement columns = scratch.anywhere(bytes_for(products, bits));
  std::vector<Part> parts;
  parts.push_back(weight_product(op, "products",
                                 {.m = pixels, .n = taps, .k = v.c / v.groups, .batch = v.groups},
                                 tensors.inputs[0].place, 0, columns));
  // Image rows of the result, each with its share of the products; epilogues ride along.
  const Count rows = out.n * out.h;
  const Count steps = ceil_div(products, outputs) + v.epilogue.size();
  std::vector<StreamOperand> inputs{
      {.name = "products", .place = columns, .bits_per_unit = ceil_div(products, rows) * bits}};
  if (tensors.inputs.size() > 1) {
    inputs.push_back({.name = "residual",
                      .place = tensors.inputs[1].place,
                      .bits_per_unit = outputs / rows * bits});
  }
  parts.push_back(
      pass("add up", rows, outputs / rows, steps, std::move(inputs),
           {.name = "output", .place = tensors.output, .bits_per_unit = outputs / rows * bits}));
  return parts;
}

/// gradient^T (filters x pixels) times the windows (pixels x taps), which are gathered first.
std::vector<Part> weight_gradient_parts(const Conv2d& v, const Op& op, const OpTensors& tensors,
                                        Scratch& scratch) {
  const unsigned bits = activation_bits(op.dtype);
  Conv2d forward = v;
  forward.weight_gradient = false;
  const OutputSize out = conv_output(forward);
  const Count pixels = out.n * out.h * out.w;
  const Count taps = v.c / v.groups * v.r * v.s;
  const Count inputs = v.n * v.c * v.h * v.w;
  // A 1 x 1 filter's windows are the input.
  const bool gather = v.r * v.s > 1 || v.stride != std::array<Count, 2>{1, 1};
  const Placement windows = gather ? scratch.in_memory(bytes_for(v.groups * pixels * taps, bits))
                                   : tensors.inputs[0].place;
  std::vector<Part> parts;
  if (gather) {
    const Count rows = out.n * out.h;
    parts.push_back(pass("gather windows", rows, v.groups * pixels * taps / rows, 1,
                         {{.name = "input",
                           .place = tensors.inputs[0].place,
                           .bits_per_unit = ceil_div(inputs, rows) * bits}},
                         {.name = "windows",
                          .place = windows,
                          .bits_per_unit = v.groups * pixels * taps / rows * bits}));
  }
  parts.push_back(
      product(op, "gradient",
              {.m = v.k / v.groups, .n = taps, .k = pixels, .batch = v.groups, .transpose_a = true},
              tensors.inputs[1].place, windows, tensors.output));
  return parts;
}

}  // namespace

std::vector<Part> conv2d_parts(const Conv2d& conv, const Op& op, const OpTensors& tensors,
                               Scratch& scratch) {
  return conv.transposed ? transposed_parts(conv, op, tensors, scratch)
                         : weight_gradient_parts(conv, op, tensors, scratch);
}

std::vector<Part> conv3d_parts(const Conv3d& v, const Op& op, const OpTensors& tensors,
                               Scratch& scratch) {
  const unsigned bits = activation_bits(op.dtype);
  const auto axis = axes(v);
  const Count slices = axis[0].outputs(), pixels = v.h * v.w;
  const Conv2d flat{.n = v.n * slices,
                    .c = v.c * v.t,
                    .h = v.h,
                    .w = v.w,
                    .k = v.k,
                    .r = v.r,
                    .s = v.s,
                    .stride = {v.stride[1], v.stride[2]},
                    .padding = {v.padding[1], v.padding[2]},
                    .dilation = {v.dilation[1], v.dilation[2]},
                    .groups = v.groups,
                    .epilogue = v.epilogue};
  Op sub = op;
  sub.shape = flat;
  MatrixPart convolution{.op = std::move(sub), .tensors = tensors, .weights = 0};
  // One slice deep, every slice: the slices are the images already.
  const bool gather = v.t > 1 || v.stride[0] != 1 || v.padding[0] != 0;
  if (!gather) return {{"", std::move(convolution)}};
  const Count volume = v.n * slices * v.c * v.t * pixels;
  const Placement gathered = scratch.anywhere(bytes_for(volume, bits));
  convolution.tensors.inputs[0].place = gathered;
  const Count units = v.n * slices;
  std::vector<Part> parts;
  parts.push_back(
      pass("gather slices", units, volume / units, 1,
           {{.name = "input",
             .place = tensors.inputs[0].place,
             .bits_per_unit = ceil_div(v.n * v.c * v.d * pixels, units) * bits}},
           {.name = "slices", .place = gathered, .bits_per_unit = volume / units * bits}));
  parts.push_back({"convolution", std::move(convolution)});
  return parts;
}

}  // namespace tilewave
