// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <vector>

#include "arch/memory/memory_port.hpp"
#include "sim/clock_domain.hpp"
#include "sim/simulation_context.hpp"

namespace tilewave {

/// Memory port over a TLM-2.0 base-protocol (AT) socket, so that any TLM model of a memory's timing
/// can stand behind it (no data travels: the payload's data pointer is null). Payloads are pooled
/// and memory-managed. A response arriving at time t is seen by the core at the first clock edge
/// after t, so that it does not matter which process of an instant runs first. The next request
/// waits until the target has ended the one before, the delay that it annotates included.
class TlmMemoryPort final : public sc_core::sc_module, public MemoryPort {
 public:
  TlmMemoryPort(sc_core::sc_module_name name, ClockDomain clock, SimulationContext& context);
  ~TlmMemoryPort() override;
  void connect(MemoryClient& client) { client_ = &client; }
  /// The memory behind knows bandwidth and latency only.
  void ignore_addresses() { by_address_ = false; }

  [[nodiscard]] bool by_address() const override { return by_address_; }
  [[nodiscard]] bool can_send() const override {
    return request_in_progress_ == nullptr && request_free_ <= context_.now();
  }
  bool send(const MemoryRequest& request) override;

  tlm_utils::simple_initiator_socket<TlmMemoryPort> socket;

 private:
  class Pool;
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  bool end_request(const tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase,
                   const sc_core::sc_time& delay);
  void respond(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay);
  [[nodiscard]] Cycle visible_after(const sc_core::sc_time& delay) const;

  ClockDomain clock_;
  SimulationContext& context_;
  MemoryClient* client_ = nullptr;
  bool by_address_ = true;
  std::unique_ptr<Pool> pool_;
  tlm::tlm_generic_payload* request_in_progress_ = nullptr;
  Femtoseconds request_free_{};  // when the last request ended
};

}  // namespace tilewave
