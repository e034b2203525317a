// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "arch/memory/dram/dram_params.hpp"

namespace tilewave {

/// Time of a DRAM channel: cycles of the command clock, or half cycles where commands may go on
/// both edges (DramStandard::half_cycle_precharge).
using DramTick = std::int64_t;
inline constexpr DramTick kNoTick = std::numeric_limits<DramTick>::max();

/// What a command waits for: RD and RDA for the same things, so do WR and WRA. Of the first
/// kDramOftenWaits it is asked often.
enum class DramWait : std::uint8_t { act, pre, rd, wr, pre_all, ref_all, ref_bank };
inline constexpr std::size_t kDramOftenWaits = 4;
inline constexpr std::size_t kDramWaits = 7;

/// The timing rules of a standard, compiled: what each command forbids for how long. The same for all
/// channels of a memory, which share one.
///
/// Banks are numbered ((pseudo_channel x ranks + rank) x bank_groups + group) x banks + bank; a
/// "group" is all the banks of one bank group. A node of any level above the bank is a range of
/// groups.
class DramTimingTables {
 public:
  static constexpr std::size_t kNodeLevels = kDramLevels - 1;  // above the bank
  static constexpr DramTick kNever = std::numeric_limits<DramTick>::min() / 2;

  /// All that a command forbids the commands of one wait, windows left aside: of each group of the
  /// node around the command's group, ticks from the command on; kNever: it need not wait.
  struct Spread {
    DramWait wait;
    std::size_t groups;           // in the node
    std::vector<DramTick> ticks;  // [command's group in the node][waiting group in the node]
  };
  /// The same for all groups of a node, or of its siblings.
  struct Update {
    DramWait wait;
    bool sibling;
    std::uint8_t level;
    int window;  // in windows(), -1 without one
    DramTick ticks;
  };
  /// What one command changes.
  struct Effects {
    std::vector<std::pair<DramWait, DramTick>> of_bank;  // of the bank itself
    std::vector<Spread> spreads;                         // of waits asked for often
    std::vector<Update> updates;                         // of others, and with windows
  };
  /// Of a rule that counts from one of the last commands at a node.
  struct Window {
    std::size_t commands;
    std::uint8_t level;
  };

  explicit DramTimingTables(const DramParams& dram);

  [[nodiscard]] const Effects& effects(DramCommand command) const noexcept {
    return effects_[static_cast<std::size_t>(command)];
  }
  [[nodiscard]] const std::vector<Window>& windows() const noexcept { return windows_; }

  [[nodiscard]] std::size_t banks() const noexcept { return groups_ << bank_bits_; }
  [[nodiscard]] std::size_t groups() const noexcept { return groups_; }
  [[nodiscard]] std::size_t group_of(std::size_t bank) const noexcept { return bank >> bank_bits_; }
  /// The groups of a node of a level above the bank are 2^node_bits.
  [[nodiscard]] unsigned node_bits(std::size_t level) const noexcept { return node_bits_[level]; }
  /// The banks of a node of `level` around `bank`: first and one past the last.
  [[nodiscard]] std::pair<std::size_t, std::size_t> scope(DramLevel level,
                                                          std::size_t bank) const noexcept;

  [[nodiscard]] DramTick ticks_per_cycle() const noexcept { return ticks_per_cycle_; }
  /// Ticks for which the command occupies its bus.
  [[nodiscard]] DramTick bus_ticks(DramCommand command) const noexcept {
    return bus_ticks_[static_cast<std::size_t>(command)];
  }
  /// RD and WR on the one hand, ACT and PRE on the other never wait for each other but at one bank.
  [[nodiscard]] bool rows_and_columns_apart() const noexcept { return apart_; }

  [[nodiscard]] static DramWait wait_of(DramCommand command) noexcept {
    using enum DramWait;
    constexpr std::array<DramWait, kDramCommands> kWaitOf{act, pre, pre_all, rd,      wr,
                                                          rd,  wr,  ref_all, ref_bank};
    return kWaitOf[static_cast<std::size_t>(command)];
  }

 private:
  void add_rule(const DramTimingRule& rule, const DramStandard& standard);
  void add(Effects& effects, const Update& update);
  void spread(Effects& effects, const Update& update) const;

  std::size_t groups_ = 1;
  unsigned bank_bits_ = 0;
  std::array<unsigned, kNodeLevels> node_bits_{};
  DramTick ticks_per_cycle_ = 1;
  bool apart_ = true;
  std::array<DramTick, kDramCommands> bus_ticks_{};
  std::array<Effects, kDramCommands> effects_;
  std::vector<Window> windows_;
};

}  // namespace tilewave
