// SPDX-License-Identifier: Apache-2.0
// One DMA engine in front of a memory port that the test plays.
#include "arch/core/dma_engine.hpp"

#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace tilewave::test {
namespace {

using program::Condition;
using program::Space;
using program::UnitKind;

struct Port final : MemoryPort {
  [[nodiscard]] bool by_address() const override { return addresses; }
  [[nodiscard]] bool can_send() const override { return open; }
  bool send(const MemoryRequest& request) override {
    sent.push_back(request);
    return ideal;
  }
  bool open = true, ideal = false, addresses = false;
  std::vector<MemoryRequest> sent;
};

constexpr int kId = 3;

/// An engine, its ports and a program of loads and stores without slots.
struct Bench {
  explicit Bench(const DmaParams& params) : engine("dma", kId, params) {
    load.unit = UnitKind::load;
    store.unit = UnitKind::store;
  }
  Job job(Bytes bytes, std::uint64_t address = 0) {
    return {.kernel = &kernel, .instruction = &load, .tensor_address = address, .bytes = bytes};
  }
  bool send_one(Cycle now = 0) {
    return engine.send_one(now, slots, {.dram = &dram, .host = &host}, path,
                           [this](const Job&) { return allowed; });
  }
  void send_all(Cycle now = 0) {
    while (send_one(now)) continue;
  }
  /// Completes what is complete; the lengths of the transfers.
  std::vector<Bytes> retire(Cycle now = 0) {
    std::vector<Bytes> done;
    while (engine.retire(now, slots, [&](const Job& j, Cycle begin, Cycle end) {
      done.push_back(j.bytes);
      times.push_back({begin, end});
    })) {
    }
    return done;
  }
  /// A slot of one stage, and uses of it.
  void open_slot() {
    kernel.slots = {{"tile", "activation", 1, 64, 1}};
    kernel.body.emplace_back(program::Instruction{});
    walker.emplace(kernel);
    slot = slots.open(kernel)[0];
  }
  SlotTable::Binding bind(bool producer) {
    program::SlotUse use;
    (producer ? use.acquire : use.release) = Condition::always();
    (producer ? use.produce : use.wait) = true;
    return slots.bind(slot, use, *walker);
  }

  program::Kernel kernel;
  program::Instruction load, store;
  SlotTable slots;
  SlotTable::Opened slot;
  std::optional<program::Walker> walker;
  DmaPath path{0};
  DmaEngine engine;
  Port dram, host;
  bool allowed = true;
  std::vector<std::pair<Cycle, Cycle>> times;
};

using Lengths = std::vector<Bytes>;

TEST_CASE("a transfer is cut into requests", "[dma]") {
  const std::vector<std::pair<Bytes, Lengths>> cases{
      {1, {1}}, {64, {64}}, {65, {64, 1}}, {128, {64, 64}}, {200, {64, 64, 64, 8}}};
  for (const auto& [bytes, requests] : cases) {
    INFO(bytes << " bytes");
    Bench bench({.queue_depth = 2, .request_bytes = 64, .outstanding = 100});
    bench.engine.push(bench.job(bytes, 1000));
    bench.send_all();
    Lengths lengths;
    std::uint64_t next = 1000;
    for (const auto& r : bench.dram.sent) {
      CHECK(r.address == next);
      CHECK_FALSE(r.write);
      CHECK(DmaEngine::engine_of(r.tag) == kId);
      lengths.push_back(r.bytes);
      next += r.bytes;
    }
    CHECK(lengths == requests);
    CHECK(bench.engine.outstanding() == requests.size());
    CHECK(bench.retire().empty());
    for (const auto& r : bench.dram.sent) bench.engine.on_response(r.tag);
    CHECK(bench.retire() == Lengths{bytes});
    CHECK(bench.engine.bytes() == bytes);
  }
}

TEST_CASE("requests go where the tensor is, stores write", "[dma]") {
  Bench bench({.queue_depth = 4, .request_bytes = 64, .outstanding = 100});
  Job to_host = bench.job(10);
  to_host.space = Space::host;
  to_host.instruction = &bench.store;
  bench.engine.push(bench.job(20));
  bench.engine.push(to_host);
  bench.send_all();
  REQUIRE(bench.dram.sent.size() == 1);
  REQUIRE(bench.host.sent.size() == 1);
  CHECK_FALSE(bench.dram.sent[0].write);
  CHECK(bench.host.sent[0].write);
}

TEST_CASE("so many requests are in flight, no more", "[dma]") {
  Bench bench({.queue_depth = 4, .request_bytes = 64, .outstanding = 3});
  bench.engine.push(bench.job(128));
  bench.engine.push(bench.job(256));
  bench.send_all();
  CHECK(bench.dram.sent.size() == 3);  // those of the next transfer follow at once
  CHECK(bench.engine.outstanding() == 3);
  bench.engine.on_response(bench.dram.sent[1].tag);
  CHECK(bench.send_one());
  CHECK_FALSE(bench.send_one());
  CHECK(bench.dram.sent.size() == 4);
}

TEST_CASE("earlier kernels and the memory hold an engine back", "[dma]") {
  Bench bench({.queue_depth = 4, .request_bytes = 64, .outstanding = 8});
  bench.engine.push(bench.job(128));
  bench.dram.open = bench.allowed = false;
  CHECK_FALSE(bench.send_one(3));  // earlier kernels do not allow it
  bench.allowed = true;
  CHECK_FALSE(bench.send_one(5));
  CHECK(bench.dram.sent.empty());
  bench.dram.open = true;
  bench.send_all(9);
  CHECK(bench.dram.sent.size() == 2);
  for (const auto& r : bench.dram.sent) bench.engine.on_response(r.tag);
  bench.retire(20);
  // It began when its stage was free, not when the memory let it.
  CHECK(bench.times == std::vector<std::pair<Cycle, Cycle>>{{5, 20}});
}

TEST_CASE("transfers complete in order, whatever the order of responses", "[dma]") {
  constexpr Count kTransfers = 30;
  std::mt19937_64 random(3);
  const auto pick = [&](Count low, Count high) {
    return std::uniform_int_distribution<Count>(low, high)(random);
  };
  for (int round = 0; round < 200; ++round) {
    Bench bench({.queue_depth = pick(2, 6), .request_bytes = 64, .outstanding = pick(1, 9)});
    Lengths pushed, done;
    std::vector<Count> unanswered;         // requests of each transfer
    std::vector<MemoryRequest> in_flight;  // the address says of which transfer
    while (done.size() < kTransfers) {
      if (pushed.size() < kTransfers && !bench.engine.full()) {
        const Bytes bytes = pick(0, 300);
        bench.engine.push(bench.job(bytes, 1000 * pushed.size()));
        pushed.push_back(bytes);
        unanswered.push_back(ceil_div<Count>(pushed.back(), 64));
      }
      if (pick(0, 1) == 0 && bench.send_one()) {
        in_flight.insert(in_flight.end(), bench.dram.sent.begin(), bench.dram.sent.end());
        bench.dram.sent.clear();
      }
      if (!in_flight.empty() && pick(0, 1) == 0) {
        std::swap(in_flight[pick(0, in_flight.size() - 1)], in_flight.back());
        --unanswered[in_flight.back().address / 1000];
        bench.engine.on_response(in_flight.back().tag);
        in_flight.pop_back();
      }
      for (const Bytes bytes : bench.retire()) {
        REQUIRE(bytes == pushed[done.size()]);
        REQUIRE(unanswered[done.size()] == 0);
        done.push_back(bytes);
      }
    }
    REQUIRE(in_flight.empty());
    REQUIRE(bench.engine.outstanding() == 0);
  }
}

TEST_CASE("a transfer of nothing sends nothing and keeps its place", "[dma]") {
  Bench bench({.queue_depth = 4, .request_bytes = 64, .outstanding = 8});
  for (const Bytes bytes : {10, 0, 20}) bench.engine.push(bench.job(bytes));
  bench.send_all();
  REQUIRE(bench.dram.sent.size() == 2);
  bench.engine.on_response(bench.dram.sent[1].tag);
  CHECK(bench.retire().empty());
  bench.engine.on_response(bench.dram.sent[0].tag);
  CHECK(bench.retire() == Lengths{10, 0, 20});
}

TEST_CASE("an ideal memory serves requests as they are sent", "[dma]") {
  Bench bench({.queue_depth = 4, .request_bytes = 64, .outstanding = 1});
  bench.dram.ideal = true;
  bench.engine.push(bench.job(200));
  bench.send_all(7);
  CHECK(bench.dram.sent.size() == 4);
  CHECK(bench.engine.outstanding() == 0);
  CHECK(bench.retire(7) == Lengths{200});
  CHECK(bench.times == std::vector<std::pair<Cycle, Cycle>>{{7, 7}});
}

TEST_CASE("a load waits for its stage, a store for its data, and those behind wait too", "[dma]") {
  Bench bench({.queue_depth = 4, .request_bytes = 64, .outstanding = 8});
  bench.open_slot();
  const auto with = [&](Bytes bytes, bool producer) {
    Job job = bench.job(bytes);
    if (!producer) job.instruction = &bench.store;
    job.slots[job.slot_count++] = bench.bind(producer);
    return job;
  };
  // The stage is taken and filled by the first load, stored away, taken by the second load.
  DmaEngine stores("stores", 0, {.queue_depth = 4, .request_bytes = 64, .outstanding = 8});
  bench.engine.push(with(1, true));
  const Job away = with(2, false);
  bench.engine.push(with(3, true));
  bench.engine.push(bench.job(4));
  stores.push(away);
  const auto send_store = [&] {
    return stores.send_one(0, bench.slots, {.dram = &bench.dram}, bench.path,
                           [](const Job&) { return true; });
  };
  CHECK_FALSE(send_store());
  bench.send_all();
  CHECK(bench.dram.sent.size() == 1);
  CHECK_FALSE(send_store());  // on its way, not there
  bench.engine.on_response(bench.dram.sent[0].tag);
  CHECK(bench.retire() == Lengths{1});
  CHECK_FALSE(bench.send_one());
  CHECK(send_store());
  stores.on_response(bench.dram.sent[1].tag);
  CHECK(stores.retire(0, bench.slots, [](const Job&, Cycle, Cycle) {}));
  bench.send_all();
  CHECK(bench.dram.sent.size() == 4);
}

/// A tile of three rows of 10 bytes, 100 apart.
void make_scattered(Bench& bench) {
  bench.load.region.shape = program::StridedRows{{{Span::whole(3), 100}}, Span::whole(10)};
}

TEST_CASE("a scattered tile goes out run by run where addresses matter", "[dma]") {
  Bench bench({.queue_depth = 2, .request_bytes = 64, .outstanding = 100});
  make_scattered(bench);
  bench.dram.addresses = true;
  bench.engine.push(bench.job(30, 1000));
  bench.send_all();
  REQUIRE(bench.dram.sent.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(bench.dram.sent[i].address == 1000 + 100 * i);
    CHECK(bench.dram.sent[i].bytes == 10);
  }
  // All of one request, in flight until the last run is served.
  CHECK(bench.engine.outstanding() == 1);
  for (const std::size_t i : {2, 0}) bench.engine.on_response(bench.dram.sent[i].tag);
  CHECK(bench.engine.outstanding() == 1);
  CHECK(bench.retire().empty());
  bench.engine.on_response(bench.dram.sent[1].tag);
  CHECK(bench.engine.outstanding() == 0);
  CHECK(bench.retire() == Lengths{30});
}

TEST_CASE("a scattered tile goes out whole where addresses mean nothing", "[dma]") {
  Bench bench({.queue_depth = 2, .request_bytes = 64, .outstanding = 100});
  make_scattered(bench);
  bench.engine.push(bench.job(30, 1000));
  bench.send_all();
  REQUIRE(bench.dram.sent.size() == 1);
  CHECK(bench.dram.sent[0].bytes == 30);
}

TEST_CASE("requests in flight are counted in requests, not in runs", "[dma]") {
  Bench bench({.queue_depth = 2, .request_bytes = 15, .outstanding = 1});
  make_scattered(bench);
  bench.dram.addresses = true;
  bench.engine.push(bench.job(30));
  bench.send_all();
  // 15 bytes: a row and half of the next one.
  const auto lengths = [&] {
    Lengths all;
    for (const auto& r : bench.dram.sent) all.push_back(r.bytes);
    return all;
  };
  CHECK(lengths() == Lengths{10, 5});
  bench.engine.on_response(bench.dram.sent[0].tag);
  bench.send_all();
  CHECK(lengths() == Lengths{10, 5});
  bench.engine.on_response(bench.dram.sent[1].tag);
  bench.send_all();
  CHECK(lengths() == Lengths{10, 5, 5, 10});
  CHECK(bench.dram.sent[2].address == 105);
  CHECK(bench.dram.sent[3].address == 200);
}

TEST_CASE("a run served at once closes its request", "[dma]") {
  Bench bench({.queue_depth = 2, .request_bytes = 15, .outstanding = 1});
  make_scattered(bench);
  bench.dram.addresses = bench.dram.ideal = true;
  bench.engine.push(bench.job(30));
  bench.send_all();
  CHECK(bench.engine.outstanding() == 0);
  CHECK(bench.retire() == Lengths{30});
}

TEST_CASE("a path of limited width paces requests", "[dma]") {
  Bench bench({.queue_depth = 4, .request_bytes = 64, .outstanding = 8});
  bench.path = DmaPath(48);
  bench.engine.push(bench.job(64 * 5));
  // 64 bytes of 48 a cycle: the last request begins in cycle 4 x 64 / 48 = 5.3.
  std::vector<std::size_t> sent_in_cycle;
  for (Cycle now = 0; now < 7; ++now) {
    const std::size_t before = bench.dram.sent.size();
    bench.send_all(now);
    sent_in_cycle.push_back(bench.dram.sent.size() - before);
  }
  CHECK(sent_in_cycle == std::vector<std::size_t>{1, 1, 1, 0, 1, 1, 0});
  CHECK(DmaPath(0).free_at(0));
  DmaPath path(10);
  path.take(3, 25);
  CHECK_FALSE(path.free_at(4));
  CHECK(path.free_from() == 5);
  CHECK(path.free_at(5));
}

}  // namespace
}  // namespace tilewave::test
