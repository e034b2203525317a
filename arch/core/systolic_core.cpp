// SPDX-License-Identifier: Apache-2.0
#include "arch/core/systolic_core.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "arch/program/queues.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {

using program::Instruction;
using program::UnitKind;

namespace {

constexpr int kStoreEngine = kLoadQueues;
constexpr const char* kEngineNames[] = {"dma_weights", "dma_activations", "dma_operands",
                                        "dma_store"};

std::int64_t start_of(const program::Size& size, const LoopIndex& index) {
  return size.factors.empty() ? 0 : size.factors.front().start_at(index);
}

}  // namespace

SystolicCore::SystolicCore(std::string name, Place place, const SystolicCoreParams& params,
                           Fidelity fidelity, const program::Program& program,
                           DmaEngine::Ports ports, Meters meters, Timeline& timeline,
                           const EventBus& events, StatGroup& parent)
    : name_(std::move(name)),
      place_(place),
      params_(params),
      program_(program),
      ports_(ports),
      meters_(meters),
      events_(events),
      read_path_(params.dma.read_bytes_per_cycle),
      write_path_(params.dma.write_bytes_per_cycle),
      progress_(program.kernels.size()),
      layers_(program.kernels.size()),
      timeline_(timeline) {
  for (int i = 0; i <= kStoreEngine; ++i) {
    engines_.emplace_back(name_ + "." + kEngineNames[i], i, params_.dma);
  }
  for (Count i = 0; i < params_.matrix.count; ++i) {
    matrix_.push_back(std::make_unique<MatrixSequencer>(
        fmt::format("{}.matrix{}", name_, i), params_,
        fidelity == Fidelity::fast ? make_fold_array(params_.matrix.array)
                                   : make_pe_array(params_.matrix.array)));
  }
  if (params_.vector) vector_ = std::make_unique<VectorUnit>(name_ + ".vector", params_);
  register_statistics(parent);
}

Cycle SystolicCore::step(Cycle now) {
  if (now < accounted_to_) return accounted_to_;  // it went on later (skip_repeats)
  ++events_handled_;
  account(now);
  now_ = now;
  for (auto& unit : matrix_) unit->advance(now);
  if (!finished() && now >= launched_at()) launched_ = true;
  bool changed = true;
  while (changed) {
    changed = deliver(now);
    changed |= dispatch();
    changed |= run_dma(now);
    changed |= run_matrix(now);
    changed |= run_vector(now);
    if (retire_kernels(now)) {
      if (const Cycle later = go_on_later(now); later > now) return later;
      changed = true;
    }
  }
  if (finished()) return kNever;
  Cycle next = launched_ ? kNever : launched_at();
  if (kernel_begin_ > now) next = std::min(next, kernel_begin_);
  for (const auto& engine : engines_) {
    const DmaPath& path = &engine == &engines_.back() ? write_path_ : read_path_;
    if (engine.next_to_send() != nullptr && !path.free_at(now))
      next = std::min(next, path.free_from());
  }
  for (const auto& unit : matrix_) next = std::min(next, unit->next_event(now));
  if (vector_) next = std::min(next, vector_->next_event(now));
  for (const auto& arrival : arrivals_) next = std::min(next, arrival.visible);
  return next;
}

// ---- Front end -------------------------------------------------------------------------------

bool SystolicCore::dispatch() {
  bool changed = false;
  while (dispatch_one()) changed = true;
  return changed;
}

bool SystolicCore::dispatch_one() {
  if (dispatch_kernel_ == program_.kernels.size()) return false;
  const auto& kernel = program_.kernels[dispatch_kernel_];
  if (!walker_) {
    walker_ = std::make_unique<program::Walker>(kernel, place_.index);
    opened_ = slots_.open(kernel);
  }
  const Instruction* instruction = walker_->current();
  if (instruction == nullptr) {
    progress_[dispatch_kernel_].all_dispatched = true;
    walker_.reset();
    ++dispatch_kernel_;
    return true;
  }
  const auto queue = static_cast<std::size_t>(instruction->queue);
  switch (instruction->unit) {
    case UnitKind::load:
      if (engines_[queue].full()) return false;
      break;
    case UnitKind::store:
      if (engines_[kStoreEngine].full()) return false;
      break;
    case UnitKind::matrix:
      if (matrix_[queue]->full()) return false;
      break;
    case UnitKind::vector:
      if (!vector_) throw SimulationError("program: a vector instruction, but no vector unit");
      if (vector_->full()) return false;
      break;
  }
  Job job = make_job(*instruction);
  for (const auto& use : instruction->slots) {
    job.slots.at(job.slot_count++) =
        slots_.bind(opened_[static_cast<std::size_t>(use.slot)], use, *walker_);
  }
  switch (instruction->unit) {
    case UnitKind::load:
      engines_[queue].push(job);
      break;
    case UnitKind::store:
      engines_[kStoreEngine].push(job);
      break;
    case UnitKind::matrix:
      matrix_[queue]->push(job);
      break;
    case UnitKind::vector:
      vector_->push(job);
      break;
  }
  ++instructions_;
  ++progress_[dispatch_kernel_].dispatched;
  if (instruction->unit == UnitKind::store) ++progress_[dispatch_kernel_].stores;
  walker_->next();
  return true;
}

namespace {

/// Is this the last piece of an extent?
bool reaches_end(const program::Size& size, const LoopIndex& index) {
  return std::all_of(size.factors.begin(), size.factors.end(), [&](const Span& span) {
    return span.begin.at(index) + span.length >= span.high;
  });
}

}  // namespace

Job SystolicCore::make_job(const Instruction& instruction) const {
  const auto& kernel = program_.kernels[dispatch_kernel_];
  const LoopIndex& index = walker_->index();
  Job job{.kernel = &kernel,
          .instruction = &instruction,
          .kernel_index = static_cast<int>(dispatch_kernel_)};
  switch (instruction.unit) {
    case UnitKind::load:
    case UnitKind::store: {
      const auto& tensor = kernel.tensors[static_cast<std::size_t>(instruction.region.tensor)];
      job.bytes = instruction.region.bytes_at(index);
      job.index = index;
      job.tensor_address = tensor.base_address;
      job.space = tensor.space;
      break;
    }
    case UnitKind::matrix:
      job.m = instruction.m.at(index);
      job.n = instruction.n.at(index);
      job.k = instruction.k.at(index);
      job.first = walker_->holds(instruction.accumulate_first);
      // Of a core's part of k at its end, the last folds may have nothing to multiply.
      job.last = walker_->holds(instruction.accumulate_last) || reaches_end(instruction.k, index);
      if (kernel.values) {
        job.m0 = start_of(instruction.m, index);
        job.n0 = start_of(instruction.n, index);
        job.k0 = start_of(instruction.k, index);
        job.batch = instruction.batch_index.at(index);
      }
      break;
    case UnitKind::vector:
      job.elements = instruction.elements.at(index);
      break;
  }
  return job;
}

// ---- Units -----------------------------------------------------------------------------------

bool SystolicCore::deliver(Cycle now) {
  bool changed = false;
  for (std::size_t i = 0; i < arrivals_.size();) {
    if (arrivals_[i].visible > now) {
      ++i;
      continue;
    }
    engines_[static_cast<std::size_t>(DmaEngine::engine_of(arrivals_[i].tag))].on_response(
        arrivals_[i].tag);
    arrivals_[i] = arrivals_.back();
    arrivals_.pop_back();
    changed = true;
  }
  return changed;
}

bool SystolicCore::run_dma(Cycle now) {
  bool changed = false;
  for (auto& engine : engines_) {
    while (engine.retire(now, slots_, [this](const Job& job, Cycle begin, Cycle end) {
      count_transfer(job, begin, end);
      complete_instruction(job);
    })) {
      changed = true;
    }
  }
  // What goes over the links between chips does not pass the path to memory.
  DmaPath to_links(0);
  // Round-robin: every engine may send one request, then the next round.
  bool sent = true;
  while (sent) {
    sent = false;
    for (auto& engine : engines_) {
      const bool links = !engine.empty() && engine.oldest().space == program::Space::link;
      DmaPath& path = links ? to_links : &engine == &engines_.back() ? write_path_ : read_path_;
      sent |= engine.send_one(now, slots_, ports_, path,
                              [this](const Job& job) { return may_start(job); });
    }
    changed |= sent;
  }
  return changed;
}

bool SystolicCore::run_matrix(Cycle now) {
  bool changed = false;
  for (auto& unit : matrix_) {
    changed |= unit->step(
        now, slots_, [this](const Job& job) { return !vector_has_turn() && may_start(job); },
        [this](const Job& job, const FoldShape& shape, Cycle at) { count_fold(job, shape, at); },
        [this, &unit](const Job& job, Cycle begin, Cycle end) {
          events_.slice(unit->name(), job.kernel->name, job.kernel->layer, begin, end);
          complete_instruction(job);
        });
  }
  return changed;
}

bool SystolicCore::arrays_have_turn() const {
  return !params_.vector->overlaps_products &&
         std::any_of(matrix_.begin(), matrix_.end(),
                     [this](const auto& unit) { return unit->in_flight(now_); });
}

bool SystolicCore::run_vector(Cycle now) {
  if (!vector_) return false;
  return vector_->step(
      now, slots_, [this](const Job& job) { return !arrays_have_turn() && may_start(job); },
      [this](const Job& job, Cycle begin, Cycle end) {
        count_vector(job);
        note_taken(job, end - std::min(end, params_.vector->latency_cycles));
        events_.slice(vector_->name(), job.kernel->name, job.kernel->layer, begin, end);
        complete_instruction(job);
      });
}

void SystolicCore::complete_instruction(const Job& job) {
  const auto kernel = static_cast<std::size_t>(job.kernel_index);
  ++progress_[kernel].completed;
  if (job.instruction->unit != UnitKind::store) return;
  --progress_[kernel].stores;
  if (kernel < done_kernels_) --trailing_stores_;
}

// Only what is on its way to memory already.
bool SystolicCore::rest_may_trail() const {
  const Progress& p = progress_[done_kernels_];
  const std::size_t next = done_kernels_ + 1;
  const Job* to_send = engines_.back().next_to_send();
  if (to_send != nullptr && static_cast<std::size_t>(to_send->kernel_index) == done_kernels_) {
    return false;
  }
  return next < program_.kernels.size() && program_.kernels[next].transfers_in_launch &&
         p.completed + p.stores == p.dispatched;
}

bool SystolicCore::retire_kernels(Cycle now) {
  bool changed = false;
  while (done_kernels_ < progress_.size()) {
    const Progress& p = progress_[done_kernels_];
    if (!launched_ || !p.all_dispatched) break;
    if (p.completed < p.dispatched && !rest_may_trail()) break;
    if (place_.barrier != nullptr) {
      if (!std::exchange(arrived_, true)) {
        place_.barrier->arrive(place_.index, done_kernels_, now);
      }
      if (!place_.barrier->passed(done_kernels_)) break;
      arrived_ = false;
    }
    auto& layer = layers_[done_kernels_];
    layer.end_cycle = now;
    if (meters_.dram != nullptr) layer.window_dram_bytes = meters_.dram->take_until(now);
    if (meters_.host != nullptr) layer.window_host_bytes = meters_.host->take_until(now);
    if (meters_.link != nullptr) layer.window_link_bytes = meters_.link->take_until(now);
    if (meters_.dram_counts) {
      const DramCounts counts = meters_.dram_counts(now);
      layer.window_dram = counts;
      layer.window_dram -= std::exchange(dram_counts_, counts);
    }
    if (meters_.take_l2) layer.window_l2 = meters_.take_l2(now);
    trailing_stores_ += p.stores;
    if (++done_kernels_ < layers_.size()) begin_kernel(now);
    changed = true;
  }
  return changed;
}

void SystolicCore::begin_kernel(Cycle now) {
  layers_[done_kernels_].start_cycle = now;
  launched_ = program_.kernels[done_kernels_].launch_cycles == 0;
  const int producer = program_.kernels[done_kernels_].reads_results_of;
  if (producer < 0 || params_.read_after_write_cycles == 0) return;
  kernel_begin_ = std::max(
      now, progress_[static_cast<std::size_t>(producer)].taken + params_.read_after_write_cycles);
}

void SystolicCore::note_taken(const Job& job, Cycle end) {
  Progress& progress = progress_[static_cast<std::size_t>(job.kernel_index)];
  const bool multiplies = job.instruction->unit == UnitKind::matrix;
  if (progress.multiplies && !multiplies) return;
  progress.taken = multiplies && !progress.multiplies ? end : std::max(progress.taken, end);
  progress.multiplies |= multiplies;
}

void SystolicCore::on_response(std::uint64_t tag, Cycle visible) {
  arrivals_.push_back({tag, visible});
  wake_(visible);
}

void SystolicCore::on_ready(Cycle visible) { wake_(visible); }

// ---- Accounting ------------------------------------------------------------------------------

void SystolicCore::account(Cycle now) {
  if (now == accounted_to_ || finished()) return;
  auto& layer = layers_[done_kernels_];
  layer.breakdown[static_cast<std::size_t>(classify(accounted_to_))] += now - accounted_to_;
  accounted_to_ = now;
}

// What the core did from `now` (the last wake-up) on; nothing has changed since.
CycleClass SystolicCore::classify(Cycle now) const {
  if (!launched_) return CycleClass::launch;
  if (arrived_) {
    // One core exchanges with other chips; what the others wait for is the links.
    const auto& tensors = program_.kernels[done_kernels_].tensors;
    const bool exchange = progress_[done_kernels_].dispatched == 0 &&
                          std::any_of(tensors.begin(), tensors.end(), [](const program::Tensor& t) {
                            return t.space == program::Space::link;
                          });
    return exchange ? CycleClass::wait_link : CycleClass::wait_cores;
  }
  bool in_flight = false;
  for (const auto& unit : matrix_) {
    if (unit->streaming(now)) return CycleClass::matrix_busy;
    in_flight |= unit->in_flight(now);
  }
  const auto host = [](const DmaEngine& e) {
    return !e.empty() && e.oldest().space == program::Space::host;
  };
  for (const auto& unit : matrix_) {
    const Job* next = unit->next_job();
    if (next == nullptr || !may_start(*next)) continue;
    const CycleClass reason = unit->waiting_for(now, slots_);
    if ((reason == CycleClass::wait_activations && host(engines_[kActivationLoads])) ||
        (reason == CycleClass::wait_weights && host(engines_[kWeightLoads]))) {
      return CycleClass::wait_host;
    }
    return reason;
  }
  if (in_flight) return CycleClass::fill_drain;
  if (vector_ && vector_->active()) return CycleClass::vector_busy;
  const DmaEngine& exchanges = engines_[kOperandLoads];
  if (exchanges.outstanding() > 0 && exchanges.oldest().space == program::Space::link) {
    return CycleClass::wait_link;
  }
  for (int queue : {kActivationLoads, kOperandLoads}) {
    const auto& engine = engines_[static_cast<std::size_t>(queue)];
    if (engine.outstanding() > 0) {
      return host(engine) ? CycleClass::wait_host : CycleClass::wait_dram;
    }
  }
  if (engines_[kStoreEngine].outstanding() > 0) {
    return host(engines_[kStoreEngine]) ? CycleClass::wait_host : CycleClass::wait_store;
  }
  return CycleClass::idle;
}

void SystolicCore::count_fold(const Job& job, const FoldShape& shape, Cycle now) {
  auto& layer = layer_of(job);
  const Count macs = job.m * job.n * job.k;
  const DataType type = job.kernel->dtype;
  const Bytes a = activation_bits(type), w = weight_bits(type), acc = accumulator_bits(type);
  layer.macs += macs;
  ++layer.folds;
  note_taken(job, now + shape.entry_cycles());
  timeline_.add(kMacsChannel, now, now + shape.entry_cycles(),
                static_cast<double>(macs) / static_cast<double>(params_.speed(type)));
  if (params_.matrix.array.cube) return count_cube_fold(job, shape, layer);
  layer.mapped_pe_folds += shape.rows_used * shape.cols_used;
  // One operand moves right and one sum (or, OS, the other operand) moves down with every product.
  const bool os = params_.matrix.array.dataflow == Dataflow::output_stationary;
  layer.pe_register_bytes +=
      macs * ((os ? a + w : a + acc) / 8 + ((os ? a + w : a + acc) % 8 != 0));
  // Operands enter from their buffers once a fold, sums are added in the accumulators.
  layer.activation_read_bytes += bytes_for(job.m * job.k, static_cast<unsigned>(a));
  layer.weight_read_bytes += bytes_for(job.k * job.n, static_cast<unsigned>(w));
  const Bytes results = bytes_for(job.m * job.n, static_cast<unsigned>(acc));
  if (os) {
    if (shape.last) layer.accumulator_write_bytes += results;
  } else {
    layer.accumulator_write_bytes += results;
    if (!job.first) layer.accumulator_read_bytes += results;
  }
}

// Each block of A meets all columns of blocks of B, and the other way round. The sums of a block of C
// stay at the multipliers for the blocks of a slice, and are read from L0C before and written after.
void SystolicCore::count_cube_fold(const Job& job, const FoldShape& shape, LayerRecord& layer) {
  const ArrayParams& array = params_.matrix.array;
  const DataType type = job.kernel->dtype;
  const Bytes a = bytes_for(job.m * job.k, activation_bits(type));
  const Bytes b = bytes_for(job.k * job.n, weight_bits(type));
  const Bytes c = bytes_for(job.m * job.n, accumulator_bits(type));
  layer.block_macs +=
      shape.entry_cycles() / shape.interval * array.rows * array.cols * shape.cube.block_depth;
  layer.activation_read_bytes += a;
  layer.weight_read_bytes += b;
  layer.l0a_write_bytes += a;
  layer.l0b_write_bytes += b;
  layer.l0a_read_bytes += a * ceil_div(job.n, array.cols);
  layer.l0b_read_bytes += b * ceil_div(job.m, array.rows);
  layer.accumulator_write_bytes += c * shape.cube.slices;
  layer.accumulator_read_bytes += c * (shape.cube.slices - (shape.first ? 1 : 0));
}

void SystolicCore::count_transfer(const Job& job, Cycle begin, Cycle end) {
  auto& layer = layer_of(job);
  const bool store = job.instruction->unit == UnitKind::store;
  const bool host = job.space == program::Space::host;
  if (job.space == program::Space::link) {
    layer.link_bytes += job.bytes;
    layer.activation_read_bytes += job.bytes;  // what is sent
  } else {
    (host ? (store ? layer.host_write_bytes : layer.host_read_bytes)
          : (store ? layer.dram_write_bytes : layer.dram_read_bytes)) += job.bytes;
  }
  if (store) {
    layer.activation_read_bytes += job.bytes;
  } else if (job.instruction->queue == kWeightLoads) {
    layer.weight_write_bytes += job.bytes;
  } else {
    layer.activation_write_bytes += job.bytes;
  }
  const auto& engine =
      engines_[store ? kStoreEngine : static_cast<std::size_t>(job.instruction->queue)];
  events_.slice(engine.name(), job.instruction->label, job.kernel->layer, begin, end);
  if (meters_.has_l2 && job.space == program::Space::dram) {
    timeline_.add(kL2BytesChannel, end, end, static_cast<double>(job.bytes));
  }
}

void SystolicCore::count_vector(const Job& job) {
  auto& layer = layer_of(job);
  const auto& i = *job.instruction;
  layer.vector_operations += job.elements * i.operations_per_element;
  layer.activation_write_bytes += job.elements * i.write_bytes_per_element;
  (i.reads_accumulators ? layer.accumulator_read_bytes : layer.activation_read_bytes) +=
      job.elements * i.read_bytes_per_element;
}

Count SystolicCore::array_macs() const {
  Count macs = repeated_macs_;
  for (const auto& unit : matrix_) macs += unit->macs_done();
  return macs;
}

}  // namespace tilewave
