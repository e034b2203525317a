// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <vector>

#include "support/catch.hpp"
#include "support/script.hpp"

namespace tilewave::test {

/// How an initiator answers BEGIN_RESP.
enum class Answer {
  completed,    ///< TLM_COMPLETED
  updated,      ///< TLM_UPDATED, END_RESP
  later,        ///< TLM_ACCEPTED, and END_RESP in a call of its own
  within_call,  ///< END_RESP in a call of its own before it returns TLM_ACCEPTED
};

struct TimedRequest {
  Bytes bytes = 0;
  bool write = false;
  std::uint64_t at_ns = 0;     ///< earliest time of BEGIN_REQ
  std::uint64_t delay_ns = 0;  ///< annotated to BEGIN_REQ
};

/// When the phases of a request came, and with which status the first call returned.
struct RequestOutcome {
  Femtoseconds begin_req{}, end_req{}, begin_resp{};
  tlm::tlm_sync_enum status = tlm::TLM_ACCEPTED;
  bool ok = false;
};

/// An initiator written against the TLM-2.0 base protocol (AT) only, in any of the ways the
/// protocol allows. Sends requests in order, one BEGIN_REQ at a time, and checks that the target
/// keeps the rules.
class TlmInitiator final : public sc_core::sc_module, public tlm::tlm_mm_interface {
 public:
  TlmInitiator(sc_core::sc_module_name name, SimulationContext& context, Script& script,
               Answer answer, std::uint64_t answer_ns)
      : sc_module(name),
        socket("socket"),
        context_(context),
        script_(script),
        answer_(answer),
        answer_ns_(answer_ns) {
    socket.register_nb_transport_bw(this, &TlmInitiator::nb_transport_bw);
  }
  tlm_utils::simple_initiator_socket<TlmInitiator> socket;

  void start(const std::vector<TimedRequest>& requests) {
    outcomes.resize(requests.size());
    for (const TimedRequest& r : requests) {
      waiting_.push_back(r);
      script_.at(ns(r.at_ns), [this] { send_next(); });
    }
  }
  void free(tlm::tlm_generic_payload* payload) override {
    ++freed;
    delete payload;
  }

  std::vector<RequestOutcome> outcomes;
  std::size_t freed = 0;

 private:
  void send_next() {
    if (in_request_ != nullptr || waiting_.empty()) return;
    if (ns(waiting_.front().at_ns) > context_.now()) return;
    const TimedRequest r = waiting_.front();
    waiting_.pop_front();
    auto* payload = new tlm::tlm_generic_payload(this);
    payload->acquire();
    payload->set_command(r.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload->set_address(sent_);  // which request it is
    payload->set_data_length(static_cast<unsigned>(r.bytes));
    payload->set_streaming_width(static_cast<unsigned>(r.bytes));
    RequestOutcome& outcome = outcomes[sent_++];
    outcome.begin_req = context_.now();
    in_request_ = payload;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_ns(r.delay_ns);
    outcome.status = socket->nb_transport_fw(*payload, phase, delay);
    CHECK(delay >= sc_ns(r.delay_ns));  // never taken back
    if (outcome.status == tlm::TLM_UPDATED) {
      REQUIRE(phase == tlm::END_REQ);
      end_request(*payload);
    } else if (outcome.status == tlm::TLM_COMPLETED) {
      end_request(*payload);
      outcome.begin_resp = context_.now() + Femtoseconds{delay.value()};
      outcome.ok = payload->is_response_ok();
      payload->release();
    }
  }

  void end_request(tlm::tlm_generic_payload& payload) {
    REQUIRE(in_request_ == &payload);
    in_request_ = nullptr;
    outcomes[payload.get_address()].end_req = context_.now();
    script_.after({}, [this] { send_next(); });
  }

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) {
    auto status = tlm::TLM_ACCEPTED;
    context_.guard([&] {
      if (phase == tlm::END_REQ) {
        end_request(payload);
        return;
      }
      REQUIRE(phase == tlm::BEGIN_RESP);
      REQUIRE_FALSE(in_response_);  // the one before has ended
      REQUIRE(delay == sc_core::SC_ZERO_TIME);
      if (in_request_ == &payload) end_request(payload);
      outcomes[payload.get_address()].begin_resp = context_.now();
      outcomes[payload.get_address()].ok = payload.is_response_ok();
      status = answer(payload, phase, delay);
    });
    return status;
  }

  tlm::tlm_sync_enum answer(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                            sc_core::sc_time& delay) {
    switch (answer_) {
      case Answer::completed:
        payload.release();
        return tlm::TLM_COMPLETED;
      case Answer::updated:
        phase = tlm::END_RESP;
        delay = sc_ns(answer_ns_);
        payload.release();
        return tlm::TLM_UPDATED;
      case Answer::later:
        in_response_ = true;
        script_.after(ns(answer_ns_), [this, &payload] {
          in_response_ = false;
          end_response(payload, sc_core::SC_ZERO_TIME);
        });
        return tlm::TLM_ACCEPTED;
      case Answer::within_call:
        end_response(payload, sc_ns(answer_ns_));
        return tlm::TLM_ACCEPTED;
    }
    return tlm::TLM_ACCEPTED;
  }
  void end_response(tlm::tlm_generic_payload& payload, sc_core::sc_time delay) {
    tlm::tlm_phase phase = tlm::END_RESP;
    socket->nb_transport_fw(payload, phase, delay);
    payload.release();
  }

  SimulationContext& context_;
  Script& script_;
  Answer answer_;
  std::uint64_t answer_ns_;
  std::deque<TimedRequest> waiting_;
  std::size_t sent_ = 0;
  tlm::tlm_generic_payload* in_request_ = nullptr;
  bool in_response_ = false;
};

}  // namespace tilewave::test
