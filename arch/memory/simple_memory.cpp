// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/simple_memory.hpp"

#include <algorithm>

namespace tilewave {

SimpleMemory::SimpleMemory(sc_core::sc_module_name name, const SimpleMemoryParams& params,
                           SimulationContext& context, StatGroup& parent)
    : sc_module(name),
      socket("socket"),
      params_(params),
      context_(context),
      servers_{BandwidthServer(params.bandwidth), BandwidthServer(params.bandwidth)} {
  SC_HAS_PROCESS(SimpleMemory);
  socket.register_nb_transport_fw(this, &SimpleMemory::nb_transport_fw);
  SC_METHOD(respond_due);
  sensitive << due_;
  dont_initialize();
  auto& stats = parent.group(basename());
  stats.count("requests", "requests", "requests accepted", requests_);
  stats.count("responses", "requests", "requests answered", responses_);
  stats.count("read_bytes", "bytes", "bytes read", read_bytes_);
  stats.count("write_bytes", "bytes", "bytes written", write_bytes_);
}

void SimpleMemory::accept(tlm::tlm_generic_payload& payload, Femtoseconds arrival) {
  ++requests_;
  const bool write = payload.is_write();
  const Bytes bytes = payload.get_data_length();
  (write ? write_bytes_ : read_bytes_) += bytes;
  const std::size_t lane = params_.duplex && write ? 1 : 0;
  if (params_.ideal) {
    if (meter_ != nullptr) meter_->add(lane, bytes, arrival, arrival);
    return;
  }
  const auto transfer = servers_[lane].serve(arrival, bytes);
  if (meter_ != nullptr) meter_->add(lane, bytes, transfer.begin, transfer.end);
  pending_[lane].push_back({transfer.end + params_.latency, &payload});
  payload.acquire();
  arm();
}

tlm::tlm_sync_enum SimpleMemory::nb_transport_fw(tlm::tlm_generic_payload& payload,
                                                 tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  if (phase == tlm::END_RESP) {
    end_response(delay);
    arm();
    return tlm::TLM_COMPLETED;
  }
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
  const Femtoseconds arrival = context_.now() + Femtoseconds{delay.value()};
  if (params_.ideal) {
    accept(payload, arrival);
    ++responses_;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
  }
  if (held() >= params_.queue_depth) {
    waiting_ = &payload;
    waiting_since_ = arrival;
    return tlm::TLM_ACCEPTED;
  }
  accept(payload, arrival);
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

// Wakes at the earliest response that is due.
void SimpleMemory::arm() {
  if (response_in_progress_) return;
  for (const auto& lane : pending_) {
    if (lane.empty()) continue;
    const auto now = context_.now(), due = std::max(lane.front().due, response_free_);
    due_.notify(SimulationContext::to_sc_time({due > now ? due.value - now.value : 0}));
  }
}

void SimpleMemory::respond_due() {
  context_.guard([this] {
    const auto now = context_.now();
    for (auto& lane : pending_) {
      while (!response_in_progress_ && response_free_ <= now && !lane.empty() &&
             lane.front().due <= now) {
        auto& payload = *lane.front().payload;
        lane.pop_front();
        respond(payload);
        if (waiting_ == nullptr) continue;
        auto& next = *waiting_;  // a place is free
        waiting_ = nullptr;
        accept(next, std::max(waiting_since_, now));
        tlm::tlm_phase phase = tlm::END_REQ;
        auto delay = sc_core::SC_ZERO_TIME;
        socket->nb_transport_bw(next, phase, delay);
      }
    }
    arm();
  });
}

void SimpleMemory::respond(tlm::tlm_generic_payload& payload) {
  ++responses_;
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  auto delay = sc_core::SC_ZERO_TIME;
  response_in_progress_ = true;  // before the call: END_RESP may come within it
  const auto status = socket->nb_transport_bw(payload, phase, delay);
  if (status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::END_RESP)) {
    end_response(delay);
  }
  payload.release();
}

void SimpleMemory::end_response(const sc_core::sc_time& delay) {
  response_in_progress_ = false;
  response_free_ = context_.now() + Femtoseconds{delay.value()};
}

}  // namespace tilewave
