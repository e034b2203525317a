// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "arch/memory/cache/cache.hpp"
#include "arch/memory/hierarchy/memory_funnel.hpp"
#include "arch/memory/hierarchy/request_splitter.hpp"
#include "arch/memory/hierarchy/shared_cache_counts.hpp"
#include "arch/memory/interconnect/interconnect.hpp"

namespace tilewave {

/// The level between the cores' DMA and the memory: a cache in slices, an interconnect in front of
/// them. A core sees a MemoryPort, the memory a MemoryClient, so that neither knows of it.
///
///   core -> RequestSplitter (each core) -> Interconnect -> Cache (each slice) -> MemoryFunnel
///   -> memory
///
/// Modelled: all that these say; queues between them of a few places and one cycle each; towards
/// the memory, of each slice, as many places as it has MSHRs. All clients are in partition 0. Not
/// modelled: coherence; a flush at the end of a run (dirty lines stay).
///
/// Timing of a read of one chunk that hits, unloaded, from the cycle in which it is sent to that in
/// which the response is seen, d and hit_latency the slice's, network the interconnect's way there
/// and back: 6 + network + hit_latency + d - 1, and the way to a far partition.
///
/// Units are stepped only in the cycles that they ask for or in which something reaches them: the
/// outcome is that of stepping all in every cycle, and so is the count up to any cycle.
class SharedCache final : public MemoryClient, private AddressRouter {
 public:
  /// `clock` tells the current cycle. The port and the group must outlive the cache.
  SharedCache(const CacheParams& cache, const InterconnectParams& interconnect, std::size_t clients,
              MemoryPort& memory, const std::function<Cycle()>& clock, StatGroup& parent);

  /// The port of client `index`, and the client itself.
  [[nodiscard]] MemoryPort& port(std::size_t index) { return clients_[index]->splitter; }
  void connect(std::size_t index, MemoryClient& client) {
    clients_[index]->splitter.connect(client);
  }
  /// Called with the cycle at which step() is needed.
  void set_wake(const std::function<void(Cycle)>& wake);

  // Towards the memory.
  void on_response(std::uint64_t tag, Cycle visible) override { funnel_.on_response(tag, visible); }
  void on_ready(Cycle visible) override { funnel_.on_ready(visible); }

  /// Does all that happens at cycle `now`, which never goes back; returns the next cycle at which
  /// to be called if nothing new comes (kNever: only then).
  Cycle step(Cycle now);
  [[nodiscard]] bool idle() const;

  /// What was done since the last call, cycle `now` included.
  [[nodiscard]] SharedCacheCounts take_until(Cycle now);
  /// Requests of the slices that the memory must be able to hold so as not to be what limits them.
  [[nodiscard]] static std::size_t most_outstanding(const CacheParams& cache);

  /// Throws SimulationError, naming the law, if a count does not agree or anything is left inside.
  void check_drained() const;
  /// Who holds what, a line each: for the watchdog.
  [[nodiscard]] std::string describe_waits() const;

 private:
  struct Client {
    Client(const RequestSplitter::Params& params, const std::function<Cycle()>& clock);
    MemoryLink link;
    RequestSplitter splitter;
    Cycle next = 0;  ///< what step() said
  };
  struct Slice {
    Slice(const std::string& name, const CacheParams& params, StatGroup& group);
    MemoryLink upper, lower;
    Cache cache;
    Cycle next = 0;  ///< what step() said
    /// When it is to be called.
    [[nodiscard]] Cycle due() const;
  };

  [[nodiscard]] std::size_t server_of(std::uint64_t address) const override {
    return hash_.slice_of(address);
  }
  [[nodiscard]] Cycle interconnect_due() const;
  [[nodiscard]] Cycle funnel_due(Cycle now) const;
  Cycle step_all(Cycle now);
  /// Of a count that each client's splitter has.
  template <typename Get>
  [[nodiscard]] Count sum_of_clients(Get get) const {
    Count sum = 0;
    for (const auto& client : clients_) sum += (client->splitter.*get)();
    return sum;
  }
  [[nodiscard]] SharedCacheCounts counts() const;
  Cycle busiest_link_cycles(Cycle elapsed);

  CacheParams params_;
  Bytes header_bytes_;
  SliceHash hash_;
  std::vector<std::unique_ptr<Slice>> slices_;
  std::vector<std::unique_ptr<Client>> clients_;
  Interconnect interconnect_;
  MemoryFunnel funnel_;
  std::function<void(Cycle)> wake_;
  Cycle interconnect_next_ = 0, funnel_next_ = 0;

  // What take_until() gave so far.
  Cycle taken_until_ = 0;
  SharedCacheCounts taken_;
  std::vector<Cycle> taken_link_cycles_;  // of all links of both networks
};

}  // namespace tilewave
