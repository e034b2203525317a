// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/dram/dram_config.hpp"

#include <array>
#include <bit>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "arch/memory/dram/dram_checks.hpp"
#include "arch/memory/dram/dram_map_config.hpp"
#include "arch/memory/dram/dram_standard_config.hpp"

namespace tilewave {
namespace {

constexpr std::array<Named<DramScheduler>, 3> kSchedulers{
    {{"fr_fcfs", DramScheduler::fr_fcfs},
     {"ready_first", DramScheduler::ready_first},
     {"fcfs", DramScheduler::fcfs}}};
constexpr std::array<Named<DramPagePolicy>, 2> kPagePolicies{
    {{"open", DramPagePolicy::open}, {"closed", DramPagePolicy::closed}}};
constexpr std::array<Named<DramRefresh>, 3> kRefreshes{{{"none", DramRefresh::none},
                                                        {"all_bank", DramRefresh::all_bank},
                                                        {"per_bank", DramRefresh::per_bank}}};
constexpr Range kQueue{1, 4096};

template <typename E, std::size_t N>
std::string_view name_in(const std::array<Named<E>, N>& table, E value) {
  for (const auto& [name, each] : table) {
    if (each == value) return name;
  }
  return {};
}

Count power_of_two(ObjectReader& reader, std::string_view key, Count max,
                   std::string_view meaning) {
  const Count value = reader.count(key, {1, max}, fmt::format("{}; a power of two", meaning));
  if (!std::has_single_bit(value)) {
    reader.error(key, fmt::format("must be a power of two, is {}", value));
  }
  return value;
}

DramOrganisation read_organisation(ObjectReader& reader) {
  DramOrganisation o;
  o.channels = reader.count("channels", {1, 4096}, "channels, each with a controller");
  o.pseudo_channels = power_of_two(reader, "pseudo_channels", 16, "data buses of a channel");
  o.ranks = power_of_two(reader, "ranks", 64, "ranks, or stack IDs, on a data bus");
  o.bank_groups = power_of_two(reader, "bank_groups", 64, "bank groups of a rank");
  o.banks = power_of_two(reader, "banks", 256, "banks of a bank group");
  o.rows = reader.count("rows", {1, Count{1} << 24}, "rows of a bank");
  o.row_bytes = reader.capacity("row", {1, Bytes{1} << 20},
                                "row of a bank, of all devices of a data bus; a power of two");
  if (!std::has_single_bit(o.row_bytes)) {
    reader.error(size_key(reader, "row"),
                 fmt::format("must be a power of two, is {}", o.row_bytes));
  }
  o.data_bits = power_of_two(reader, "data_bits", 4096, "width of a data bus");
  o.burst_length = power_of_two(reader, "burst_length", 64, "beats of a RD or WR");
  reader.finish();
  if (reader.ok()) check_dram_organisation(reader, o);
  return o;
}

DramControllerParams read_controller(ObjectReader reader, bool has_refresh_bank) {
  DramControllerParams c;
  c.scheduler = reader.optional_choice<DramScheduler>("scheduler", c.scheduler, kSchedulers,
                                                      "which command goes first");
  c.row_hit_cap = reader.optional_count("row_hit_cap", c.row_hit_cap, {1, 1'000'000},
                                        "row hits that may pass an older request (fr_fcfs)");
  c.max_wait_cycles = reader.optional_count(
      "max_wait_cycles", c.max_wait_cycles, {0, 1'000'000'000},
      "reads or writes that wait so long for the other direction get a turn; 0: no limit");
  c.page_policy = reader.optional_choice<DramPagePolicy>("page_policy", c.page_policy,
                                                         kPagePolicies, "when rows are closed");
  c.refresh = reader.optional_choice<DramRefresh>("refresh", c.refresh, kRefreshes, "refresh");
  c.read_queue = reader.optional_count("read_queue", c.read_queue, kQueue, "bursts of a channel");
  c.write_queue =
      reader.optional_count("write_queue", c.write_queue, kQueue, "bursts of a channel");
  c.write_high_watermark =
      reader.optional_number("write_high_watermark", c.write_high_watermark, RealRange::share(),
                             "share of the write queue from which on writes are drained");
  c.write_low_watermark =
      reader.optional_number("write_low_watermark", c.write_low_watermark, RealRange::share(),
                             "share of the write queue down to which they are");
  if (reader.ok() && !(c.write_low_watermark < c.write_high_watermark)) {
    reader.error("write_low_watermark", fmt::format("must be below write_high_watermark, {}, is {}",
                                                    c.write_high_watermark, c.write_low_watermark));
  }
  if (c.scheduler != DramScheduler::fr_fcfs) {
    reader.no_effect("row_hit_cap", "it is about the scheduler fr_fcfs");
  }
  if (c.refresh == DramRefresh::per_bank && !has_refresh_bank) {
    reader.error("refresh", "the standard has no per-bank refresh");
  }
  reader.finish();
  return c;
}

DramEnergy read_energy(ObjectReader reader, bool has_refresh_bank) {
  constexpr RealRange kEnergy = RealRange::non_negative(1e12);
  DramEnergy e;
  e.activate_pj = reader.number("activate_pj", kEnergy, "an ACT and its PRE");
  e.read_pj_per_bit = reader.number("read_pj_per_bit", kEnergy, "a bit read, without I/O");
  e.write_pj_per_bit = reader.number("write_pj_per_bit", kEnergy, "a bit written, without I/O");
  e.io_pj_per_bit =
      reader.number("io_pj_per_bit", kEnergy, "drivers, receivers, termination of a bit");
  e.refresh_all_pj = reader.number("refresh_all_pj", kEnergy, "a REFab of its scope");
  if (has_refresh_bank) {
    e.refresh_bank_pj = reader.number("refresh_bank_pj", kEnergy, "a REFpb");
  }
  e.background_mw = reader.number("background_mw", kEnergy, "a channel at all times");
  reader.finish();
  return e;
}

Json to_json(const DramOrganisation& o) {
  return {{"channels", o.channels},
          {"pseudo_channels", o.pseudo_channels},
          {"ranks", o.ranks},
          {"bank_groups", o.bank_groups},
          {"banks", o.banks},
          {"rows", o.rows},
          {"row_bytes", o.row_bytes},
          {"data_bits", o.data_bits},
          {"burst_length", o.burst_length}};
}

Json to_json(const DramControllerParams& c) {
  return {{"scheduler", name_in(kSchedulers, c.scheduler)},
          {"row_hit_cap", c.row_hit_cap},
          {"max_wait_cycles", c.max_wait_cycles},
          {"page_policy", name_in(kPagePolicies, c.page_policy)},
          {"refresh", name_in(kRefreshes, c.refresh)},
          {"read_queue", c.read_queue},
          {"write_queue", c.write_queue},
          {"write_high_watermark", c.write_high_watermark},
          {"write_low_watermark", c.write_low_watermark}};
}

Json to_json(const DramEnergy& e, bool has_refresh_bank) {
  Json json{{"activate_pj", e.activate_pj},
            {"read_pj_per_bit", e.read_pj_per_bit},
            {"write_pj_per_bit", e.write_pj_per_bit},
            {"io_pj_per_bit", e.io_pj_per_bit},
            {"refresh_all_pj", e.refresh_all_pj}};
  if (has_refresh_bank) json["refresh_bank_pj"] = e.refresh_bank_pj;
  json["background_mw"] = e.background_mw;
  return json;
}

}  // namespace

DramParams read_dram(ObjectReader& preset, ObjectReader& standard) {
  DramParams dram;
  dram.name = preset.text("name", "name of the memory");
  (void)preset.text("standard", "the standard: a name or a file");
  dram.data_rate_mbps = preset.number("data_rate_mbps", {.min = 1, .max = 1e6},
                                      "transfers on each pin, 10^6 a second");
  auto organisation = preset.object("organisation", "channels, banks, rows, data bus");
  dram.organisation = read_organisation(organisation);
  const bool organisation_known = organisation.ok();
  const bool timings_known = read_dram_timings(preset, standard, dram);
  read_dram_standard(standard, timings_known, dram);
  standard.finish();
  const bool has_refresh_bank = dram.standard.has_refresh_bank;
  dram.controller = read_controller(
      preset.optional_object("controller", "scheduling, refresh, queues"), has_refresh_bank);
  dram.map = read_dram_map(preset.object("address_map", "where the bytes of an address are"),
                           dram.organisation, organisation_known);
  dram.energy =
      read_energy(preset.object("energy", "energy by command, at the device"), has_refresh_bank);
  preset.finish();
  if (preset.ok() && standard.ok()) check_dram_timings(preset, dram);
  return dram;
}

Json to_json(const DramParams& dram) {
  Json json{{"name", dram.name},
            {"standard", dram_standard_to_json(dram)},
            {"data_rate_mbps", dram.data_rate_mbps},
            {"organisation", to_json(dram.organisation)},
            {"timing_cycles", Json::object()},
            {"controller", to_json(dram.controller)},
            {"address_map", dram_map_to_json(dram.map)},
            {"energy", to_json(dram.energy, dram.standard.has_refresh_bank)}};
  for (const auto& [name, cycles] : dram.timing_cycles) json["timing_cycles"][name] = cycles;
  return json;
}

}  // namespace tilewave
