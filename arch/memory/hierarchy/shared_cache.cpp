// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/hierarchy/shared_cache.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "sim/diagnostics.hpp"

namespace tilewave {

namespace {

constexpr std::size_t kLinkDepth = 4;
constexpr Cycle kLinkLatency = 1;
/// A request is cut at least so fine, else its first bytes would wait for its last.
constexpr Bytes kMostChunkBytes = 512;
/// Bounds what is allocated for requests of slices under way.
constexpr std::size_t kMostOutstanding = 1U << 16;

Bytes chunk_bytes(const CacheParams& p) {
  const Bytes fine = std::max(p.line_bytes, kMostChunkBytes);
  return p.slices > 1 ? std::min(p.slice_interleave_bytes, fine) : fine;
}

SliceHash hash_of(const CacheParams& p) {
  return {p.slices, p.slices > 1 ? p.slice_interleave_bytes : p.line_bytes};
}

template <typename Ends, typename Get>
std::vector<MemoryLink*> links_of(const Ends& ends, Get&& get) {
  std::vector<MemoryLink*> links;
  links.reserve(ends.size());
  for (const auto& end : ends) links.push_back(&get(*end));
  return links;
}

}  // namespace

SharedCache::Slice::Slice(const std::string& name, const CacheParams& params, StatGroup& group)
    : upper(kLinkDepth, kLinkLatency),
      lower(std::max<std::size_t>(params.mshrs, 2), kLinkLatency),
      cache(name, params, upper, lower, group) {}

SharedCache::Client::Client(const RequestSplitter::Params& params,
                            const std::function<Cycle()>& clock)
    : link(kLinkDepth, kLinkLatency), splitter(link, params, clock) {}

Cycle SharedCache::Slice::due() const {
  return std::min({next, upper.requests.next_visible(), lower.responses.next_visible()});
}

std::size_t SharedCache::most_outstanding(const CacheParams& p) {
  return static_cast<std::size_t>(
      std::min<Count>(p.slices * (p.mshrs + p.write_queue_depth), kMostOutstanding));
}

SharedCache::SharedCache(const CacheParams& cache, const InterconnectParams& interconnect,
                         std::size_t clients, MemoryPort& memory,
                         const std::function<Cycle()>& clock, StatGroup& parent)
    : params_(cache),
      header_bytes_(interconnect.header_bytes),
      hash_(hash_of(cache)),
      slices_([&] {
        std::vector<std::unique_ptr<Slice>> slices;
        for (Count i = 0; i < cache.slices; ++i) {
          slices.push_back(
              std::make_unique<Slice>(fmt::format("slice{}", i), cache, parent.group("l2")));
        }
        return slices;
      }()),
      clients_([&] {
        const RequestSplitter::Params params{
            .requests = interconnect.outstanding_per_client,
            .chunk_bytes = chunk_bytes(cache),
            .slices = hash_,
            .placement = {cache.slices, cache.partitions, cache.far_latency_cycles}};
        std::vector<std::unique_ptr<Client>> ends;
        for (std::size_t i = 0; i < clients; ++i) {
          ends.push_back(std::make_unique<Client>(params, clock));
        }
        return ends;
      }()),
      interconnect_("interconnect", interconnect,
                    links_of(clients_, [](Client& c) -> MemoryLink& { return c.link; }),
                    links_of(slices_, [](Slice& s) -> MemoryLink& { return s.upper; }), *this,
                    parent),
      funnel_(links_of(slices_, [](Slice& s) -> MemoryLink& { return s.lower; }), memory,
              {.outstanding = most_outstanding(cache)}),
      taken_link_cycles_(interconnect_.request_network().links() +
                         interconnect_.response_network().links()) {
  auto& group = parent.group("l2");
  for (std::size_t i = 0; i < clients; ++i) {
    group.count(clients == 1 ? "chunks" : fmt::format("chunks{}", i), "requests",
                "parts of the client's requests, each of one slice",
                clients_[i]->splitter.chunks());
  }
  group.count("memory_requests", "requests", "sent to the memory, adjacent ones as one",
              funnel_.requests());
}

void SharedCache::set_wake(const std::function<void(Cycle)>& wake) {
  for (auto& client : clients_) client->splitter.set_wake(wake);
  funnel_.set_wake(wake);
  wake_ = wake;
}

Cycle SharedCache::interconnect_due() const {
  Cycle due = interconnect_next_;
  for (const auto& client : clients_) due = std::min(due, client->link.requests.next_visible());
  for (const auto& slice : slices_) {
    due = std::min(due, slice->upper.responses.next_visible());
  }
  return due;
}

// What waits already waits for the memory, which says when.
Cycle SharedCache::funnel_due(Cycle now) const {
  Cycle due = funnel_next_;
  for (const auto& slice : slices_) {
    const Cycle visible = slice->lower.requests.next_visible();
    if (visible > now) due = std::min(due, visible);
  }
  return due;
}

Cycle SharedCache::step(Cycle now) {
  for (auto& client : clients_) client->next = client->splitter.step(now);
  if (interconnect_due() <= now) {
    interconnect_next_ = interconnect_.step(now);
    // It may have taken a chunk, of which the splitter sees the place in the next cycle.
    for (auto& client : clients_) {
      if (client->splitter.held_back()) client->next = now + 1;
    }
  }
  for (auto& slice : slices_) {
    if (slice->due() <= now) slice->next = slice->cache.step(now);
  }
  funnel_next_ = funnel_.step(now);

  Cycle next = std::min(interconnect_due(), funnel_due(now));
  for (const auto& client : clients_) {
    next = std::min({next, client->next, client->link.responses.next_visible()});
  }
  for (const auto& slice : slices_) next = std::min(next, slice->due());
  return std::max(next, now + 1);
}

// Also those that have nothing to do: they settle what they count by intervals.
Cycle SharedCache::step_all(Cycle now) {
  for (auto& slice : slices_) slice->next = 0;
  interconnect_next_ = 0;
  return step(now);
}

bool SharedCache::idle() const {
  return funnel_.idle() && interconnect_.outstanding() == 0 &&
         std::all_of(clients_.begin(), clients_.end(),
                     [](const auto& client) {
                       return client->splitter.idle() && client->link.requests.empty() &&
                              client->link.responses.empty();
                     }) &&
         std::all_of(slices_.begin(), slices_.end(),
                     [](const auto& slice) { return slice->cache.idle(); });
}

SharedCacheCounts SharedCache::counts() const {
  SharedCacheCounts sum;
  for (const auto& slice : slices_) {
    const CacheStatistics& s = slice->cache.statistics();
    sum.asked_bytes += s.read_bytes + s.write_bytes;
    sum.moved_bytes += s.answered_bytes;
    sum.lookups += s.lookups;
    for (std::size_t i = 0; i < kCacheOutcomes; ++i) sum.outcomes[i] += s.outcomes[i];
    for (std::size_t i = 0; i < kCacheStalls; ++i) sum.stall_cycles[i] += s.stall_cycles[i];
    sum.fill_bytes += s.fill_bytes;
    sum.write_back_bytes += s.write_back_bytes;
    sum.write_through_bytes += s.write_below_bytes;
  }
  sum.read_bytes = sum_of_clients(&RequestSplitter::read_bytes);
  sum.write_bytes = sum_of_clients(&RequestSplitter::write_bytes);
  sum.memory_read_bytes = funnel_.read_bytes();
  sum.memory_write_bytes = funnel_.write_bytes();
  // Data goes one way, a header both.
  sum.interconnect_bytes =
      sum.asked_bytes + 2 * header_bytes_ * sum_of_clients(&RequestSplitter::chunks);
  sum.byte_hops = interconnect_.byte_hops();
  return sum;
}

// Counts tell of packets and runs when they begin; what lies ahead of `now` goes to the next call.
Cycle SharedCache::busiest_link_cycles(Cycle elapsed) {
  Cycle busiest = 0;
  auto taken = taken_link_cycles_.begin();
  for (const PacketNetwork* network :
       {&interconnect_.request_network(), &interconnect_.response_network()}) {
    for (std::size_t i = 0; i < network->links(); ++i, ++taken) {
      const Cycle busy = std::min(network->link_counts(i).busy_cycles - *taken, elapsed);
      *taken += busy;
      busiest = std::max(busiest, busy);
    }
  }
  return busiest;
}

SharedCacheCounts SharedCache::take_until(Cycle now) {
  if (const Cycle next = step_all(now); next != kNever) wake_(next);
  const Cycle elapsed = now - std::exchange(taken_until_, now);
  const SharedCacheCounts total = counts();
  SharedCacheCounts since = total;
  since -= taken_;
  since.moved_bytes = std::min(total.moved_bytes - taken_.moved_bytes,
                               elapsed * params_.slices * params_.bytes_per_cycle());
  since.busiest_link_cycles = busiest_link_cycles(elapsed);
  const Bytes moved = taken_.moved_bytes + since.moved_bytes;
  taken_ = total;
  taken_.moved_bytes = moved;
  return since;
}

void SharedCache::check_drained() const {
  const auto require = [](Count a, Count b, const char* law) {
    if (a != b) {
      throw SimulationError(fmt::format("law violated: l2: {}: {} is not {}", law, a, b));
    }
  };
  for (const auto& slice : slices_) slice->cache.check_laws();
  interconnect_.check_laws();
  const SharedCacheCounts sum = counts();
  require(sum_of_clients(&RequestSplitter::requests), sum_of_clients(&RequestSplitter::responses),
          "every request is answered once");
  require(sum.read_bytes + sum.write_bytes, sum.asked_bytes,
          "bytes that the client asked for = bytes asked of the slices");
  require(sum.asked_bytes, sum.moved_bytes, "bytes asked of the slices = bytes they answered");
  require(sum.fill_bytes, sum.memory_read_bytes, "bytes of fills = bytes read from memory");
  require(sum.write_back_bytes + sum.write_through_bytes, sum.memory_write_bytes,
          "bytes of write-backs and writes below = bytes written to memory");
  if (!idle()) throw SimulationError("law violated: l2: nothing is left inside at the end");
}

std::string SharedCache::describe_waits() const {
  std::string text;
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    const std::string name = clients_.size() == 1 ? "" : fmt::format(", core {}", i);
    text += fmt::format("\n  l2{}: {}", name, clients_[i]->splitter.describe());
  }
  text +=
      fmt::format("\n  interconnect: {} requests without an answer", interconnect_.outstanding());
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    const auto& s = slices_[i]->cache.statistics();
    if (slices_[i]->cache.idle()) continue;
    text += fmt::format("\n  l2 slice {}: {} requests without an answer, {} fills under way", i,
                        s.requests - s.responses, s.fills - s.fills_received);
  }
  return text + "\n  l2 to memory: " + funnel_.describe();
}

}  // namespace tilewave
