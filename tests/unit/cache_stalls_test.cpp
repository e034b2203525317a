// SPDX-License-Identifier: Apache-2.0
// Why requests wait in front of a cache, what must not overtake what, flushes, faults.
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/cache_rig.hpp"
#include "support/catch.hpp"

#include "sim/diagnostics.hpp"

namespace tilewave::test {
namespace {

using Requests = std::vector<MemoryRequest>;

/// One set of two lines.
CacheRigParams tiny(Count window = 16) {
  CacheRigParams p;
  p.cache.capacity_bytes = 256;
  p.cache.ways = 2;
  p.client.window = window;
  return p;
}

TEST_CASE("each cycle in which the front request cannot go has one cause", "[cache]") {
  struct Row {
    const char* what;
    std::function<void(CacheRigParams&)> change;
    Requests before, timed;
    CacheStall cause;
    Cycle cycles;
  };
  // From the look-up of a miss to its fill: 4 + 3 + 100 + 3 cycles, the first of them is busy.
  constexpr Cycle kToFill = 110 - 1;
  for (const Row& r : std::vector<Row>{
           {"two misses, one MSHR",
            [](CacheRigParams& p) { p.cache.mshrs = 1; },
            {},
            {read(0, 32), read(128, 32)},
            CacheStall::mshr,
            kToFill},
           {"two reads of a sector, no merging",
            [](CacheRigParams& p) { p.cache.mshr_merges = 0; },
            {},
            {read(0, 32), read(0, 32)},
            CacheStall::merge_list,
            kToFill},
           {"three lines on their way to one set of two",
            [](CacheRigParams&) {},
            {},
            {read(0, 32), read(128, 32), read(256, 32)},
            CacheStall::set,
            kToFill - 1},
           // The first write leaves 4 cycles after its look-up.
           {"writes through a queue of one",
            [](CacheRigParams& p) {
              p.cache.write_policy = CacheWritePolicy::write_through;
              p.cache.write_queue_depth = 1;
            },
            {},
            {write(0, 32), write(32, 32)},
            CacheStall::write_queue,
            3},
           {"a bank of 8 bytes a cycle",
            [](CacheRigParams& p) { p.cache.bank_bytes_per_cycle = 8; },
            {read(0, 64)},
            {read(0, 64), read(0, 32)},
            CacheStall::bank,
            7},
       }) {
    INFO(r.what);
    CacheRigParams params = tiny();
    r.change(params);
    CacheRig rig(params);
    if (!r.before.empty()) rig.run(r.before);
    const CacheStatistics before = rig.stats();
    rig.run(r.timed);
    for (std::size_t i = 0; i < kCacheStalls; ++i) {
      const auto cause = static_cast<CacheStall>(i);
      INFO(to_string(cause));
      CHECK(rig.stats().stalled(cause) - before.stalled(cause) ==
            (cause == r.cause ? r.cycles : 0));
    }
    CHECK(rig.stats().busy_cycles - before.busy_cycles == r.timed.size());
  }
}

TEST_CASE("a link that takes nothing is the cause of what it causes", "[cache]") {
  SECTION("below: MSHRs fill up because no fill can leave") {
    CacheRigParams params = tiny();
    params.cache.mshrs = 2;
    params.cache.capacity_bytes = 4096;
    params.lower_depth = 1;
    params.memory.refuse_percent = 97;
    CacheRig rig(params);
    rig.run({read(0, 32), read(128, 32), read(256, 32), read(384, 32), read(512, 32)});
    CHECK(rig.stats().stalled(CacheStall::lower_link) > 0);
  }
  SECTION("above: as many requests as can be are ready, and none can leave") {
    CacheRigParams params = tiny(1000);
    params.cache.mshrs = 1;
    params.cache.mshr_merges = 0;
    params.upper_depth = 4;
    params.client.refuse_percent = 95;
    CacheRig rig(params);
    rig.run(Requests(200, read(0, 32)));
    CHECK(rig.stats().stalled(CacheStall::response_port) > 0);
    CHECK(rig.stats().stalled(CacheStall::requests) == 0);
  }
  SECTION("or wait for writes below to be acknowledged") {
    CacheRigParams params = tiny(1000);
    params.cache.mshrs = 1;
    params.cache.mshr_merges = 0;
    params.cache.write_policy = CacheWritePolicy::write_through;
    CacheRig rig(params);
    rig.run(Requests(100, write(0, 32)));
    CHECK(rig.stats().stalled(CacheStall::requests) > 0);
    CHECK(rig.stats().stalled(CacheStall::response_port) == 0);
  }
}

TEST_CASE("fills go below before writes, but for writes of the same line", "[cache]") {
  CacheRigParams params = tiny();
  params.cache.capacity_bytes = 512;
  params.cache.ways = 1;   // four sets of a line
  params.lower_depth = 1;  // a request every four cycles: the others queue up
  // 512 and 1024 replace 0 in turn.
  SECTION("other lines") {
    CacheRig rig(params);
    rig.run({read(128, 32), read(256, 32), write(0, 32), write(512, 32), read(384, 32)});
    CHECK(rig.below() == "R 128+32, R 256+32, R 384+32, W 0+32");
  }
  SECTION("the line itself, wanted again at once: its write goes first, then other fills") {
    CacheRig rig(params);
    rig.run(
        {read(128, 32), read(256, 32), write(0, 32), write(512, 32), read(0, 32), read(384, 32)});
    CHECK(rig.below() == "R 128+32, R 256+32, W 0+32, R 0+32, R 384+32, W 512+32");
  }
  SECTION("a full write queue") {
    params.cache.write_queue_depth = 2;
    CacheRig rig(params);
    rig.run({read(128, 32), read(256, 32), write(0, 32), write(512, 32), write(1024, 32),
             read(384, 32)});
    CHECK(rig.below() == "R 128+32, W 0+32, R 256+32, R 384+32, W 512+32");
  }
}

TEST_CASE("a flush writes all dirty sectors back and keeps them", "[cache]") {
  CacheRigParams params = tiny(1);
  params.cache.capacity_bytes = 4096;
  params.cache.write_queue_depth = 2;
  CacheRig rig(params);
  rig.run({write(0, 128), write(1024, 32), write(1024 + 64, 32), read(2048, 32)});
  rig.below();
  CHECK(rig.cache.dirty_bytes() == 192);
  rig.cache.flush();
  CHECK_FALSE(rig.cache.idle());
  rig.run();
  CHECK(rig.below() == "W 0+128, W 1024+32, W 1088+32");
  CHECK(rig.cache.dirty_bytes() == 0);
  CHECK(rig.cache.holds(0, 128));
  rig.cache.flush();
  rig.run();
  CHECK(rig.below().empty());
  rig.run({write(0, 4)});
  CHECK(rig.cache.dirty_bytes() == 32);

  // A request that arrives during a flush is looked up after it.
  rig.run({write(128, 128), write(256, 128)});
  rig.below();
  rig.cache.flush();
  rig.run({read(4096, 32)});
  CHECK(rig.look_ups.back().cycle > rig.client.sent.back() + 2);
  CHECK(rig.below() == "W 0+32, W 128+128, W 256+128, R 4096+32");
}

TEST_CASE("an invalidated cache holds nothing; dirty bytes are lost and counted", "[cache]") {
  CacheRig rig(tiny(1));
  rig.run({write(0, 64), read(128, 32)});
  rig.cache.invalidate();
  CHECK_FALSE(rig.cache.holds(0, 1));
  CHECK_FALSE(rig.cache.holds(128, 1));
  CHECK(rig.stats().discarded_bytes == 64);
  CHECK(rig.cache.dirty_bytes() == 0);
  rig.cache.check_laws();
  rig.outcomes();
  rig.run({read(0, 32), read(128, 32), read(256, 32)});
  CHECK(rig.outcomes() == "miss miss miss");
  CHECK(rig.stats().evictions == 1);  // the first two found empty places
}

TEST_CASE("faults of the caller are SimulationErrors that name the cache", "[cache]") {
  CacheRig rig({});
  const auto fails = [&](const char* why, const auto& act) {
    INFO(why);
    try {
      act();
      FAIL("no error");
    } catch (const SimulationError& e) {
      CHECK_THAT(e.what(), contains("cache: ") && contains(why));
    }
  };
  SECTION("requests that are none") {
    fails("no bytes", [&] { rig.run({read(0, 0)}); });
  }
  SECTION("requests over the end") {
    fails("over the end", [&] { rig.run({read(~std::uint64_t{0}, 2)}); });
  }
  SECTION("flush and invalidate while busy") {
    rig.client.add({read(0, 32)});
    rig.client.step(1);
    fails("under way", [&] { rig.cache.flush(); });
    fails("under way", [&] { rig.cache.invalidate(); });
  }
  SECTION("answers to nothing") {
    rig.lower.responses.push(1, {.tag = 0, .bytes = 32, .write = false});
    fails("not sent", [&] { rig.cache.step(4); });
  }
  SECTION("a fill that comes twice breaks a law before it does harm") {
    rig.client.add({read(0, 32)});
    rig.client.step(1);
    for (Cycle now = 3; rig.lower.requests.empty(); ++now) rig.cache.step(now);
    const auto tag = rig.lower.requests.front().tag;
    rig.lower.responses.push(20, {.tag = tag, .bytes = 32, .write = false});
    rig.cache.step(23);
    rig.lower.responses.push(24, {.tag = tag, .bytes = 32, .write = false});
    fails("not sent", [&] { rig.cache.step(27); });
  }
  SECTION("a fill of the wrong size") {
    rig.client.add({read(0, 32)});
    rig.client.step(1);
    for (Cycle now = 3; rig.lower.requests.empty(); ++now) rig.cache.step(now);
    rig.lower.responses.push(20,
                             {.tag = rig.lower.requests.front().tag, .bytes = 64, .write = false});
    fails("not sent", [&] { rig.cache.step(23); });
  }
  SECTION("an acknowledgement too many") {
    rig.run({write(0, 32)});
    rig.cache.flush();
    rig.run();
    rig.lower.responses.push(rig.now, {.tag = std::uint64_t{2} << 62U, .bytes = 32, .write = true});
    rig.cache.step(rig.now + 3);
    fails("acknowledged", [&] { rig.cache.check_laws(); });
  }
}

TEST_CASE("statistics are registered with units", "[cache]") {
  CacheRig rig({});
  rig.run({read(0, 64), write(0, 4), read(0, 256)});
  const auto json = rig.group.to_json().at("cache");
  const auto value = [&](const char* name) { return json.at(name).at("value").get<Count>(); };
  CHECK(value("requests") == 3);
  CHECK(value("lookups") == 4);
  CHECK(value("hit") == 1);
  CHECK(value("sector_miss") == 1);
  CHECK(value("miss") == 2);
  CHECK(value("merge") == 0);
  CHECK(value("sectors") == 2 + 1 + 8);
  CHECK(value("sector_hits") == 1 + 2);
  CHECK(value("read_bytes") == 320);
  CHECK(value("write_bytes") == 4);
  CHECK(value("fill_bytes") == 256);
  CHECK(value("fills") == 3);
  CHECK(value("dirtied_bytes") == 32);
  CHECK(json.at("stall_bank_cycles").at("unit") == "cycles");
}

}  // namespace
}  // namespace tilewave::test
