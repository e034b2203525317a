// SPDX-License-Identifier: Apache-2.0
// Where bytes live: channel, bank, row and column of each, and the parts of a run of them.
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <ostream>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/dram_files.hpp"

#include "arch/memory/dram/address_map.hpp"

using namespace tilewave;
using namespace tilewave::test;
using Kind = DramAddressField::Kind;

namespace {

/// Channels of 2 pseudo-channels x 2 ranks x 2 bank groups x 4 banks x 16 rows of 8 bursts of 32
/// bytes: 128 KiB. The order is that of the bank's number.
DramParams memory(Count channels, Bytes interleave_bytes, bool hash) {
  DramParams dram;
  dram.organisation = {.channels = channels,
                       .pseudo_channels = 2,
                       .ranks = 2,
                       .bank_groups = 2,
                       .banks = 4,
                       .rows = 16,
                       .row_bytes = 256,
                       .data_bits = 64,
                       .burst_length = 4};
  dram.map.interleave_bytes = interleave_bytes;
  dram.map.channel_hash = hash;
  dram.map.fields = {{Kind::column, 3}, {Kind::bank, 2},           {Kind::bank_group, 1},
                     {Kind::rank, 1},   {Kind::pseudo_channel, 1}, {Kind::row, 0}};
  return dram;
}

using Place = std::tuple<std::uint32_t, std::int64_t, std::uint32_t>;  // bank, row, column
Place place(const AddressMap& map, std::uint64_t burst) {
  const auto c = map.coordinates(burst);
  return {c.bank, c.row, c.column};
}
using Location = std::pair<std::uint32_t, std::uint64_t>;  // channel, burst
Location location(const AddressMap& map, std::uint64_t address) {
  const auto p = map.locate(address);
  return {p.channel, p.burst};
}

}  // namespace

TEST_CASE("address map: blocks go to channels in turn", "[dram][map]") {
  const AddressMap map(memory(4, 128, false));
  CHECK(map.burst_bytes() == 32);
  CHECK(map.channels() == 4);
  CHECK(location(map, 0) == Location{0, 0});
  CHECK(location(map, 31) == Location{0, 0});
  CHECK(location(map, 32) == Location{0, 1});
  CHECK(location(map, 127) == Location{0, 3});
  CHECK(location(map, 128) == Location{1, 0});
  CHECK(location(map, 384) == Location{3, 0});
  CHECK(location(map, 512) == Location{0, 4});  // contiguous in the channel
  CHECK(location(map, 512 + 128 + 97) == Location{1, 7});
  CHECK(location(map, 1'000'000 * 512 + 200) == Location{1, 4'000'002});
}

TEST_CASE("address map: the hash turns each group of blocks", "[dram][map]") {
  SECTION("4 channels: XOR of all pairs of bits of the group's number") {
    const AddressMap map(memory(4, 32, true));
    struct Row {
      std::uint64_t group;
      std::uint32_t fold;
    };
    for (const auto& [group, fold] : {Row{0, 0},
                                      {1, 1},
                                      {3, 3},
                                      {4, 1},
                                      {5, 0},
                                      {6, 3},
                                      {7, 2},
                                      {16, 1},
                                      {0b11'10'01, 0},
                                      {0b11'10'10, 3}}) {
      for (std::uint32_t position = 0; position < 4; ++position) {
        INFO("group " << group << ", block " << position);
        CHECK(location(map, (group * 4 + position) * 32) == Location{position ^ fold, group});
      }
    }
  }
  SECTION("3 channels: a rotation by that") {
    const AddressMap map(memory(3, 32, true));
    struct Row {
      std::uint64_t group;
      std::uint32_t fold;
    };
    for (const auto& [group, fold] : {Row{0, 0}, {1, 1}, {2, 2}, {3, 0}, {4, 1}, {6, 0}, {7, 2}}) {
      for (std::uint32_t position = 0; position < 3; ++position) {
        INFO("group " << group << ", block " << position);
        CHECK(location(map, (group * 3 + position) * 32) == Location{(position + fold) % 3, group});
      }
    }
  }
  SECTION("one channel has nothing to hash") {
    const AddressMap map(memory(1, 32, true));
    for (std::uint64_t b = 0; b < 100; ++b) CHECK(location(map, b * 32) == Location{0, b});
  }
  SECTION("a stride of as many blocks as channels does not stay on one") {
    for (const Count channels : std::initializer_list<Count>{2, 3, 5, 8, 16}) {
      const AddressMap map(memory(channels, 64, true));
      std::set<std::uint32_t> seen;
      for (std::uint64_t i = 0; i < 256; ++i) seen.insert(map.locate(i * channels * 64).channel);
      CHECK(seen.size() == channels);
    }
  }
}

TEST_CASE("address map: slices of a burst's number", "[dram][map]") {
  SECTION("in the order of the bank's number") {
    const AddressMap map(memory(1, 32, false));
    // ((pseudo-channel x ranks + rank) x bank groups + group) x banks + bank
    CHECK(place(map, 0) == Place{0, 0, 0});
    CHECK(place(map, 7) == Place{0, 0, 7});
    CHECK(place(map, 8) == Place{1, 0, 0});
    CHECK(place(map, 8 * 4) == Place{4, 0, 0});
    CHECK(place(map, 8 * 8) == Place{8, 0, 0});
    CHECK(place(map, 8 * 16 + 3) == Place{16, 0, 3});
    CHECK(place(map, 8 * 32) == Place{0, 1, 0});
    CHECK(place(map, 8 * 32 * 15 + 8 * 31 + 5) == Place{31, 15, 5});
    CHECK(place(map, 8 * 32 * 100'000) == Place{0, 100'000, 0});  // the row has no limit
  }
  SECTION("in another order, the column in two") {
    DramParams dram = memory(1, 32, false);
    dram.map.fields = {{Kind::column, 1}, {Kind::pseudo_channel, 1}, {Kind::bank_group, 1},
                       {Kind::column, 2}, {Kind::rank, 1},           {Kind::bank, 2},
                       {Kind::row, 0}};
    const AddressMap map(dram);
    CHECK(place(map, 1) == Place{0, 0, 1});
    CHECK(place(map, 2) == Place{16, 0, 0});
    CHECK(place(map, 4) == Place{4, 0, 0});
    CHECK(place(map, 8) == Place{0, 0, 2});
    CHECK(place(map, 16) == Place{0, 0, 4});
    CHECK(place(map, 32) == Place{8, 0, 0});
    CHECK(place(map, 64) == Place{1, 0, 0});
    CHECK(place(map, 256) == Place{0, 1, 0});
    CHECK(place(map, 255) == Place{31, 0, 7});
    // Bursts of one bank and row: 8 apart, in blocks of 32.
    CHECK(map.period_bursts() == 8);
    CHECK(map.stripe_bursts() == 32);
  }
  SECTION("XORs, one after another, each cut to its target") {
    DramParams dram = memory(1, 32, false);
    dram.map.xors = {{.target = Kind::bank, .source = Kind::row, .shift = 1},
                     {.target = Kind::bank_group, .source = Kind::bank, .shift = 1}};
    const AddressMap map(dram);
    const auto of_row = [](std::uint64_t row) { return row * 8 * 32; };
    CHECK(place(map, of_row(1)) == Place{0, 1, 0});
    CHECK(place(map, of_row(2)) == Place{1, 2, 0});
    CHECK(place(map, of_row(4)) == Place{4 + 2, 4, 0});  // the group sees the bank changed
    CHECK(place(map, of_row(4) + 8 * 2) == Place{0, 4, 0});
    CHECK(place(map, of_row(8)) == Place{0, 8, 0});
    CHECK(map.period_bursts() == 1);
    CHECK(map.stripe_bursts() == 8);
  }
  SECTION("banks made of column bits: a burst says nothing about the next one") {
    DramParams dram = memory(1, 32, false);
    dram.map.xors = {{.target = Kind::bank, .source = Kind::column, .shift = 0}};
    const AddressMap map(dram);
    CHECK(place(map, 3) == Place{3, 0, 3});
    CHECK(place(map, 4) == Place{0, 0, 4});
    CHECK(map.period_bursts() == map.stripe_bursts());
  }
}

TEST_CASE("address map: no two bytes are in one place", "[dram][map]") {
  for (const Count channels : std::initializer_list<Count>{1, 2, 3, 4, 6}) {
    for (const bool hash : {false, true}) {
      for (const Bytes interleave : std::initializer_list<Bytes>{32, 128}) {
        INFO(channels << " channels, hash " << hash << ", interleave " << interleave);
        const DramParams dram = memory(channels, interleave, hash);
        const AddressMap map(dram);
        std::set<Location> seen;
        std::vector<std::uint64_t> last(channels, 0);
        for (std::uint64_t address = 0; address < dram.capacity_bytes(); address += 32) {
          const Location l = location(map, address);
          CHECK(location(map, address + 31) == l);
          last.at(l.first) = std::max(last[l.first], l.second);
          seen.insert(l);
        }
        CHECK(seen.size() == dram.capacity_bytes() / 32);
        // All of each channel, and nothing beyond.
        for (const std::uint64_t burst : last) CHECK(burst + 1 == 32 * 16 * 8);
      }
    }
  }
}

TEST_CASE("address map: any number of rows, each byte has a place", "[dram][map]") {
  // Three quarters of 16 rows, and an odd number; hashes of the row in bank, group and channel.
  struct Case {
    Count rows;
    bool low;  ///< two bits of the row at the bottom: groups of four rows
  };
  const auto [rows, low] =
      GENERATE(Case{12, false}, Case{13, false}, Case{1, false}, Case{12, true});
  CAPTURE(rows, low);
  for (const Count channels : std::initializer_list<Count>{1, 4, 6}) {
    DramParams dram = memory(channels, 128, true);
    dram.organisation.rows = rows;
    if (low) dram.map.fields.insert(dram.map.fields.begin(), {Kind::row, 2});
    dram.map.xors = {{.target = Kind::bank, .source = Kind::row, .shift = 1},
                     {.target = Kind::bank_group, .source = Kind::row, .shift = 0}};
    const AddressMap map(dram);
    CHECK(dram.capacity_bytes() == channels * 32 * rows * 256);
    std::set<std::pair<std::uint32_t, Place>> seen;
    bool within = true;
    for (std::uint64_t address = 0; address < dram.capacity_bytes(); address += 32) {
      const auto [channel, burst] = location(map, address);
      const Place at = place(map, burst);
      within = within && std::get<0>(at) < 32 && std::get<2>(at) < 8 && channel < channels &&
               std::get<1>(at) < static_cast<std::int64_t>(rows);
      seen.insert({channel, at});
    }
    CHECK(within);
    CHECK(seen.size() == dram.capacity_bytes() / 32);
  }
}

TEST_CASE("address map: of presets, each burst of a channel has a place of its own",
          "[dram][map]") {
  for (const char* name : {"ddr4_3200", "hbm2_2000", "hbm3_5200", "lpddr5_6400", "gddr6_14000"}) {
    INFO(name);
    const DramParams dram = dram_preset(name);
    const AddressMap map(dram);
    const auto& o = dram.organisation;
    AddressMap::Cursor cursor(map);
    std::set<Place> seen;
    const std::uint64_t bursts = 4 * o.banks_per_channel() * o.row_bytes / o.burst_bytes();
    bool same = true;
    for (std::uint64_t burst = 0; burst < bursts; ++burst) {
      const auto [bank, row, column] = place(map, burst);
      if (bank >= o.banks_per_channel() || column >= o.row_bytes / o.burst_bytes() || row >= 4) {
        FAIL("burst " << burst << " is in bank " << bank << ", row " << row << ", " << column);
      }
      seen.insert({bank, row, column});
      const auto c = cursor.coordinates(burst);
      same = same && Place{c.bank, c.row, c.column} == Place{bank, row, column};
    }
    CHECK(seen.size() == bursts);
    CHECK(same);
    // Anywhere, in any order.
    std::mt19937_64 random(1);
    for (int i = 0; i < 1000; ++i) {
      const std::uint64_t burst = random() % (dram.organisation.channel_bytes() / o.burst_bytes());
      const auto c = cursor.coordinates(burst);
      CHECK(Place{c.bank, c.row, c.column} == place(map, burst));
      CHECK(c.row < static_cast<std::int64_t>(o.rows));
    }
    // Period and stripe keep their word.
    for (int i = 0; i < 1000; ++i) {
      const std::uint64_t stripe = random() % 1000 * map.stripe_bursts();
      const std::uint64_t at = random() % map.period_bursts();
      const std::uint64_t steps = map.stripe_bursts() / map.period_bursts();
      const auto first = map.coordinates(stripe + at);
      const auto other = map.coordinates(stripe + at + random() % steps * map.period_bursts());
      CHECK((first.bank == other.bank && first.row == other.row));
    }
  }
}

namespace {

struct Part {
  std::uint32_t channel;
  std::uint64_t burst, bursts;
  friend bool operator==(const Part&, const Part&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Part& p) {
    return out << "channel " << p.channel << ": " << p.burst << " + " << p.bursts;
  }
};
std::vector<Part> parts_of(const AddressMap& map, std::uint64_t address, Bytes bytes) {
  std::vector<Part> parts;
  map.split(address, bytes, [&](std::uint32_t channel, std::uint64_t burst, std::uint64_t bursts) {
    parts.push_back({channel, burst, bursts});
  });
  return parts;
}

/// All bursts of a run, byte by byte.
std::map<std::uint32_t, std::set<std::uint64_t>> bursts_of(const AddressMap& map,
                                                           std::uint64_t address, Bytes bytes) {
  std::map<std::uint32_t, std::set<std::uint64_t>> bursts;
  for (std::uint64_t byte = address; byte < address + bytes; ++byte) {
    const auto [channel, burst] = location(map, byte);
    bursts[channel].insert(burst);
  }
  return bursts;
}

void check_split(const AddressMap& map, std::uint64_t address, Bytes bytes) {
  INFO(bytes << " bytes at " << address);
  auto left = bursts_of(map, address, bytes);
  std::map<std::uint32_t, std::uint64_t> end;
  for (const Part& part : parts_of(map, address, bytes)) {
    CHECK(part.bursts > 0);
    CHECK(part.burst >= end[part.channel]);  // ascending
    end[part.channel] = part.burst + part.bursts;
    for (std::uint64_t b = part.burst; b < part.burst + part.bursts; ++b) {
      CHECK(left[part.channel].erase(b) == 1);
    }
  }
  for (const auto& [channel, bursts] : left) CHECK(bursts.empty());
}

}  // namespace

TEST_CASE("address map: parts of a run of bytes", "[dram][map]") {
  const AddressMap map(memory(4, 128, false));
  using Parts = std::vector<Part>;
  CHECK(parts_of(map, 1000, 0) == Parts{});
  CHECK(parts_of(map, 5, 1) == Parts{{0, 0, 1}});
  CHECK(parts_of(map, 31, 2) == Parts{{0, 0, 2}});
  CHECK(parts_of(map, 100, 28) == Parts{{0, 3, 1}});
  CHECK(parts_of(map, 100, 29) == Parts{{0, 3, 1}, {1, 0, 1}});
  CHECK(parts_of(map, 128, 384) == Parts{{1, 0, 4}, {2, 0, 4}, {3, 0, 4}});
  // Five blocks: once a channel.
  CHECK(parts_of(map, 128, 640) == Parts{{0, 4, 4}, {1, 0, 8}, {2, 0, 4}, {3, 0, 4}});
  CHECK(parts_of(map, 4096, 4096) == Parts{{0, 32, 32}, {1, 32, 32}, {2, 32, 32}, {3, 32, 32}});
}

TEST_CASE("address map: a channel that a run leaves out twice has no part in it", "[dram][map]") {
  // Five blocks of groups 1 and 2: all of group 1 but channel 1's, and the first two of group 2,
  // which are not channel 1's.
  const AddressMap map(memory(4, 256, true));
  check_split(map, 5 * 256, 5 * 256);
  for (const Part& part : parts_of(map, 5 * 256, 5 * 256)) CHECK(part.channel != 1);
}

TEST_CASE("address map: parts are the bursts of all bytes", "[dram][map]") {
  std::mt19937_64 random(7);
  for (const Count channels : std::initializer_list<Count>{1, 2, 3, 4, 5, 8}) {
    for (const bool hash : {false, true}) {
      const AddressMap map(memory(channels, random() % 2 == 0 ? 32 : 128, hash));
      INFO(channels << " channels, hash " << hash);
      for (int i = 0; i < 60; ++i) {
        const std::uint64_t address = random() % 5000 / (i % 3 == 0 ? 128 : 1);
        check_split(map, address * (i % 3 == 0 ? 128 : 1), 1 + random() % 2500);
      }
    }
  }
}
