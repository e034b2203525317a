// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "arch/memory/memory_link.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {

/// The requests an interconnect has taken and not yet answered, each under a number that stands for
/// it until then: the tag a server sees, of which the client's own is got back. Each client has
/// `per_client` places of its own. Allocates once. A step out of order (answered twice, by another
/// server, with other bytes) throws SimulationError.
class RequestTable {
 public:
  enum class Stage : std::uint8_t { free, to_server, at_server, to_client };
  static constexpr std::size_t kStages = 4;
  struct Entry {
    MemoryRequest request;  ///< as the client sent it
    std::uint32_t client = 0, server = 0;
    Stage stage = Stage::free;
  };

  RequestTable(std::size_t clients, std::size_t per_client)
      : entries_(clients * per_client),
        free_ids_(clients * per_client),
        free_(clients, per_client),
        per_client_(per_client) {
    for (std::size_t i = 0; i < free_ids_.size(); ++i) {
      free_ids_[i] = static_cast<std::uint32_t>(i);
    }
    count(Stage::free) = entries_.size();
  }

  [[nodiscard]] bool has_place(std::size_t client) const noexcept { return free_[client] > 0; }
  /// Requires has_place(client).
  std::uint32_t add(const MemoryRequest& request, std::size_t client, std::size_t server) {
    const std::uint32_t id = free_ids_[client * per_client_ + --free_[client]];
    Entry& entry = entries_[id];
    entry.request = request;
    entry.client = static_cast<std::uint32_t>(client);
    entry.server = static_cast<std::uint32_t>(server);
    advance(entry, Stage::free, Stage::to_server);
    return id;
  }
  const Entry& reach_server(std::uint32_t id) {
    return advance(entries_[id], Stage::to_server, Stage::at_server);
  }
  /// The request that a server answers.
  [[nodiscard]] const Entry& answered_by(std::size_t server, const MemoryResponse& response) const {
    if (response.tag >= entries_.size()) fail("a response to no request", response, server);
    const Entry& entry = entries_[response.tag];
    if (entry.stage != Stage::at_server || entry.server != server) {
      fail("a response to a request that it does not have", response, server);
    }
    if (entry.request.bytes != response.bytes || entry.request.write != response.write) {
      fail("a response that does not fit its request", response, server);
    }
    return entry;
  }
  void leave_server(std::uint32_t id) { advance(entries_[id], Stage::at_server, Stage::to_client); }
  const Entry& finish(std::uint32_t id) {
    Entry& entry = entries_[id];
    free_ids_[entry.client * per_client_ + free_[entry.client]++] = id;
    return advance(entry, Stage::to_client, Stage::free);
  }

  [[nodiscard]] Count in_stage(Stage stage) const noexcept {
    return counts_[static_cast<std::size_t>(stage)];
  }
  [[nodiscard]] Count outstanding() const noexcept {
    return entries_.size() - in_stage(Stage::free);
  }

 private:
  Count& count(Stage stage) noexcept { return counts_[static_cast<std::size_t>(stage)]; }
  const Entry& advance(Entry& entry, Stage from, Stage to) {
    if (entry.stage != from) throw SimulationError("interconnect: a request is moved out of order");
    entry.stage = to;
    --count(from);
    ++count(to);
    return entry;
  }
  [[noreturn]] static void fail(const char* what, const MemoryResponse& response,
                                std::size_t server) {
    throw SimulationError("interconnect: server " + std::to_string(server) + " sends " + what +
                          " (tag " + std::to_string(response.tag) + ", " +
                          std::to_string(response.bytes) + " bytes)");
  }

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_ids_;  ///< of each client a stack, of which free_ says the height
  std::vector<std::size_t> free_;
  std::size_t per_client_;
  std::array<Count, kStages> counts_{};
};

}  // namespace tilewave
