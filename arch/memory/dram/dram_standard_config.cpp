// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/dram/dram_standard_config.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "arch/memory/dram/dram_expression.hpp"
#include "sim/config/json_path.hpp"

namespace tilewave {
namespace {

using enum DramCommand;
constexpr std::array<DramLevel, kDramLevels> kLevels{DramLevel::channel, DramLevel::pseudo_channel,
                                                     DramLevel::rank, DramLevel::bank_group,
                                                     DramLevel::bank};
constexpr std::array<DramCommand, kDramCommands> kCommands{act,   pre,   pre_all, rd,      wr,
                                                           rd_ap, wr_ap, ref_all, ref_bank};
constexpr Range kTiming{0, 1'000'000};
constexpr Count kMaxWindow = 64;

const std::vector<Named<DramLevel>>& levels() {
  static const auto table = named<DramLevel>(kLevels);
  return table;
}
const std::vector<Named<DramCommand>>& commands() {
  static const auto table = named<DramCommand>(kCommands);
  return table;
}

/// Expressions of the standard's file, worked out with the preset's timings.
class Expressions {
 public:
  Expressions(const DramParams& dram, bool timings_known)
      : dram_(dram), timings_known_(timings_known) {}

  /// The value of the expression at `key`, at least `min`; `text` becomes the expression.
  std::int64_t read(ObjectReader& reader, std::string_view key, std::string_view meaning,
                    std::string& text, std::int64_t min = 1) const {
    text = reader.text(key, meaning);
    if (text.empty()) return min;  // reported
    const auto result = evaluate_timing(text, dram_.timing_cycles);
    if (!result.value) {
      reader.error(key, result.fault);
      return min;
    }
    if (timings_known_ && *result.value < min) {
      reader.error(key, fmt::format("must come to at least {}; {} of {} comes to {}", min,
                                    in_quotes(text), dram_.name, *result.value));
      return min;
    }
    return *result.value;
  }
  [[nodiscard]] bool timings_known() const { return timings_known_; }

 private:
  const DramParams& dram_;
  bool timings_known_;
};

void read_commands(ObjectReader& rule, std::string_view key, std::string_view meaning,
                   std::vector<DramCommand>& list) {
  list = rule.optional_choices<DramCommand>(key, commands(), meaning);
  if (list.empty() && rule.ok()) rule.error(key, "must name at least one command");
}

DramTimingRule read_rule(ObjectReader& reader, const Expressions& expressions) {
  DramTimingRule rule;
  rule.level = reader.choice<DramLevel>("level", levels(), "where the commands must meet");
  read_commands(reader, "from", "the commands waited for", rule.from);
  read_commands(reader, "to", "the commands that wait", rule.to);
  rule.window = static_cast<unsigned>(reader.optional_count(
      "window", 1, {1, kMaxWindow}, "counts from the window-th last of `from`"));
  rule.sibling =
      reader.optional_flag("sibling", false, "from one node to the others of the same parent");
  // Between siblings nothing or less is no wait: a bus may be turned around by the latencies alone.
  constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::min();
  const auto cycles =
      expressions.read(reader, "cycles", "clock cycles to wait, an expression of timings",
                       rule.expression, rule.sibling ? kAny : 1);
  rule.cycles = std::max<std::int64_t>(cycles, 0);
  const auto resolved =
      reader.maybe_count("resolved_cycles", Range{}, "what `cycles` comes to; only checked");
  if (resolved && expressions.timings_known() && *resolved != static_cast<Count>(rule.cycles)) {
    reader.error("resolved_cycles", fmt::format("is {}, but {} comes to {}", *resolved,
                                                in_quotes(rule.expression), rule.cycles));
  }
  if (rule.sibling && rule.level == DramLevel::channel) {
    reader.error("sibling", "channels have nothing in common that a rule could be about");
  }
  reader.finish();
  return rule;
}

/// What the controllers cannot keep is refused, not done wrong.
void check_rule(ObjectReader& reader, const DramTimingRule& rule, const DramStandard& standard) {
  const auto names = [](const std::vector<DramCommand>& list,
                        std::initializer_list<DramCommand> wanted) {
    return std::ranges::any_of(
        list, [&](DramCommand c) { return std::ranges::find(wanted, c) != wanted.end(); });
  };
  if (rule.level == DramLevel::bank && rule.sibling) {
    reader.error("sibling", "a rule between banks is one of their bank group");
  }
  if (rule.level == DramLevel::bank && rule.window > 1) {
    reader.error("window", "a bank keeps no windows");
  }
  const auto all_banks = {DramCommand::pre_all, DramCommand::ref_all};
  if (rule.level > standard.refresh_all_scope &&
      (names(rule.from, all_banks) || names(rule.to, all_banks))) {
    reader.error("level", fmt::format("PREA and REFab are of a whole {}: not of a level below",
                                      to_string(standard.refresh_all_scope)));
  }
  if (standard.split_command_bus && rule.level != DramLevel::bank &&
      names(rule.from,
            {DramCommand::rd, DramCommand::rd_ap, DramCommand::wr, DramCommand::wr_ap}) &&
      names(rule.to, {DramCommand::act, DramCommand::pre})) {
    reader.error("level",
                 "with a split command bus, ACT and PRE wait for RD and WR of their own "
                 "bank only");
  }
}

void read_bus(ObjectReader& standard, DramStandard& s) {
  s.split_command_bus = standard.optional_choice<bool>(
      "command_bus", false, {{"single", false}, {"split", true}},
      "single: one command a cycle; split: a row and a column command");
  s.half_cycle_precharge =
      standard.optional_flag("half_cycle_precharge", false, "PRE may go on the falling edge too");
  s.effect_at_last_cycle =
      standard.optional_flag("effect_at_last_cycle", false,
                             "timings of a command of several cycles count from its last one");
  std::vector<std::string_view> names;
  names.reserve(kCommands.size());
  for (const DramCommand command : kCommands) names.push_back(to_string(command));
  for (const auto& [name, half_cycles] :
       standard.optional_number_map("command_half_cycles", names, {.min = 1, .max = 64},
                                    "half cycles that a command takes on its bus, if not 2")) {
    const auto command =
        kCommands[static_cast<std::size_t>(std::ranges::find(names, name) - names.begin())];
    const auto whole = static_cast<unsigned>(half_cycles);
    if (whole != half_cycles) {
      standard.object("command_half_cycles", "").error(name, "must be an integer");
    }
    s.command_half_cycles[command] = whole;
  }
}

void read_refresh(ObjectReader& standard, const Expressions& expressions, DramParams& dram) {
  auto all = standard.object("refresh_all", "REFab, which refreshes all banks of its scope");
  dram.standard.refresh_all_scope =
      all.choice<DramLevel>("scope", std::span(levels()).first(3), "what a REFab covers");
  dram.refresh_all_interval_cycles = expressions.read(
      all, "interval", "from one REFab of a scope to the next", dram.standard.refresh_all_interval);
  all.finish();
  if (auto bank = standard.maybe_object("refresh_bank", "REFpb, which refreshes one bank")) {
    dram.standard.has_refresh_bank = true;
    dram.refresh_bank_interval_cycles =
        expressions.read(*bank, "interval", "from one REFpb of a channel to the next",
                         dram.standard.refresh_bank_interval);
    bank->finish();
  }
}

Json names_of(const std::vector<DramCommand>& list) {
  Json names = Json::array();
  for (const DramCommand command : list) names.push_back(to_string(command));
  return names;
}

}  // namespace

bool read_dram_timings(ObjectReader& preset, ObjectReader& standard, DramParams& dram) {
  const auto names = standard.optional_texts("timings", "names of the timings a preset must give");
  auto values = preset.object("timing_cycles", "the standard's timings in command clock cycles");
  for (const std::string& name : names) {
    const Count cycles = values.count(name, kTiming, "command clock cycles");
    dram.timing_cycles[name] = static_cast<std::int64_t>(cycles);
  }
  values.finish();
  const auto bus = dram.timing_cycles.find("nBL");
  if (bus == dram.timing_cycles.end()) {
    standard.error("timings", "must have \"nBL\", the cycles of a burst on the data bus");
    dram.timing_cycles["nBL"] = 1;
  } else if (values.ok() && bus->second == 0) {
    values.error("nBL", "must be at least 1, is 0");
  }
  return values.ok();
}

void read_dram_standard(ObjectReader& standard, bool timings_known, DramParams& dram) {
  const Expressions expressions(dram, timings_known);
  dram.standard.name = standard.text("name", "name of the standard");
  read_bus(standard, dram.standard);
  dram.read_latency_cycles = expressions.read(
      standard, "read_latency", "from RD to the end of its data", dram.standard.read_latency);
  dram.write_latency_cycles = expressions.read(
      standard, "write_latency", "from WR to the end of its data", dram.standard.write_latency);
  read_refresh(standard, expressions, dram);
  const bool scopes_known = standard.ok();
  for (ObjectReader& rule :
       standard.objects("rules", {.min = 1, .max = 1000}, "waits between commands")) {
    dram.rules.push_back(read_rule(rule, expressions));
    if (scopes_known && rule.ok()) check_rule(rule, dram.rules.back(), dram.standard);
  }
}

Json dram_standard_to_json(const DramParams& dram) {
  const DramStandard& s = dram.standard;
  Json json{{"name", s.name},
            {"command_bus", s.split_command_bus ? "split" : "single"},
            {"half_cycle_precharge", s.half_cycle_precharge},
            {"effect_at_last_cycle", s.effect_at_last_cycle}};
  Json& half_cycles = json["command_half_cycles"] = Json::object();
  for (const auto& [command, count] : s.command_half_cycles) {
    half_cycles[std::string(to_string(command))] = count;
  }
  Json& timings = json["timings"] = Json::array();
  for (const auto& [name, cycles] : dram.timing_cycles) timings.push_back(name);
  json["read_latency"] = s.read_latency;
  json["write_latency"] = s.write_latency;
  json["refresh_all"] = {{"scope", to_string(s.refresh_all_scope)},
                         {"interval", s.refresh_all_interval}};
  if (s.has_refresh_bank) {
    json["refresh_bank"] = {{"interval", s.refresh_bank_interval}};
  }
  Json& rules = json["rules"] = Json::array();
  for (const DramTimingRule& rule : dram.rules) {
    rules.push_back({{"level", to_string(rule.level)},
                     {"from", names_of(rule.from)},
                     {"to", names_of(rule.to)},
                     {"cycles", rule.expression},
                     {"resolved_cycles", rule.cycles},
                     {"window", rule.window},
                     {"sibling", rule.sibling}});
  }
  return json;
}

}  // namespace tilewave
