// SPDX-License-Identifier: Apache-2.0
// The timing contract of the cache, as tables. Links of 2 and 3 cycles, a memory of 100, tags of 4,
// hits of 10: a hit takes 2 + 10 + 2 cycles, a miss 2 + 4 + 3 + 100 + 3 + 2.
#include <functional>
#include <string>
#include <vector>

#include "support/cache_rig.hpp"
#include "support/catch.hpp"

namespace tilewave::test {
namespace {

constexpr Cycle kHit = 14, kMiss = 114;

using Requests = std::vector<MemoryRequest>;

TEST_CASE("a request alone takes what the contract says", "[cache]") {
  struct Row {
    const char* what;
    std::function<void(CacheParams&)> change;
    Requests before, timed;
    Cycle cycles;
  };
  const auto as_is = [](CacheParams&) {};
  const auto narrow = [](CacheParams& p) { p.bank_bytes_per_cycle = 32; };
  const auto two_banks = [](CacheParams& p) {
    p.banks = 2;
    p.bank_bytes_per_cycle = 32;
    p.bank_interleave_bytes = 32;
  };
  const auto narrow_fill = [](CacheParams& p) { p.fill_bytes_per_cycle = 32; };
  const auto through = [](CacheParams& p) { p.write_policy = CacheWritePolicy::write_through; };
  const Requests line{read(0, 128)};
  for (const Row& r : std::vector<Row>{
           {"hit of a sector", as_is, line, {read(32, 32)}, kHit},
           {"hit of a byte", as_is, line, {read(127, 1)}, kHit},
           {"hit of a line", as_is, line, {read(0, 128)}, kHit},
           {"a bank of 32 bytes a cycle is busy for 4", narrow, line, {read(0, 128)}, kHit + 3},
           {"33 bytes are 2 cycles", narrow, line, {read(0, 33)}, kHit + 1},
           {"sectors in 2 banks side by side", two_banks, line, {read(0, 128)}, kHit + 1},
           {"2 sectors in 2 banks", two_banks, line, {read(32, 64)}, kHit},
           {"2 sectors in 1 bank", two_banks, line, {read(0, 32), read(64, 32)}, kHit + kHit},
           {"write hit", as_is, line, {write(0, 4)}, kHit},
           {"write of whole sectors that misses", as_is, {}, {write(0, 64)}, kHit},
           {"write of a part that misses: fetched", as_is, {}, {write(0, 4)}, kMiss},
           {"miss of a sector", as_is, {}, {read(32, 32)}, kMiss},
           {"miss of a line", as_is, {}, {read(0, 128)}, kMiss},
           {"a fill port of 32 bytes takes 4", narrow_fill, {}, {read(0, 128)}, kMiss + 3},
           {"but 1 for a sector", narrow_fill, {}, {read(0, 32)}, kMiss},
           {"sector miss", as_is, {read(0, 32)}, {read(32, 32)}, kMiss},
           {"two runs of sectors: the second request a cycle later",
            as_is,
            {read(32, 32)},
            {read(0, 128)},
            kMiss + 1},
           {"two lines that hit: a look-up a cycle",
            as_is,
            {read(0, 256)},
            {read(0, 256)},
            kHit + 1},
           {"eight lines that hit", as_is, {read(0, 1024)}, {read(0, 1024)}, kHit + 7},
           {"a byte on either side of a line's end",
            as_is,
            {read(0, 256)},
            {read(127, 2)},
            kHit + 1},
           {"two lines that miss", as_is, {}, {read(0, 256)}, kMiss + 1},
           {"a line that misses, one that hits", as_is, {read(128, 128)}, {read(0, 256)}, kMiss},
           {"a write goes through and comes back", through, line, {write(0, 4)}, kMiss},
           {"and around", through, {}, {write(0, 4)}, kMiss},
           {"reads past the cache", as_is, {}, {read(0, 32, CacheHint::no_allocate)}, kMiss},
       }) {
    INFO(r.what);
    CacheRigParams params;
    r.change(params.cache);
    CacheRig rig(params);
    if (!r.before.empty()) rig.run(r.before);
    CHECK(rig.run(r.timed) == r.cycles);
  }
}

/// Times of the answers, counted from the sending of the first request.
std::vector<Cycle> answers(CacheRig& rig, const Requests& requests) {
  const std::size_t first = rig.client.requests.size();
  rig.run(requests);
  std::vector<Cycle> times;
  for (std::size_t i = first; i < rig.client.requests.size(); ++i) {
    times.push_back(rig.client.answered[i] - rig.client.sent[first]);
  }
  return times;
}

TEST_CASE("requests that come in a row share ports, banks and fills", "[cache]") {
  struct Row {
    const char* what;
    std::function<void(CacheRigParams&)> change;
    Requests before, timed;
    std::vector<Cycle> answers;
  };
  const auto as_is = [](CacheRigParams&) {};
  const auto two_ports = [](CacheRigParams& p) {
    p.cache.ports = 2;
    p.cache.banks = 2;
    p.client.per_cycle = 2;
  };
  const auto small_banks = [](CacheRigParams& p) {
    p.cache.bank_bytes_per_cycle = 32;
    p.cache.banks = 2;
  };
  const auto one_mshr = [](CacheRigParams& p) { p.cache.mshrs = 1; };
  const auto no_merge = [](CacheRigParams& p) { p.cache.mshr_merges = 0; };
  const auto narrow_fill = [](CacheRigParams& p) { p.cache.fill_bytes_per_cycle = 32; };
  const auto pass = [](CacheRigParams& p) {
    p.cache.mshrs = 1;
    p.cache.hit_under_miss = true;
  };
  const auto pass_merge = [](CacheRigParams& p) {
    p.cache.mshr_merges = 0;
    p.cache.hit_under_miss = true;
  };
  const Requests lines{read(0, 512)};
  const Cycle at_fill = kMiss;
  for (const Row& r : std::vector<Row>{
           {"a look-up a cycle",
            as_is,
            lines,
            {read(0, 32), read(0, 32), read(0, 32)},
            {kHit, kHit + 1, kHit + 2}},
           {"two a cycle, in two banks",
            two_ports,
            lines,
            {read(0, 32), read(128, 32), read(0, 32), read(128, 32)},
            {kHit, kHit, kHit + 1, kHit + 1}},
           {"two a cycle, but of one bank",
            two_ports,
            lines,
            {read(0, 32), read(0, 32), read(128, 32), read(128, 32)},
            {kHit, kHit + 1, kHit + 1, kHit + 2}},
           {"a bank is busy for 4 cycles, the other one is not",
            small_banks,
            lines,
            {read(0, 128), read(128, 32), read(256, 32), read(384, 32)},
            {kHit + 3, kHit + 1, kHit + 4, kHit + 5}},
           {"misses are sent one a cycle",
            as_is,
            {},
            {read(0, 32), read(128, 32), read(256, 32)},
            {kMiss, kMiss + 1, kMiss + 2}},
           // The MSHR is free in the cycle of the fill, 2 before the answer is seen.
           {"one MSHR: one miss after the other",
            one_mshr,
            {},
            {read(0, 32), read(128, 32)},
            {kMiss, at_fill - 2 + kMiss - 2}},
           {"a merge is answered with the fill, one response a cycle",
            as_is,
            {},
            {read(0, 32), read(0, 32), read(0, 32)},
            {kMiss, kMiss + 1, kMiss + 2}},
           {"no merges: looked up again after the fill",
            no_merge,
            {},
            {read(0, 32), read(0, 32)},
            {kMiss, at_fill - 2 + kHit - 2}},
           {"another sector of a line on its way is sent for at once",
            as_is,
            {},
            {read(0, 32), read(64, 32)},
            {kMiss, kMiss + 1}},
           {"fills of 4 cycles each",
            narrow_fill,
            {},
            {read(0, 128), read(128, 128)},
            {kMiss + 3, kMiss + 7}},
           {"in order, a hit waits behind a miss that waits",
            one_mshr,
            lines,
            {read(4096, 32), read(8192, 32), read(0, 32)},
            {kMiss, 2 * kMiss - 4, kMiss - 2 + 1 + kHit - 2}},
           {"hit under miss: it does not",
            pass,
            lines,
            {read(4096, 32), read(8192, 32), read(0, 32), read(128, 32)},
            {kMiss, 2 * kMiss - 4, kHit + 2, kHit + 3}},
           {"but a second miss does, until it is first",
            pass,
            lines,
            {read(4096, 32), read(8192, 32), read(12288, 32), read(128, 32)},
            {kMiss, 2 * kMiss - 4, 3 * kMiss - 8, kMiss - 2 + 1 + kHit - 2}},
           {"a miss does not pass one that waits for a merge",
            pass_merge,
            {},
            {read(0, 32), read(0, 32), read(4096, 32)},
            {kMiss, kMiss - 2 + kHit - 2, kMiss - 2 + 1 + kMiss - 2}},
           {"nor does a hit in the line that is waited for",
            pass,
            {read(0, 32)},
            {read(4096, 32), read(32, 32), read(0, 32)},
            {kMiss, 2 * kMiss - 4, kMiss - 2 + 1 + kHit - 2}},
       }) {
    INFO(r.what);
    CacheRigParams params;
    params.client.window = 16;
    r.change(params);
    CacheRig rig(params);
    if (!r.before.empty()) rig.run(r.before);
    CHECK(answers(rig, r.timed) == r.answers);
  }
}

TEST_CASE("responses share a port of the width of the banks", "[cache]") {
  CacheRigParams params;
  params.client.window = 16;
  params.cache.bank_bytes_per_cycle = 32;
  params.cache.mshr_merges = 7;
  CacheRig rig(params);
  // All wait for one fill of a line; their data, 128 bytes each, leave at 32 a cycle.
  CHECK(answers(rig, {read(0, 128), read(0, 128), read(0, 128), read(0, 32)}) ==
        std::vector<Cycle>{kMiss, kMiss + 4, kMiss + 8, kMiss + 9});
}

TEST_CASE("a request that arrives while the cache is stepped late in the day is seen at its cycle",
          "[cache]") {
  CacheRig rig({});
  rig.run({read(0, 32)});
  rig.now += 1000;
  CHECK(rig.run({read(0, 32)}) == kHit);
  CHECK(rig.look_ups.back().cycle == rig.client.sent.back() + 2);
}

}  // namespace
}  // namespace tilewave::test
