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
/// go is the later of two numbers. RD and RDA wait for the same things, so do WR and WRA. What
/// refreshes wait for is asked for rarely and told at every command, so it is kept per node.
class DramTiming {
 public:
  /// What a command waits for.
  enum Wait : std::uint8_t { kAct, kPre, kRead, kWrite, kPreAll, kRefAll, kRefBank, kWaits };

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
    return wait < kOften ? group_ready_[wait * groups_ + group] : node_ready(wait, group);
  }
  /// group_ready() of ACT, PRE, RD and WR.
  [[nodiscard]] DramTick often_ready(Wait wait, std::size_t group) const noexcept {
    return group_ready_[wait * groups_ + group];
  }
  [[nodiscard]] DramTick bank_ready(Wait wait, std::size_t bank) const noexcept {
    return bank_ready_[bank][wait];
  }
  /// The command goes to `bank` at `now` (PREA, REFab: any bank of their scope).
  void issue(DramCommand command, std::size_t bank, DramTick now) noexcept;

  /// RD and WR on the one hand, ACT and PRE on the other never wait for each other but at one bank.
  [[nodiscard]] bool rows_and_columns_apart() const noexcept { return apart_; }

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
  static constexpr std::size_t kOften = kPreAll;  // waits before it are told to each group
  static constexpr std::size_t kNodeLevels = kDramLevels - 1;  // above the bank
  /// What is the same for all groups of a node, or for all of its siblings' groups.
  struct Update {
    Wait wait;
    DramTick ticks;
    DramLevel level;
    bool sibling;
    int history;  // of the window, -1 without one
  };
  /// All updates of one wait by a command, without windows: for each group of the node `level`
  /// around the command's group, ticks from the command on. kNever: does not wait for it.
  struct Spread {
    Wait wait;
    std::size_t groups;           // in the node, a power of two
    std::vector<DramTick> ticks;  // [command's group in the node][waiting group in the node]
  };
  static constexpr DramTick kNever = std::numeric_limits<DramTick>::min() / 2;
  /// What one command changes.
  struct Effects {
    std::vector<Spread> spreads;                     // of the waits before kOften
    std::vector<std::pair<Wait, DramTick>> of_bank;  // of the bank itself
    std::vector<Update> others;
  };
  /// Times of the last commands at each node, for rules with a window.
  struct History {
    std::size_t window, level_groups;
    std::vector<DramTick> times;        // window entries a node
    std::vector<std::uint32_t> oldest;  // a node
  };
  [[nodiscard]] std::size_t groups_in(DramLevel level) const noexcept;
  [[nodiscard]] DramTick node_ready(Wait wait, std::size_t group) const noexcept;
  void add(Effects& effects, const Update& update);
  void spread(Effects& effects, const Update& update);
  void raise_node(const Update& update, std::size_t node, DramTick tick) noexcept;
  void apply(const Update& update, std::size_t group, DramTick tick) noexcept;

  DramOrganisation organisation_;
  DramTick ticks_per_cycle_ = 1;
  std::size_t groups_ = 1;
  unsigned banks_per_group_bits_ = 0;
  bool apart_ = true;
  std::array<Effects, kDramCommands> effects_;
  std::array<DramTick, kDramCommands> bus_ticks_{};
  std::vector<History> histories_;
  std::vector<DramTick> group_ready_;  // [wait before kOften][group]
  std::array<std::size_t, kNodeLevels> level_groups_{};
  std::array<std::array<std::vector<DramTick>, kNodeLevels>, kWaits - kOften> node_ready_;
  std::vector<std::array<DramTick, 8>> bank_ready_;  // kWaits, padded to a cache line
};

}  // namespace tilewave
