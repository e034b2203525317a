// SPDX-License-Identifier: Apache-2.0
#include "workloads/kernels/gpu/winograd.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "workloads/kernels/gpu/stream_kernel.hpp"
#include "workloads/ops/conv2d.hpp"

namespace tilewave {

namespace {

constexpr Count kFilter = 3, kFilterTaps = kFilter * kFilter;
/// Rows of a block of the L2: matrices of tiles begin at whole ones.
constexpr Count kBlockRows = 64;
/// Lane operations of the transforms of a tile and channel, F(2x2) and F(4x4) (Lavin and Gray, section 5).
struct Operations {
  Count input, filter, output;
};
constexpr Operations kSmall{32, 28, 24}, kLarge{156, 72, 90};

/// Outputs of a CTA of the fused kernel, as its grids show (cuDNN's scudnn_winograd_128x128_ldg1_ldg4:
/// x = images x filters / 32, y = height / 8, z = width / 16 or four images and width / 4).
struct Patch {
  Count images, height, width;
};
constexpr std::array<Patch, 2> kPatches{{{1, 8, 16}, {4, 8, 4}}};
constexpr Count kTileFilters = 32, kTileOutputs = 128, kTilesOfCta = 32;
constexpr Count kChannelsOfSlab = 4;
/// Estimated: share of the lanes' peak that the fused kernel's products get. From memory of Lavin and
/// Gray's table of a Titan X: 9.57 effective TFLOPS, 4.25 with a 2.25th of the products, of 6.96. Beside
/// the transforms that is loads, stores and barriers of a kernel with registers for two CTAs an SM.
constexpr double kFusedShare = 0.61;
/// Tiles of the products that are not fused, by their kernels' names in profiles: ampere_sgemm_128x128_nn;
/// before Ampere maxwell_ or volta_sgemm_64x64_nn, _32x128_nn, _128x64_nn, _128x32_nn.
struct ProductTile {
  Count bm, bn, warps_m, warps_n;
};
constexpr std::array<ProductTile, 1> kAmpereTiles{{{128, 128, 4, 2}}};
constexpr std::array<ProductTile, 4> kOlderTiles{
    {{64, 64, 2, 1}, {32, 128, 2, 4}, {128, 64, 4, 1}, {128, 32, 4, 2}}};
constexpr Count kProductSlab = 8, kProductStages = 2;

Count padded(Count value, Count unit) { return ceil_div(value, unit) * unit; }

/// Outputs of all CTAs, beyond the edges, too.
OutputSize covered(const OutputSize& out) {
  OutputSize least;
  for (const Patch& p : kPatches) {
    const OutputSize size{padded(out.n, p.images), out.c, padded(out.h, p.height),
                          padded(out.w, p.width)};
    if (least.n == 0 || size.elements() < least.elements()) least = size;
  }
  return least;
}

/// A span of k, 4 numbers a channel, in bytes of `of_channel` elements a channel.
Span of_filters(Span span, Count of_channel, unsigned bits) {
  const auto scale = [&](std::int64_t v) {
    return v * static_cast<std::int64_t>(of_channel * bits) / 8 / 4;
  };
  span.begin.base = scale(span.begin.base);
  for (auto& stride : span.begin.stride) stride = scale(stride);
  span.length = scale(span.length), span.low = scale(span.low), span.high = scale(span.high);
  return span;
}

}  // namespace

Winograd::Winograd(Count m, const Conv2d& conv) : m_(m), conv_(conv) {
  const OutputSize out = conv_output(conv);
  tiles_ = out.n * ceil_div(out.h, m) * ceil_div(out.w, m);
}

bool Winograd::fits(const Conv2d& v) {
  const std::array<Count, 2> one{1, 1};
  return v.r == kFilter && v.s == kFilter && v.stride == one && v.dilation == one &&
         v.groups == 1 && !v.transposed && !v.weight_gradient && v.padding[0] < kFilter &&
         v.padding[1] < kFilter;
}

/// Rows of one of the 36 matrices of tiles: whole blocks of the L2.
Count Winograd::stored_tiles() const { return padded(tiles_, kBlockRows); }

std::vector<GemmTile> Winograd::tiles(const GpuTarget& target) const {
  GemmTile tile;
  tile.unit = program::MmaUnit::lanes;
  if (m_ == 2) {
    tile.bm = kTileOutputs, tile.bn = kTileFilters, tile.bk = 4 * kChannelsOfSlab;
    tile.warps_m = 4, tile.warps_n = 2;
    tile.stages = kProductStages;
    return {tile};
  }
  std::vector<GemmTile> tiles;
  tile.bk = kProductSlab, tile.stages = kProductStages;
  const auto add = [&](const ProductTile& t) {
    tile.bm = t.bm, tile.bn = t.bn, tile.warps_m = t.warps_m, tile.warps_n = t.warps_n;
    tiles.push_back(tile);
  };
  if (target.has_async_copy) {
    std::ranges::for_each(kAmpereTiles, add);
  } else {
    std::ranges::for_each(kOlderTiles, add);
  }
  return tiles;
}

ConvGemm Winograd::product(DataType dtype) const {
  if (m_ == 2) return fused(dtype);
  ConvGemm result;
  Gemm& gemm = result.gemm;
  gemm.m = tiles_, gemm.n = conv_.k, gemm.k = conv_.c, gemm.batch = points();
  gemm.b_is_activation = true;
  result.a_batch_pitch = stored_tiles() * conv_.c;
  result.c_batch_pitch = stored_tiles() * conv_.k;
  result.problem = problem_of(gemm, dtype);
  return result;
}

ConvGemm Winograd::fused(DataType dtype) const {
  const unsigned bits = activation_bits(dtype);
  const OutputSize out = conv_output(conv_), all = covered(out);
  ConvGemm result;
  Gemm& gemm = result.gemm;
  // 16 products a tile of 4 outputs: 4 each.
  gemm.m = all.n * all.h * all.w, gemm.n = conv_.k, gemm.k = 4 * conv_.c;
  gemm.transpose_b = true;
  gemm.ldc = conv_.k;
  gemm.epilogue = conv_.epilogue;
  result.stored_rows = out.n * out.h * out.w;
  const Count transforms =
      kChannelsOfSlab * (kTilesOfCta * kSmall.input + kTileFilters * kSmall.filter);
  const auto products = static_cast<double>(kTileOutputs * kTileFilters * 4 * kChannelsOfSlab);
  result.slab_operations =
      std::max(transforms, static_cast<Count>(products * (1 / kFusedShare - 1)));
  // A tile of 4 outputs reads 4 x 4 inputs, each output's share being 2 x 2.
  const auto axis = [](Count in, Count outputs, Count padding) {
    return program::WindowTaps::Axis{.in = in,
                                     .out = outputs,
                                     .filter = 2,
                                     .stride = 1,
                                     .padding = std::min<Count>(1, padding),
                                     .dilation = 1};
  };
  program::WindowTaps windows;
  windows.rows = axis(conv_.h, all.h, conv_.padding[0]);
  windows.cols = axis(conv_.w, all.w, conv_.padding[1]);
  windows.channels = windows.row_channels = conv_.c;
  windows.planes = conv_.layout == Layout::nchw;
  windows.bits = bits;
  result.gather_a = [windows, images = conv_.n * all.h * all.w](const Span& outputs,
                                                                const Span& taps) {
    program::Region region;
    auto shape = windows;
    shape.outputs = outputs;
    // Images that only fill up four do not lie in memory.
    shape.outputs.high = std::min(outputs.high, static_cast<std::int64_t>(images));
    shape.taps = taps;
    region.shape = shape;
    return region;
  };
  result.gather_b = [bits, pitch = bytes_for(kFilterTaps * conv_.c, bits)](const Span& filters,
                                                                           const Span& k) {
    program::Region region;
    region.shape = program::StridedRows{.dims = {{filters, pitch}},
                                        .row_bytes = of_filters(k, kFilterTaps, bits)};
    return region;
  };
  result.problem = problem_of(gemm, dtype);
  return result;
}

Winograd::Passes Winograd::passes(const KernelId& id, const Placement& input,
                                  const Placement& weights, const Placement& output,
                                  const std::optional<Placement>& residual,
                                  const std::function<Placement(Bytes)>& workspace,
                                  const GpuTarget& target) const {
  if (m_ == 2) return {.before = {}, .after = {}, .a = input, .b = weights, .c = output};
  const Count bits = activation_bits(id.dtype);
  const auto bytes = [&](Count elements) { return bytes_for(elements, activation_bits(id.dtype)); };
  const Operations& steps = kLarge;
  Passes result;
  const auto add = [&](std::vector<program::GpuKernel>& to, const char* what, StreamKernel work) {
    auto kernel = build_stream_kernel(id, work, target);
    kernel.kernel.description = fmt::format("{}: {}", what, kernel.kernel.description);
    to.push_back(std::move(kernel));
  };
  // Filters: 9 numbers of each pair become 36.
  StreamKernel filters;
  filters.elements = conv_.k * conv_.c;
  filters.operations = steps.filter;
  filters.inputs = {{weights, kFilterTaps * bits}};
  result.b = workspace(bytes(points() * conv_.k * conv_.c));
  filters.output = {result.b, points() * bits};
  add(result.before, "filters transformed", filters);
  // Inputs: the 36 matrices one after another, rows of channels as the product reads them.
  StreamKernel inputs;
  inputs.elements = points() * stored_tiles() * conv_.c;
  inputs.row_elements = conv_.c;
  inputs.operations = ceil_div(steps.input, points());
  inputs.inputs = {
      {input, ceil_div(conv_.n * conv_.h * conv_.w * conv_.c * bits, inputs.elements)}};
  result.a = workspace(bytes(inputs.elements));
  inputs.output = {result.a, bits};
  add(result.before, "inputs transformed", inputs);
  // Back: of each tile and filter 36 sums become up to 16 outputs.
  const OutputSize out = conv_output(conv_);
  StreamKernel back;
  back.elements = tiles_ * conv_.k;
  back.row_elements = conv_.k;
  back.operations = steps.output + m_ * m_ * conv_.epilogue.size();
  result.c = workspace(bytes(points() * stored_tiles() * conv_.k));
  const Bytes matrix = bytes(stored_tiles() * conv_.k);
  for (Count i = 0; i < points(); ++i) {
    back.inputs.push_back(
        {{result.c.space, result.c.base_address + i * matrix, matrix, matrix}, bits});
  }
  const Count of_tile = ceil_div(out.elements() * bits, back.elements);
  if (residual) back.inputs.push_back({*residual, of_tile});
  back.output = {output, of_tile};
  add(result.after, "transformed back", back);
  return result;
}

}  // namespace tilewave
