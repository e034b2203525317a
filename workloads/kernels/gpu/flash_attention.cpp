// SPDX-License-Identifier: Apache-2.0
#include "workloads/kernels/gpu/flash_attention.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "workloads/kernels/gpu/attention_tile.hpp"
#include "workloads/kernels/gpu/kernel_facts.hpp"
#include "workloads/kernels/gpu/stream_kernel.hpp"

namespace tilewave {

using program::Instruction;
using program::MmaUnit;
using program::UnitKind;

namespace {

constexpr int kPass = 0;
constexpr int kX = kBlockIndex, kY = kBlockIndex + 1, kZ = kBlockIndex + 2;
/// Operations of a score: of the fp32 lanes the scale less the row's maximum (a multiply-add) and the sum; of
/// the integer lanes that maximum, and half of a conversion that packs two for the second product.
constexpr Count kScoreOperations = 2;

class Builder {
 public:
  Builder(const KernelId& id, const Attention& a, const AttentionTile& tile,
          const AttentionPlaces& places, const GpuTarget& target)
      : a_(a),
        t_(tile),
        places_(places),
        target_(target),
        bits_(activation_bits(id.dtype)),
        sharing_(a.heads / a.kv_heads) {
    auto& k = kernel_.kernel;
    k.name = id.name;
    k.layer = id.layer;
    k.dtype = id.dtype;
    k.description = in_words(tile);
    kernel_.cta = attention_cta(a, id.dtype, tile, target);
    kernel_.cta.mask = attention_mask(a, tile);
  }

  std::vector<program::GpuKernel> build(const KernelId& id) {
    auto& k = kernel_.kernel;
    const program::ScoreMask& mask = *kernel_.cta.mask;
    const Count groups = a_.batch * a_.kv_heads;
    if (packed()) {
      k.grid = {t_.splits, sharing_ / t_.heads, groups};
    } else {
      k.grid = {mask.tiles(), sharing_, groups};
    }
    const Count rows = groups * sharing_ * a_.q_len;
    const Bytes sum_bytes = rows * a_.v_head_dim * kSumBits / 8;
    Placement sums;
    if (t_.splits > 1) sums = places_.workspace(t_.splits * sum_bytes);
    tensor("Q", places_.q);
    tensor("K", places_.k);
    tensor("V", places_.v);
    tensor("O", t_.splits > 1 ? sums : places_.out);
    k.slots = {{.name = "Q",
                .buffer = "shared",
                .stages = 1,
                .stage_bytes = bytes(t_.rows() * a_.head_dim),
                .releases = 0},
               {.name = "K",
                .buffer = "shared",
                .stages = t_.stages,
                .stage_bytes = bytes(t_.keys * a_.head_dim)},
               {.name = "V",
                .buffer = "shared",
                .stages = t_.stages,
                .stage_bytes = bytes(t_.keys * a_.v_head_dim)}};
    program::Loop loop{.name = "keys", .index = kPass, .count = longest(mask), .body = {}};
    Instruction q = move("load Q", UnitKind::load, 0, query_rows(), a_.head_dim, bits_);
    q.when.first = 1;
    loop.body.emplace_back(std::move(q));
    loop.body.emplace_back(load_keys("load K", 1, a_.head_dim));
    if (!a_.v_in_k) loop.body.emplace_back(load_keys("load V", 2, a_.v_head_dim));
    // A group of warps that takes turns with another issues both products one after the other, the
    // values of a pass behind the scores of the next.
    const bool turns = kernel_.cta.teams > 1;
    loop.body.emplace_back(multiply("scores", t_.keys, a_.head_dim, true));
    if (turns) loop.body.emplace_back(multiply("values", a_.v_head_dim, t_.keys, false));
    softmax(loop);
    if (!turns) loop.body.emplace_back(multiply("values", a_.v_head_dim, t_.keys, false));
    k.body.emplace_back(std::move(loop));
    k.body.emplace_back(vector("divide", t_.rows() * a_.v_head_dim, 1, 0));
    Instruction store = move("store O", UnitKind::store, 3, query_rows(), a_.v_head_dim,
                             t_.splits > 1 ? kSumBits : bits_);
    if (t_.splits > 1) store.region.offset_bytes.plus(kX, static_cast<std::int64_t>(sum_bytes));
    k.body.emplace_back(std::move(store));
    std::vector<program::GpuKernel> kernels{std::move(kernel_)};
    if (t_.splits > 1) kernels.push_back(combine(id, sums, rows * a_.v_head_dim, sum_bytes));
    return kernels;
  }

 private:
  [[nodiscard]] bool packed() const { return is_packed(a_); }
  [[nodiscard]] Bytes bytes(Count elements) const { return bytes_for(elements, bits_); }
  [[nodiscard]] Count longest(const program::ScoreMask& mask) const {
    LoopIndex index{};
    Count most = 1;
    for (Count tile = 0; tile < mask.tiles(); ++tile) {
      index[static_cast<std::size_t>(kBlockIndex + mask.tile_dim)] =
          static_cast<std::int64_t>(tile);
      most = std::max(most, mask.passes_of(index).count);
    }
    return most;
  }

  void tensor(const char* name, const Placement& place) {
    kernel_.kernel.tensors.push_back({.name = name,
                                      .space = place.space,
                                      .base_address = place.base_address,
                                      .bytes = place.stored_bytes});
  }

  /// Rows of Q or O of the block's head (packed: of all its heads).
  [[nodiscard]] Span query_rows() const {
    if (packed()) return Span::whole(t_.rows());
    Span span = Span::whole(a_.q_len);
    const auto tile = static_cast<std::int64_t>(t_.queries);
    const auto tiles = static_cast<std::int64_t>(kernel_.cta.mask->tiles());
    // The longest first: under a causal mask the last ones.
    span.begin = kernel_.cta.mask->reversed ? Affine::of_loop(kX, -tile, (tiles - 1) * tile)
                                            : Affine::of_loop(kX, tile);
    span.length = tile;
    return span;
  }

  Instruction move(const char* label, UnitKind unit, int tensor, const Span& rows, Count dim,
                   unsigned bits) const {
    Instruction i;
    i.label = label;
    i.unit = unit;
    i.region.tensor = tensor;
    const auto row_bytes = static_cast<std::int64_t>(bytes_for(dim, bits));
    const auto of_head = static_cast<std::int64_t>(a_.q_len) * row_bytes;
    i.region.offset_bytes = Affine::of_loop(kZ, static_cast<std::int64_t>(sharing_) * of_head);
    i.region.offset_bytes.plus(kY,
                               packed() ? static_cast<std::int64_t>(t_.heads) * of_head : of_head);
    program::StridedRows shape;
    shape.dims = {{rows, static_cast<Bytes>(row_bytes)}};
    shape.row_bytes = Span::whole(static_cast<Count>(row_bytes));
    i.region.shape = shape;
    return i;
  }

  Instruction load_keys(const char* label, int tensor, Count dim) const {
    Instruction i;
    i.label = label;
    i.unit = UnitKind::load;
    i.region.tensor = tensor;
    i.region.offset_bytes = Affine::of_loop(kZ, static_cast<std::int64_t>(bytes(a_.kv_len * dim)));
    program::StridedRows shape;
    shape.dims = {{Span::tile(kPass, t_.keys, a_.kv_len), bytes(dim)}};
    shape.row_bytes = Span::whole(bytes(dim));
    i.region.shape = shape;
    return i;
  }

  /// Scores read Q from shared memory; probabilities stay where they are computed.
  Instruction multiply(const char* label, Count n, Count k, bool scores) const {
    using Role = program::SlotUse::Role;
    Instruction i;
    i.label = label;
    i.unit = UnitKind::matrix;
    i.m.factors = {Span::whole(t_.rows())};
    i.n.factors = {Span::whole(n)};
    i.k.factors = {Span::whole(k)};
    if (scores) i.slots.push_back({.slot = 0, .role = Role::stream, .wait = true});
    i.slots.push_back(
        {.slot = scores || a_.v_in_k ? 1 : 2, .role = Role::stationary, .wait = true});
    return i;
  }

  static Instruction vector(const char* label, Count elements, Count operations, int queue) {
    Instruction i;
    i.label = label;
    i.unit = UnitKind::vector;
    i.queue = queue;
    i.elements.factors = {Span::whole(elements)};
    i.operations_per_element = operations;
    return i;
  }

  void softmax(program::Loop& loop) const {
    const Count scores = attention_rows(t_) * t_.keys;
    loop.body.emplace_back(
        vector("maximum, pack", scores + ceil_div(scores, Count{2}), 1, program::kIntegerQueue));
    loop.body.emplace_back(vector("scale, sum", scores, kScoreOperations, 0));
    loop.body.emplace_back(vector("exponentials", scores, 1, program::kSpecialQueue));
    loop.body.emplace_back(vector("rescale sums", attention_rows(t_) * a_.v_head_dim, 1, 0));
  }

  [[nodiscard]] program::GpuKernel combine(const KernelId& id, const Placement& sums,
                                           Count elements, Bytes sum_bytes) const {
    StreamKernel stream;
    stream.elements = elements;
    // A factor for the split's part, and its sum.
    stream.operations = 2 * t_.splits;
    stream.add_splits(sums, t_.splits, sum_bytes);
    stream.output = {places_.out, bits_};
    auto kernel = build_stream_kernel(id, stream, target_);
    kernel.kernel.description = fmt::format("combines {} splits", t_.splits);
    kernel.kernel.launch_cycles = target_.kernel_gap_cycles;
    return kernel;
  }

  const Attention& a_;
  const AttentionTile& t_;
  const AttentionPlaces& places_;
  const GpuTarget& target_;
  unsigned bits_;
  Count sharing_;
  program::GpuKernel kernel_;
};

}  // namespace

std::vector<program::GpuKernel> build_attention_kernels(const KernelId& id, const Attention& a,
                                                        const AttentionTile& tile,
                                                        const AttentionPlaces& places,
                                                        const GpuTarget& target) {
  return Builder(id, a, tile, places, target).build(id);
}

}  // namespace tilewave
