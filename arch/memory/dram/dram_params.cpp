// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/dram/dram_params.hpp"

#include <algorithm>
#include <array>

namespace tilewave {

std::string_view to_string(DramLevel level) {
  static constexpr std::array<std::string_view, kDramLevels> kNames{"channel", "pseudo_channel",
                                                                    "rank", "bank_group", "bank"};
  return kNames[static_cast<std::size_t>(level)];
}

std::string_view to_string(DramCommand command) {
  static constexpr std::array<std::string_view, kDramCommands> kNames{
      "ACT", "PRE", "PREA", "RD", "WR", "RDA", "WRA", "REFab", "REFpb"};
  return kNames[static_cast<std::size_t>(command)];
}

std::int64_t DramParams::longest_rule(DramCommand from, DramCommand to) const {
  std::int64_t longest = 0;
  for (const DramTimingRule& rule : rules) {
    const auto has = [](const std::vector<DramCommand>& commands, DramCommand command) {
      return std::find(commands.begin(), commands.end(), command) != commands.end();
    };
    if (rule.window == 1 && !rule.sibling && has(rule.from, from) && has(rule.to, to)) {
      longest = std::max(longest, rule.cycles);
    }
  }
  return longest;
}

double DramParams::refresh_share() const {
  const auto share = [this](DramCommand refresh, double interval_cycles) {
    return static_cast<double>(longest_rule(refresh, DramCommand::act)) / interval_cycles;
  };
  switch (controller.refresh) {
    case DramRefresh::none:
      break;
    case DramRefresh::all_bank:
      return share(DramCommand::ref_all, static_cast<double>(refresh_all_interval_cycles));
    case DramRefresh::per_bank:  // one bank after another
      return share(DramCommand::ref_bank,
                   static_cast<double>(refresh_bank_interval_cycles) *
                       static_cast<double>(organisation.banks_per_channel()));
  }
  return 0;
}

}  // namespace tilewave
