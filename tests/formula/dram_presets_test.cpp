// SPDX-License-Identifier: Apache-2.0
// What each preset takes for a burst, a stream, a row after another: by formula from its timings.
#include <algorithm>
#include <cstdint>

#include "support/catch.hpp"
#include "support/dram_files.hpp"
#include "support/in_order_source.hpp"

#include "arch/memory/dram/dram_system.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

/// Timings of the preset under one name whatever the standard calls them, in cycles.
struct Timings {
  std::int64_t activate_to_read, activate_to_write, precharge;
  std::int64_t read_latency, write_latency;  ///< RD, WR to the last data
  std::int64_t row;                          ///< ACT to ACT of a bank, at least
  std::int64_t read_to_precharge, write_to_precharge;
  std::int64_t activate_apart;  ///< ACT to ACT of other bank groups
  std::int64_t four_activates;
};
struct Preset {
  const char* name;
  double gb_per_s;
  Timings t;
};

// activate_to_read = nRCDRD or nRCD, ..., read_latency = nCL + nBL, write_latency = nCWL + nBL,
// row = max(nRC, nRAS + nRP), read_to_precharge = nRTP, write_to_precharge = nCWL + nBL + nWR.
// lpddr4x: data come nDQSCK after nRL, written ones 1 after nWL; PRE is two cycles shorter than
// ACT, RD and WR: nRP - 2, nRTP + 2, and so on.
constexpr Preset kPresets[] = {
    {"ddr3_2133", 17.064, {12, 12, 12, 12 + 4, 10 + 4, 48, 8, 10 + 4 + 16, 6, 27}},
    {"ddr4_3200", 25.6, {22, 22, 22, 22 + 4, 16 + 4, 74, 12, 16 + 4 + 24, 4, 34}},
    {"lpddr4x_4266",
     34.128,
     {39, 39, 39 - 2, 36 + 4 + 8, 18 + 1 + 8, 129, 17 + 2, 18 + 1 + 8 + 39 + 2, 22, 86}},
    {"lpddr5_6400", 51.2, {15, 15, 15, 17 + 2, 9 + 2, 49, 8, 9 + 2 + 28, 4, 16}},
    {"gddr5_7000", 28, {21, 18, 21, 24 + 2, 7 + 2, 70, 4, 7 + 2 + 21, 11, 41}},
    {"gddr5x_11000", 44, {17, 14, 17, 19 + 2, 6 + 2, 39 + 17, 3, 6 + 2 + 17, 9, 33}},
    {"gddr6_14000", 56, {27, 16, 27, 24 + 2, 6 + 2, 53 + 27, 4, 6 + 2 + 27, 8, 29}},
    {"hbm_1000", 128, {7, 6, 7, 7 + 1, 4 + 1, 24, 4, 4 + 1 + 8, 4, 8}},
    {"hbm2_2000", 256, {14, 12, 14, 14 + 2, 5 + 2, 48, 5, 5 + 2 + 16, 4, 15}},
    {"hbm2_2400", 307.2, {17, 14, 17, 17 + 2, 6 + 2, 57, 6, 6 + 2 + 19, 5, 19}},
    {"hbm2e_3200", 409.6, {23, 20, 23, 23 + 2, 8 + 2, 55 + 23, 8, 8 + 2 + 26, 7, 24}},
    {"hbm3_5200", 665.6, {26, 13, 22, 17 + 2, 9 + 2, 59, 8, 9 + 2 + 27, 4, 20}},
    {"hbm3e_8000", 1024, {39, 19, 33, 25 + 2, 13 + 2, 90, 12, 13 + 2 + 42, 5, 30}},
    {"hbm4_8000", 2048, {39, 19, 33, 20 + 2, 10 + 2, 90, 12, 10 + 2 + 42, 5, 30}},
};

DramParams without_refresh(const char* name) {
  DramParams dram = dram_preset(name);
  dram.organisation.channels = 1;
  dram.controller.refresh = DramRefresh::none;
  use_plain_map(dram);
  return dram;
}
DramTick ticks_per_cycle(const DramParams& dram) {
  return dram.standard.half_cycle_precharge ? 2 : 1;
}

/// Latencies of bursts of an otherwise idle channel, in cycles; they come far apart.
class Probe final : DramChannel::Listener {
 public:
  explicit Probe(const DramParams& dram) : dram_(dram), channels_(dram, this) {}

  std::int64_t operator()(std::uint64_t bank, std::uint64_t row, std::uint64_t column, bool write) {
    now_ += 1000 * ticks_per_cycle(dram_);
    channels_.accept(now_, 0, burst_at(dram_, bank, row, column), write, 0);
    channels_.drain();
    return latency_ / ticks_per_cycle(dram_);
  }

 private:
  void on_served(std::uint64_t, bool, DramTick accepted, DramTick done) override {
    latency_ = done - accepted;
    CHECK(latency_ % ticks_per_cycle(dram_) == 0);
  }
  DramParams dram_;
  Channels channels_;
  DramTick now_ = 0, latency_ = 0;
};

/// Cycles for each burst of many to one channel, as fast as it takes them. The first ones, while
/// queues fill, do not count.
template <typename Place>
double cycles_per_burst(const DramParams& dram, bool write, Place&& place) {
  constexpr Count kBursts = 4000, kWarmUp = 500;
  Channels channels(dram);
  Count given = 0;
  DramTick begin = 0;
  const DramTick end = feed_in_order(channels, 2, [&](SourceBurst& burst) {
    if (given == kWarmUp) begin = channels[0].last_data();
    if (given == kBursts) return false;
    burst = {.burst = place(given), .write = write};
    ++given;
    return true;
  });
  CHECK(end > begin);
  // Between the times at which the same number of bursts wait in full queues.
  return static_cast<double>(channels[0].last_data() - begin) /
         static_cast<double>(ticks_per_cycle(dram) * DramTick{kBursts - kWarmUp});
}

struct StreamResult {
  double gb_per_s;
  std::int64_t cycles, data_cycles;  ///< all, and of a data bus
  std::int64_t refreshes;            ///< of a bank, or of a scope of REFab
};
/// A stream of 64 bytes at a time over all channels, for about `cycles` of their data buses.
StreamResult stream(const DramParams& dram, bool write, std::int64_t cycles) {
  constexpr Bytes kRequest = 64;
  const auto& o = dram.organisation;
  const auto of_bus = cycles / dram.timing("nBL") / 16 * 16;
  const Bytes bytes = static_cast<Count>(of_bus) * o.burst_bytes() * o.pseudo_channels * o.channels;
  DramSystem system(dram, DramPace::run_ahead, 256 * o.channels);
  DramSystem::Completion done;
  Bytes address = 0;
  for (DramTick now = 0; now != kNoTick; now = system.next()) {
    system.advance(now);
    while (system.pop_done(now, done)) {
    }
    for (; address < bytes && system.can_submit(); address += kRequest) {
      system.submit(now, address, kRequest, write, 0);
    }
  }
  system.check_laws();
  const std::int64_t taken = system.last_data() / ticks_per_cycle(dram);
  const bool per_bank = dram.controller.refresh == DramRefresh::per_bank;
  const auto command = per_bank ? DramCommand::ref_bank : DramCommand::ref_all;
  const auto [first, last] =
      DramTimingTables(dram).scope(per_bank ? DramLevel::bank : dram.standard.refresh_all_scope, 0);
  const Count scopes = o.channels * o.banks_per_channel() / (last - first);
  return {
      .gb_per_s = static_cast<double>(bytes) / (static_cast<double>(taken) / dram.clock().ghz()),
      .cycles = taken,
      .data_cycles = of_bus * dram.timing("nBL"),
      .refreshes = static_cast<std::int64_t>(
          system.counts().commands[static_cast<std::size_t>(command)] / scopes)};
}

double share(std::int64_t part, std::int64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

TEST_CASE("DRAM presets: latency of a burst, unloaded", "[dram]") {
  for (const Preset& preset : kPresets) {
    INFO(preset.name);
    const Timings& t = preset.t;
    Probe probe(without_refresh(preset.name));
    CHECK(probe(0, 7, 0, false) == t.activate_to_read + t.read_latency);                // closed
    CHECK(probe(0, 7, 1, false) == t.read_latency);                                     // hit
    CHECK(probe(0, 8, 0, false) == t.precharge + t.activate_to_read + t.read_latency);  // conflict
    CHECK(probe(1, 7, 0, true) == t.activate_to_write + t.write_latency);
    CHECK(probe(1, 7, 1, true) == t.write_latency);
    CHECK(probe(1, 8, 0, true) == t.precharge + t.activate_to_write + t.write_latency);
    CHECK(probe(1, 8, 1, false) == t.read_latency);  // read and write find the same rows
    CHECK(probe(0, 8, 2, true) == t.write_latency);
  }
}

TEST_CASE("DRAM presets: rows of one bank after one another", "[dram]") {
  for (const Preset& preset : kPresets) {
    const Timings& t = preset.t;
    const DramParams dram = without_refresh(preset.name);
    const auto next_row = [&](Count i) { return burst_at(dram, 0, i); };
    const double read = static_cast<double>(
        std::max(t.row, t.activate_to_read + t.read_to_precharge + t.precharge));
    const double write = static_cast<double>(
        std::max(t.row, t.activate_to_write + t.write_to_precharge + t.precharge));
    INFO(preset.name << ": " << read << " and " << write);
    CHECK(cycles_per_burst(dram, false, next_row) == Approx(read).epsilon(0.02));
    CHECK(cycles_per_burst(dram, true, next_row) == Approx(write).epsilon(0.02));
  }
}

TEST_CASE("DRAM presets: rows of all banks in turn", "[dram]") {
  for (const Preset& preset : kPresets) {
    DramParams dram = without_refresh(preset.name);
    const auto& o = dram.organisation;
    // Banks in an order in which neighbours are of other pseudo-channels and bank groups.
    const auto bank_of = [&](Count i) {
      const Count pseudo_channel = i % o.pseudo_channels, in_pc = i / o.pseudo_channels;
      const Count group = in_pc % o.bank_groups, in_group = in_pc / o.bank_groups;
      const Count bank = in_group % o.banks, rank = in_group / o.banks % o.ranks;
      return ((pseudo_channel * o.ranks + rank) * o.bank_groups + group) * o.banks + bank;
    };
    const auto place = [&](Count i) {
      return burst_at(dram, bank_of(i), i / o.banks_per_channel());
    };
    const Timings& t = preset.t;
    for (const auto policy : {DramPagePolicy::open, DramPagePolicy::closed}) {
      dram.controller.page_policy = policy;
      double bus = 0;
      const auto occupies = [&](DramCommand command) {
        const auto found = dram.standard.command_half_cycles.find(command);
        bus += (found == dram.standard.command_half_cycles.end() ? 2 : found->second) * 0.5;
      };
      occupies(DramCommand::act);
      if (policy == DramPagePolicy::open) occupies(DramCommand::pre);
      if (!dram.standard.split_command_bus) occupies(DramCommand::rd);
      const auto each = static_cast<double>(o.pseudo_channels);
      const double expected =
          std::max({static_cast<double>(t.four_activates) / 4 / each,
                    static_cast<double>(t.activate_apart) / each, bus,
                    static_cast<double>(t.row) / static_cast<double>(o.banks_per_channel())});
      const double measured = cycles_per_burst(dram, false, place);
      INFO(preset.name << (policy == DramPagePolicy::open ? ", open" : ", closed"));
      CHECK(measured > expected * 0.999);
      // A command that waits a cycle for a bus of all commands makes a window of four longer.
      CHECK(measured < expected * 1.02 + (dram.standard.split_command_bus ? 0 : 0.25));
    }
  }
}

TEST_CASE("DRAM presets: bandwidth of a stream", "[dram]") {
  for (const Preset& preset : kPresets) {
    const DramParams dram = dram_preset(preset.name);
    const auto r = stream(dram, false, 2 * dram.timing("nREFI") + 1000);
    const double refresh = share(dram.timing("nRFC"), dram.timing("nREFI"));
    INFO(preset.name << ": " << r.gb_per_s << " of " << preset.gb_per_s << " GB/s, refresh "
                     << refresh);
    CHECK(r.gb_per_s > 0.94 * (1 - refresh) * preset.gb_per_s);
    CHECK(r.gb_per_s < preset.gb_per_s);
    CHECK(r.refreshes >= 2);
    CHECK(r.cycles > r.data_cycles + r.refreshes * dram.timing("nRFC"));
  }
}

TEST_CASE("DRAM presets: bandwidth of a stream of writes", "[dram]") {
  for (const Preset& preset : kPresets) {
    DramParams dram = dram_preset(preset.name);
    dram.controller.refresh = DramRefresh::none;
    const auto r = stream(dram, true, 4000);
    INFO(preset.name << ": " << r.gb_per_s << " of " << preset.gb_per_s << " GB/s");
    CHECK(r.gb_per_s > 0.94 * preset.gb_per_s);
    CHECK(r.gb_per_s < preset.gb_per_s);
  }
}

// A stream works in the rows of some banks at a time, and waits when one of them is refreshed. Its
// 64 bursts of look-ahead hide little of that.
TEST_CASE("DRAM presets: bandwidth of a stream with refresh bank by bank", "[dram]") {
  std::size_t presets = 0;
  for (const Preset& preset : kPresets) {
    DramParams dram = dram_preset(preset.name);
    if (!dram.standard.has_refresh_bank) continue;
    ++presets;
    dram.organisation.channels = 1;
    dram.controller.refresh = DramRefresh::per_bank;
    const auto& o = dram.organisation;
    const double peak = dram.peak_gb_per_s();
    const auto round = dram.timing("nREFIpb") * static_cast<std::int64_t>(o.banks_per_channel());
    const auto r = stream(dram, false, 8 * round);
    const double refresh = share(dram.timing("nRFCpb"), round);
    // Cycles in the same rows; and waits for a refresh that is there when the stream comes to the
    // bank, which is half done, or comes meanwhile, of each of the banks.
    const auto banks_at_work = static_cast<double>(o.pseudo_channels * o.bank_groups);
    const double work = static_cast<double>(o.row_bytes / o.burst_bytes()) * banks_at_work *
                        static_cast<double>(dram.timing("nBL")) /
                        static_cast<double>(o.pseudo_channels);
    const auto busy = static_cast<double>(dram.timing("nRFCpb"));
    const double waits =
        banks_at_work * (refresh * busy / 2 + work / static_cast<double>(round) * busy);
    INFO(preset.name << ": " << r.gb_per_s << " of " << peak << " GB/s, refresh " << refresh);
    CHECK(r.gb_per_s > work / (work + waits) * peak);
    if (busy < 2 * work) CHECK(r.gb_per_s > 0.85 * (1 - refresh) * peak);
    CHECK(r.gb_per_s < peak);
    CHECK(r.refreshes >= 8);
  }
  CHECK(presets == 10);
}

TEST_CASE("HBM3 at its full 6.4 Gb/s comes near 819.2 GB/s", "[dram]") {
  DramFiles files("hbm3_5200");
  files.preset["data_rate_mbps"] = 6400;
  const DramParams dram = files.read();
  files.diagnostics.throw_if_errors();
  const auto r = stream(dram, false, 2 * dram.timing("nREFI") + 1000);
  const double refresh = share(dram.timing("nRFC"), dram.timing("nREFI"));
  CHECK(r.gb_per_s > 0.94 * (1 - refresh) * 819.2);
  CHECK(r.gb_per_s < 819.2);
}
