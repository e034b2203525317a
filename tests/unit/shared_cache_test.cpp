// SPDX-License-Identifier: Apache-2.0
// The shared cache between a client and a memory: what it asks below, when it answers, and that
// neither end notices more than a memory port and its client.
#include "arch/memory/hierarchy/shared_cache.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <random>

#include "support/catch.hpp"
#include "support/foreign_target.hpp"

#include "arch/chip/shared_cache_module.hpp"
#include "arch/memory/tlm_memory_port.hpp"

namespace tilewave::test {
namespace {

CacheParams two_slices() {
  CacheParams p;
  p.capacity_bytes = 4096;
  p.ways = 4;
  p.line_bytes = 64;
  p.sector_bytes = 32;
  p.bank_bytes_per_cycle = 64;
  p.bank_interleave_bytes = 64;
  p.fill_bytes_per_cycle = 64;
  p.hit_latency_cycles = 10;
  p.tag_latency_cycles = 4;
  p.mshrs = 8;
  p.mshr_merges = 3;
  p.write_queue_depth = 4;
  p.slices = 2;
  p.slice_interleave_bytes = 64;
  return p;
}

InterconnectParams wide_crossbar() {
  InterconnectParams p;
  p.request_bytes_per_cycle = p.response_bytes_per_cycle = 128;
  return p;
}
/// Of a packet that takes one cycle, each way: two links and a router.
constexpr Cycle kNetwork = 2 * 1 + 1;

/// Answers in order, `latency` cycles after it was asked; takes at most `depth` at a time.
class Memory final : public MemoryPort {
 public:
  Memory(const Cycle& now, Cycle latency, std::size_t depth)
      : now_(now), latency_(latency), depth_(depth) {}
  [[nodiscard]] bool can_send() const override { return under_way_.size() < depth_; }
  bool send(const MemoryRequest& request) override {
    REQUIRE(can_send());
    seen.push_back(request);
    if (latency_ == 0) return true;
    under_way_.push_back({now_ + latency_, request.tag});
    return false;
  }
  Cycle step(MemoryClient& client) {
    bool full = !can_send();
    while (!under_way_.empty() && under_way_.front().due <= now_) {
      client.on_response(under_way_.front().tag, now_ + 1);
      under_way_.pop_front();
    }
    if (full && can_send()) client.on_ready(now_ + 1);
    return under_way_.empty() ? kNever : under_way_.front().due;
  }
  std::vector<MemoryRequest> seen;

 private:
  struct Pending {
    Cycle due;
    std::uint64_t tag;
  };
  const Cycle& now_;
  Cycle latency_;
  std::size_t depth_;
  std::deque<Pending> under_way_;
};

struct RigParams {
  CacheParams cache = two_slices();
  InterconnectParams interconnect = wide_crossbar();
  Cycle memory_latency = 50;
  std::size_t memory_depth = 1000;
};

/// Sends as many requests a cycle as are taken, and steps all until nothing is left.
struct Rig final : MemoryClient {
  explicit Rig(const RigParams& p = {})
      : memory(now, p.memory_latency, p.memory_depth),
        cache(
            p.cache, p.interconnect, 1, memory, [this] { return now; }, root) {
    cache.connect(0, *this);
    cache.set_wake([this](Cycle at) { wake = std::min(wake, at); });
  }
  void on_response(std::uint64_t tag, Cycle visible) override {
    REQUIRE(visible > now);
    REQUIRE(answered.emplace(tag, visible).second);
  }
  void on_ready(Cycle visible) override {
    REQUIRE(visible > now);
    ++readies;
    wake = std::min(wake, visible);
  }
  /// Runs these; `every_cycle`: also steps when nobody asks to.
  void run(const std::vector<MemoryRequest>& requests, bool every_cycle = false) {
    std::size_t next = 0;
    for (const Cycle limit = now + 1'000'000; now < limit;) {
      wake = kNever;
      while (next < requests.size() && cache.port(0).can_send()) {
        MemoryRequest request = requests[next++];
        request.tag = first_tag++;
        REQUIRE_FALSE(cache.port(0).send(request));
        sent.push_back(now);
      }
      if (next < requests.size()) ++refusals;
      wake = std::min(wake, cache.step(now));
      wake = std::min(wake, memory.step(cache));
      if (next == requests.size() && wake == kNever) return;
      REQUIRE(wake > now);
      now = every_cycle ? now + 1 : wake;
    }
    FAIL("it does not end");
  }
  Cycle latency(std::uint64_t tag) const { return answered.at(tag) - sent.at(tag); }

  StatGroup root{"test"};
  Cycle now = 1, wake = kNever;
  Memory memory;
  SharedCache cache;
  std::vector<Cycle> sent;
  std::map<std::uint64_t, Cycle> answered;
  std::uint64_t first_tag = 0;
  int readies = 0, refusals = 0;
};

MemoryRequest read(std::uint64_t address, Bytes bytes) {
  return {.address = address, .bytes = bytes, .write = false, .tag = 0};
}
MemoryRequest write(std::uint64_t address, Bytes bytes) {
  return {.address = address, .bytes = bytes, .write = true, .tag = 0};
}

}  // namespace

TEST_CASE("a hit and a miss take the cycles that the comment says", "[l2]") {
  Rig rig;
  rig.run({read(128, 64)});
  rig.run({read(128, 64)});
  rig.cache.check_drained();
  // Both packets take one cycle on their links; one cycle in the bank.
  CHECK(rig.latency(1) == 6 + 2 * kNetwork + 10);
  // Down: 4 to leave the tags, 1 in the queue; 50 in the memory and 1 till it is seen; up: 1 in the
  // queue. The fill port takes its cycle when it comes.
  CHECK(rig.latency(0) == 6 + 2 * kNetwork + 4 + 1 + 51 + 1);
  REQUIRE(rig.memory.seen.size() == 1);
  CHECK(rig.memory.seen[0].address == 128);
  CHECK(rig.memory.seen[0].bytes == 64);
}

TEST_CASE("a hit in another partition takes longer", "[l2]") {
  RigParams p;
  p.cache.partitions = 2;
  p.cache.far_latency_cycles = 40;
  const SliceHash hash(2, 64);
  for (std::uint64_t block = 0; block < 8; ++block) {
    Rig rig(p);
    rig.run({read(block * 64, 64)});
    rig.run({read(block * 64, 64)});
    CHECK(rig.latency(1) == 6 + 2 * kNetwork + 10 + (hash.slice_of(block * 64) == 1 ? 40U : 0U));
  }
}

TEST_CASE("requests are cut where slices end and each chunk goes to its slice", "[l2]") {
  Rig rig;
  rig.run({read(40, 300), write(1000, 24), read(4096, 4000)});
  rig.cache.check_drained();
  const auto counts = rig.cache.take_until(rig.now);
  CHECK(counts.read_bytes == 4300);
  CHECK(counts.write_bytes == 24);
  CHECK(counts.asked_bytes == 4324);
  // 40 to 340 touches 6 lines, 1000 to 1024 one, 4096 to 8096 63 of them.
  CHECK(counts.lookups == 6 + 1 + 63);
  const auto json = rig.root.to_json();
  CHECK(json["l2"]["chunks"]["value"] == 6 + 1 + 63);
  for (const char* slice : {"slice0", "slice1"}) {
    CHECK(json["l2"][slice]["lookups"]["value"].get<Count>() >= 34);
  }
  // Sectors of 32 bytes: 32 to 352; the write needs its sector; 4096 to 8096.
  CHECK(counts.fill_bytes == 320 + 32 + 4000);
  CHECK(counts.memory_read_bytes == counts.fill_bytes);
}

TEST_CASE("one slice is cut as well, so that a response need not wait for all", "[l2]") {
  RigParams p;
  p.cache.slices = 1;
  p.cache.slice_interleave_bytes = 0;
  p.cache.capacity_bytes = 65536;
  Rig rig(p);
  rig.run({read(0, 8192)});
  rig.cache.check_drained();
  CHECK(rig.root.to_json()["l2"]["chunks"]["value"] == 8192 / 512);
}

TEST_CASE("adjacent fills go as one request while the memory is held back", "[l2]") {
  RigParams p;
  p.cache.slice_interleave_bytes = 1024;
  p.cache.mshrs = 32;
  p.memory_depth = 1;
  Rig rig(p);
  rig.run({read(0, 4096)});
  rig.cache.check_drained();
  Bytes most = 0, all = 0;
  for (const auto& request : rig.memory.seen) {
    most = std::max(most, request.bytes);
    all += request.bytes;
  }
  CHECK(all == 4096);
  CHECK(most == 512);
  CHECK(rig.memory.seen.size() < 64 / 2);
  // Both slices have their turn.
  std::vector<Count> slices;
  const SliceHash hash(2, 1024);
  for (std::size_t i = 2; i < 6; ++i) slices.push_back(hash.slice_of(rig.memory.seen[i].address));
  CHECK(std::adjacent_find(slices.begin(), slices.end()) == slices.end());
}

TEST_CASE("the client is held back and told when there is a place", "[l2]") {
  RigParams p;
  p.interconnect.outstanding_per_client = 64;
  Rig rig(p);
  std::vector<MemoryRequest> many;
  for (std::uint64_t i = 0; i < 1000; ++i) many.push_back(read(i * 8192, 64));
  rig.run(many);
  rig.cache.check_drained();
  CHECK(rig.answered.size() == 1000);
  CHECK(rig.refusals > 0);
  CHECK(rig.readies > 0);
}

TEST_CASE("a memory that answers at once is asked as any other", "[l2]") {
  RigParams p;
  p.memory_latency = 0;
  Rig rig(p);
  rig.run({read(128, 64), write(5000, 600), read(128, 64)});
  rig.cache.check_drained();
  CHECK(rig.answered.size() == 3);
}

TEST_CASE("random requests: stepped in every cycle or only when asked for, the same", "[l2]") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 60; ++round) {
    INFO("round " << round);
    RigParams p;
    p.cache.slices = std::size_t{1} << random() % 3;
    p.cache.slice_interleave_bytes = p.cache.slices == 1 ? 0 : Bytes{64} << random() % 3;
    p.cache.mshrs = 1 + random() % 8;
    p.cache.write_queue_depth = 1 + random() % 4;
    p.cache.hit_under_miss = random() % 2 == 0;
    p.interconnect.response_bytes_per_cycle = 8U << random() % 4;
    p.interconnect.outstanding_per_client = 1 + random() % 32;
    p.interconnect.input_buffer_packets = 1 + random() % 4;
    p.memory_latency = random() % 60;
    p.memory_depth = 1 + random() % 8;
    std::vector<MemoryRequest> requests;
    for (int i = 0; i < 60; ++i) {
      requests.push_back({.address = random() % 16384,
                          .bytes = 1 + random() % 2000,
                          .write = random() % 3 == 0,
                          .tag = 0});
    }
    Rig asked(p), always(p);
    asked.run(requests);
    always.run(requests, true);
    asked.cache.check_drained();
    always.cache.check_drained();
    REQUIRE(asked.answered == always.answered);
    REQUIRE(asked.root.to_json() == always.root.to_json());
  }
}

TEST_CASE("counts of stretches of time add up to those of the whole", "[l2]") {
  std::mt19937_64 random(3);
  SharedCacheCounts sum;
  Rig rig, whole;
  for (int part = 0; part < 5; ++part) {
    std::vector<MemoryRequest> requests;
    for (int i = 0; i < 20; ++i) requests.push_back(read(random() % 10000, 1 + random() % 300));
    const Cycle begin = rig.now;
    rig.run(requests);
    const auto counts = rig.cache.take_until(rig.now);
    CHECK(counts.moved_bytes <= (rig.now - begin) * 2 * 64);
    CHECK(counts.busiest_link_cycles <= rig.now - begin);
    CHECK(counts.busiest_link_cycles > 0);
    sum += counts;
    whole.run(requests);
  }
  const auto counts = whole.cache.take_until(whole.now);
  CHECK(sum.read_bytes == counts.read_bytes);
  CHECK(sum.lookups == counts.lookups);
  CHECK(sum.outcomes == counts.outcomes);
  CHECK(sum.stall_cycles == counts.stall_cycles);
  CHECK(sum.memory_read_bytes == counts.memory_read_bytes);
  CHECK(sum.interconnect_bytes == counts.interconnect_bytes);
  CHECK(sum.moved_bytes == counts.moved_bytes);
}

TEST_CASE("what is left inside is noticed, and who holds it is named", "[l2]") {
  RigParams p;
  p.memory_latency = kNever / 2;
  Rig rig(p);
  REQUIRE_FALSE(rig.cache.port(0).send(read(0, 64)));
  for (; rig.now < 100; ++rig.now) rig.cache.step(rig.now);
  CHECK_THROWS_WITH(rig.cache.check_drained(), contains("every request is answered once"));
  const std::string waits = rig.cache.describe_waits();
  CHECK_THAT(waits, contains("l2: 0 requests wait, 1 of 1024 under way"));
  CHECK_THAT(waits, contains("interconnect: 1 requests without an answer"));
  CHECK_THAT(waits, contains("l2 slice 0: 1 requests without an answer, 1 fills under way"));
  CHECK_THAT(waits, contains("l2 to memory: 1 of 24 requests of slices unanswered"));
}

namespace {

/// The core's place in front of an L2 that has someone else's memory behind it.
struct ForeignRig final : MemoryClient {
  explicit ForeignRig(const Behaviour& behaviour)
      : script("script", context),
        port("port", clock, context),
        target("target", script, behaviour),
        cache(
            two_slices(), wide_crossbar(), 1, port,
            [this] { return clock.cycle_at_or_after(context.now()); }, root),
        module("l2", cache, clock, context, nullptr) {
    port.socket.bind(target.socket);
    port.connect(cache);
    cache.connect(0, *this);
  }
  void on_response(std::uint64_t tag, Cycle visible) override { answered[tag] = visible; }
  void on_ready(Cycle) override {}

  SimulationContext context;
  ClockDomain clock{Frequency::from_ghz(1.0)};
  StatGroup root{"test"};
  Script script;
  TlmMemoryPort port;
  ForeignTarget target;
  SharedCache cache;
  SharedCacheModule module;
  std::map<std::uint64_t, Cycle> answered;
};

}  // namespace

TEST_CASE("any memory that keeps the base protocol may stand behind the L2", "[l2]") {
  using Call = Behaviour::Call;
  const std::vector<Behaviour> behaviours{
      {.status = tlm::TLM_COMPLETED},
      {.status = tlm::TLM_COMPLETED, .delay_ns = 30},
      {.status = tlm::TLM_UPDATED, .phase = tlm::BEGIN_RESP, .delay_ns = 20},
      {.status = tlm::TLM_UPDATED,
       .phase = tlm::END_REQ,
       .delay_ns = 3,
       .calls = {Call{.after_ns = 40, .phase = tlm::BEGIN_RESP}}},
      {.calls = {Call{.after_ns = 10, .phase = tlm::END_REQ},
                 Call{.after_ns = 40, .phase = tlm::BEGIN_RESP, .delay_ns = 2}}},
      {.calls = {Call{.after_ns = 25, .phase = tlm::BEGIN_RESP}}},
  };
  for (std::size_t i = 0; i < behaviours.size(); ++i) {
    INFO("behaviour " << i);
    ForeignRig rig(behaviours[i]);
    Bytes bytes = 0;
    rig.target.on_request = [&](tlm::tlm_generic_payload& p) { bytes += p.get_data_length(); };
    rig.script.after(ns(5), [&] {
      for (std::uint64_t tag = 0; tag < 4; ++tag) {
        rig.cache.port(0).send(
            {.address = tag % 2 * 1000, .bytes = 700, .write = false, .tag = tag});
      }
    });
    rig.context.run();
    CHECK(rig.answered.size() == 4);
    CHECK(bytes == 704 + 736);  // sectors from 0 to 704 and from 992 to 1728, each once
    rig.cache.check_drained();
  }
}

}  // namespace tilewave::test
