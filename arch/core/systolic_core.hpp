// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "arch/core/dma_engine.hpp"
#include "arch/core/kernel_barrier.hpp"
#include "arch/core/layer_record.hpp"
#include "arch/core/matrix_sequencer.hpp"
#include "arch/core/repeats.hpp"
#include "arch/core/systolic_core_params.hpp"
#include "arch/memory/link_meter.hpp"
#include "arch/memory/memory_port.hpp"
#include "arch/vector/vector_unit.hpp"
#include "sim/events.hpp"
#include "sim/statistics.hpp"
#include "sim/timeline.hpp"

namespace tilewave {

/// fast: a fold is one step. detailed: every PE, every cycle. Equal cycles, by test.
enum class Fidelity { fast, detailed };

/// Channels of the core's timeline.
enum TimelineChannel : std::size_t {
  kMacsChannel,
  kDramBytesChannel,
  kL2BytesChannel,  ///< what the core's transfers move from and to an L2
  kTimelineChannels
};

/// A systolic core, decoupled access and execute: a front end takes the program's instructions in
/// order and puts each into the queue of its unit (three load engines, a store engine, matrix
/// units, a vector unit); the units run on their own and meet only at slots. Plain C++: the module
/// around it (arch/chip) gives it time and memory.
///
/// Modelled: queue depths, slots and buffer capacity, ports, the arrays' pipelines, DMA requests in
/// flight, every wait between units. Not modelled: rate of the front end (an instruction costs no
/// cycle to dispatch; each stands for hundreds of cycles of work), SRAM access latency (pipelined,
/// a few cycles a fold), bank conflicts.
///
/// A unit's changes at cycle x are seen by the others in cycle x: step() repeats until nothing
/// changes, in a fixed order. Between wake-ups nothing changes, so cycles are accounted by
/// interval.
///
/// Of a chip's cores each runs its own block of every kernel; they meet after each at a barrier.
class SystolicCore final : public MemoryClient {
 public:
  /// Meters of what the links carry; null where there is no such link.
  struct Meters {
    LinkMeter* dram = nullptr;
    LinkMeter* host = nullptr;
    LinkMeter* link = nullptr;
    /// What the DRAM's controllers did up to a cycle; empty without controllers.
    std::function<DramCounts(Cycle)> dram_counts{};
    bool has_l2 = false;  ///< between the core and the DRAM
    /// What an L2 did up to a cycle, since it was last asked; empty without one.
    std::function<SharedCacheCounts(Cycle)> take_l2{};
  };
  /// Which core of the chip it is. Without a barrier it is the only one.
  struct Place {
    std::size_t index = 0;
    KernelBarrier* barrier = nullptr;
  };
  SystolicCore(std::string name, Place place, const SystolicCoreParams& params, Fidelity fidelity,
               const program::Program& program, DmaEngine::Ports ports, Meters meters,
               Timeline& timeline, const EventBus& events, StatGroup& parent);

  /// Kernels that would do what they did before are not simulated (Repeats). Requires fast fidelity
  /// and memories to which addresses mean nothing; nobody listens to events. States are the same only
  /// at multiples of `phase_cycles` from each other: a cycle may be no whole number of femtoseconds.
  void skip_repeats(Cycle phase_cycles, StatGroup& statistics);
  /// Kernels that were not simulated.
  [[nodiscard]] std::size_t kernels_repeated() const noexcept { return kernels_repeated_; }

  /// Does all that happens at cycle `now`; returns the next cycle at which to be called, kNever if
  /// it waits for memory or has finished.
  Cycle step(Cycle now);

  void on_response(std::uint64_t tag, Cycle visible) override;
  void on_ready(Cycle visible) override;
  /// Called with the cycle at which step() is needed.
  void set_wake(std::function<void(Cycle)> wake) { wake_ = std::move(wake); }

  [[nodiscard]] bool finished() const { return done_kernels_ == program_.kernels.size(); }
  [[nodiscard]] std::size_t kernels_done() const noexcept { return done_kernels_; }
  [[nodiscard]] const std::vector<LayerRecord>& layers() const noexcept { return layers_; }
  /// Multiply-accumulates the arrays say they did.
  [[nodiscard]] Count array_macs() const;
  /// Wake-ups so far.
  [[nodiscard]] Count events_handled() const noexcept { return events_handled_; }
  /// Who waits for what, a line each: for the watchdog.
  [[nodiscard]] std::string describe_waits() const;
  /// Everything handed out was given back; throws SimulationError otherwise.
  void check_drained() const;

 private:
  void account(Cycle now);
  [[nodiscard]] CycleClass classify(Cycle now) const;
  [[nodiscard]] bool quiet(Cycle now) const;
  template <typename See>
  void for_each_job(See&& see);
  void describe(Cycle now, Repeats::Words& words);
  /// After a kernel is complete: where the core goes on if what follows is known, else `now`.
  [[nodiscard]] Cycle go_on_later(Cycle now);
  void repeat(const Repeats::Found& found, Cycle now);
  bool dispatch();
  bool dispatch_one();
  [[nodiscard]] Job make_job(const program::Instruction& instruction) const;
  bool run_dma(Cycle now);
  bool run_matrix(Cycle now);
  bool run_vector(Cycle now);
  bool deliver(Cycle now);
  void complete_instruction(const Job& job);
  bool retire_kernels(Cycle now);
  /// Nothing starts while a kernel is being launched, but perhaps its loads; afterwards its own
  /// instructions and those of later kernels that run ahead. What earlier kernels store must have
  /// arrived before anything is loaded that may be theirs.
  [[nodiscard]] bool may_start(const Job& job) const {
    const auto kernel = static_cast<std::size_t>(job.kernel_index);
    if (kernel < done_kernels_) return true;  // a store that trails
    const bool load = job.instruction->unit == program::UnitKind::load;
    if (!launched_ && !(load && job.kernel->transfers_in_launch)) return false;
    if (job.instruction->runs_ahead) return true;
    if (kernel != done_kernels_) return false;
    // What comes from off chip is complete there; results on chip take their time.
    return load ? trailing_stores_ == 0 : now_ >= kernel_begin_;
  }
  /// Arrays and vector unit take turns, and it is the other's.
  [[nodiscard]] bool vector_has_turn() const {
    return vector_ && !params_.vector->overlaps_products && vector_->active();
  }
  [[nodiscard]] bool arrays_have_turn() const;
  /// All of the current kernel is complete but for stores, and the next lets them trail.
  [[nodiscard]] bool rest_may_trail() const;
  [[nodiscard]] Cycle launched_at() const {
    return layers_[done_kernels_].start_cycle + program_.kernels[done_kernels_].launch_cycles;
  }
  void begin_kernel(Cycle now);
  /// The units have taken in operands of the job's kernel until `end`.
  void note_taken(const Job& job, Cycle end);
  void count_fold(const Job& job, const FoldShape& shape, Cycle now);
  void count_cube_fold(const Job& job, const FoldShape& shape, LayerRecord& layer);
  void count_transfer(const Job& job, Cycle begin, Cycle end);
  void count_vector(const Job& job);
  [[nodiscard]] LayerRecord& layer_of(const Job& job) {
    return layers_[static_cast<std::size_t>(job.kernel_index)];
  }
  void register_statistics(StatGroup& parent);

  std::string name_;
  Place place_;
  const SystolicCoreParams& params_;
  const program::Program& program_;
  DmaEngine::Ports ports_;
  Meters meters_;
  const EventBus& events_;
  std::function<void(Cycle)> wake_;

  SlotTable slots_;
  std::vector<DmaEngine> engines_;  // the load queues, then the store queue
  DmaPath read_path_, write_path_;
  std::vector<std::unique_ptr<MatrixSequencer>> matrix_;
  std::unique_ptr<VectorUnit> vector_;

  // Front end: the kernel being dispatched and the place in it.
  std::size_t dispatch_kernel_ = 0;
  std::unique_ptr<program::Walker> walker_;
  std::vector<SlotTable::Opened> opened_;
  struct Progress {
    Count dispatched = 0, completed = 0;
    Count stores = 0;  ///< dispatched and not completed
    bool all_dispatched = false;
    bool multiplies = false;
    Cycle taken = 0;  ///< last operands of products, or of vector work if there are none
  };
  std::vector<Progress> progress_;
  std::size_t done_kernels_ = 0;
  bool launched_ = false;  // the current kernel
  Count trailing_stores_ = 0;
  bool arrived_ = false;    // at the barrier after it
  Cycle now_ = 0;           // of this step
  Cycle kernel_begin_ = 0;  // when the results that the kernel at work reads are there

  struct Arrival {
    std::uint64_t tag;
    Cycle visible;
  };
  std::vector<Arrival> arrivals_;

  std::unique_ptr<Repeats> repeats_;
  Cycle phase_cycles_ = 1;
  StatGroup* statistics_ = nullptr;
  std::size_t kernels_repeated_ = 0;
  Count repeated_macs_ = 0;

  Cycle accounted_to_ = 0;
  DramCounts dram_counts_;  // at the end of the last kernel
  std::vector<LayerRecord> layers_;
  Timeline& timeline_;
  Count events_handled_ = 0;
  Count instructions_ = 0;
};

}  // namespace tilewave
