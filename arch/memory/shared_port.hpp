// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arch/memory/memory_port.hpp"

namespace tilewave {

/// One port for several clients. A request passes at once if the port takes it; a client that was
/// held back is told when there is room again, and those who are told first change in turn.
/// Modelled: nothing of its own; whoever is behind the port says what it takes a cycle, and each
/// client's own port how much of that it can get.
class SharedPort final : public MemoryClient {
 public:
  SharedPort(MemoryPort& port, std::size_t clients);
  /// The port of client `index`, and the client itself.
  [[nodiscard]] MemoryPort& port(std::size_t index) { return *ports_[index]; }
  void connect(std::size_t index, MemoryClient& client) { ports_[index]->client = &client; }

  void on_response(std::uint64_t tag, Cycle visible) override;
  void on_ready(Cycle visible) override;

 private:
  /// Bits of a tag that the clients leave free.
  static constexpr unsigned kClientShift = 52;

  struct Port final : MemoryPort {
    Port(MemoryPort& shared, std::uint64_t index) : shared_(shared), index_(index) {}
    [[nodiscard]] bool by_address() const override { return shared_.by_address(); }
    [[nodiscard]] bool can_send() const override { return shared_.can_send(); }
    bool send(const MemoryRequest& request) override;
    MemoryClient* client = nullptr;

   private:
    MemoryPort& shared_;
    std::uint64_t index_;
  };
  std::vector<std::unique_ptr<Port>> ports_;
  std::size_t first_told_ = 0;
};

}  // namespace tilewave
