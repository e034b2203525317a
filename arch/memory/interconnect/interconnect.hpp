// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/memory/interconnect/interconnect_params.hpp"
#include "arch/memory/interconnect/packet_network.hpp"
#include "arch/memory/interconnect/request_table.hpp"
#include "arch/memory/memory_link.hpp"
#include "sim/statistics.hpp"

namespace tilewave {

/// Which server has an address. Asked once a request.
class AddressRouter {
 public:
  virtual ~AddressRouter() = default;
  [[nodiscard]] virtual std::size_t server_of(std::uint64_t address) const = 0;
};

/// What lies between the clients (cores, L1 caches) and the servers (L2 slices, memory controllers)
/// of a chip: a crossbar, a ring or a mesh, in one clock domain. It is the server of each client's
/// link and the client of each server's.
///
/// Modelled: two networks of the same plan, one for requests and one for responses, so that
/// responses never wait for requests (PacketNetwork says how packets move and wait, and the timing).
/// A packet is header_bytes and the data of a write request or a read response. Requests of a
/// client to a server stay in order, and so do a server's responses to a client. Back-pressure end
/// to end: a server that takes no requests holds up those to it, then what is behind them.
/// Bounded: a client has at most outstanding_per_client requests inside and at servers.
/// Not modelled: requests that span servers (the first address says where all of it goes),
/// multicast, merging, priorities.
/// Timing, unloaded, over R routers (crossbar 1, else hops between the nodes + 1), from the cycle
/// at which a client's request is visible to that at which it is sent into the server's link, and
/// likewise back:
///   (R + 1) x hop_latency + R x router_latency + max(1, ceil(packet bytes / width)) - 1
/// An end takes or gives one packet a cycle at most. While an end holds up a packet that is there,
/// step() asks to be called every cycle; it sees only what was sent into a link before it was called.
class Interconnect final : public MemoryUnit {
 public:
  /// The links and the router must outlive it. Throws ConfigError if the clients and servers do not
  /// fit the topology.
  Interconnect(const std::string& name, const InterconnectParams& params,
               const std::vector<MemoryLink*>& clients, std::vector<MemoryLink*> servers,
               const AddressRouter& router, StatGroup& parent);

  Cycle step(Cycle now) override;
  [[nodiscard]] bool idle() const override;

  [[nodiscard]] const PacketNetwork& request_network() const noexcept { return requests_; }
  [[nodiscard]] const PacketNetwork& response_network() const noexcept { return responses_; }
  /// Both networks': what the energy of wires is proportional to.
  [[nodiscard]] Count byte_hops() const noexcept {
    return requests_.byte_hops() + responses_.byte_hops();
  }
  /// Requests taken and not yet answered, those at servers included.
  [[nodiscard]] Count outstanding() const noexcept { return table_.outstanding(); }

  /// Each request is in one place and answered once, and the laws of both networks hold. Throws
  /// SimulationError.
  void check_laws() const;

 private:
  static constexpr std::uint32_t kNotRouted = ~std::uint32_t{0};
  struct Client {
    MemoryLink* link;
    std::uint32_t server = kNotRouted;  ///< of its oldest request
  };

  Cycle deliver_requests(Cycle now);
  Cycle deliver_responses(Cycle now);
  Cycle take_requests(Cycle now);
  Cycle take_responses(Cycle now);
  [[nodiscard]] std::uint32_t route(std::uint64_t address) const;

  InterconnectParams params_;
  std::vector<Client> clients_;
  std::vector<MemoryLink*> servers_;
  const AddressRouter& router_;
  PacketNetwork requests_, responses_;
  RequestTable table_;
  Count accepted_ = 0, answered_ = 0;
  Bytes accepted_bytes_ = 0, answered_bytes_ = 0;
};

}  // namespace tilewave
