// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <set>
#include <string>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>

#include "support/catch.hpp"
#include "support/script.hpp"

namespace tilewave::test {

/// What a target does with a request.
struct Behaviour {
  /// A call on the backward path; none if it says no phase.
  struct Call {
    std::uint64_t after_ns = 0;
    tlm::tlm_phase phase = tlm::UNINITIALIZED_PHASE;
    std::uint64_t delay_ns = 0;
  };
  tlm::tlm_sync_enum status = tlm::TLM_ACCEPTED;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;  ///< returned with TLM_UPDATED
  std::uint64_t delay_ns = 0;             ///< returned
  std::array<Call, 3> calls{};
  bool within_call = false;  ///< makes the calls before it returns
  tlm::tlm_response_status response = tlm::TLM_OK_RESPONSE;
};

/// A TLM-2.0 base-protocol target that someone else might have written: it answers in any of the
/// ways that the protocol allows.
class ForeignTarget final : public sc_core::sc_module {
 public:
  ForeignTarget(sc_core::sc_module_name name, Script& script, const Behaviour& behaviour)
      : sc_module(name), socket("socket"), script_(script), behaviour_(behaviour) {
    socket.register_nb_transport_fw(this, &ForeignTarget::nb_transport_fw);
  }
  tlm_utils::simple_target_socket<ForeignTarget> socket;

  std::string ends;  ///< how the responses ended: END_RESP calls with their delays, "completed"
  std::set<const void*> payloads;
  std::function<void(tlm::tlm_generic_payload&)> on_request;

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) {
    if (phase == tlm::END_RESP) {
      ends += "END_RESP +" + std::to_string(delay.value() / kNs);
      return tlm::TLM_COMPLETED;
    }
    REQUIRE(phase == tlm::BEGIN_REQ);
    REQUIRE(payload.has_mm());
    REQUIRE(payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE);
    payloads.insert(&payload);
    if (on_request) on_request(payload);
    for (const auto& call : behaviour_.calls) {
      if (call.phase == tlm::UNINITIALIZED_PHASE) break;
      const auto make = [this, &payload, call] { backward(payload, call); };
      behaviour_.within_call ? make() : script_.after(ns(call.after_ns), make);
    }
    if (behaviour_.status != tlm::TLM_ACCEPTED) payload.set_response_status(behaviour_.response);
    if (behaviour_.status == tlm::TLM_UPDATED) phase = behaviour_.phase;
    delay += sc_ns(behaviour_.delay_ns);
    return behaviour_.status;
  }
  void backward(tlm::tlm_generic_payload& payload, const Behaviour::Call& call) {
    auto phase = call.phase;
    auto delay = sc_ns(call.delay_ns);
    if (phase == tlm::BEGIN_RESP) payload.set_response_status(behaviour_.response);
    const auto status = socket->nb_transport_bw(payload, phase, delay);
    if (call.phase == tlm::BEGIN_RESP && status == tlm::TLM_COMPLETED) ends += "completed";
  }

  Script& script_;
  Behaviour behaviour_;
};

}  // namespace tilewave::test
