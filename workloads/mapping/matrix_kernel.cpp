// SPDX-License-Identifier: Apache-2.0
#include "workloads/mapping/matrix_kernel.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>

#include "arch/program/queues.hpp"
#include "workloads/mapping/blocks.hpp"
#include "workloads/ops/epilogue.hpp"

namespace tilewave {

using program::Condition;
using program::Instruction;
using program::SlotUse;
using program::UnitKind;
using Role = program::SlotUse::Role;

namespace {

class Builder {
 public:
  Builder(const KernelId& id, const MatrixProblem& problem, const MatrixMapping& mapping,
          const MatrixContext& context, const OpTensors& tensors)
      : p_(problem), map_(mapping), c_(context), t_(context.target), nest_(mapping.nest) {
    kernel_.name = id.name;
    kernel_.layer = id.layer;
    kernel_.dtype = id.dtype;
    kernel_.description = in_words(problem, mapping, context);
    a_tensor_ = add_tensor("A", tensors.inputs[0].place);
    b_tensor_ = add_tensor("B", tensors.weights);
    if (p_.bias_bytes > 0) bias_tensor_ = add_tensor("bias", tensors.bias);
    c_tensor_ = add_tensor("C", tensors.output);
    if (context.residual_fetched) r_tensor_ = add_tensor("residual", tensors.residual);
    split_m_ = mapping.split_m;
    a_stationary_ = t_.dataflow == Dataflow::input_stationary;
    const auto casts = t_.cast_operations.find(problem.type);
    if (casts != t_.cast_operations.end()) casts_ = casts->second;
  }

  program::Kernel build() {
    add_slots();
    add_bias();
    for (int u = 0; u < a_copies(); ++u) fetch_a(u);
    for (int u = 0; u < b_copies(); ++u) fetch_b(u);
    for (int u = 0; u < units(); ++u) {
      if (c_.residual_fetched) fetch_residual(u);
      multiply(u);
    }
    std::ranges::move(ahead_, std::back_inserter(body_));
    for (int u = 0; u < units(); ++u) finish_tile(u);
    kernel_.body = nest_.wrap(std::move(body_));
    deal_to_cores();
    return std::move(kernel_);
  }

 private:
  [[nodiscard]] bool split_k() const { return map_.parts() > 1; }
  [[nodiscard]] int units() const { return static_cast<int>(map_.units); }
  /// Slots of an operand: one for each unit, or one for all.
  [[nodiscard]] int a_copies() const { return split_m_ && !map_.a.whole ? units() : 1; }
  [[nodiscard]] int b_copies() const {
    return split_m_ || map_.b.whole || map_.b_abreast > 1 ? 1 : units();
  }
  [[nodiscard]] static int of_unit(const std::vector<int>& slots, int u) {
    return slots[slots.size() == 1 ? 0 : static_cast<std::size_t>(u)];
  }

  /// Dimension of the grid in which k is dealt to cores: one in which nothing else is.
  [[nodiscard]] int k_dimension() const {
    int d = 0;
    while (map_.grid[static_cast<std::size_t>(d)] > 1) ++d;
    return d;
  }

  void deal_to_cores() {
    std::copy_n(map_.grid.begin(), kernel_.grid.size(), kernel_.grid.begin());
    if (split_k()) kernel_.grid[static_cast<std::size_t>(k_dimension())] = map_.parts();
    if (kernel_.blocks() == 1) return;
    std::vector<DealtLoop> dealt;
    const auto deal = [&](LoopId id, int dim) {
      const int loop = nest_.position(id);
      if (loop >= 0) dealt.push_back({loop, nest_.at(loop).count, dim});
    };
    if (split_k()) deal(LoopId::k, k_dimension());
    if (!split_k() || k_dimension() != 0) deal(LoopId::group, 0);
    // A step of a block of m tiles is that of all tiles in it.
    if (!split_k() || k_dimension() != 1) {
      deal(nest_.position(LoopId::m_block) >= 0 ? LoopId::m_block : LoopId::m, 1);
    }
    if (!split_k() || k_dimension() != 2) deal(LoopId::n, 2);
    deal_to_blocks(kernel_.body, dealt);
  }

  int add_tensor(std::string name, const Placement& at) {
    kernel_.tensors.push_back({std::move(name), at.space, at.base_address, at.stored_bytes});
    return static_cast<int>(kernel_.tensors.size()) - 1;
  }
  int add_slot(std::string name, std::string buffer, Count stages, Bytes stage_bytes,
               Count releases = 1) {
    kernel_.slots.push_back({std::move(name), std::move(buffer), stages, stage_bytes, releases});
    return static_cast<int>(kernel_.slots.size()) - 1;
  }
  [[nodiscard]] std::string unit_name(const char* stem, bool per_unit, int u) const {
    return per_unit && units() > 1 ? fmt::format("{}{}", stem, u) : stem;
  }

  void add_slots() {
    const std::string weight_buffer =
        t_.weights == SystolicTarget::Weights::shared ? "activation" : "weight";
    const auto shared_by = [&](int slots) { return slots == 1 ? map_.units : 1; };
    for (int u = 0; u < a_copies(); ++u) {
      a_slots_.push_back(map_.a.resident
                             ? -1
                             : add_slot(unit_name("activations", a_copies() > 1, u), "activation",
                                        map_.a.stages, map_.a.stage_bytes, shared_by(a_copies())));
    }
    for (int u = 0; u < b_copies(); ++u) {
      b_slots_.push_back(add_slot(unit_name("weights", b_copies() > 1, u), weight_buffer,
                                  map_.b.stages, map_.b_abreast * map_.b.stage_bytes,
                                  shared_by(b_copies())));
    }
    for (int u = 0; u < units(); ++u) {
      acc_slots_.push_back(add_slot(unit_name("accumulators", true, u), "accumulator",
                                    map_.accumulator_stages, map_.accumulator_stage_bytes));
    }
    const Bytes tile = p_.c_tile_bytes(map_.tm, map_.tn);
    if (map_.result_stages > 0) {
      result_slot_ = add_slot("results", "activation", map_.result_stages, tile);
    }
    if (c_.residual_fetched) {
      for (int u = 0; u < units(); ++u) {
        residual_slots_.push_back(add_slot(unit_name("residual", true, u), "activation", 2, tile));
      }
    }
  }

  // Tiles along each dimension, for unit u.
  [[nodiscard]] Span m_span(int u) const {
    return tile_span(LoopId::m, map_.tm, p_.m, split_m_, u, LoopId::m_block);
  }
  [[nodiscard]] Span n_span(int u) const {
    return tile_span(LoopId::n, map_.tn, p_.n, !split_m_, u, LoopId::n);
  }
  [[nodiscard]] Span k_span() const {
    return tile_span(LoopId::k, map_.tk, p_.k, false, 0, LoopId::k);
  }
  [[nodiscard]] Span tile_span(LoopId id, Count tile, Count extent, bool split, int u,
                               LoopId block) const {
    const auto step = static_cast<std::int64_t>(tile * (split ? map_.units : 1));
    Affine begin = Affine::constant(split ? static_cast<std::int64_t>(tile) * u : 0);
    nest_.add(begin, id, step);
    if (block != id) {
      nest_.add(begin, block, step * static_cast<std::int64_t>(nest_.count(id)));
    }
    return {begin, static_cast<std::int64_t>(tile), 0, static_cast<std::int64_t>(extent)};
  }
  [[nodiscard]] int innermost_above_k() const { return nest_.position(LoopId::k) - 1; }

  Instruction& append(std::string label, UnitKind unit, int queue) {
    Instruction i;
    i.label = std::move(label);
    i.unit = unit;
    i.queue = queue;
    into_->emplace_back(std::move(i));
    return std::get<Instruction>(into_->back());
  }

  /// The load of a tile into a stage of its own. Sets of tiles that are kept over several uses are
  /// fetched ahead where the nest allows: the next set in the last use of the current one.
  void fetch(std::string label, int queue, int slot, bool runs_ahead, LoopSet depends, int level,
             const program::Region& region, const program::Size& elements) {
    SlotUse use;
    use.slot = slot;
    use.acquire = Condition::always();
    use.produce = true;
    const auto add = [&](const Condition& when, program::Region what) {
      Instruction& i = append(label, UnitKind::load, queue);
      i.when = when;
      i.runs_ahead = runs_ahead;
      i.slots.push_back(use);
      i.region = std::move(what);
      cast(slot, when, elements);
    };
    const int set_loop = nest_.set_loop(depends, level);
    Condition now = nest_.fetch_when(depends, level);
    if (set_loop < 0) return add(now, region);
    const auto bit = static_cast<std::uint8_t>(1U << set_loop);
    now.first = static_cast<std::uint8_t>(now.first | bit);  // the first set
    add(now, region);
    Condition ahead = nest_.release_when(depends, level);
    ahead.not_last = bit;
    // What is fetched ahead comes when this step's products give its place back. Neither the vector unit, which
    // does one thing after another, nor the dispatcher may wait for it before these have what they need.
    if (casts_ > 0) into_ = &ahead_;
    add(ahead, region.one_later(set_loop));
    into_ = &body_;
  }

  /// All tiles of an operand that are kept at its level as one, before they are used.
  void fetch_whole(std::string label, int queue, int slot, bool runs_ahead, int level,
                   program::Region region, const program::Size& elements) {
    SlotUse use;
    use.slot = slot;
    use.acquire = Condition::always();
    use.produce = true;
    Instruction& i = append(std::move(label), UnitKind::load, queue);
    i.when = nest_.first_inside(level);
    i.runs_ahead = runs_ahead;
    i.slots.push_back(use);
    i.region = std::move(region);
    cast(slot, nest_.first_inside(level), elements);
  }
  /// Operands of types that the matrix units do not take are converted where they lie.
  void cast(int slot, const Condition& when, const program::Size& elements) {
    if (casts_ == 0) return;
    Instruction& i = append("convert", UnitKind::vector, 0);
    i.when = when;
    i.elements = elements;
    i.operations_per_element = casts_;
    i.read_bytes_per_element = i.write_bytes_per_element = bytes_for(1, activation_bits(p_.type));
    SlotUse use;
    use.slot = slot;
    use.wait = use.produce = true;
    i.slots.push_back(use);
  }
  /// The tiles of a window of A, those of all units, as one span.
  [[nodiscard]] Span m_window() const {
    Span span = m_span(0);
    const auto m = static_cast<std::size_t>(nest_.position(LoopId::m));
    span.length = span.begin.stride[m] * static_cast<std::int64_t>(nest_.count(LoopId::m));
    span.begin.stride[m] = 0;
    return span;
  }
  /// The same of B: a column of n, or all of them.
  [[nodiscard]] Span n_window() const {
    Span span = n_span(0);
    const int n = nest_.position(LoopId::n);
    auto& step = span.begin.stride[static_cast<std::size_t>(n)];
    span.length = step;
    if (n <= map_.b.level) return span;
    span.length *= static_cast<std::int64_t>(nest_.count(LoopId::n));
    // Where the loop over n is dealt to the cores, each has a window of its own.
    span.begin.plus(kBlockIndex + 2, span.length);
    step = 0;
    return span;
  }

  /// The k of a window: all of it, or a core's part.
  [[nodiscard]] Span k_window() const {
    Span span = Span::whole(p_.k);
    if (!split_k()) return span;
    span.length = static_cast<std::int64_t>(map_.tk * nest_.count(LoopId::k));
    span.begin.plus(kBlockIndex + k_dimension(), span.length);
    return span;
  }

  void fetch_a(int u) {
    const int slot = a_slots_[static_cast<std::size_t>(u)];
    if (slot < 0) return;
    if (map_.a.whole) {
      return fetch_whole("fetch activations", kActivationLoads, slot, false, map_.a.level,
                         p_.a_region(map_.fetch, nest_, m_window(), k_window(), a_tensor_),
                         {{m_window(), k_window()}});
    }
    fetch("fetch activations", kActivationLoads, slot, false, p_.a_depends(map_.fetch),
          map_.a.level, p_.a_region(map_.fetch, nest_, m_span(u), k_span(), a_tensor_),
          {{m_span(u), k_span()}});
  }

  void fetch_b(int u) {
    // A FIFO or an SRAM of its own can be filled while the layer before still computes.
    const bool runs_ahead = t_.weights != SystolicTarget::Weights::shared && !p_.b_is_activation;
    if (map_.b.whole) {
      return fetch_whole(
          "fetch weights", kWeightLoads, b_slots_[static_cast<std::size_t>(u)], runs_ahead,
          map_.b.level,
          p_.b_region(nest_, n_window(), k_window(),
                      p_.b_is_activation ? std::nullopt : weight_tiles(map_, t_), b_tensor_),
          {{n_window(), k_window()}});
    }
    Span n = n_span(u);
    n.length *= static_cast<std::int64_t>(map_.b_abreast);
    fetch("fetch weights", kWeightLoads, b_slots_[static_cast<std::size_t>(u)], runs_ahead,
          MatrixProblem::b_depends(), map_.b.level,
          p_.b_region(nest_, n, k_span(),
                      p_.b_is_activation ? std::nullopt : weight_tiles(map_, t_), b_tensor_),
          {{n, k_span()}});
  }

  /// Bias vectors are small: all of them once, in the first iteration.
  void add_bias() {
    if (p_.bias_bytes == 0) return;
    bias_slot_ = add_slot("bias", "activation", 1, p_.bias_bytes);
    Instruction& i = append("fetch bias", UnitKind::load, kOperandLoads);
    i.when = nest_.first_inside(-1);
    SlotUse use;
    use.slot = bias_slot_;
    use.acquire = Condition::always();
    use.produce = true;
    // Without a vector unit nobody reads it.
    if (!t_.has_vector_unit) use.release = Condition::always();
    i.slots.push_back(use);
    i.region.tensor = bias_tensor_;
    i.region.shape = program::StridedRows{{}, Span::whole(p_.bias_bytes)};
  }

  void fetch_residual(int u) {
    Instruction& i = append("fetch residual", UnitKind::load, kOperandLoads);
    i.when = nest_.first_inside(innermost_above_k());
    SlotUse use;
    use.slot = residual_slots_[static_cast<std::size_t>(u)];
    use.acquire = Condition::always();
    use.produce = true;
    i.slots.push_back(use);
    i.region = p_.c_region(nest_, m_span(u), n_span(u), r_tensor_);
  }

  void multiply(int u) {
    Instruction& i = append("multiply", UnitKind::matrix, u);
    i.m.factors = {m_span(u)};
    i.n.factors = {n_span(u)};
    i.k.factors = {k_span()};
    nest_.add(i.batch_index, LoopId::group, 1);
    const int above_k = innermost_above_k();
    i.accumulate_first = nest_.first_inside(above_k);
    i.accumulate_last = nest_.last_inside(above_k);
    const int a_slot = of_unit(a_slots_, u);
    if (a_slot >= 0) {
      i.slots.push_back(read(a_slot, a_stationary_ ? Role::stationary : Role::stream,
                             p_.a_depends(map_.fetch), map_.a));
    }
    i.slots.push_back(read(of_unit(b_slots_, u), a_stationary_ ? Role::stream : Role::stationary,
                           MatrixProblem::b_depends(), map_.b));
    SlotUse result;
    result.slot = acc_slots_[static_cast<std::size_t>(u)];
    result.role = Role::result;
    result.acquire = i.accumulate_first;
    result.produce = true;
    i.slots.push_back(result);
  }

  [[nodiscard]] SlotUse read(int slot, Role role, LoopSet depends, const OperandPlan& plan) const {
    const int level = plan.level;
    SlotUse use;
    use.slot = slot;
    use.role = role;
    use.wait = true;
    use.part = casts_ > 0 ? 1 : 0;
    use.stage = nest_.fetch_number(depends, level);
    use.release = nest_.release_when(depends, level);
    if (plan.whole) {
      use.stage = nest_.rounds_before(level);
      use.release = nest_.last_inside(level);
    }
    return use;
  }

  /// Waits for part `part` of a slot and gives the stage back.
  [[nodiscard]] static SlotUse consume(int slot, Count part = 0) {
    SlotUse use;
    use.slot = slot;
    use.wait = true;
    use.part = part;
    use.release = Condition::always();
    return use;
  }

  void finish_tile(int u) {
    const Condition complete = nest_.last_inside(innermost_above_k());
    SlotUse from = consume(acc_slots_[static_cast<std::size_t>(u)], nest_.count(LoopId::k) - 1);
    if (t_.has_vector_unit) {
      Instruction& i = append("epilogue", UnitKind::vector, 0);
      i.when = complete;
      i.elements.factors = {m_span(u), n_span(u)};
      i.operations_per_element = epilogue_operations(p_, t_) + (p_.sums_out() ? 0 : casts_);
      i.reads_accumulators = true;
      i.read_bytes_per_element = bytes_for(1, accumulator_bits(p_.type));
      i.write_bytes_per_element = bytes_for(1, p_.result_bits());
      i.slots.push_back(from);
      if (bias_slot_ >= 0) {
        SlotUse bias = consume(bias_slot_);
        // The last tile of the last unit gives it back.
        bias.release = u + 1 == units() ? nest_.last_inside(-1) : Condition::no();
        i.slots.push_back(bias);
      }
      if (c_.residual_fetched)
        i.slots.push_back(consume(residual_slots_[static_cast<std::size_t>(u)]));
      if (result_slot_ >= 0) {
        SlotUse to;
        to.slot = result_slot_;
        to.acquire = Condition::always();
        to.produce = true;
        i.slots.push_back(to);
        from = consume(result_slot_);
      }
    }
    if (c_.c_resident) return;
    Instruction& store = append("store results", UnitKind::store, 0);
    store.when = complete;
    store.region = p_.c_region(nest_, m_span(u), n_span(u), c_tensor_);
    if (split_k()) {
      store.region.offset_bytes.plus(kBlockIndex + k_dimension(),
                                     static_cast<std::int64_t>(p_.c_stored_bytes()));
    }
    store.slots.push_back(from);
  }

  const MatrixProblem& p_;
  const MatrixMapping& map_;
  const MatrixContext& c_;
  const SystolicTarget& t_;
  const Nest& nest_;
  program::Kernel kernel_;
  std::vector<program::Node> body_, ahead_;  // ahead_: comes behind the step's products
  std::vector<program::Node>* into_ = &body_;
  bool split_m_ = false, a_stationary_ = false;
  Count casts_ = 0;  // lane operations that convert a number
  int a_tensor_ = -1, b_tensor_ = -1, c_tensor_ = -1, r_tensor_ = -1, bias_tensor_ = -1;
  std::vector<int> a_slots_, b_slots_, acc_slots_, residual_slots_;
  int bias_slot_ = -1, result_slot_ = -1;
};

}  // namespace

std::optional<MatrixProblem::WeightTiles> weight_tiles(const MatrixMapping& mapping,
                                                       const SystolicTarget& target) {
  if (!target.tiled_weights) return std::nullopt;
  if (mapping.b.whole) return MatrixProblem::WeightTiles{mapping.b_window, mapping.k};
  return MatrixProblem::WeightTiles{mapping.tn, mapping.tk, mapping.b_abreast};
}

program::Kernel build_matrix_kernel(const KernelId& id, const MatrixProblem& problem,
                                    const MatrixMapping& mapping, const MatrixContext& context,
                                    const OpTensors& tensors) {
  return Builder(id, problem, mapping, context, tensors).build();
}

}  // namespace tilewave
