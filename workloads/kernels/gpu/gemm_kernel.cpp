// SPDX-License-Identifier: Apache-2.0
#include "workloads/kernels/gpu/gemm_kernel.hpp"

#include <fmt/format.h>

#include "workloads/kernels/gpu/kernel_facts.hpp"
#include "workloads/kernels/gpu/stream_kernel.hpp"
#include "workloads/ops/gemm.hpp"

namespace tilewave {

using program::Instruction;
using program::UnitKind;

namespace {

constexpr int kSlabLoop = 0;
constexpr int kX = kBlockIndex, kY = kBlockIndex + 1, kZ = kBlockIndex + 2;

/// [first, first + tile) of an extent, in bytes of `bits` each.
Span in_bytes(Span span, unsigned bits) {
  const auto scale = [&](std::int64_t v) { return v * static_cast<std::int64_t>(bits) / 8; };
  span.begin.base = scale(span.begin.base);
  for (auto& stride : span.begin.stride) stride = scale(stride);
  span.length = scale(span.length);
  span.low = scale(span.low);
  span.high = scale(span.high);
  return span;
}

class Builder {
 public:
  Builder(const KernelId& id, const Gemm& gemm, const GemmTile& tile, const GemmPlaces& places,
          const GpuTarget& target)
      : g_(gemm), t_(tile), places_(places), target_(target), type_(id.dtype) {
    auto& k = kernel_.kernel;
    k.name = id.name;
    k.layer = id.layer;
    k.dtype = id.dtype;
    k.description = in_words(tile);
    kernel_.cta = cta_of(tile, problem_of(gemm, id.dtype), target);
  }

  std::vector<program::GpuKernel> build(const KernelId& id) {
    auto& k = kernel_.kernel;
    k.grid = {ceil_div(g_.n, t_.bn), ceil_div(g_.m, t_.bm), g_.batch * t_.splits};
    slabs_ = ceil_div(ceil_div(g_.k, t_.bk), t_.splits);
    const Placement sums =
        t_.splits > 1 ? places_.workspace(t_.splits * g_.m * g_.n * kSumBits / 8) : Placement{};
    tensor("A", places_.a);
    tensor("B", places_.b);
    tensor("C", t_.splits > 1 ? sums : places_.c);
    k.slots = {{.name = "A",
                .buffer = "shared",
                .stages = t_.stages,
                .stage_bytes = bytes_for(t_.bm * t_.bk, activation_bits(type_))},
               {.name = "B",
                .buffer = "shared",
                .stages = t_.stages,
                .stage_bytes = bytes_for(t_.bn * t_.bk, weight_bits(type_))}};
    program::Loop loop{.name = "k", .index = kSlabLoop, .count = slabs_, .body = {}};
    loop.body.emplace_back(places_.gather_a
                               ? gather("load A", 0, places_.gather_a(m(), k_span()))
                               : load("load A", 0, m(), k_span(), g_.transpose_a, pitch_a(g_),
                                      in_batch(places_.a_batch_pitch, g_.m * g_.k),
                                      activation_bits(type_)));
    loop.body.emplace_back(places_.gather_b ? gather("load B", 1, places_.gather_b(n(), k_span()))
                                            : load("load B", 1, n(), k_span(), !g_.transpose_b,
                                                   pitch_b(g_), g_.n * g_.k, weight_bits(type_)));
    if (places_.residual && t_.splits == 1) {
      tensor("residual", *places_.residual);
      Instruction r = load("load residual", 3, m(), n(), false, pitch_c(g_),
                           in_batch(places_.c_batch_pitch, g_.m * g_.n), activation_bits(type_));
      r.when.last = 1;
      loop.body.emplace_back(std::move(r));
    }
    if (places_.slab_operations > 0) loop.body.emplace_back(transform());
    loop.body.emplace_back(multiply());
    k.body.emplace_back(std::move(loop));
    epilogue();
    std::vector<program::GpuKernel> kernels{std::move(kernel_)};
    if (t_.splits > 1) kernels.push_back(reduction(id, sums));
    return kernels;
  }

 private:
  [[nodiscard]] Span m() const { return tiles(kY, t_.bm, g_.m); }
  [[nodiscard]] Span n() const { return tiles(kX, t_.bn, g_.n); }
  static Span tiles(int dim, Count tile, Count extent) {
    Span span = Span::whole(extent);
    span.begin = Affine::of_loop(dim, static_cast<std::int64_t>(tile));
    span.length = static_cast<std::int64_t>(tile);
    return span;
  }
  [[nodiscard]] Span k_span() const {
    Span span = tiles(kSlabLoop, t_.bk, g_.k);
    if (t_.splits > 1) span.begin.plus(kZ, static_cast<std::int64_t>(slabs_ * t_.bk));
    return span;
  }

  void tensor(const char* name, const Placement& place) {
    kernel_.kernel.tensors.push_back({.name = name,
                                      .space = place.space,
                                      .base_address = place.base_address,
                                      .bytes = place.stored_bytes});
  }

  static Count in_batch(Count pitch, Count elements) { return pitch > 0 ? pitch : elements; }

  static Instruction gather(const char* label, int tensor, program::Region region) {
    Instruction i;
    i.label = label;
    i.unit = UnitKind::load;
    i.region = std::move(region);
    i.region.tensor = tensor;
    return i;
  }

  /// Rows x columns of a matrix that is stored so, or with rows and columns exchanged.
  Instruction load(const char* label, int tensor, const Span& rows, const Span& columns,
                   bool exchanged, Count pitch, Count elements, unsigned bits) const {
    Instruction i;
    i.label = label;
    i.unit = UnitKind::load;
    i.region = region(tensor, rows, columns, exchanged, pitch, elements, bits);
    return i;
  }
  [[nodiscard]] program::Region region(int tensor, const Span& rows, const Span& columns,
                                       bool exchanged, Count pitch, Count elements,
                                       unsigned bits) const {
    program::Region r;
    r.tensor = tensor;
    if (g_.batch > 1) {
      r.offset_bytes = Affine::of_loop(kZ, static_cast<std::int64_t>(bytes_for(elements, bits)));
    }
    program::StridedRows shape;
    shape.dims = {{exchanged ? columns : rows, bytes_for(pitch, bits)}};
    shape.row_bytes = in_bytes(exchanged ? rows : columns, bits);
    r.shape = shape;
    return r;
  }

  [[nodiscard]] Instruction multiply() const {
    Instruction i;
    i.label = "multiply";
    i.unit = UnitKind::matrix;
    i.m.factors = {m()};
    i.n.factors = {n()};
    i.k.factors = {k_span()};
    return i;
  }

  [[nodiscard]] Instruction transform() const {
    Instruction v;
    v.label = "transform";
    v.unit = UnitKind::vector;
    v.elements.factors = {Span::whole(1)};
    v.operations_per_element = places_.slab_operations;
    return v;
  }

  void epilogue() {
    Instruction v;
    v.label = "epilogue";
    v.unit = UnitKind::vector;
    v.elements.factors = {m(), n()};
    v.operations_per_element = 1 + g_.epilogue.size();
    kernel_.kernel.body.emplace_back(v);
    Instruction s;
    s.label = "store C";
    s.unit = UnitKind::store;
    const unsigned bits = t_.splits > 1 ? kSumBits : activation_bits(type_);
    const Count rows = places_.stored_rows;
    const Span stored = rows > 0 ? tiles(kY, ceil_div(rows, kernel_.kernel.grid[1]), rows) : m();
    s.region = region(2, stored, n(), false, t_.splits > 1 ? g_.n : pitch_c(g_),
                      in_batch(places_.c_batch_pitch, g_.m * g_.n), bits);
    if (t_.splits > 1) {
      s.region.offset_bytes =
          Affine::of_loop(kZ, static_cast<std::int64_t>(g_.m * g_.n * kSumBits / 8));
    }
    kernel_.kernel.body.emplace_back(std::move(s));
  }

  [[nodiscard]] program::GpuKernel reduction(const KernelId& id, const Placement& sums) const {
    StreamKernel stream;
    stream.elements = g_.m * g_.n;
    stream.row_elements = g_.n;
    stream.operations = t_.splits + g_.epilogue.size();
    stream.add_splits(sums, t_.splits, g_.m * g_.n * kSumBits / 8);
    if (places_.residual) stream.inputs.push_back({*places_.residual, activation_bits(type_)});
    stream.output = {places_.c, activation_bits(type_)};
    auto kernel = build_stream_kernel({id.name, id.layer, id.dtype}, stream, target_);
    kernel.kernel.description = fmt::format("adds {} splits", t_.splits);
    kernel.kernel.launch_cycles = target_.kernel_gap_cycles;
    return kernel;
  }

  const Gemm& g_;
  const GemmTile& t_;
  const GemmPlaces& places_;
  const GpuTarget& target_;
  DataType type_;
  Count slabs_ = 1;
  program::GpuKernel kernel_;
};

}  // namespace

GemmProblem problem_of(const Gemm& gemm, DataType dtype) {
  return {.m = gemm.m, .n = gemm.n, .k = gemm.k, .batch = gemm.batch, .dtype = dtype};
}

std::vector<program::GpuKernel> build_gemm_kernels(const KernelId& id, const Gemm& gemm,
                                                   const GemmTile& tile, const GemmPlaces& places,
                                                   const GpuTarget& target) {
  return Builder(id, gemm, tile, places, target).build(id);
}

}  // namespace tilewave
