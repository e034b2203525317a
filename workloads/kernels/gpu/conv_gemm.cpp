// SPDX-License-Identifier: Apache-2.0
#include "workloads/kernels/gpu/conv_gemm.hpp"

#include <algorithm>

#include "workloads/ops/conv2d.hpp"

namespace tilewave {

namespace {

constexpr int kGroup = kBlockIndex + 2;

program::WindowTaps::Axis axis_of(const WindowAxis& axis) {
  return {.in = axis.input,
          .out = axis.outputs(),
          .filter = axis.filter,
          .stride = axis.stride,
          .padding = axis.padding,
          .dilation = axis.dilation};
}

/// A product of one pixel each with all channels: the pixels are a matrix already.
bool is_matrix(const Conv2d& v) {
  return v.r == 1 && v.s == 1 && v.stride == std::array<Count, 2>{1, 1} &&
         v.padding == std::array<Count, 2>{0, 0} && !v.padding_end && v.layout == Layout::nhwc;
}

/// The region of windows of a tile: outputs x taps.
auto windows_of(const Conv2d& v, DataType dtype, Count channels) {
  program::WindowTaps windows;
  windows.rows = axis_of(height_axis(v));
  windows.cols = axis_of(width_axis(v));
  windows.channels = channels;
  windows.row_channels = channels * v.groups;
  windows.planes = v.layout == Layout::nchw;
  windows.bits = activation_bits(dtype);
  const Count of_group = windows.planes ? channels * v.h * v.w : channels;
  const auto group_bytes = static_cast<std::int64_t>(bytes_for(of_group, windows.bits));
  const bool grouped = v.groups > 1;
  return [=](const Span& outputs, const Span& taps) {
    program::Region region;
    auto shape = windows;
    shape.outputs = outputs;
    shape.taps = taps;
    region.shape = shape;
    if (grouped) region.offset_bytes = Affine::of_loop(kGroup, group_bytes);
    return region;
  };
}

/// How large a share of the windows' elements is different ones.
double distinct(const Conv2d& v, Count outputs) {
  const auto touched =
      static_cast<double>(v.n * height_axis(v).touched() * width_axis(v).touched());
  return std::min(1.0, touched / static_cast<double>(outputs * v.r * v.s));
}

}  // namespace

GemmPlaces ConvGemm::at(const Placement& a, const Placement& b, const Placement& c) const {
  GemmPlaces places;
  places.a = a, places.b = b, places.c = c;
  places.gather_a = gather_a, places.gather_b = gather_b;
  places.a_batch_pitch = a_batch_pitch, places.c_batch_pitch = c_batch_pitch;
  places.slab_operations = slab_operations, places.stored_rows = stored_rows;
  return places;
}

ConvGemm forward_gemm(const Conv2d& v, DataType dtype, Count channels) {
  const OutputSize out = conv_output(v);
  ConvGemm result;
  Gemm& gemm = result.gemm;
  gemm.m = out.n * out.h * out.w;
  gemm.n = v.k / v.groups;
  gemm.k = v.r * v.s * channels;
  gemm.batch = v.groups;
  gemm.transpose_b = true;
  gemm.lda = channels * v.groups;
  gemm.ldb = gemm.k;
  gemm.ldc = v.k;
  gemm.epilogue = v.epilogue;
  if (is_matrix(v)) {
    result.a_batch_pitch = channels;
  } else {
    gemm.lda = gemm.k;
    result.gather_a = windows_of(v, dtype, channels);
  }
  result.c_batch_pitch = v.groups > 1 ? gemm.n : 0;
  result.problem = problem_of(gemm, dtype);
  result.problem.distinct_a = distinct(v, gemm.m);
  return result;
}

ConvGemm weight_gradient_gemm(const Conv2d& conv, DataType dtype, Count channels) {
  Conv2d v = conv;
  v.weight_gradient = false;
  const OutputSize out = conv_output(v);
  ConvGemm result;
  Gemm& gemm = result.gemm;
  gemm.m = v.k / v.groups;
  gemm.n = v.r * v.s * channels;
  gemm.k = out.n * out.h * out.w;
  gemm.batch = v.groups;
  gemm.transpose_a = true;
  gemm.b_is_activation = true;
  gemm.lda = v.k;
  gemm.ldb = gemm.n;
  gemm.ldc = gemm.n;
  result.a_batch_pitch = v.groups > 1 ? gemm.m : 0;
  if (!is_matrix(v) || v.groups > 1) result.gather_b = windows_of(v, dtype, channels);
  result.problem = problem_of(gemm, dtype);
  result.problem.distinct_b = distinct(v, gemm.k);
  // As many as there are tiles too few: k is all pixels, the result no more than the filters.
  result.problem.most_splits = 128;
  return result;
}

std::optional<Conv2d> as_forward(const Conv2d& t) {
  if (t.stride != std::array<Count, 2>{1, 1} || t.output_padding != std::array<Count, 2>{0, 0}) {
    return std::nullopt;
  }
  Conv2d v = t;
  v.transposed = false;
  v.padding = {height_axis(t).extent() - 1 - t.padding[0],
               width_axis(t).extent() - 1 - t.padding[1]};
  return v;
}

}  // namespace tilewave
