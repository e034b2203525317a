// SPDX-License-Identifier: Apache-2.0
#include "workloads/mapping/matrix_problem.hpp"

#include <algorithm>

#include "workloads/mapping/input_rows.hpp"
#include "workloads/ops/conv2d.hpp"
#include "workloads/ops/epilogue.hpp"
#include "workloads/ops/gemm.hpp"

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

MatrixProblem::MatrixProblem(const Op& op, const LayoutTile& tile) : type(op.dtype), tile_(tile) {
  if (const auto* gemm = std::get_if<Gemm>(&op.shape)) {
    groups = gemm->batch;
    m = gemm->m, n = gemm->n, k = gemm->k;
    transpose_a_ = gemm->transpose_a;
    transpose_b_ = gemm->transpose_b;
    b_is_activation = gemm->b_is_activation;
    pitch_a_ = tile.minor(pitch_a(*gemm));
    pitch_b_ = tile.minor(pitch_b(*gemm));
    pitch_c_ = tile.minor(pitch_c(*gemm));
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
    transpose_b_ = true;  // filters are stored one after another
    pitch_b_ = tile.minor(k), pitch_c_ = tile.minor(groups * n);
    const Count channels = conv_.layout == Layout::nhwc ? tile.minor(conv_.c) : conv_.c;
    input_ = input_rows(height_axis(conv_), width_axis(conv_), channels, conv_.layout,
                        activation_bits(type));
    epilogue = conv_.epilogue;
  }
  // Added to the sums, so integer types keep it as wide as the accumulator.
  if (has_epilogue(epilogue, Epilogue::bias)) {
    bias_bytes =
        bytes_for(groups * n, is_integer(type) ? accumulator_bits(type) : activation_bits(type));
  }
}

MatrixProblem MatrixProblem::with_sums_out() const {
  MatrixProblem sums = *this;
  sums.sums_out_ = true;
  sums.epilogue.clear();
  sums.bias_bytes = 0;
  sums.pitch_c_ = tile_.minor(n);
  return sums;
}

unsigned MatrixProblem::result_bits() const {
  return sums_out_ ? accumulator_bits(type) : activation_bits(type);
}

LoopSet MatrixProblem::a_depends(AFetch fetch) const {
  // A window tile holds the channels of all groups.
  if (fetch == AFetch::window) return {LoopId::m_block, LoopId::m};
  return {LoopId::group, LoopId::m_block, LoopId::m, LoopId::k};
}

program::WindowRows MatrixProblem::window_rows(const Span& m_span) const {
  auto rows = input_;
  rows.outputs = m_span;
  return rows;
}

program::WindowTaps MatrixProblem::window_taps(const Span& m_span, const Span& k_span) const {
  const auto axis = [](const WindowAxis& a, Count outputs) {
    return program::WindowTaps::Axis{a.input, outputs, a.filter, a.stride, a.padding, a.dilation};
  };
  return {.outputs = m_span,
          .taps = k_span,
          .rows = axis(height_axis(conv_), out_h_),
          .cols = axis(width_axis(conv_), out_w_),
          .channels = conv_.c / conv_.groups,
          .row_channels = conv_.c,
          .planes = conv_.layout == Layout::nchw,
          .bits = activation_bits(type)};
}

program::StridedRows MatrixProblem::matrix_rows(const Span& rows, Count pitch, const Span& elements,
                                                unsigned bits) const {
  const auto padded = [](Span span, Count high) {
    span.high = static_cast<std::int64_t>(high);
    return span;
  };
  const Span all = padded(rows, tile_.rows(static_cast<Count>(rows.high), bits));
  const Span row = padded(elements, tile_.minor(static_cast<Count>(elements.high)));
  return {{{all, bytes_for(pitch, bits)}}, in_bytes(row, bits)};
}

Bytes MatrixProblem::matrix_bytes(Count rows, Count most_rows, Count cols, Count most_cols,
                                  unsigned bits) const {
  return bytes_for(
      std::min(rows, tile_.rows(most_rows, bits)) * std::min(cols, tile_.minor(most_cols)), bits);
}

Count MatrixProblem::k_of_one_tap(Count rows) const {
  if (!convolution || conv_.layout != Layout::nhwc) return rows;
  // With few channels compilers pack taps after all.
  constexpr Count kFewChannels = 16;
  const Count channels = conv_.c / conv_.groups;
  const Count parts = ceil_div(channels, rows);
  return channels <= kFewChannels || channels % parts != 0 ? rows : channels / parts;
}

Bytes MatrixProblem::c_tile_bytes(Count tm, Count tn) const {
  return matrix_bytes(tm, m, tn, n, result_bits());
}

Bytes MatrixProblem::a_tile_bytes(AFetch fetch, Count tm, Count tk) const {
  if (fetch == AFetch::im2col) {
    return bytes_for(std::min(tm, m) * std::min(tk, k), activation_bits(type));
  }
  if (fetch == AFetch::matrix) {
    const unsigned bits = activation_bits(type);
    return transpose_a_ ? matrix_bytes(tk, k, tm, m, bits) : matrix_bytes(tm, m, tk, k, bits);
  }
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
  return std::min(in_rows, conv_.n * conv_.h) * rows.channels * rows.row_bytes;
}

Bytes MatrixProblem::b_tile_bytes(Count tn, Count tk) const {
  if (padded_) return bytes_for(tn * tk, b_bits());
  return transpose_b_ ? matrix_bytes(tn, n, tk, k, b_bits()) : matrix_bytes(tk, k, tn, n, b_bits());
}

Bytes MatrixProblem::a_bytes_once(AFetch fetch, Count tm) const {
  constexpr Count kAll = ~Count{0};
  if (fetch == AFetch::matrix) return groups * a_tile_bytes(fetch, kAll, kAll);
  if (fetch == AFetch::im2col) {
    return bytes_for(
        conv_.n * conv_.c * height_axis(conv_).taps_on_input() * width_axis(conv_).taps_on_input(),
        activation_bits(type));
  }
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

unsigned MatrixProblem::b_bits() const {
  return b_is_activation ? activation_bits(type) : weight_bits(type);
}

Bytes MatrixProblem::b_bytes_once() const {
  if (padded_) {
    return groups * weight_tile_count(*padded_) * b_tile_bytes(padded_->tn, padded_->tk);
  }
  constexpr Count kAll = ~Count{0};
  return groups * b_tile_bytes(kAll, kAll);
}

program::Region MatrixProblem::a_region(AFetch fetch, const Nest& nest, const Span& m_span,
                                        const Span& k_span, int tensor) const {
  const unsigned bits = activation_bits(type);
  program::Region region{.tensor = tensor};
  const auto of_group = [&](Bytes bytes) {
    nest.add(region.offset_bytes, LoopId::group, static_cast<std::int64_t>(bytes));
  };
  switch (fetch) {
    case AFetch::window:
      region.shape = window_rows(m_span);
      break;
    case AFetch::im2col:
      of_group(bytes_for(
          conv_.c / conv_.groups * (conv_.layout == Layout::nchw ? conv_.h * conv_.w : 1), bits));
      region.shape = window_taps(m_span, k_span);
      break;
    case AFetch::matrix:
      of_group(tile_.rows(transpose_a_ ? k : m, bits) * bytes_for(pitch_a_, bits));
      region.shape = transpose_a_ ? matrix_rows(k_span, pitch_a_, m_span, bits)
                                  : matrix_rows(m_span, pitch_a_, k_span, bits);
      break;
  }
  return region;
}

Count MatrixProblem::weight_tile_count(const WeightTiles& tiles) const {
  return ceil_div(n, tiles.tn * tiles.abreast) * tiles.abreast * ceil_div(k, tiles.tk);
}

Bytes MatrixProblem::b_stored_bytes(const std::optional<WeightTiles>& tiles) const {
  if (!tiles) {
    return groups * tile_.rows(transpose_b_ ? n : k, b_bits()) * bytes_for(pitch_b_, b_bits());
  }
  return groups * weight_tile_count(*tiles) * b_tile_bytes(tiles->tn, tiles->tk);
}

program::Region MatrixProblem::b_region(const Nest& nest, const Span& n_span, const Span& k_span,
                                        const std::optional<WeightTiles>& tiles, int tensor) const {
  const unsigned bits = b_bits();
  program::Region region{.tensor = tensor};
  const auto of_group = [&](Bytes bytes) {
    nest.add(region.offset_bytes, LoopId::group, static_cast<std::int64_t>(bytes));
  };
  if (tiles) {
    const Bytes tile = b_tile_bytes(tiles->tn, tiles->tk);
    of_group(weight_tile_count(*tiles) * tile);
    // Spans of tiles begin at multiples of a tile, whatever the indices: those of n that lie
    // abreast are one span.
    const auto add_tiles = [&](const Affine& begin, Count size, Bytes step) {
      const auto scaled = [&](std::int64_t x) {
        return x / static_cast<std::int64_t>(size) * static_cast<std::int64_t>(step);
      };
      region.offset_bytes.base += scaled(begin.base);
      for (std::size_t i = 0; i < begin.stride.size(); ++i) {
        region.offset_bytes.stride[i] += scaled(begin.stride[i]);
      }
    };
    add_tiles(n_span.begin, tiles->tn * tiles->abreast,
              ceil_div(k, tiles->tk) * tiles->abreast * tile);
    add_tiles(k_span.begin, tiles->tk, tiles->abreast * tile);
    const auto cut = [&](Span span) {
      // Padding goes to the end of the last tile.
      const auto extent = static_cast<Count>(span.high),
                 tile_size = static_cast<Count>(span.length);
      if (padded_) span.high = static_cast<std::int64_t>(ceil_div(extent, tile_size) * tile_size);
      return span;
    };
    region.shape = transpose_b_ ? matrix_rows(cut(n_span), 0, cut(k_span), bits)
                                : matrix_rows(cut(k_span), 0, cut(n_span), bits);
    return region;
  }
  of_group(b_group_pitch_ > 0 ? bytes_for(b_group_pitch_, bits)
                              : tile_.rows(transpose_b_ ? n : k, bits) * bytes_for(pitch_b_, bits));
  region.shape = transpose_b_ ? matrix_rows(n_span, pitch_b_, k_span, bits)
                              : matrix_rows(k_span, pitch_b_, n_span, bits);
  return region;
}

program::Region MatrixProblem::c_region(const Nest& nest, const Span& m_span, const Span& n_span,
                                        int tensor) const {
  const unsigned bits = result_bits();
  program::Region region{.tensor = tensor};
  const auto of_group = [&](Bytes bytes) {
    nest.add(region.offset_bytes, LoopId::group, static_cast<std::int64_t>(bytes));
  };
  if (convolution && conv_.layout == Layout::nchw) {
    const Bytes plane = bytes_for(image_pixels(), bits);
    of_group(n * plane);
    region.shape = program::PlanePixels{.pixels = m_span,
                                        .channels = n_span,
                                        .image_pixels = image_pixels(),
                                        .bits = bits,
                                        .plane_pitch_bytes = plane,
                                        .image_pitch_bytes = groups * n * plane};
    return region;
  }
  of_group(convolution ? bytes_for(n, bits) : tile_.rows(m, bits) * bytes_for(pitch_c_, bits));
  region.shape = matrix_rows(m_span, pitch_c_, n_span, bits);
  return region;
}

}  // namespace tilewave
