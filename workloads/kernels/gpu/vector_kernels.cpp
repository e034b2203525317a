// SPDX-License-Identifier: Apache-2.0
#include "workloads/kernels/gpu/vector_kernels.hpp"

#include <optional>

#include "workloads/kernels/gpu/row_kernel.hpp"
#include "workloads/kernels/gpu/stream_kernel.hpp"
#include "workloads/ops/normalization.hpp"

namespace tilewave {

namespace {

/// What an element takes: operations of the lanes and of the special function units.
struct Work {
  Count lanes = 1, special = 0;
};

/// Estimated: instructions of CUDA's single precision functions (CUDA C++ Programming Guide, intrinsic
/// functions): a division is a reciprocal and a few corrections, a power a logarithm and an exponential in
/// more than single precision, erf and tanh are polynomials or an exponential and a reciprocal.
Work work_of(ElementwiseKind kind) {
  switch (kind) {
    case ElementwiseKind::div:
      return {8, 1};
    case ElementwiseKind::pow:
      return {45, 2};
    case ElementwiseKind::exp:
      return {3, 1};
    case ElementwiseKind::tanh:
      return {14, 2};
    case ElementwiseKind::gelu:
      return {25, 1};
    case ElementwiseKind::silu:
    case ElementwiseKind::sigmoid:
      return {10, 2};
    default:
      return {1, 0};
  }
}

/// How libraries do it (PyTorch, SoftMax.cu, PersistentSoftmax.cuh, layer_norm_kernel.cu): a softmax of up
/// to 1,024 elements in a warp's registers, else a CTA of up to 1,024 threads reads for the maximum, the
/// sum, the result; a layer norm has 128 threads a row, which read it for the moments (mean and square at
/// once) and for the result.
std::optional<RowKernel> row_kernel_of(const Op& op, const std::string& part,
                                       const StreamWork& work) {
  constexpr Count kSoftmaxInRegisters = 1024, kNormThreads = 128;
  const auto* v = std::get_if<Normalization>(&op.shape);
  if (v != nullptr && (v->backward || v->kind == NormalizationKind::batchnorm)) return std::nullopt;
  if (v == nullptr && part != "softmax") return std::nullopt;
  RowKernel row;
  row.rows = work.units;
  row.cols = work.elements_per_unit;
  row.operations = work.operations;
  if (v == nullptr || v->kind == NormalizationKind::softmax) {
    row.passes = 3;
    row.reductions = 2;
    row.register_cols = kSoftmaxInRegisters;
    // The sum's, and the result's.
    row.special_operations = row.cols <= row.register_cols ? 1 : 2;
  } else {
    row.passes = 2;
    row.reductions = 1;
    row.most_threads = kNormThreads;
  }
  for (const StreamOperand& input : work.inputs) {
    if (input.whole || input.bits_per_unit % row.cols != 0) return std::nullopt;
    row.inputs.push_back({input.place, input.bits_per_unit / row.cols});
  }
  row.output = {work.output.place, work.output.bits_per_unit / row.cols};
  if (row.inputs.empty() || row.inputs[0].bits == 0) return std::nullopt;
  return row;
}

}  // namespace

program::GpuKernel build_vector_kernel(const KernelId& id, const Op& op, const std::string& part,
                                       const StreamWork& work, const GpuTarget& target) {
  if (const auto row = row_kernel_of(op, part, work)) return build_row_kernel(id, *row, target);
  StreamKernel kernel;
  kernel.elements = work.units;
  kernel.operations = work.operations * work.elements_per_unit;
  if (const auto* e = std::get_if<Elementwise>(&op.shape)) {
    const Work of_element = work_of(e->kind);
    kernel.operations = of_element.lanes;
    kernel.special_operations = of_element.special;
  }
  for (const StreamOperand& input : work.inputs) {
    const Count bits =
        input.whole ? ceil_div(input.place.bytes * 8, work.units) : input.bits_per_unit;
    kernel.inputs.push_back({input.place, bits});
  }
  kernel.output = {work.output.place, work.output.bits_per_unit};
  return build_stream_kernel(id, kernel, target);
}

}  // namespace tilewave
