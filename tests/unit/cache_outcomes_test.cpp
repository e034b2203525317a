// SPDX-License-Identifier: Apache-2.0
// What a cache finds, keeps and sends below, as tables of one request after the other.
#include <functional>
#include <string>
#include <vector>

#include "support/cache_rig.hpp"
#include "support/catch.hpp"

namespace tilewave::test {
namespace {

constexpr auto kStreaming = CacheHint::streaming;
constexpr auto kNoAllocate = CacheHint::no_allocate;

struct Row {
  MemoryRequest request;
  std::string outcomes;
  std::string below;
};

/// Requests one after the other; each is looked at when the cache is idle again.
void check_rows(const std::function<void(CacheParams&)>& change, const std::vector<Row>& rows) {
  CacheRigParams params;
  change(params.cache);
  CacheRig rig(params);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    INFO("row " << i << ": " << text(rows[i].request));
    rig.run({rows[i].request});
    CHECK(rig.outcomes() == rows[i].outcomes);
    CHECK(rig.below() == rows[i].below);
  }
}

/// One set of two lines, so that the third line replaces one.
void tiny(CacheParams& p) {
  p.capacity_bytes = 256;
  p.ways = 2;
}
void tiny_through(CacheParams& p) {
  tiny(p);
  p.write_policy = CacheWritePolicy::write_through;
}

TEST_CASE("reads fetch the sectors that are not there, a run of them by one request", "[cache]") {
  check_rows([](CacheParams&) {}, {
                                      {read(40, 8), "miss", "R 32+32"},
                                      {read(32, 32), "hit", ""},
                                      {read(0, 32), "sector_miss", "R 0+32"},
                                      {read(96, 1), "sector_miss", "R 96+32"},
                                      {read(0, 128), "sector_miss", "R 64+32"},
                                      {read(0, 128), "hit", ""},
                                      {read(160, 32), "miss", "R 160+32"},
                                      {read(128, 128), "sector_miss", "R 128+32, R 192+64"},
                                      // 100 bytes over three lines
                                      {read(255, 130), "hit miss miss", "R 256+128, R 384+32"},
                                  });
}

TEST_CASE("the oldest line of a set makes room", "[cache]") {
  check_rows(tiny, {
                       {read(0, 32), "miss", "R 0+32"},
                       {read(128, 32), "miss", "R 128+32"},
                       {read(0, 32), "hit", ""},
                       {read(256, 32), "miss", "R 256+32"},  // instead of 128
                       {read(0, 32), "hit", ""},
                       {read(128, 32), "miss", "R 128+32"},  // instead of 256
                       {read(256, 32), "miss", "R 256+32"},
                       {read(0, 32), "miss", "R 0+32"},
                   });
}

TEST_CASE("write back: sectors written whole need no fetch, parts do", "[cache]") {
  check_rows(tiny, {
                       {write(0, 32), "miss", ""},
                       {read(0, 32), "hit", ""},
                       {write(36, 4), "sector_miss", "R 32+32"},
                       {write(40, 4), "hit", ""},
                       {write(64, 64), "sector_miss", ""},  // the line is there, the sectors not
                       {read(0, 128), "hit", ""},
                       // A line in parts: its middle whole, its ends fetched.
                       {write(128 + 16, 96), "miss", "R 128+32, R 224+32"},
                       // Line 0 goes: all four sectors are dirty. The fill is first.
                       {read(256, 32), "miss", "R 256+32, W 0+128"},
                       // Line 128 goes, as one run.
                       {read(0, 32), "miss", "R 0+32, W 128+128"},
                       {write(32, 32), "sector_miss", ""},
                       {write(96, 32), "sector_miss", ""},
                       {read(128, 32), "miss", "R 128+32"},  // line 256 was clean
                       // Two runs, on either side of the sector that was never there.
                       {read(384, 32), "miss", "R 384+32, W 32+32, W 96+32"},
                   });
}

TEST_CASE("write back, no allocation: what is not there goes around", "[cache]") {
  const auto around = [](CacheParams& p) {
    tiny(p);
    p.write_allocate = false;
  };
  check_rows(around, {
                         {write(0, 32), "miss", "W 0+32"},
                         {write(4, 4), "miss", "W 4+4"},
                         {read(0, 32), "miss", "R 0+32"},
                         {write(4, 4), "hit", ""},
                         {write(32, 32), "sector_miss", ""},        // the line is there
                         {write(68, 4), "sector_miss", "R 64+32"},  // the line is there
                         {write(124, 8), "sector_miss miss", "R 96+32, W 128+4"},
                     });
}

TEST_CASE("write through: every write goes below, nothing is fetched for it", "[cache]") {
  check_rows(tiny_through, {
                               {write(0, 4), "miss", "W 0+4"},
                               {read(0, 32), "miss", "R 0+32"},  // a part makes no line
                               {write(0, 4), "hit", "W 0+4"},
                               {write(32, 40), "sector_miss", "W 32+40"},
                               {read(32, 32), "hit", ""},                 // written whole
                               {read(64, 32), "sector_miss", "R 64+32"},  // written in part
                               {write(128, 32), "miss", "W 128+32"},
                               {read(128, 32), "hit", ""},
                               {read(256, 32), "miss", "R 256+32"},  // nothing is dirty
                               {read(384, 32), "miss", "R 384+32"},
                           });
  const auto no_allocation = [](CacheParams& p) {
    tiny_through(p);
    p.write_allocate = false;
  };
  check_rows(no_allocation, {
                                {write(0, 128), "miss", "W 0+128"},
                                {read(0, 32), "miss", "R 0+32"},
                                {write(0, 128), "sector_miss", "W 0+128"},
                                {read(0, 128), "hit", ""},
                            });
}

TEST_CASE("hints: streaming lines go first, no_allocate leaves none", "[cache]") {
  for (const auto policy : {CacheReplacement::lru, CacheReplacement::tree_plru}) {
    INFO("policy " << static_cast<int>(policy));
    check_rows(
        [policy](CacheParams& p) {
          tiny(p);
          p.replacement = policy;
        },
        {
            {read(0, 32), "miss", "R 0+32"},
            {read(128, 32, kStreaming), "miss", "R 128+32"},
            {read(256, 32, kStreaming), "miss", "R 256+32"},  // instead of 128
            {read(0, 32), "hit", ""},
            {read(256, 32), "hit", ""},                       // in normal use now
            {read(128, 32, kStreaming), "miss", "R 128+32"},  // instead of 0
            {read(256, 32), "hit", ""},
            {read(128, 32, kStreaming), "hit", ""},  // still the first to go
            {read(0, 32), "miss", "R 0+32"},         // instead of 128
            {read(384, 32, kNoAllocate), "miss", "R 384+32"},
            {read(384, 32, kNoAllocate), "miss", "R 384+32"},
            {write(384, 32, kNoAllocate), "miss", "W 384+32"},
            {read(0, 32, kNoAllocate), "hit", ""},
            {write(0, 32, kNoAllocate), "hit", ""},
            {read(256, 32), "hit", ""},
        });
  }
  CacheRig rig({});
  rig.run({read(0, 32, kStreaming)});
  CHECK(rig.memory.seen.front().request.hint == kStreaming);
}

TEST_CASE("look-ups merge with what is on its way", "[cache]") {
  CacheRigParams params;
  params.client.window = 16;
  SECTION("reads") {
    CacheRig rig(params);
    rig.run({read(0, 32), read(0, 32), read(0, 64), read(32, 32), read(0, 128)});
    CHECK(rig.outcomes() == "miss merge sector_miss merge sector_miss");
    CHECK(rig.below() == "R 0+32, R 32+32, R 64+64");
  }
  SECTION("writes: whole ones of sectors on their way wait, others do not") {
    CacheRig rig(params);
    rig.run({read(0, 32), write(0, 32), write(64, 32), write(96, 4), read(64, 32), read(96, 32)});
    CHECK(rig.outcomes() == "miss merge sector_miss sector_miss hit merge");
    CHECK(rig.below() == "R 0+32, R 96+32");
    CHECK(rig.cache.dirty_bytes() == 96);
    CHECK(rig.client.answered[2] < rig.client.answered[0]);
    CHECK(rig.client.answered[3] > rig.client.answered[0]);
  }
  SECTION("reads past the cache: others may join, and leave no line") {
    CacheRig rig(params);
    rig.run({read(0, 32, kNoAllocate), read(0, 64, kNoAllocate), read(32, 32)});
    CHECK(rig.outcomes() == "miss miss merge");
    CHECK(rig.below() == "R 0+32, R 32+32");
    CHECK_FALSE(rig.cache.holds(0, 1));
  }
  SECTION("a write waits for a read past the cache") {
    CacheRig rig(params);
    rig.run({read(0, 32, kNoAllocate), write(0, 32)});
    CHECK(rig.outcomes() == "miss miss");
    CHECK(rig.look_ups[1].cycle == rig.client.answered[0] - 2);
    CHECK(rig.stats().stalled(CacheStall::mshr) ==
          rig.look_ups[1].cycle - rig.look_ups[0].cycle - 1);
    CHECK(rig.cache.holds(0, 32));
  }
}

TEST_CASE("holds() looks at sectors", "[cache]") {
  CacheRig rig({});
  rig.run({read(32, 64), read(128, 32)});
  CHECK(rig.cache.holds(32, 64));
  CHECK(rig.cache.holds(40, 1));
  CHECK_FALSE(rig.cache.holds(31, 2));
  CHECK_FALSE(rig.cache.holds(64, 33));
  CHECK_FALSE(rig.cache.holds(64, 96));
  CHECK_FALSE(rig.cache.holds(4096, 1));
  rig.run({read(96, 32)});
  CHECK(rig.cache.holds(64, 96));
}

}  // namespace
}  // namespace tilewave::test
