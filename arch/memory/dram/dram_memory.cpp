// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/dram/dram_memory.hpp"

#include <algorithm>

#include "sim/diagnostics.hpp"

namespace tilewave {

namespace {

Frequency tick_rate(const DramParams& dram) {
  return {dram.clock().khz * (dram.standard.half_cycle_precharge ? 2U : 1U)};
}

}  // namespace

DramMemory::DramMemory(sc_core::sc_module_name name, const DramParams& dram, const Options& options,
                       SimulationContext& context, StatGroup& parent)
    : sc_module(name),
      socket("socket"),
      context_(context),
      system_(dram, options.pace, options.requests),
      clock_(tick_rate(dram)),
      latency_(options.latency),
      peak_(Bandwidth::from_gb_per_s(dram.peak_gb_per_s())) {
  SC_HAS_PROCESS(DramMemory);
  socket.register_nb_transport_fw(this, &DramMemory::nb_transport_fw);
  SC_METHOD(step);
  sensitive << wake_;
  dont_initialize();
  auto& stats = parent.group(basename());
  stats.count("requests", "requests", "requests accepted", requests_);
  stats.count("responses", "requests", "requests answered", answered_);
  stats.count("read_bytes", "bytes", "bytes read", read_bytes_);
  stats.count("write_bytes", "bytes", "bytes written", write_bytes_);
  const auto count = [&](const char* stat, const char* unit, const char* description, auto value) {
    stats.count(stat, unit, description,
                [this, value] { return static_cast<Count>(value(system_.counts())); });
  };
  count("row_hits", "bursts", "bursts that found their row open",
        [](const DramCounts& c) { return c.row_hits; });
  count("row_closed", "bursts", "bursts that found no row open",
        [](const DramCounts& c) { return c.row_closed; });
  count("row_conflicts", "bursts", "bursts that found another row open",
        [](const DramCounts& c) { return c.row_conflicts; });
  count("forwarded_reads", "bursts", "reads answered from the write queue",
        [](const DramCounts& c) { return c.forwarded_reads; });
  count("merged_writes", "bursts", "writes that replaced a waiting one",
        [](const DramCounts& c) { return c.merged_writes; });
  auto& commands = stats.group("commands");
  for (std::size_t i = 0; i < kDramCommands; ++i) {
    commands.count(std::string(to_string(static_cast<DramCommand>(i))), "commands", "commands sent",
                   [this, i] { return system_.counts().commands[i]; });
  }
  for (std::size_t c = 0; c < system_.channels(); ++c) {
    stats.group("channel" + std::to_string(c))
        .count("bursts", "bursts", "bursts transferred", [this, c] {
          const DramCounts& counts = system_.channel_counts(c);
          return counts.reads + counts.writes;
        });
  }
}

void DramMemory::submit(tlm::tlm_generic_payload& payload, DramTick tick) {
  ++requests_;
  const Bytes bytes = payload.get_data_length();
  (payload.is_write() ? write_bytes_ : read_bytes_) += bytes;
  payload.acquire();
  system_.submit(tick, payload.get_address(), bytes, payload.is_write(),
                 reinterpret_cast<std::uintptr_t>(&payload));
}

tlm::tlm_sync_enum DramMemory::nb_transport_fw(tlm::tlm_generic_payload& payload,
                                               tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  const Femtoseconds time{context_.now().value + delay.value()};
  if (phase == tlm::END_RESP) {
    end_response(delay);
    arm();
    return tlm::TLM_COMPLETED;
  }
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
  if (payload.get_data_length() == 0) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return tlm::TLM_COMPLETED;
  }
  if (!system_.can_submit()) {
    waiting_ = &payload;
    waiting_since_ = tick_after(time);
    return tlm::TLM_ACCEPTED;
  }
  submit(payload, tick_after(time));
  arm();
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

// Wakes at the next command or completion, or the next response that is due.
void DramMemory::arm() {
  Femtoseconds when{kNever};
  if (const DramTick next = system_.next(); next != kNoTick) {
    when = clock_.time_of(static_cast<Cycle>(next));
  }
  if (!responses_.empty() && !response_in_progress_) {
    when = std::min(when, std::max(responses_.front().due, response_free_));
  }
  if (when.value != kNever) context_.notify_at(wake_, when);
}

void DramMemory::step() {
  context_.guard([this] {
    const Femtoseconds now = context_.now();
    const auto tick = static_cast<DramTick>(clock_.cycle_at_or_after({now.value + 1})) - 1;
    system_.advance(tick);
    DramSystem::Completion done;
    while (system_.pop_done(tick, done)) {
      auto* payload =
          reinterpret_cast<tlm::tlm_generic_payload*>(static_cast<std::uintptr_t>(done.tag));
      meter_transfer(done, payload->get_data_length());
      responses_.push_back({clock_.time_of(static_cast<Cycle>(done.done)) + latency_, payload});
      accept_waiting(now);
    }
    deliver(now);
    arm();
  });
}

// A place is free.
void DramMemory::accept_waiting(Femtoseconds now) {
  if (waiting_ == nullptr) return;
  auto& payload = *waiting_;
  waiting_ = nullptr;
  submit(payload, std::max(waiting_since_, tick_after(now)));
  tlm::tlm_phase phase = tlm::END_REQ;
  auto delay = sc_core::SC_ZERO_TIME;
  socket->nb_transport_bw(payload, phase, delay);
}

void DramMemory::deliver(Femtoseconds now) {
  while (!response_in_progress_ && response_free_ <= now && !responses_.empty() &&
         responses_.front().due <= now) {
    auto& payload = *responses_.front().payload;
    responses_.pop_front();
    respond(payload);
  }
}

void DramMemory::respond(tlm::tlm_generic_payload& payload) {
  ++answered_;
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

void DramMemory::end_response(const sc_core::sc_time& delay) {
  response_in_progress_ = false;
  response_free_ = context_.now() + Femtoseconds{delay.value()};
}

// Requests overlap in the channels; what the meter gets is their bytes in the order in which they
// are done, each at the peak's rate and no earlier than the one before or than what was taken already:
// never above the peak, in any stretch of time.
void DramMemory::meter_transfer(const DramSystem::Completion& completion, Bytes bytes) {
  if (meter_ == nullptr) return;
  const Femtoseconds end = clock_.time_of(static_cast<Cycle>(completion.done));
  const Femtoseconds span = peak_.occupancy(bytes);
  const Femtoseconds earliest{end.value > span.value ? end.value - span.value : 0};
  const Femtoseconds begin = std::max({metered_, earliest, meter_->taken_until()});
  metered_ = begin + span;
  meter_->add(0, bytes, begin, metered_);
}

DramCounts DramMemory::counts_at(Femtoseconds now) {
  const DramTick tick = tick_after(now) - 1;
  system_.advance(tick);
  system_.catch_up(tick);
  return system_.counts_at(tick);
}

void DramMemory::check_drained() const {
  if (requests_ != answered_ || !responses_.empty()) {
    throw SimulationError("law violated: every memory request is answered once");
  }
  system_.check_laws();
}

}  // namespace tilewave
