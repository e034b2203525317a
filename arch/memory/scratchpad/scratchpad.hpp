// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "arch/memory/scratchpad/bank_arbiter.hpp"
#include "arch/memory/scratchpad/bank_conflicts.hpp"
#include "sim/statistics.hpp"

namespace tilewave {

/// An on-chip SRAM of several banks that several units (array, vector unit, DMA) use at the same
/// time: cycle by cycle, bank by bank.
///
/// Modelled: words of each vector access in each bank (BankConflicts), ports, arbitration, read
/// latency. Not modelled: capacity and data (the slots' and the program's business), queues before
/// the banks: a requester has one vector access under way at a time and holds the next one back.
/// Timing: an access that starts at cycle x takes part in the arbitration of cycle x. If its last
/// word is granted in cycle g, it is complete, and the next one of the requester may start, at
/// g + 1. Data read is there at g + read_latency_cycles, and what was written may be read at g + 1.
/// Alone, g + 1 = x + ceil(words of the busiest bank / ports).
///
/// The caller advances time: calls come in non-decreasing `now`, advance(now) before the others of
/// a cycle. Cycle `now` is arbitrated when time moves on, so it does not matter in which order the
/// units start their accesses within a cycle. Breaches throw SimulationError.
class Scratchpad final {
 public:
  /// Requesters in the order of their priority.
  Scratchpad(const std::string& name, const ScratchpadParams& params,
             const std::vector<std::string>& requesters, StatGroup& parent);
  Scratchpad(const Scratchpad&) = delete;
  Scratchpad& operator=(const Scratchpad&) = delete;
  Scratchpad(Scratchpad&&) = delete;
  Scratchpad& operator=(Scratchpad&&) = delete;
  ~Scratchpad() = default;

  /// Brings the state to the start of cycle `now`.
  void advance(Cycle now);
  /// Earliest cycle > now at which an access can be complete (no later than one is); kNever if none
  /// is under way.
  [[nodiscard]] Cycle next_event(Cycle now) const;

  /// The requester may start an access.
  [[nodiscard]] bool free(std::size_t requester) const { return arbiter_.open(requester) == 0; }
  void start(Cycle now, std::size_t requester, const StridedAccess& access, bool write);
  /// The same for any addresses, an element at each of them (gather, scatter).
  void start(Cycle now, std::size_t requester, std::span<const std::uint64_t> addresses,
             Bytes element_bytes, bool write);

  /// Counts of a requester. `vectors` to `wait_cycles` are of complete accesses.
  struct Use {
    Count vectors = 0;
    Cycle busy_cycles = 0;      ///< from start to completion = ideal + conflict + wait
    Cycle ideal_cycles = 0;     ///< had the words been spread evenly over the banks
    Cycle conflict_cycles = 0;  ///< more than that, alone
    Cycle wait_cycles = 0;      ///< more than alone, because of others
    Count words_asked = 0;
  };
  [[nodiscard]] const Use& use(std::size_t requester) const { return slots_[requester].use; }
  /// When the data of the last complete access are there (a write: may be read).
  [[nodiscard]] Cycle data_visible(std::size_t requester) const {
    return slots_[requester].data_visible;
  }

  /// Words served, by all banks.
  [[nodiscard]] Count words() const;
  [[nodiscard]] Count words_of_bank(std::size_t bank) const {
    return arbiter_.granted_by_bank(bank);
  }
  /// Cycles in which an access was under way.
  [[nodiscard]] Cycle active_cycles() const noexcept { return active_cycles_; }
  /// Share of all ports' cycles that served a word, over `cycles`.
  [[nodiscard]] double utilisation(Cycle cycles) const;

  /// Words granted + open = asked, of each requester and over all banks; no bank served more than
  /// its ports in a cycle; busy = ideal + conflict + wait. Throws SimulationError otherwise.
  void check_laws() const;
  /// Nothing is under way; throws SimulationError otherwise.
  void check_drained() const;

 private:
  struct Slot {  // of a requester
    std::string name;
    bool write = false;
    Cycle started = 0;
    AccessCost alone;  // of the access under way
    Cycle data_visible = 0;
    Use use;
  };
  void open(Cycle now, std::size_t requester, const BankLoad& load, bool write);
  void complete(Slot& slot);
  void check_start(Cycle now, std::size_t requester) const;

  std::string name_;
  BankConflicts conflicts_;
  BankArbiter arbiter_;
  std::vector<Count> words_;  // of the access being started, of each bank
  std::vector<Slot> slots_;
  std::size_t under_way_ = 0;
  Cycle now_ = 0, active_cycles_ = 0;
};

}  // namespace tilewave
