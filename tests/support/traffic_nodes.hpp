// SPDX-License-Identifier: Apache-2.0
// Clients and servers for tests of what lies between them, and a system that steps them all.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <queue>
#include <random>
#include <utility>
#include <vector>

#include "arch/memory/interconnect/interconnect.hpp"
#include "arch/memory/memory_link.hpp"

namespace tilewave::test {

/// An even 64-bit hash (splitmix64): the same "random" choice however often it is asked for.
inline std::uint64_t hash(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

/// In which cycles a port holds its peer back: a share of them, or all before a cycle.
struct Stalls {
  unsigned percent = 0;
  std::uint64_t seed = 0;
  Cycle until = 0;
  [[nodiscard]] bool at(Cycle now) const {
    return now < until || hash(seed * 0x10001 + now) % 100 < percent;
  }
};

/// Addresses that name their server and are all different.
inline constexpr std::uint64_t kTestServers = 256;
inline std::uint64_t test_address(std::size_t server, std::uint64_t serial) {
  return serial * kTestServers + server;
}
struct TestRouter final : AddressRouter {
  [[nodiscard]] std::size_t server_of(std::uint64_t address) const override {
    ++asked;
    return address % kTestServers;
  }
  mutable Count asked = 0;
};

/// Something that happened at a port.
struct TestEvent {
  Cycle cycle;
  std::uint64_t name;  ///< client: tag, server: address
  friend bool operator==(const TestEvent&, const TestEvent&) = default;
};

/// Sends its requests in order, one a cycle at most, and takes responses, one a cycle at most.
class TestClient final : public MemoryUnit {
 public:
  struct Work {
    Cycle at;  ///< not before
    MemoryRequest request;
  };
  TestClient(MemoryLink& link, std::vector<Work> work, Stalls stalls = {})
      : link_(link), work_(std::move(work)), stalls_(stalls) {}

  Cycle step(Cycle now) override {
    Cycle next = kNever;
    if (link_.responses.can_pop(now) && now >= receive_from_ && !stalls_.at(now)) {
      const MemoryResponse response = link_.responses.front();
      link_.responses.pop(now);
      receive_from_ = now + 1;
      received.push_back({now, response.tag});
      responses.push_back(response);
    }
    if (!link_.responses.empty()) {
      next = std::max(link_.responses.next_visible(), now + 1);
    }
    if (sent.size() < work_.size() && work_[sent.size()].at <= now && now >= send_from_ &&
        link_.requests.can_push(now)) {
      const MemoryRequest& request = work_[sent.size()].request;
      link_.requests.push(now, request);
      send_from_ = now + 1;
      sent.push_back({now, request.tag});
    }
    if (sent.size() < work_.size()) {
      next = std::min(next, std::max(work_[sent.size()].at, now + 1));
    }
    return next;
  }
  [[nodiscard]] bool idle() const override { return received.size() == work_.size(); }
  [[nodiscard]] const std::vector<Work>& work() const { return work_; }

  std::vector<TestEvent> sent, received;
  std::vector<MemoryResponse> responses;

 private:
  MemoryLink& link_;
  std::vector<Work> work_;
  Stalls stalls_;
  Cycle send_from_ = 0, receive_from_ = 0;
};

/// Takes requests, one a cycle at most, and answers each after a latency, one a cycle at most. With
/// jitter, answers overtake each other.
class TestServer final : public MemoryUnit {
 public:
  struct Params {
    Cycle latency = 1, jitter = 0;
    std::size_t capacity = 16;
    Stalls stalls = {};
  };
  TestServer(MemoryLink& link, Params params) : link_(link), params_(params) {}

  Cycle step(Cycle now) override {
    Cycle next = kNever;
    if (!pending_.empty() && pending_.top().due <= now && now >= answer_from_ &&
        link_.responses.can_push(now)) {
      const MemoryRequest request = pending_.top().request;
      link_.responses.push(now, {request.tag, request.bytes, request.write});
      pending_.pop();
      answer_from_ = now + 1;
    }
    if (link_.requests.can_pop(now) && now >= take_from_ && !params_.stalls.at(now) &&
        pending_.size() < params_.capacity) {
      const MemoryRequest request = link_.requests.front();
      link_.requests.pop(now);
      take_from_ = now + 1;
      const Cycle extra = params_.jitter == 0 ? 0 : hash(request.address) % (params_.jitter + 1);
      pending_.push({now + params_.latency + extra, taken.size(), request});
      taken.push_back({now, request.address});
      requests.push_back(request);
    }
    if (!pending_.empty()) next = std::max(pending_.top().due, now + 1);
    if (!link_.requests.empty()) {
      next = std::min(next, std::max(link_.requests.next_visible(), now + 1));
    }
    return next;
  }
  [[nodiscard]] bool idle() const override { return pending_.empty(); }

  std::vector<TestEvent> taken;
  std::vector<MemoryRequest> requests;

 private:
  struct Pending {
    Cycle due;
    std::size_t order;
    MemoryRequest request;
    friend bool operator<(const Pending& a, const Pending& b) {
      return std::pair(b.due, b.order) < std::pair(a.due, a.order);  // the earliest on top
    }
  };
  MemoryLink& link_;
  Params params_;
  std::priority_queue<Pending> pending_;
  Cycle take_from_ = 0, answer_from_ = 0;
};

/// How a system is stepped. The outcome is to be the same.
enum class Stepping {
  every_cycle,     ///< in one order
  when_needed,     ///< each unit only at the cycles it asks for or at which it sees something new
  shuffled_often,  ///< every cycle, in a random order, each unit one to three times
};

/// Of every MemoryLink, each way.
struct TestLinks {
  std::size_t depth = 4;
  Cycle latency = 1;
};

/// Clients, servers and an interconnect between them.
class TrafficSystem {
 public:
  TrafficSystem(const InterconnectParams& params, std::vector<std::vector<TestClient::Work>> work,
                const std::vector<TestServer::Params>& server_params,
                const std::vector<Stalls>& client_stalls = {}, TestLinks links = {})
      : stats("chip") {
    const auto make_links = [&](std::size_t count, auto& owner) {
      std::vector<MemoryLink*> made;
      for (std::size_t i = 0; i < count; ++i) {
        owner.push_back(std::make_unique<MemoryLink>(links.depth, links.latency));
        made.push_back(owner.back().get());
      }
      return made;
    };
    const auto client_ends = make_links(work.size(), client_links);
    const auto server_ends = make_links(server_params.size(), server_links);
    interconnect = std::make_unique<Interconnect>("interconnect", params, client_ends, server_ends,
                                                  router, stats);
    for (std::size_t i = 0; i < work.size(); ++i) {
      clients.push_back(
          std::make_unique<TestClient>(*client_links[i], std::move(work[i]),
                                       client_stalls.empty() ? Stalls{} : client_stalls[i]));
    }
    for (std::size_t i = 0; i < server_params.size(); ++i) {
      servers.push_back(std::make_unique<TestServer>(*server_links[i], server_params[i]));
    }
    Unit middle{.unit = interconnect.get()};
    for (std::size_t i = 0; i < clients.size(); ++i) {
      units_.push_back({.unit = clients[i].get(), .responses = {&client_links[i]->responses}});
      middle.requests.push_back(&client_links[i]->requests);
    }
    for (std::size_t i = 0; i < servers.size(); ++i) {
      units_.push_back({.unit = servers[i].get(), .requests = {&server_links[i]->requests}});
      middle.responses.push_back(&server_links[i]->responses);
    }
    units_.push_back(std::move(middle));
  }

  /// Goes on until all is answered, or until `limit`; returns the cycle at which it stopped.
  Cycle run(Stepping stepping, Cycle limit = 1'000'000) {
    while (now_ < limit) {
      const Cycle next = step_all(stepping, now_);
      ++steps;
      if (idle()) break;
      now_ = stepping == Stepping::when_needed ? next : now_ + 1;
    }
    return std::min(now_, limit);
  }
  [[nodiscard]] bool idle() const {
    return std::all_of(clients.begin(), clients.end(), [](auto& c) { return c->idle(); });
  }
  /// All that the ends saw, to compare runs.
  [[nodiscard]] std::vector<std::vector<TestEvent>> events() const {
    std::vector<std::vector<TestEvent>> all;
    for (const auto& c : clients) all.push_back(c->sent), all.push_back(c->received);
    for (const auto& s : servers) all.push_back(s->taken);
    return all;
  }

  StatGroup stats;
  TestRouter router;
  std::vector<std::unique_ptr<MemoryLink>> client_links, server_links;
  std::unique_ptr<Interconnect> interconnect;
  std::vector<std::unique_ptr<TestClient>> clients;
  std::vector<std::unique_ptr<TestServer>> servers;
  Count steps = 0;

 private:
  /// A unit and the pipes in which it sees something new.
  struct Unit {
    MemoryUnit* unit;
    std::vector<const Pipe<MemoryRequest>*> requests = {};
    std::vector<const Pipe<MemoryResponse>*> responses = {};
    Cycle wake = 0;
  };

  /// Returns the next cycle to step at.
  Cycle step_all(Stepping stepping, Cycle now) {
    if (stepping == Stepping::when_needed) return step_needed(now);
    std::vector<MemoryUnit*> order;
    for (const Unit& u : units_) {
      const bool often = stepping == Stepping::shuffled_often;
      order.insert(order.end(), often ? 1 + random_() % 3 : 1, u.unit);
    }
    if (stepping == Stepping::shuffled_often) std::shuffle(order.begin(), order.end(), random_);
    for (MemoryUnit* unit : order) unit->step(now);
    return now + 1;
  }
  Cycle step_needed(Cycle now) {
    for (Unit& u : units_) {
      if (u.wake <= now) u.wake = u.unit->step(now);
    }
    Cycle next = kNever;
    for (Unit& u : units_) {
      const auto see = [&](Cycle visible) {
        if (visible > now) u.wake = std::min(u.wake, visible);
      };
      for (const auto* pipe : u.requests) see(pipe->next_visible());
      for (const auto* pipe : u.responses) see(pipe->next_visible());
      next = std::min(next, u.wake);
    }
    return next;
  }

  std::vector<Unit> units_;
  Cycle now_ = 0;
  std::mt19937_64 random_{7};
};

}  // namespace tilewave::test
