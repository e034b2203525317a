// SPDX-License-Identifier: Apache-2.0
// A saturated memory, and an idle one, against Ramulator 2.1: the same device, rules, queues and
// address map, with the scheduler that is nearest to its FRFCFS.
#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "support/catch.hpp"
#include "support/dram_files.hpp"
#include "support/in_order_source.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

using Kind = DramAddressField::Kind;

struct Row {
  std::string memory, pattern, map, mode;
  Count channels = 0, requests = 0;
  bool refresh = false;
  DramTick cycles = 0;
  double read_latency = 0;

  [[nodiscard]] std::string text() const {
    return memory + " " + pattern + " " + map + " x" + std::to_string(channels) +
           (refresh ? " refresh " : " ") + mode + ", " + std::to_string(requests);
  }
};

std::vector<Row> table() {
  std::ifstream file(TILEWAVE_TEST_DIR "/data/ramulator2.csv");
  std::vector<Row> rows;
  bool header_seen = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    if (!header_seen) {
      if (line != "memory,pattern,map,channels,refresh,mode,requests,cycles,read_latency") {
        throw std::runtime_error("ramulator2.csv: other columns");
      }
      header_seen = true;
      continue;
    }
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream cells(line);
    Row row;
    cells >> row.memory >> row.pattern >> row.map >> row.channels >> row.refresh >> row.mode >>
        row.requests >> row.cycles >> row.read_latency;
    if (!cells) throw std::runtime_error("ramulator2.csv: " + line);
    rows.push_back(row);
  }
  return rows;
}

unsigned bits_of(Count power_of_two) {
  return static_cast<unsigned>(std::countr_zero(power_of_two));
}

/// Its two maps: lowest bits first, the channels below all of them.
void use_map(DramParams& dram, const std::string& map) {
  const auto& o = dram.organisation;
  dram.map.interleave_bytes = o.burst_bytes();
  dram.map.channel_hash = false;
  const unsigned column = bits_of(o.row_bytes / o.burst_bytes());
  const std::vector<DramAddressField> banks = {{Kind::pseudo_channel, bits_of(o.pseudo_channels)},
                                               {Kind::rank, bits_of(o.ranks)},
                                               {Kind::bank_group, bits_of(o.bank_groups)},
                                               {Kind::bank, bits_of(o.banks)}};
  const unsigned low = map == "mop4cl_xor" ? 2 : column;
  dram.map.fields = {{Kind::column, low}};
  dram.map.fields.insert(dram.map.fields.end(), banks.begin(), banks.end());
  dram.map.xors.clear();
  if (low < column) {
    dram.map.fields.push_back({Kind::column, column - low});
    unsigned shift = 0;
    for (const DramAddressField& field : banks) {
      if (field.bits > 0) dram.map.xors.push_back({field.kind, Kind::column, shift});
      shift += field.bits;
    }
    dram.map.xors.push_back({Kind::row, Kind::column, shift});
  }
  dram.map.fields.push_back({Kind::row, 0});
}

DramParams memory_of(const Row& row) {
  const bool of_ours = row.memory == "hbm2_2000";
  DramFiles files(of_ours ? row.memory : row.memory == "ddr4_2400" ? "ddr4_3200" : "hbm3_5200");
  if (!of_ours) {
    const auto changes = std::filesystem::path(TILEWAVE_TEST_DIR) / "data" / "dram";
    files.preset.merge_patch(
        load_json_file(changes / (row.memory + ".json"), files.diagnostics).value());
  }
  DramParams dram = files.read();
  files.diagnostics.throw_if_errors();
  REQUIRE(dram.name == row.memory);
  dram.organisation.channels = row.channels;
  dram.standard.effect_at_last_cycle = true;
  auto& c = dram.controller;
  c.scheduler = DramScheduler::ready_first;
  c.page_policy = DramPagePolicy::open;
  c.max_wait_cycles = 0;
  c.read_queue = c.write_queue = 32;
  c.write_high_watermark = 0.8;
  c.write_low_watermark = 0.2;
  c.refresh = row.refresh ? DramRefresh::all_bank : DramRefresh::none;
  use_map(dram, row.map);
  return dram;
}

/// Requests of 64 bytes, one after another.
class Pattern {
 public:
  explicit Pattern(const std::string& name) : name_(name) {}

  [[nodiscard]] std::uint64_t address() const noexcept { return address_; }
  [[nodiscard]] bool write() const noexcept { return write_; }
  void next() {
    const Count i = count_++;
    if (name_ == "seq") {
      address_ = 64 * i;
    } else if (name_ == "rand") {
      random_ = random_ * 6364136223846793005U + 1442695040888963407U;
      address_ = 64 * ((random_ >> 33U) % (Count{1} << 22U));
    } else if (name_ == "mix") {
      write_ = i % 4 == 3;
      address_ = write_ ? (Count{128} << 20U) + 64 * writes_++ : 64 * reads_++;
    } else {
      const Count stride = name_ == "str4k" ? 4096 : 32768, steps = (Count{256} << 20U) / stride;
      address_ = i % steps * stride + 64 * (i / steps) % stride;
    }
  }

 private:
  std::string name_;
  Count count_ = 0, reads_ = 0, writes_ = 0;
  std::uint64_t random_ = 12345, address_ = 0;
  bool write_ = false;
};

struct ReadLatency : DramChannel::Listener {
  Count reads = 0;
  double sum = 0;
  void on_served(std::uint64_t, bool write, DramTick accepted, DramTick done) override {
    if (write) return;
    sum += static_cast<double>(done - accepted);
    ++reads;
  }
};

struct Result {
  DramTick cycles;
  double read_latency;
};
Result run(const Row& row) {
  const DramParams dram = memory_of(row);
  ReadLatency latency;
  Channels channels(dram, &latency);
  const Count bursts = 64 / dram.organisation.burst_bytes();
  const DramTick step = row.mode == "idle" ? 100 : 0;
  Pattern pattern(row.pattern);
  Count given = 0;
  const DramTick cycles = feed_in_order(channels, 2 * row.channels, [&](SourceBurst& burst) {
    if (given == row.requests * bursts) return false;
    const Count part = given % bursts;
    if (part == 0) pattern.next();
    const auto place = channels.map().locate(pattern.address() + part * (64 / bursts));
    burst = {.at = static_cast<DramTick>(given) * step,
             .channel = place.channel,
             .burst = place.burst,
             .write = pattern.write()};
    ++given;
    return true;
  });
  channels.drain();
  return {cycles, latency.sum / static_cast<double>(latency.reads)};
}

/// Its latency has the cycle of entry in it.
double latency_error(const Row& row, const Result& result) {
  return (result.read_latency + 1) / row.read_latency - 1;
}

void check_saturated(const std::vector<Row>& rows) {
  double sum = 0;
  for (const Row& row : rows) {
    const Result result = run(row);
    const double error = static_cast<double>(result.cycles) / static_cast<double>(row.cycles) - 1;
    INFO(row.text() << ": " << result.cycles << " instead of " << row.cycles << " cycles, reads "
                    << result.read_latency + 1 << " instead of " << row.read_latency);
    CHECK(std::abs(error) < 0.03);
    CHECK(std::abs(latency_error(row, result)) < 0.03);
    sum += std::abs(error);
  }
  CHECK(sum / static_cast<double>(rows.size()) < 0.005);
}

}  // namespace

TEST_CASE("Ramulator 2.1: an idle memory", "[dram]") {
  std::size_t rows = 0;
  for (const Row& row : table()) {
    if (row.mode != "idle") continue;
    const Result result = run(row);
    INFO(row.text() << ": reads " << result.read_latency + 1 << " instead of " << row.read_latency);
    CHECK(std::abs(latency_error(row, result)) < 0.03);
    ++rows;
  }
  CHECK(rows == 12);
}

TEST_CASE("Ramulator 2.1: saturated, some of the runs", "[dram]") {
  using Key = std::tuple<std::string, std::string, std::string, Count, bool>;
  const std::set<Key> some = {{"ddr4_2400", "seq", "ro_ba_ra_co_ch", 1, false},
                              {"ddr4_2400", "rand", "ro_ba_ra_co_ch", 1, true},
                              {"ddr4_2400", "str4k", "mop4cl_xor", 1, true},
                              {"ddr4_2400", "str32k", "ro_ba_ra_co_ch", 1, true},
                              {"ddr4_2400", "str32k", "mop4cl_xor", 1, true},
                              {"ddr4_2400", "mix", "mop4cl_xor", 1, true},
                              {"hbm2_2000", "str32k", "ro_ba_ra_co_ch", 1, true},
                              {"hbm2_2000", "mix", "mop4cl_xor", 1, true},
                              {"hbm2_2000", "seq", "mop4cl_xor", 16, true},
                              {"hbm3_6400", "seq", "mop4cl_xor", 1, true},
                              {"hbm3_6400", "rand", "ro_ba_ra_co_ch", 1, true}};
  auto rows = table();
  std::erase_if(rows, [&](const Row& row) {
    return row.mode != "sat" ||
           !some.contains({row.memory, row.pattern, row.map, row.channels, row.refresh});
  });
  CHECK(rows.size() == some.size());
  check_saturated(rows);
}

// Half a minute; run it by name.
TEST_CASE("Ramulator 2.1: saturated, all of the runs", "[.][dram]") {
  auto rows = table();
  std::erase_if(rows, [](const Row& row) { return row.mode != "sat"; });
  CHECK(rows.size() == 42);
  check_saturated(rows);
}
