// SPDX-License-Identifier: Apache-2.0
// The address maps of the presets: what streams and strides get of the banks.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/dram_files.hpp"

#include "arch/memory/dram/address_map.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

constexpr const char* kPresets[] = {"ddr3_2133",  "ddr4_3200",    "lpddr4x_4266", "lpddr5_6400",
                                    "gddr5_7000", "gddr5x_11000", "gddr6_14000",  "hbm_1000",
                                    "hbm2_2000",  "hbm2_2400",    "hbm2e_3200",   "hbm3_5200",
                                    "hbm3e_8000", "hbm4_8000"};

/// Of each window of 32 accesses of a channel: banks used, over the most that its rows could be in.
double spread(const DramParams& dram, std::uint64_t stride) {
  constexpr std::size_t kWindow = 32;
  const AddressMap map(dram);
  const auto& o = dram.organisation;
  std::map<std::uint32_t, std::vector<AddressMap::Coordinates>> accesses;
  const std::uint64_t capacity = dram.capacity_bytes();
  for (std::uint64_t i = 0; i < o.channels * kWindow * 2; ++i) {
    const auto place = map.locate(i * stride % capacity);
    accesses[place.channel].push_back(map.coordinates(place.burst));
  }
  double sum = 0;
  std::size_t windows = 0;
  for (const auto& [channel, list] : accesses) {
    for (std::size_t from = 0; from + kWindow <= list.size(); from += kWindow, ++windows) {
      std::set<std::uint32_t> banks;
      std::set<std::pair<std::uint32_t, std::int64_t>> rows;
      for (std::size_t i = from; i < from + kWindow; ++i) {
        banks.insert(list[i].bank);
        rows.emplace(list[i].bank, list[i].row);
      }
      sum += static_cast<double>(banks.size()) /
             static_cast<double>(std::min<std::size_t>(rows.size(), o.banks_per_channel()));
    }
  }
  return sum / static_cast<double>(windows);
}

}  // namespace

TEST_CASE("strides of powers of two spread over all banks, those of three times one over most",
          "[dram][map]") {
  for (const char* name : kPresets) {
    const DramParams dram = dram_preset(name);
    for (unsigned bits = 7; bits <= 24; ++bits) {
      INFO(name << ", stride 2^" << bits);
      CHECK(spread(dram, std::uint64_t{1} << bits) > 0.99);
      CHECK(spread(dram, std::uint64_t{3} << bits) > 0.6);
    }
  }
}

TEST_CASE("a stream goes over pseudo-channels and bank groups in turn", "[dram][map]") {
  for (const char* name : kPresets) {
    INFO(name);
    const DramParams dram = dram_preset(name);
    const AddressMap map(dram);
    const auto& o = dram.organisation;
    const std::uint64_t run = std::max<std::uint64_t>(1, 64 / o.burst_bytes());
    if (o.bank_groups == 1) continue;
    // 64 bytes of each group of each pseudo-channel, all in different groups, one row each.
    const std::uint64_t groups = o.pseudo_channels * o.bank_groups;
    for (std::uint64_t burst = 0; burst < 4096; burst += groups * run) {
      std::set<std::uint32_t> seen;
      for (std::uint64_t i = 0; i < groups; ++i) {
        const auto first = map.coordinates(burst + i * run);
        const auto last = map.coordinates(burst + i * run + run - 1);
        CHECK((first.bank == last.bank && first.row == last.row));
        seen.insert(static_cast<std::uint32_t>(first.bank / o.banks));
      }
      CHECK(seen.size() == groups);
    }
  }
}
