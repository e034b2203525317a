// SPDX-License-Identifier: Apache-2.0
#include "workloads/mapping/matrix_problem.hpp"

#include <algorithm>

#include "workloads/ops/conv2d.hpp"
#include "workloads/ops/epilogue.hpp"

namespace tilewave {

namespace {

/// A span of elements as a span of bytes; formats below a byte round outwards.
Span in_bytes(const Span& elements, unsigned bits) {
  const auto scaled = [bits](std::int64_t value) {
    return (value * static_cast<std::int64_t>(bits) + 7) / 8;
  };
  Span bytes = elements;
  bytes.begin.base = elements.begin.base * static_cast<std::int64_t>(bits) / 8;
  for (auto& stride : bytes.begin.stride) stride = stride * static_cast<std::int64_t>(bits) / 8;
  bytes.length = scaled(elements.length);
  bytes.low = elements.low * static_cast<std::int64_t>(bits) / 8;
  bytes.high = scaled(elements.high);
  return bytes;
}

}  // namespace

MatrixProblem::MatrixProblem(const Op& op) : type(op.dtype) {
  if (const auto* gemm = std::get_if<Gemm>(&op.shape)) {
    groups = gemm->batch;
    m = gemm->m, n = gemm->n, k = gemm->k;
    transpose_a_ = gemm->transpose_a;
    transpose_b_ = gemm->transpose_b;
    epilogue = gemm->epilogue;
  } else {
    conv_ = std::get<Conv2d>(op.shape);
    convolution = true;
    const OutputSize out = conv_output(conv_);
    out_h_ = out.h, out_w_ = out.w;
    groups = conv_.groups;
    m = conv_.n * out.h * out.w;
    n = conv_.k / conv_.groups;
    k = conv_.c / conv_.groups * conv_.r * conv_.s;
    touched_cols_ = width_axis(conv_).touched();
    transpose_b_ = true;  // filters are stored one after another
    epilogue = conv_.epilogue;
  }
  // Added to the sums, so integer types keep it as wide as the accumulator.
  if (has_epilogue(epilogue, Epilogue::bias)) {
    bias_bytes =
        bytes_for(groups * n, is_integer(type) ? accumulator_bits(type) : activation_bits(type));
  }
}

LoopSet MatrixProblem::a_depends(AFetch fetch) const {
  // A window tile holds the channels of all groups.
  if (fetch == AFetch::window) return {LoopId::m_block, LoopId::m};
  return {LoopId::group, LoopId::m_block, LoopId::m, LoopId::k};
}

program::WindowRows MatrixProblem::window_rows(const Span& m_span) const {
  const WindowAxis rows = height_axis(conv_);
  const unsigned bits = activation_bits(type);
  const Bytes row = bytes_for(conv_.w * conv_.c, bits);
  return {.outputs = m_span,
          .out_rows = out_h_,
          .out_cols = out_w_,
          .in_rows = conv_.h,
          .stride = rows.stride,
          .padding = rows.padding,
          .extent = rows.extent(),
          .row_bytes = bytes_for(touched_cols_ * conv_.c, bits),
          .row_pitch_bytes = row,
          .image_pitch_bytes = row * conv_.h};
}

Bytes MatrixProblem::a_tile_bytes(AFetch fetch, Count tm, Count tk) const {
  if (fetch != AFetch::window)
    return bytes_for(std::min(tm, m) * std::min(tk, k), activation_bits(type));
  // A tile that does not begin at a row boundary may reach into one more output row; the largest
  // tile lies inside the image, where the padding cuts nothing off.
  const auto rows = window_rows(Span::whole(m));
  const Count pixels = std::min(tm, m);
  const bool aligned = pixels % out_w_ == 0 || pixels == m;
  const Count out_rows = ceil_div(pixels, out_w_) + (aligned ? 0 : 1);
  const Count whole = out_rows / out_h_, rest = out_rows % out_h_;
  const auto span = [&](Count count) {
    if (count == 0) return Count{0};
    return std::min(conv_.h, rows.stride <= rows.extent ? (count - 1) * rows.stride + rows.extent
                                                        : count * rows.extent);
  };
  // A tile that is no whole images may begin within one and end within another: there its windows
  // overlap less.
  const bool cut = conv_.n > 1 && pixels % image_pixels() != 0 && rest != 1;
  const Count overlap = rows.extent > rows.stride ? rows.extent - rows.stride : 0;
  const Count in_rows = whole * conv_.h + span(rest) + (cut ? overlap : 0);
  return std::min(in_rows, conv_.n * conv_.h) * rows.row_bytes;
}

Bytes MatrixProblem::b_tile_bytes(Count tn, Count tk) const {
  return bytes_for(std::min(tn, n) * std::min(tk, k), weight_bits(type));
}

Bytes MatrixProblem::a_bytes_once(AFetch fetch, Count tm) const {
  if (fetch != AFetch::window) return groups * bytes_for(m * k, activation_bits(type));
  const auto tiles = ceil_div(m, tm);
  const auto rows = window_rows(Span::tile(0, tm, m));
  if (tiles == 1 || tm % image_pixels() == 0) {
    LoopIndex index{};
    Bytes full = rows.bytes_at(index) * (tiles - 1);
    index[0] = static_cast<std::int64_t>(tiles - 1);
    return full + rows.bytes_at(index);
  }
  // Tiles differ at the borders of images: count them, or a sample where there are very many.
  constexpr Count kMostTiles = 512;
  Bytes bytes = 0;
  LoopIndex index{};
  const Count counted = std::min(tiles, kMostTiles);
  for (Count t = 0; t < counted; ++t) {
    index[0] = static_cast<std::int64_t>(t);
    bytes += rows.bytes_at(index);
  }
  return counted == tiles ? bytes : bytes / counted * tiles;
}

Bytes MatrixProblem::b_bytes_once() const { return groups * bytes_for(n * k, weight_bits(type)); }

program::Region MatrixProblem::a_region(AFetch fetch, const Nest& nest, const Span& m_span,
                                        const Span& k_span, int tensor) const {
  const unsigned bits = activation_bits(type);
  program::Region region{.tensor = tensor};
  if (fetch == AFetch::window) {
    region.window = window_rows(m_span);
    return region;
  }
  if (fetch == AFetch::im2col) {
    region.dims = {{m_span, 0}};
    region.row_bytes = in_bytes(k_span, bits);
    return region;
  }
  nest.add(region.offset_bytes, LoopId::group, static_cast<std::int64_t>(bytes_for(m * k, bits)));
  if (transpose_a_) {
    region.dims = {{k_span, bytes_for(m, bits)}};
    region.row_bytes = in_bytes(m_span, bits);
  } else {
    region.dims = {{m_span, bytes_for(k, bits)}};
    region.row_bytes = in_bytes(k_span, bits);
  }
  return region;
}

program::Region MatrixProblem::b_region(const Nest& nest, const Span& n_span, const Span& k_span,
                                        int tensor) const {
  const unsigned bits = weight_bits(type);
  program::Region region{.tensor = tensor};
  nest.add(region.offset_bytes, LoopId::group, static_cast<std::int64_t>(bytes_for(n * k, bits)));
  if (transpose_b_) {
    region.dims = {{n_span, bytes_for(k, bits)}};
    region.row_bytes = in_bytes(k_span, bits);
  } else {
    region.dims = {{k_span, bytes_for(n, bits)}};
    region.row_bytes = in_bytes(n_span, bits);
  }
  return region;
}

program::Region MatrixProblem::c_region(const Nest& nest, const Span& m_span, const Span& n_span,
                                        int tensor) const {
  const unsigned bits = activation_bits(type);
  program::Region region{.tensor = tensor};
  if (convolution && conv_.layout == Layout::nchw) {
    // Channel planes; of a tile over several images the first image's addresses are given.
    nest.add(region.offset_bytes, LoopId::group,
             static_cast<std::int64_t>(bytes_for(n * image_pixels(), bits)));
    region.dims = {{n_span, bytes_for(image_pixels(), bits)}};
    region.row_bytes = in_bytes(m_span, bits);
    return region;
  }
  const Count row_elements = convolution ? groups * n : n;
  const Bytes group_step = convolution ? bytes_for(n, bits) : bytes_for(m * n, bits);
  nest.add(region.offset_bytes, LoopId::group, static_cast<std::int64_t>(group_step));
  region.dims = {{m_span, bytes_for(row_elements, bits)}};
  region.row_bytes = in_bytes(n_span, bits);
  return region;
}

}  // namespace tilewave
