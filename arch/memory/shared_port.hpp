// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "arch/memory/memory_port.hpp"
#include "sim/clock_domain.hpp"
#include "sim/simulation_context.hpp"

namespace tilewave {

/// One port for several clients. What they send in a cycle goes on in the next one, one request of
/// each in turn, so that the order in which the simulator runs them means nothing. What the port does
/// not take waits here, and its client is held back.
/// Modelled: a cycle through the arbiter. Not modelled: its width; whoever is behind the port says
/// what it takes a cycle, and each client's own path how much of that it can get.
class SharedPort final : public sc_core::sc_module, public MemoryClient {
 public:
  SharedPort(sc_core::sc_module_name name, MemoryPort& port, std::size_t clients, ClockDomain clock,
             SimulationContext& context);
  /// The port of client `index`, and the client itself.
  [[nodiscard]] MemoryPort& port(std::size_t index) { return *ports_[index]; }
  void connect(std::size_t index, MemoryClient& client) { ports_[index]->client = &client; }

  void on_response(std::uint64_t tag, Cycle visible) override;
  void on_ready(Cycle visible) override;

 private:
  /// Bits of a tag that the clients leave free.
  static constexpr unsigned kClientShift = 52;

  struct Port final : MemoryPort {
    Port(SharedPort& owner, std::uint64_t number) : shared(owner), index(number) {}
    [[nodiscard]] bool by_address() const override { return shared.port_.by_address(); }
    [[nodiscard]] bool can_send() const override { return !held_back; }
    bool send(const MemoryRequest& request) override;

    SharedPort& shared;
    std::uint64_t index;
    MemoryClient* client = nullptr;
    struct Waiting {
      MemoryRequest request;
      Cycle sent;
    };
    std::deque<Waiting> waiting;
    bool held_back = false;
  };

  void forward();
  /// Has what is sent in cycle `sent` forwarded in the next one.
  void forward_after(Cycle sent);
  [[nodiscard]] Cycle now() const { return clock_.cycle_at_or_after(context_.now()); }

  MemoryPort& port_;
  ClockDomain clock_;
  SimulationContext& context_;
  sc_core::sc_event sent_;
  std::vector<std::unique_ptr<Port>> ports_;
  std::size_t waiting_ = 0;  // requests
  std::size_t next_ = 0;     // client whose turn it is
};

}  // namespace tilewave
