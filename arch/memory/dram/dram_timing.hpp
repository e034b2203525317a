// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "arch/memory/dram/dram_params.hpp"

namespace tilewave {

/// Time of a DRAM channel: cycles of the command clock, or half cycles where commands may go on
/// both edges (DramStandard::half_cycle_precharge).
using DramTick = std::int64_t;
inline constexpr DramTick kNoTick = std::numeric_limits<DramTick>::max();

/// The timing rules of a channel, compiled, and when each command may go next.
///
/// Banks are numbered ((pseudo_channel x ranks + rank) x bank_groups + group) x banks + bank; a
/// "group" is all the banks of one bank group. A node of any level is a range of groups, so what a
/// command forbids is kept per group (all levels above the bank) and per bank: when a command may
/// go is the later of two numbers. RD and RDA wait for the same things, so do WR and WRA.
class DramTiming {
 public:
  /// What a command waits for.
  enum Wait : std::size_t { kAct, kPre, kPreAll, kRead, kWrite, kRefAll, kRefBank, kWaits };

  explicit DramTiming(const DramParams& dram);

  [[nodiscard]] DramTick ticks_per_cycle() const noexcept { return ticks_per_cycle_; }
  [[nodiscard]] std::size_t banks() const noexcept { return bank_ready_.size(); }
  [[nodiscard]] std::size_t groups() const noexcept { return groups_; }
  [[nodiscard]] std::size_t group_of(std::size_t bank) const noexcept {
    return bank >> banks_per_group_bits_;
  }
  /// The banks of a node of `level` around `bank`: first and one past the last.
  [[nodiscard]] std::pair<std::size_t, std::size_t> scope(DramLevel level,
                                                          std::size_t bank) const noexcept;

  /// Earliest tick at which the command may go to `bank`, buses left aside.
  [[nodiscard]] DramTick ready(Wait wait, std::size_t bank) const noexcept {
    return std::max(group_ready(wait, group_of(bank)), bank_ready(wait, bank));
  }
  /// The two parts of ready(): by the rules of levels above the bank, and of the bank itself, which
  /// only commands to the bank change.
  [[nodiscard]] DramTick group_ready(Wait wait, std::size_t group) const noexcept {
    return group_ready_[wait][group];
  }
  [[nodiscard]] DramTick bank_ready(Wait wait, std::size_t bank) const noexcept {
    return bank_ready_[bank][wait];
  }
  /// The command goes to `bank` at `now` (PREA, REFab: any bank of their scope).
  void issue(DramCommand command, std::size_t bank, DramTick now) noexcept;

  [[nodiscard]] static Wait wait_of(DramCommand command) noexcept {
    constexpr std::array<Wait, kDramCommands> kWaitOf{kAct,  kPre,   kPreAll, kRead,   kWrite,
                                                      kRead, kWrite, kRefAll, kRefBank};
    return kWaitOf[static_cast<std::size_t>(command)];
  }
  /// Ticks for which the command occupies its bus.
  [[nodiscard]] DramTick bus_ticks(DramCommand command) const noexcept {
    return bus_ticks_[static_cast<std::size_t>(command)];
  }

 private:
  struct Update {
    Wait wait;
    DramTick ticks;
    std::size_t level_groups;    // groups in a node of the rule's level; 0: the bank itself
    std::size_t sibling_groups;  // groups in the parent node, for rules between siblings; else 0
    int history;                 // of the window, -1 without one
  };
  /// Times of the last commands at each node, for rules with a window.
  struct History {
    std::size_t window, level_groups;
    std::vector<DramTick> times;        // window entries a node
    std::vector<std::uint32_t> oldest;  // a node
  };
  void raise(Wait wait, std::size_t first, std::size_t last, DramTick tick) noexcept {
    auto& ready = group_ready_[wait];
    for (std::size_t g = first; g < last; ++g) ready[g] = std::max(ready[g], tick);
  }
  [[nodiscard]] std::size_t groups_in(DramLevel level) const noexcept;

  DramOrganisation organisation_;
  DramTick ticks_per_cycle_ = 1;
  std::size_t groups_ = 1;
  unsigned banks_per_group_bits_ = 0;
  std::array<std::vector<Update>, kDramCommands> updates_;
  std::array<DramTick, kDramCommands> bus_ticks_{};
  std::vector<History> histories_;
  std::array<std::vector<DramTick>, kWaits> group_ready_;
  std::vector<std::array<DramTick, 8>> bank_ready_;  // kWaits, padded to a cache line
};

}  // namespace tilewave
