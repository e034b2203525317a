// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/shared_port.hpp"

namespace tilewave {

SharedPort::SharedPort(sc_core::sc_module_name name, MemoryPort& port, std::size_t clients,
                       ClockDomain clock, SimulationContext& context)
    : sc_module(name), port_(port), clock_(clock), context_(context) {
  SC_HAS_PROCESS(SharedPort);
  SC_METHOD(forward);
  sensitive << sent_;
  dont_initialize();
  for (std::size_t i = 0; i < clients; ++i) ports_.push_back(std::make_unique<Port>(*this, i));
}

// Never served at once: it goes on later.
bool SharedPort::Port::send(const MemoryRequest& request) {
  const Cycle sent = shared.now();
  waiting.push_back({request, sent});
  waiting.back().request.tag |= index << kClientShift;
  ++shared.waiting_;
  shared.forward_after(sent);
  return false;
}

void SharedPort::forward_after(Cycle sent) { context_.notify_at(sent_, clock_.time_of(sent + 1)); }

void SharedPort::forward() {
  context_.guard([this] {
    const Cycle cycle = now();
    // Ends after a turn in which nobody had anything to send.
    for (std::size_t idle = 0; idle < ports_.size() && port_.can_send();) {
      Port& port = *ports_[next_];
      next_ = (next_ + 1) % ports_.size();
      ++idle;
      if (port.waiting.empty() || port.waiting.front().sent >= cycle) continue;
      idle = 0;
      const MemoryRequest request = port.waiting.front().request;
      port.waiting.pop_front();
      --waiting_;
      if (port_.send(request)) on_response(request.tag, cycle);
    }
    if (waiting_ > 0 && port_.can_send()) forward_after(cycle);
    for (auto& port : ports_) {
      port->held_back = !port->waiting.empty() && port->waiting.front().sent < cycle;
    }
  });
}

void SharedPort::on_response(std::uint64_t tag, Cycle visible) {
  const std::uint64_t own = (std::uint64_t{1} << kClientShift) - 1;
  ports_[tag >> kClientShift]->client->on_response(tag & own, visible);
}

void SharedPort::on_ready(Cycle visible) {
  forward();
  for (auto& port : ports_) {
    if (!port->held_back) port->client->on_ready(visible);
  }
}

}  // namespace tilewave
