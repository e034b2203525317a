// SPDX-License-Identifier: Apache-2.0
// Parts of the cache by themselves: masks of sectors, order of victims, tags, index.
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "support/cache_rig.hpp"
#include "support/catch.hpp"

#include "arch/memory/cache/cache_request_tag.hpp"

namespace tilewave::test {
namespace {

CacheParams of(Count sets, Count ways, CacheReplacement replacement = CacheReplacement::lru) {
  CacheParams p = small_cache();
  p.ways = ways;
  p.capacity_bytes = sets * ways * p.line_bytes;
  p.replacement = replacement;
  return p;
}

TEST_CASE("masks of sectors and their runs", "[cache]") {
  CHECK(sectors_between(0, 0) == 0);
  CHECK(sectors_between(3, 2) == 0);
  CHECK(sectors_between(1, 3) == 0b110);
  CHECK(sectors_between(0, 32) == ~SectorMask{0});
  CHECK(sectors_between(31, 32) == SectorMask{1} << 31U);
  const auto runs = [](SectorMask mask) {
    std::string all;
    for_each_run(mask, [&](unsigned first, unsigned length) {
      all += std::to_string(first) + "+" + std::to_string(length) + " ";
    });
    return all;
  };
  CHECK(runs(0).empty());
  CHECK(runs(0b1) == "0+1 ");
  CHECK(runs(0b1011'0110) == "1+2 4+2 7+1 ");
  CHECK(runs(~SectorMask{0}) == "0+32 ");
  CHECK(runs(0x8000'0001U) == "0+1 31+1 ");
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) {
    const auto mask = static_cast<SectorMask>(random() & random());
    SectorMask again = 0;
    Count count = 0;
    for_each_run(mask, [&](unsigned first, unsigned length) {
      again |= sectors_between(first, first + length);
      ++count;
    });
    REQUIRE(again == mask);
    REQUIRE(count == count_runs(mask));
  }
}

TEST_CASE("what is packed into a tag comes out again", "[cache]") {
  for (const auto kind : {CacheRequestTag::Kind::fill, CacheRequestTag::Kind::write,
                          CacheRequestTag::Kind::write_back}) {
    for (const std::uint32_t index : {0U, 1U, 4095U, ~0U}) {
      for (const unsigned first : {0U, 5U, 31U}) {
        const auto tag = CacheRequestTag::unpack(
            CacheRequestTag{.kind = kind, .index = index, .first = first, .sectors = 32 - first}
                .pack());
        CHECK(tag.kind == kind);
        CHECK(tag.index == index);
        CHECK(tag.mask() == sectors_between(first, 32));
      }
    }
  }
}

const auto kAny = [](Count) { return true; };

TEST_CASE("lru: the line unused for longest goes", "[cache]") {
  VictimOrder order(of(2, 3));
  for (const Count way : {2U, 0U, 1U}) order.use(1, way);
  CHECK(order.victim(1, kAny) == 2);
  CHECK(order.victim(1, [](Count w) { return w != 2; }) == 0);
  CHECK(order.victim(1, [](Count) { return false; }) == VictimOrder::kNone);
  order.use(1, 2);
  CHECK(order.victim(1, kAny) == 0);
  order.put_first(1, 1);
  CHECK(order.victim(1, kAny) == 1);
  order.put_first(1, 2);
  CHECK(order.victim(1, kAny) == 2);
  CHECK(order.victim(1, [](Count w) { return w != 2; }) == 1);
  CHECK(order.victim(0, kAny) == 0);  // the other set knows nothing of it
}

TEST_CASE("tree plru: away from the last use at each node", "[cache]") {
  VictimOrder order(of(1, 4, CacheReplacement::tree_plru));
  CHECK(order.victim(0, kAny) == 0);
  order.use(0, 0);
  CHECK(order.victim(0, kAny) == 2);
  order.use(0, 2);
  CHECK(order.victim(0, kAny) == 1);
  order.use(0, 1);
  CHECK(order.victim(0, kAny) == 3);
  order.use(0, 0);  // not the oldest, but of the half used last
  CHECK(order.victim(0, kAny) == 3);
  order.put_first(0, 0);
  CHECK(order.victim(0, kAny) == 0);
  CHECK(order.victim(0, [](Count w) { return w > 1; }) == 2);  // the next way round

  // With 64 ways: never the line used last, and all lines in turn if each victim is used.
  VictimOrder wide(of(1, 64, CacheReplacement::tree_plru));
  std::set<Count> seen;
  for (int i = 0; i < 64; ++i) {
    const Count way = wide.victim(0, kAny);
    seen.insert(way);
    wide.use(0, way);
    REQUIRE(wide.victim(0, kAny) != way);
  }
  CHECK(seen.size() == 64);
}

TEST_CASE("random: a seed's sequence, all ways alike, unchanged by asking", "[cache]") {
  CacheParams p = of(1, 6, CacheReplacement::random);
  const auto draws = [&] {
    VictimOrder order(p);
    std::vector<Count> ways;
    for (int i = 0; i < 6000; ++i) {
      ways.push_back(order.victim(0, kAny));
      if (order.victim(0, kAny) != ways.back()) throw std::logic_error("asking changed it");
      order.gone();
    }
    return ways;
  };
  const auto first = draws();
  CHECK(draws() == first);
  p.seed = 2;
  CHECK(draws() != first);
  for (Count way = 0; way < 6; ++way) {
    CHECK(std::count(first.begin(), first.end(), way) == Approx(1000).margin(100));
  }
}

TEST_CASE("tags are found in any way of any number of ways, and only there", "[cache]") {
  for (const Count ways : {1U, 3U, 4U, 7U, 8U, 9U, 16U, 17U, 64U}) {
    INFO(ways << " ways");
    CacheTags tags(of(2, ways));
    std::mt19937_64 random(ways);
    std::map<CacheTags::Entry, std::uint64_t> lines;
    for (int i = 0; i < 3000; ++i) {
      // Few numbers, so that bytes of different lines are often the same.
      const std::uint64_t line = random() % 1000;
      const std::size_t set = line % 2;
      const auto it =
          std::find_if(lines.begin(), lines.end(), [&](const auto& l) { return l.second == line; });
      REQUIRE(tags.find(set, line) == (it == lines.end() ? CacheTags::kNone : it->first));
      if (it != lines.end()) continue;
      const auto entry = tags.room(set);
      REQUIRE(entry / ways == set);
      REQUIRE(tags.replace(set, entry, line) == lines.contains(entry));
      tags.use(set, entry);
      lines[entry] = line;
    }
    CHECK(lines.size() == 2 * ways);
    tags.clear();
    for (const auto& [entry, line] : lines) CHECK(tags.find(line % 2, line) == CacheTags::kNone);
  }
}

TEST_CASE("a line that waits for a fill makes no room", "[cache]") {
  CacheTags tags(of(1, 2));
  for (const std::uint64_t line : {10U, 11U}) {
    const auto entry = tags.room(0);
    tags.replace(0, entry, line);
    tags.use(0, entry);
  }
  tags.state(tags.find(0, 10)).mshr = 0;
  CHECK(tags.room(0) == tags.find(0, 11));
  tags.state(tags.find(0, 11)).mshr = 1;
  CHECK(tags.room(0) == CacheTags::kNone);
}

TEST_CASE("MSHRs: those who wait are served in order, when all they wait for has come", "[cache]") {
  CacheMshrs mshrs(2, 2);
  const auto m = mshrs.allocate(7, CacheTags::kNone);
  CHECK(mshrs.find_unkept(7) == m);
  CHECK(mshrs.find_unkept(8) == CacheMshrs::kNone);
  const auto kept = mshrs.allocate(8, 3);
  CHECK(mshrs.full());
  CHECK(mshrs.find_unkept(8) == CacheMshrs::kNone);
  CHECK(kept != m);
  mshrs.ask(m, 0b1111);
  mshrs.wait(m, 20, 0b0011);
  mshrs.wait(m, 21, 0b1000);
  mshrs.wait(m, 22, 0b0001);
  CHECK_FALSE(mshrs.may_wait(m));
  std::vector<std::uint32_t> served;
  const auto fill = [&](SectorMask sectors) {
    served.clear();
    mshrs.fill(m, sectors, [&](std::uint32_t slot) { served.push_back(slot); });
    return served;
  };
  CHECK(fill(0b0001) == std::vector<std::uint32_t>{22});
  CHECK(mshrs.may_wait(m));
  mshrs.wait(m, 23, 0b1010);
  CHECK(fill(0b0100).empty());
  CHECK(fill(0b0010) == std::vector<std::uint32_t>{20});
  mshrs.wait(m, 24, 0b1000);
  CHECK(fill(0b1000) == std::vector<std::uint32_t>{21, 23, 24});
  CHECK(mshrs.pending(m) == 0);
  mshrs.release(m);
  CHECK(mshrs.used() == 1);
  CHECK(mshrs.find_unkept(7) == CacheMshrs::kNone);
}

TEST_CASE("responses leave when they are ready, those ready together in order of arrival",
          "[cache]") {
  CacheParams p = small_cache();
  p.bank_bytes_per_cycle = 32;
  CacheResponses responses(8, p);
  Pipe<MemoryResponse> link(8, 1);
  const auto open = [&](std::uint64_t tag, Bytes bytes, bool is_write = false) {
    return responses.open(
        {.address = 0, .bytes = bytes, .write = is_write, .tag = tag, .hint = CacheHint::normal});
  };
  const auto a = open(1, 32), b = open(2, 32), c = open(3, 32), d = open(4, 100),
             e = open(5, 100, true);
  responses.add_part(d);
  responses.not_before(c, 12);
  responses.serve_from_below(d, 5);
  responses.serve_from_below(e, 12);
  responses.serve_from_below(b, 10);
  responses.serve_by_look_up(a, 10);
  responses.serve_by_look_up(c, 0);
  responses.serve_by_look_up(d, 12);
  CHECK(responses.bytes_under_way() == 296);
  std::vector<std::pair<Cycle, std::uint64_t>> left;
  for (Cycle now = 1; responses.used() > 0; now = responses.next(now)) {
    REQUIRE(now < 100);
    responses.send(now, link, [&](const MemoryResponse& r) { left.emplace_back(now, r.tag); });
    if (responses.used() > 0) REQUIRE(responses.next(now) > now);
  }
  // One a cycle; 100 bytes take four; an acknowledgement has no data, but waits its turn.
  CHECK(left ==
        std::vector<std::pair<Cycle, std::uint64_t>>{{10, 1}, {11, 2}, {12, 3}, {16, 4}, {17, 5}});
  CHECK(responses.bytes_under_way() == 0);
}

TEST_CASE("what was held back does not leave faster than the port is wide", "[cache]") {
  CacheParams p = small_cache();
  p.bank_bytes_per_cycle = 32;
  p.ports = 2;
  CacheResponses responses(4, p);
  Pipe<MemoryResponse> link(4, 1);
  for (std::uint64_t tag = 0; tag < 4; ++tag) {
    responses.serve_by_look_up(responses.open(read(0, 24)), 10);
  }
  std::vector<Cycle> left;
  // Nobody asks from 10 to 20, as while a link is full. Then 24 bytes each go by 32 a cycle.
  for (Cycle now = 20; responses.used() > 0; ++now) {
    responses.send(now, link, [&](const MemoryResponse&) { left.push_back(now); });
  }
  CHECK(left == std::vector<Cycle>{20, 21, 22, 22});
}

TEST_CASE("an aligned run of lines uses all sets alike, in each slice", "[cache]") {
  struct Row {
    Count sets, slices;
    Bytes interleave_bytes;
  };
  for (const auto hash : {CacheIndexHash::none, CacheIndexHash::xor_fold}) {
    for (const Row& r : {Row{8, 1, 0}, Row{12, 1, 0}, Row{1, 1, 0}, Row{256, 80, 512},
                         Row{16, 16, 4096}, Row{24, 10, 128}, Row{7, 3, 256}}) {
      INFO(r.sets << " sets in " << r.slices << " slices, hash " << static_cast<int>(hash));
      CacheParams p = of(r.sets * r.slices, 2);
      p.slices = r.slices;
      p.slice_interleave_bytes = r.interleave_bytes;
      p.index_hash = hash;
      REQUIRE(p.sets() == r.sets);
      const CacheIndex index(p);
      const SliceHash slices(r.slices, r.slices > 1 ? r.interleave_bytes : 1 << 30);
      const Count lines = r.sets * r.slices * std::max<Count>(1, r.interleave_bytes / 128);
      for (const std::uint64_t base : {Count{0}, 5 * lines}) {
        std::map<std::pair<Count, std::size_t>, Count> uses;
        for (std::uint64_t line = base; line < base + lines; ++line) {
          const std::size_t set = index.set_of(index.local(line));
          REQUIRE(set < r.sets);
          ++uses[{slices.slice_of(line * 128), set}];
        }
        CHECK(uses.size() == r.sets * r.slices);
        for (const auto& [place, count] : uses) REQUIRE(count == lines / (r.sets * r.slices));
      }
    }
  }
}

TEST_CASE("the hash spreads strides that would meet in one set", "[cache]") {
  for (const Count sets : {64U, 48U}) {
    CacheParams p = of(sets, 1);
    const auto used_sets = [&](CacheIndexHash hash, std::uint64_t stride) {
      p.index_hash = hash;
      const CacheIndex index(p);
      std::set<std::size_t> used;
      for (std::uint64_t i = 0; i < 4 * sets; ++i)
        used.insert(index.set_of(index.local(i * stride)));
      return used.size();
    };
    CHECK(used_sets(CacheIndexHash::none, sets) == 1);
    for (const std::uint64_t factor : {1U, 2U, 16U, 1024U}) {
      CHECK(used_sets(CacheIndexHash::xor_fold, sets * factor) > sets * 9 / 10);
    }
  }
}

}  // namespace
}  // namespace tilewave::test
