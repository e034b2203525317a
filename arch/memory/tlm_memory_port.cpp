// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/tlm_memory_port.hpp"

#include "sim/diagnostics.hpp"

namespace tilewave {

namespace {

/// Carries the client's tag with a payload; ignorable, as the base protocol allows.
struct TagExtension final : tlm::tlm_extension<TagExtension> {
  std::uint64_t tag = 0;
  [[nodiscard]] tlm_extension_base* clone() const override { return new TagExtension(*this); }
  void copy_from(const tlm_extension_base& other) override {
    tag = static_cast<const TagExtension&>(other).tag;
  }
};

}  // namespace

/// Payloads that come back here when the last user releases them.
class TlmMemoryPort::Pool final : public tlm::tlm_mm_interface {
 public:
  ~Pool() override {
    for (auto* payload : all_) delete payload;  // frees the extensions too
  }
  tlm::tlm_generic_payload& take() {
    if (free_.empty()) {
      all_.push_back(new tlm::tlm_generic_payload(this));
      all_.back()->set_extension(new TagExtension);
      free_.push_back(all_.back());
    }
    auto* payload = free_.back();
    free_.pop_back();
    payload->acquire();
    return *payload;
  }
  void free(tlm::tlm_generic_payload* payload) override { free_.push_back(payload); }

 private:
  std::vector<tlm::tlm_generic_payload*> all_, free_;
};

TlmMemoryPort::TlmMemoryPort(sc_core::sc_module_name name, ClockDomain clock,
                             SimulationContext& context)
    : sc_module(name),
      socket("socket"),
      clock_(clock),
      context_(context),
      pool_(std::make_unique<Pool>()) {
  socket.register_nb_transport_bw(this, &TlmMemoryPort::nb_transport_bw);
}

TlmMemoryPort::~TlmMemoryPort() = default;

Cycle TlmMemoryPort::visible_after(const sc_core::sc_time& delay) const {
  const Femtoseconds when{context_.now().value + delay.value() + 1};
  return clock_.cycle_at_or_after(when);
}

bool TlmMemoryPort::send(const MemoryRequest& request) {
  auto& payload = pool_->take();
  payload.set_command(request.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload.set_address(request.address);
  // Timing only: no data travels.
  payload.set_data_ptr(nullptr);
  payload.set_data_length(static_cast<unsigned>(request.bytes));
  payload.set_streaming_width(static_cast<unsigned>(request.bytes));
  payload.set_byte_enable_ptr(nullptr);
  payload.set_dmi_allowed(false);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  payload.get_extension<TagExtension>()->tag = request.tag;

  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  auto delay = sc_core::SC_ZERO_TIME;
  request_in_progress_ = &payload;
  switch (socket->nb_transport_fw(payload, phase, delay)) {
    case tlm::TLM_ACCEPTED:
      return false;  // END_REQ or BEGIN_RESP follows
    case tlm::TLM_UPDATED:
      if (end_request(payload, phase, delay) && !can_send()) {
        client_->on_ready(visible_after(delay));
      }
      if (phase == tlm::BEGIN_RESP) {
        respond(payload, delay);
        phase = tlm::END_RESP;  // in the instant of BEGIN_RESP: with the same delay
        socket->nb_transport_fw(payload, phase, delay);
        payload.release();
      }
      return false;
    case tlm::TLM_COMPLETED: {
      request_in_progress_ = nullptr;
      const bool at_once = delay == sc_core::SC_ZERO_TIME && payload.is_response_ok();
      if (!at_once) respond(payload, delay);
      payload.release();
      return at_once;
    }
  }
  throw SimulationError("memory: a TLM target returned an unknown status");
}

void TlmMemoryPort::respond(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay) {
  if (!payload.is_response_ok()) {
    throw SimulationError("memory: the TLM target answered " + payload.get_response_string() +
                          " to a request at address " + std::to_string(payload.get_address()));
  }
  client_->on_response(payload.get_extension<TagExtension>()->tag, visible_after(delay));
}

// True if the phase ends the request in progress. BEGIN_RESP implies END_REQ; phases that the base
// protocol does not know are ignored.
bool TlmMemoryPort::end_request(const tlm::tlm_generic_payload& payload,
                                const tlm::tlm_phase& phase, const sc_core::sc_time& delay) {
  if (phase != tlm::END_REQ && phase != tlm::BEGIN_RESP) return false;
  if (request_in_progress_ != &payload) return false;
  request_in_progress_ = nullptr;
  request_free_ = context_.now() + Femtoseconds{delay.value()};
  return true;
}

tlm::tlm_sync_enum TlmMemoryPort::nb_transport_bw(tlm::tlm_generic_payload& payload,
                                                  tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  auto result = tlm::TLM_ACCEPTED;
  context_.guard([&] {
    if (end_request(payload, phase, delay)) client_->on_ready(visible_after(delay));
    if (phase != tlm::BEGIN_RESP) return;
    respond(payload, delay);
    payload.release();
    result = tlm::TLM_COMPLETED;
  });
  return result;
}

}  // namespace tilewave
