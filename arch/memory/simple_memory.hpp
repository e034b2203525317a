// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>

#include "arch/memory/link_meter.hpp"
#include "sim/resources.hpp"
#include "sim/simulation_context.hpp"
#include "sim/statistics.hpp"

namespace tilewave {

struct SimpleMemoryParams {
  bool ideal = false;            ///< answers at once, without limit
  Bandwidth bandwidth{};         ///< of the channel, or of each direction if duplex
  Femtoseconds latency{};        ///< from the end of the transfer to the response
  bool duplex = false;           ///< reads and writes on links of their own (PCIe)
  std::size_t queue_depth = 64;  ///< requests held; a full queue holds the port back
};

/// Off-chip memory or link as bandwidth and latency: a TLM-2.0 target (base protocol, AT).
/// Modelled: occupancy of the channel by each request in order of arrival, a pipelined latency, a
/// bounded queue with back-pressure. Not modelled: banks, rows, refresh, turnaround (the
/// cycle-level controllers take this model's place behind the same socket), data. Timing: response
/// = max(arrival, end of the previous transfer) + bytes / bandwidth + latency, and not before the
/// initiator has ended the response before. Delays that the initiator annotates count.
class SimpleMemory final : public sc_core::sc_module {
 public:
  SimpleMemory(sc_core::sc_module_name name, const SimpleMemoryParams& params,
               SimulationContext& context, StatGroup& parent);

  tlm_utils::simple_target_socket<SimpleMemory> socket;
  /// Tells `meter` when each transfer occupies the channel.
  void attach(LinkMeter& meter) { meter_ = &meter; }

  [[nodiscard]] Count requests() const noexcept { return requests_; }
  [[nodiscard]] Count responses() const noexcept { return responses_; }

 private:
  struct Pending {
    Femtoseconds due;
    tlm::tlm_generic_payload* payload;
  };
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  void accept(tlm::tlm_generic_payload& payload, Femtoseconds arrival);
  void respond_due();
  void respond(tlm::tlm_generic_payload& payload);
  void end_response(const sc_core::sc_time& delay);
  void arm();
  [[nodiscard]] std::size_t held() const { return pending_[0].size() + pending_[1].size(); }

  SimpleMemoryParams params_;
  SimulationContext& context_;
  BandwidthServer servers_[2];                   // [0] reads (and writes unless duplex), [1] writes
  std::deque<Pending> pending_[2];               // in order of their due time
  tlm::tlm_generic_payload* waiting_ = nullptr;  // request held back: its END_REQ is owed
  Femtoseconds waiting_since_{};                 // its arrival
  bool response_in_progress_ = false;            // a BEGIN_RESP without its END_RESP
  Femtoseconds response_free_{};                 // when the last response ended
  sc_core::sc_event due_;
  LinkMeter* meter_ = nullptr;
  Count requests_ = 0, responses_ = 0;
  Bytes read_bytes_ = 0, write_bytes_ = 0;
};

}  // namespace tilewave
