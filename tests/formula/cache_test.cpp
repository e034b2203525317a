// SPDX-License-Identifier: Apache-2.0
// Latency, throughput and traffic of a cache against closed forms.
#include <algorithm>
#include <string>
#include <vector>

#include "support/cache_rig.hpp"
#include "support/catch.hpp"

#include "arch/memory/cache/slice_hash.hpp"

namespace tilewave::test {
namespace {

using Requests = std::vector<MemoryRequest>;

/// Requests of `bytes`, one after the other in memory.
Requests stream(Count count, Bytes bytes, bool writes = false, std::uint64_t base = 0) {
  Requests requests;
  for (Count i = 0; i < count; ++i) {
    requests.push_back({.address = base + i * bytes, .bytes = bytes, .write = writes});
  }
  return requests;
}
TEST_CASE("unloaded latencies are sums of their parts", "[cache]") {
  for (const Cycle upper : {1U, 5U}) {
    for (const Cycle lower : {1U, 20U}) {
      for (const Cycle hit : {1U, 33U, 200U}) {
        for (const Cycle tag : {Cycle{1}, ceil_div(hit, Cycle{2}), hit}) {
          for (const Bytes width : {16U, 32U, 128U}) {
            for (const Bytes bytes : {1U, 32U, 96U, 128U}) {
              CacheRigParams p;
              p.upper_latency = upper;
              p.lower_latency = lower;
              p.memory.latency_cycles = 77;
              p.cache.hit_latency_cycles = hit;
              p.cache.tag_latency_cycles = tag;
              p.cache.bank_bytes_per_cycle = width;
              p.cache.fill_bytes_per_cycle = width;
              CacheRig rig(p);
              INFO("upper " << upper << ", lower " << lower << ", hit " << hit << ", tag " << tag
                            << ", " << bytes << " bytes by " << width);
              const Cycle in_bank = ceil_div(bytes, width);
              const Cycle fill = ceil_div(ceil_div(bytes, Bytes{32}) * 32, width);
              REQUIRE(rig.run({read(0, bytes)}) == 2 * upper + tag + 2 * lower + 77 + fill - 1);
              REQUIRE(rig.run({read(0, bytes)}) == 2 * upper + hit + in_bank - 1);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("hits: ports look-ups a cycle, or what the banks take, whichever is less", "[cache]") {
  constexpr Count kRequests = 2000;
  for (const Count ports : {1U, 2U, 4U}) {
    for (const Count banks : {1U, 2U, 3U, 4U, 8U}) {
      for (const Bytes width : {32U, 64U, 128U}) {
        CacheRigParams p;
        p.cache.capacity_bytes = 24576;  // 192 lines, which go evenly into 3 banks
        p.cache.ports = ports;
        p.cache.banks = banks;
        p.cache.bank_bytes_per_cycle = width;
        p.cache.mshrs = 64;
        p.client = {.window = 1000, .per_cycle = ports};
        p.upper_depth = 64;
        CacheRig rig(p);
        rig.run(stream(192, 128));
        Requests lines = stream(kRequests, 128);
        for (auto& r : lines) r.address %= 24576;
        const Cycle took = rig.run(lines);
        // Each line is in one bank, for 128 / width cycles; neighbours are in different ones.
        const double rate =
            std::min(static_cast<double>(ports), static_cast<double>(banks * width) / 128.0);
        INFO(ports << " ports, " << banks << " banks of " << width << ": formula "
                   << kRequests / rate << " cycles, took " << took);
        const double start = 14 + 128.0 / static_cast<double>(width);
        CHECK(static_cast<double>(took) >= kRequests / rate);
        CHECK(static_cast<double>(took) <= kRequests / rate + start);
        CHECK(rig.stats().outcome(CacheOutcome::hit) == kRequests);
      }
    }
  }
}

TEST_CASE("misses: MSHRs over their time, a request a cycle, the fill port, or the memory",
          "[cache]") {
  constexpr Count kLines = 1500;
  struct Row {
    const char* limit;
    Count mshrs;
    Bytes fill_bytes, memory_bytes;
    double cycles_each;
  };
  // An MSHR is held from the look-up to the end of the fill: tags 4, links 3 + 3, memory 100, fill.
  for (const Row& r :
       {Row{"1 MSHR", 1, 128, 0, 110}, Row{"11 MSHRs", 11, 128, 0, 110.0 / 11},
        Row{"1 MSHR, fills of 4 cycles", 1, 32, 0, 113},
        Row{"requests below, one a cycle", 256, 128, 0, 1}, Row{"fills of 4 cycles", 256, 32, 0, 4},
        Row{"a memory of 64 bytes a cycle", 256, 128, 64, 2},
        Row{"a memory of 10 bytes a cycle", 256, 128, 10, 13}}) {
    CacheRigParams p;
    p.cache.mshrs = r.mshrs;
    p.cache.fill_bytes_per_cycle = r.fill_bytes;
    p.cache.capacity_bytes = 128 * 1024;
    p.memory.bytes_per_cycle = r.memory_bytes;
    p.client.window = 4000;
    p.upper_depth = p.lower_depth = 512;
    CacheRig rig(p);
    const Cycle took = rig.run(stream(kLines, 128));
    const double formula = r.cycles_each * kLines;
    INFO(r.limit << ": formula " << formula << " cycles, took " << took);
    CHECK(static_cast<double>(took) >= formula - r.cycles_each);
    CHECK(static_cast<double>(took) <= formula + 130);
    CHECK(rig.stats().outcome(CacheOutcome::miss) == kLines);
  }
}

TEST_CASE("a stream of small reads fetches each byte once", "[cache]") {
  CacheRigParams p;
  p.client.window = 64;
  p.cache.mshr_merges = 15;
  CacheRig rig(p);
  rig.run(stream(4096, 8));
  CHECK(rig.stats().fill_bytes == 4096 * 8);
  CHECK(rig.stats().lookups == 4096);
  CHECK(rig.stats().outcome(CacheOutcome::miss) == 256);             // a line
  CHECK(rig.stats().outcome(CacheOutcome::sector_miss) == 3 * 256);  // its other sectors
}

TEST_CASE("lru: a working set of the capacity stays, one line a set more goes round", "[cache]") {
  struct Row {
    Count sets, ways, extra_lines, misses_of_second_pass;
  };
  for (const Row& r : {Row{8, 4, 0, 0}, Row{8, 4, 1, 5}, Row{8, 4, 3, 15}, Row{8, 4, 8, 40},
                       Row{1, 32, 0, 0}, Row{1, 32, 1, 33}, Row{12, 3, 0, 0}, Row{12, 3, 2, 8}}) {
    CacheRigParams p;
    p.cache.ways = r.ways;
    p.cache.capacity_bytes = r.sets * r.ways * 128;
    CacheRig rig(p);
    const Count lines = r.sets * r.ways + r.extra_lines;
    rig.run(stream(lines, 128));
    CHECK(rig.stats().outcome(CacheOutcome::miss) == lines);
    rig.run(stream(lines, 128));
    INFO(r.sets << " sets of " << r.ways << ", " << lines << " lines");
    // Each set that has one line more than ways misses all of them, for ever.
    CHECK(rig.stats().outcome(CacheOutcome::miss) == lines + r.misses_of_second_pass);
  }
}

TEST_CASE("a streaming scan leaves a working set in place; a normal one does not", "[cache]") {
  for (const auto hint : {CacheHint::normal, CacheHint::streaming}) {
    CacheRig rig({});
    const Requests set = stream(24, 128);  // three of four ways
    rig.run(set);
    Requests scan = stream(1000, 128, false, 1 << 20);
    for (auto& r : scan) r.hint = hint;
    rig.run(scan);
    const Count before = rig.stats().outcome(CacheOutcome::hit);
    rig.run(set);
    CHECK(rig.stats().outcome(CacheOutcome::hit) - before ==
          (hint == CacheHint::streaming ? 24 : 0));
  }
}

TEST_CASE("traffic of a stream of writes", "[cache]") {
  constexpr Count kLines = 200, kHeld = 32;
  struct Row {
    const char* what;
    CacheWritePolicy policy;
    bool allocate;
    Bytes bytes, stride;
    Bytes fetched, written_back, through;
  };
  constexpr auto kBack = CacheWritePolicy::write_back;
  constexpr auto kThrough = CacheWritePolicy::write_through;
  for (const Row& r : {
           Row{"whole lines", kBack, true, 128, 128, 0, (kLines - kHeld) * 128, 0},
           Row{"a part of a sector a line", kBack, true, 4, 128, kLines * 32, (kLines - kHeld) * 32,
               0},
           Row{"around", kBack, false, 128, 128, 0, 0, kLines * 128},
           Row{"through", kThrough, true, 128, 128, 0, 0, kLines * 128},
           Row{"through, 4 bytes", kThrough, true, 4, 128, 0, 0, kLines * 4},
       }) {
    INFO(r.what);
    CacheRigParams p;
    p.cache.write_policy = r.policy;
    p.cache.write_allocate = r.allocate;
    p.client.window = 8;
    CacheRig rig(p);
    Requests writes;
    for (Count i = 0; i < kLines; ++i) writes.push_back(write(i * r.stride, r.bytes));
    rig.run(writes);
    CHECK(rig.stats().fill_bytes == r.fetched);
    CHECK(rig.stats().write_back_bytes == r.written_back);
    CHECK(rig.stats().write_below_bytes == r.through);
    CHECK(rig.cache.dirty_bytes() ==
          (r.written_back > 0 ? r.written_back / (kLines - kHeld) : 0) * kHeld);
    // A flush: a line a cycle, then the way below and back.
    const Count dirty_lines = r.written_back > 0 ? kHeld : 0;
    const Cycle begin = rig.now;
    rig.cache.flush();
    const Cycle end = rig.run();
    if (dirty_lines > 0) CHECK(end - begin == dirty_lines - 1 + 4 + 3 + 100 + 3 + 1);
    CHECK(rig.cache.dirty_bytes() == 0);
  }
}

TEST_CASE("40 MiB in 80 slices hold 40 MiB", "[cache]") {
  CacheRigParams p;
  p.cache.capacity_bytes = Bytes{40} << 20U;
  p.cache.ways = 16;
  p.cache.slices = 80;
  p.cache.slice_interleave_bytes = 512;
  p.cache.mshrs = 64;
  p.client.window = 64;
  const SliceHash slices(p.cache.slices, p.cache.slice_interleave_bytes);
  for (const auto hash : {CacheIndexHash::none, CacheIndexHash::xor_fold}) {
    p.cache.index_hash = hash;
    for (const Count slice : {0U, 37U, 79U}) {
      Requests mine;
      for (std::uint64_t line = 0; line < p.cache.capacity_bytes; line += 128) {
        if (slices.slice_of(line) == slice) mine.push_back(read(line, 128));
      }
      REQUIRE(mine.size() == p.cache.lines_per_slice());
      CacheRig rig(p);
      rig.run(mine);
      CHECK(rig.stats().outcome(CacheOutcome::miss) == mine.size());
      rig.run(mine);
      CHECK(rig.stats().outcome(CacheOutcome::hit) == mine.size());
    }
  }
}

}  // namespace
}  // namespace tilewave::test
