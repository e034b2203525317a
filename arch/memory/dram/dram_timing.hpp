// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "arch/memory/dram/dram_timing_tables.hpp"
#include "arch/memory/dram/dram_words.hpp"

namespace tilewave {

/// When each command may go next in a channel: what the commands sent so far forbid by the rules.
///
/// Kept per group (all levels above the bank) and per bank: when a command may go is the later of
/// two numbers. What PREA and refreshes wait for is asked for rarely and changed by every command,
/// so it is kept per node.
class DramTiming {
 public:
  using Tables = std::shared_ptr<const DramTimingTables>;
  explicit DramTiming(Tables tables);
  explicit DramTiming(const DramParams& dram)
      : DramTiming(std::make_shared<const DramTimingTables>(dram)) {}

  [[nodiscard]] const DramTimingTables& tables() const noexcept { return *tables_; }

  /// Earliest tick at which the command may go to `bank`, buses left aside.
  [[nodiscard]] DramTick ready(DramWait wait, std::size_t bank) const noexcept {
    return std::max(group_ready(wait, tables_->group_of(bank)), bank_ready(wait, bank));
  }
  /// The two parts of ready(): by the rules of levels above the bank, and of the bank itself, which
  /// only commands to the bank change.
  [[nodiscard]] DramTick group_ready(DramWait wait, std::size_t group) const noexcept {
    return is_often(wait) ? often_ready(group_node(wait, group)) : node_ready(wait, group);
  }
  [[nodiscard]] DramTick bank_ready(DramWait wait, std::size_t bank) const noexcept {
    return bank_ready_[bank][static_cast<std::size_t>(wait)];
  }
  /// group_ready() of the first kDramOftenWaits, by group_node().
  [[nodiscard]] DramTick often_ready(std::uint32_t node) const noexcept {
    return group_ready_[node];
  }
  [[nodiscard]] std::uint32_t group_node(DramWait wait, std::size_t group) const noexcept {
    return static_cast<std::uint32_t>((static_cast<std::size_t>(wait) << group_bits_) + group);
  }
  /// The command goes to `bank` at `now` (PREA, REFab: any bank of their scope).
  void issue(DramCommand command, std::size_t bank, DramTick now) noexcept;

  /// All that is left of the rules at `now`, in ticks from then, as words in an order of their own;
  /// what is over says 0. Banks are turned: words of bank b stand where those of b XOR `turn` would.
  void describe(std::size_t turn, DramTick now, DramWords& words) const;
  void describe_bank(std::size_t bank, DramTick now, DramWords& words) const;
  /// Back from words; each returns what follows them.
  const DramWord* restore(std::size_t turn, DramTick now, const DramWord* word) noexcept;
  const DramWord* restore_bank(std::size_t bank, DramTick now, const DramWord* word) noexcept;

 private:
  static constexpr std::size_t kNodeLevels = DramTimingTables::kNodeLevels;
  /// Times of the last commands at each node.
  struct History {
    std::vector<DramTick> times;        // DramTimingTables::Window::commands a node
    std::vector<std::uint32_t> oldest;  // a node
  };
  [[nodiscard]] static bool is_often(DramWait wait) noexcept {
    return static_cast<std::size_t>(wait) < kDramOftenWaits;
  }
  [[nodiscard]] DramTick node_ready(DramWait wait, std::size_t group) const noexcept;
  [[nodiscard]] DramTick counted_from(int window, std::size_t group, DramTick now,
                                      bool record) noexcept;
  void raise_node(const DramTimingTables::Update& update, std::size_t node, DramTick tick) noexcept;

  Tables tables_;
  unsigned group_bits_ = 0;
  std::size_t told_words_ = 0;   // of describe()
  DramTick longest_window_ = 0;  // what rules with a window last, at most
  std::vector<History> histories_;
  std::vector<DramTick> group_ready_;  // [wait][group]
  std::array<std::array<std::vector<DramTick>, kNodeLevels>, kDramWaits - kDramOftenWaits>
      node_ready_;
  std::vector<std::array<DramTick, 8>> bank_ready_;  // kDramWaits, padded to a cache line
};

}  // namespace tilewave
