// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "arch/chip/cta_trace.hpp"
#include "arch/chip/gpu_chip.hpp"
#include "arch/chip/index_set.hpp"
#include "arch/chip/kernel_replays.hpp"
#include "arch/chip/sm_module.hpp"
#include "arch/chip/steady_waves.hpp"

namespace tilewave {

/// L2 and DRAM, and the dispatcher of CTAs, of a GPU. What SMs ask for in a cycle is done in the next
/// one, SM by SM, so that it does not matter in which order they are simulated. Kernels run one after
/// another: a kernel is over when the last of its results is visible.
class GpuUncore final : public sc_core::sc_module {
 public:
  GpuUncore(sc_core::sc_module_name name, const GpuParams& gpu, const program::GpuProgram& program,
            ClockDomain clock, SimulationContext& context, const RunHooks& hooks,
            Timeline& timeline, Fidelity fidelity);

  [[nodiscard]] bool finished() const { return next_kernel_ == program_.kernels.size() && !plan_; }
  [[nodiscard]] std::vector<GpuKernelRecord>& records() { return records_; }
  [[nodiscard]] const GpuMemory& memory() const { return memory_; }
  [[nodiscard]] Count events() const;
  [[nodiscard]] Count kernels_repeated() const { return kernels_repeated_; }
  /// Who waits for what.
  [[nodiscard]] std::string describe() const;

 private:
  void step();
  void begin_kernel(Cycle now);
  void answer_requests(Cycle now);
  void serve(Cycle now);
  void dispatch(Cycle now);
  [[nodiscard]] std::optional<Count> take_block(Cycle now);
  void skip(Cycle now, const SteadyWaves::Skip& skip);
  void repeat(Count times);
  void end_kernel(Cycle now);
  void enter(const GpuKernelRecord& record, Cycle now);
  void publish();
  void arm(Cycle now);
  [[nodiscard]] bool all_done() const { return next_block_ >= blocks_ && running_ == 0; }

  const GpuParams& gpu_;
  const program::GpuProgram& program_;
  ClockDomain clock_;
  SimulationContext& context_;
  const RunHooks& hooks_;
  Timeline& timeline_;
  GpuMemory memory_;
  std::vector<std::unique_ptr<SmModule>> sms_;
  sc_core::sc_event wake_;
  Cycle news_at_ = 0;  ///< cycle after the latest in which an SM had news
  IndexSet news_of_;   ///< SMs that have some, of this cycle or before
  Count events_ = 0;
  // The kernel under way.
  std::size_t next_kernel_ = 0;
  std::unique_ptr<CtaPlan> plan_;
  GpuKernelRecord record_;
  GpuMemoryCounts before_;
  Count blocks_ = 0, next_block_ = 0, running_ = 0;
  std::vector<Count> free_slots_;  ///< of each SM
  Count all_free_slots_ = 0;
  Cycle ready_at_ = 0, visible_ = 0;
  bool dispatching_ = false;
  SteadyWaves waves_;
  Cycle ahead_ = 0;  ///< of skipped waves: simulated time is that much behind
  std::optional<KernelReplays> replays_;
  Count kernels_repeated_ = 0;
  std::vector<GpuKernelRecord> records_;
  CtaTrace cta_trace_;
};

}  // namespace tilewave
