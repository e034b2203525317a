// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>

#include "arch/memory/dram/dram_system.hpp"
#include "arch/memory/link_meter.hpp"
#include "sim/clock_domain.hpp"
#include "sim/simulation_context.hpp"
#include "sim/statistics.hpp"

namespace tilewave {

/// A DRAM with its controllers as a TLM-2.0 target (base protocol, AT): DramSystem behind a socket.
///
/// A request that arrives at time t is seen by the controllers at the first edge of their clock after
/// t, whatever process runs first; a response leaves at the edge of the last data plus `latency`
/// (controller, PHY, clock crossings: what is not in the DRAM's own timing). When `requests` are held,
/// the next one is held back (END_REQ waits). One response at a time: the next one follows when the
/// initiator has ended it. Delays that the initiator annotates count.
class DramMemory final : public sc_core::sc_module {
 public:
  struct Options {
    DramPace pace = DramPace::run_ahead;
    std::size_t requests = 64;  ///< held at a time
    Femtoseconds latency{};
  };
  DramMemory(sc_core::sc_module_name name, const DramParams& dram, const Options& options,
             SimulationContext& context, StatGroup& parent);

  tlm_utils::simple_target_socket<DramMemory> socket;
  /// Tells `meter` what the channels carry, when.
  void attach(LinkMeter& meter) { meter_ = &meter; }

  /// Commands and bursts up to the time `now`.
  [[nodiscard]] DramCounts counts_at(Femtoseconds now);
  /// Bursts that were not done one by one.
  [[nodiscard]] Count replayed_bursts() const noexcept { return system_.replayed_bursts(); }
  /// Throws SimulationError if a request was lost.
  void check_drained() const;

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  [[nodiscard]] DramTick tick_after(Femtoseconds time) const {
    return static_cast<DramTick>(clock_.cycle_at_or_after({time.value + 1}));
  }
  void submit(tlm::tlm_generic_payload& payload, DramTick tick);
  void step();
  void deliver(Femtoseconds now);
  void respond(tlm::tlm_generic_payload& payload);
  void end_response(const sc_core::sc_time& delay);
  void accept_waiting(Femtoseconds now);
  void arm();
  void meter_transfer(const DramSystem::Completion& completion, Bytes bytes);

  SimulationContext& context_;
  DramSystem system_;
  ClockDomain clock_;  // of ticks
  Femtoseconds latency_;
  Bandwidth peak_;
  struct Response {
    Femtoseconds due;
    tlm::tlm_generic_payload* payload;
  };
  std::deque<Response> responses_;               // done, on their way back
  tlm::tlm_generic_payload* waiting_ = nullptr;  // request held back: its END_REQ is owed
  DramTick waiting_since_ = 0;
  bool response_in_progress_ = false;  // a BEGIN_RESP without its END_RESP
  Femtoseconds response_free_{};       // when the last response ended
  sc_core::sc_event wake_;
  LinkMeter* meter_ = nullptr;
  Femtoseconds metered_{};
  Count requests_ = 0, answered_ = 0;
  Bytes read_bytes_ = 0, write_bytes_ = 0;
};

}  // namespace tilewave
