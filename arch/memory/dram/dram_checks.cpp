// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/dram/dram_checks.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>

namespace tilewave {
namespace {

/// A timing and one that must not be longer; a standard need not have them.
struct Pair {
  const char* longer;
  const char* shorter;
};
constexpr std::array<Pair, 8> kOrdered{{{"nCCDL", "nCCDS"},
                                        {"nCCDL_WR", "nCCDS_WR"},
                                        {"nCCDR", "nCCDS"},
                                        {"nRRDL", "nRRDS"},
                                        {"nWTRL", "nWTRS"},
                                        {"nRPab", "nRP"},
                                        {"nRC", "nRAS"},
                                        {"nBL_max", "nBL"}}};

/// Banks of a channel, of all its ranks: far above any part.
constexpr Count kMaxBanks = 4096;

/// How long after a REFpb another one to another bank may go.
std::int64_t refresh_bank_spacing(const DramParams& dram) {
  const auto names = [](const std::vector<DramCommand>& list) {
    return std::ranges::find(list, DramCommand::ref_bank) != list.end();
  };
  std::int64_t longest = 0;
  for (const DramTimingRule& rule : dram.rules) {
    if (rule.level != DramLevel::bank && rule.window == 1 && !rule.sibling && names(rule.from) &&
        names(rule.to)) {
      longest = std::max(longest, rule.cycles);
    }
  }
  return longest;
}

void check_row_cycle(ObjectReader& cycles, const DramParams& dram) {
  const auto& timings = dram.timing_cycles;
  if (!timings.contains("nRAS") || !timings.contains("nRP") || !timings.contains("nRC")) return;
  const auto sum = dram.timing("nRAS") + dram.timing("nRP");
  if (dram.timing("nRC") + 1 < sum) {  // each rounded up for itself may make the sum one longer
    cycles.error("nRC", fmt::format("must be at least nRAS + nRP, {}, less one for their "
                                    "rounding, is {}",
                                    sum, dram.timing("nRC")));
  }
}

void check_refresh(ObjectReader& preset, const DramParams& dram) {
  const auto all = dram.longest_rule(DramCommand::ref_all, DramCommand::act);
  if (all >= dram.refresh_all_interval_cycles) {
    preset.error("timing_cycles",
                 fmt::format("a REFab takes {} cycles and comes every {}: nothing else gets done",
                             all, dram.refresh_all_interval_cycles));
  }
  if (!dram.standard.has_refresh_bank) return;
  const auto interval = dram.refresh_bank_interval_cycles;
  const auto spacing = refresh_bank_spacing(dram);
  if (spacing > interval) {
    preset.error("timing_cycles", fmt::format("a REFpb is due every {} cycles, but may follow "
                                              "another only after {}",
                                              interval, spacing));
  }
  const auto bank = dram.longest_rule(DramCommand::ref_bank, DramCommand::act);
  const auto round = interval * static_cast<std::int64_t>(dram.organisation.banks_per_channel());
  if (bank >= round) {
    preset.error(
        "timing_cycles",
        fmt::format("a REFpb takes {} cycles and comes to each bank every {}: nothing else "
                    "gets done",
                    bank, round));
  }
  // Rounding up by one cycle for each bank is tolerated.
  const auto allowed = dram.refresh_all_interval_cycles +
                       static_cast<std::int64_t>(dram.organisation.banks_per_channel());
  if (round > allowed) {
    preset.error("timing_cycles",
                 fmt::format("a REFpb every {} cycles comes to each of {} banks every {}; a REFab "
                             "comes every {}",
                             interval, dram.organisation.banks_per_channel(), round,
                             dram.refresh_all_interval_cycles));
  }
}

}  // namespace

std::string size_key(const ObjectReader& reader, std::string_view stem) {
  for (const SizeUnit& unit : kSizeUnits) {
    std::string key = std::string(stem) + std::string(unit.suffix);
    if (reader.has(key)) return key;
  }
  return std::string(stem) + "_bytes";
}

void check_dram_organisation(ObjectReader& organisation, const DramOrganisation& o) {
  if (o.banks_per_channel() > kMaxBanks) {
    organisation.error("", fmt::format("a channel must have at most {} banks, has {}", kMaxBanks,
                                       o.banks_per_channel()));
  }
  if (o.data_bits * o.burst_length % 8 != 0) {
    organisation.error("burst_length",
                       fmt::format("a burst of {} x {} bits is no whole number of bytes",
                                   o.burst_length, o.data_bits));
    return;
  }
  if (o.row_bytes % o.burst_bytes() != 0) {
    organisation.error(size_key(organisation, "row"),
                       fmt::format("must be a multiple of the burst of {} bytes, is {}",
                                   o.burst_bytes(), o.row_bytes));
  }
}

void check_dram_timings(ObjectReader& preset, const DramParams& dram) {
  const auto& timings = dram.timing_cycles;
  ObjectReader cycles = preset.object("timing_cycles", "");
  const auto beats = static_cast<std::int64_t>(dram.organisation.burst_length);
  if (beats % dram.timing("nBL") != 0) {
    cycles.error(
        "nBL", fmt::format("must divide the burst_length of {}, is {}", beats, dram.timing("nBL")));
  }
  for (const auto& [longer, shorter] : kOrdered) {
    if (timings.contains(longer) && timings.contains(shorter) &&
        dram.timing(longer) < dram.timing(shorter)) {
      cycles.error(longer, fmt::format("must be at least {}, {}, is {}", shorter,
                                       dram.timing(shorter), dram.timing(longer)));
    }
  }
  check_row_cycle(cycles, dram);
  check_refresh(preset, dram);
}

}  // namespace tilewave
