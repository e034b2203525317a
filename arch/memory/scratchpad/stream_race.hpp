// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "arch/memory/scratchpad/bank_arbiter.hpp"
#include "arch/memory/scratchpad/bank_conflicts.hpp"
#include "arch/memory/scratchpad/shared_streams.hpp"

namespace tilewave {

/// Streams that meet in some bank, cycle by cycle with jumps over what repeats. The state is the
/// words open in each bank, who was served last, where each stream is in the period of its pattern,
/// and the times to its next vector. When it equals a remembered state, the cycles since then
/// happen again, as often as no stream starts, ends or leaves its pattern. States are remembered
/// after 1, 2, 4, 8, … cycles (Brent), so a period of p cycles after a beginning of b cycles is
/// found within a small multiple of b + p cycles.
class StreamRace {
 public:
  StreamRace(const ScratchpadParams& params, std::vector<BankStream> streams);
  /// Ends and waits; conflicts and words are the closed form's business. Call once.
  [[nodiscard]] std::vector<StreamOutcome> run();

 private:
  struct Runner {
    Count asked = 0;  ///< vectors whose words have been opened
    bool open = false;
    Cycle asked_at = 0;
    Cycle next_ask = 0;
    Cycle alone_cycles = 0;  ///< of the vector under way
    Cycle wait_cycles = 0;   ///< of complete vectors
    BankConflicts::Run pattern{1, 0};
    Cycle end = 0;
  };
  struct Memory {
    Cycle now = 0;
    std::vector<Runner> runners;
    BankArbiter::State banks;
  };
  [[nodiscard]] bool running(const Runner& runner, std::size_t i) const {
    return runner.open || runner.asked < streams_[i].access.vectors;
  }
  /// Opens the vectors that are due; false if none is under way.
  bool ask();
  void complete();
  void remember();
  /// The stream is where it was at `then`, one or more periods later.
  [[nodiscard]] bool repeats(std::size_t i, const Runner& then) const;
  /// Whole repetitions that may be skipped since the remembered state.
  [[nodiscard]] Count repetitions() const;
  void skip(Count repetitions);

  std::vector<BankStream> streams_;
  BankConflicts conflicts_;
  BankArbiter arbiter_;
  std::vector<Count> words_;
  Cycle now_ = 0;
  std::vector<Runner> runners_;
  Memory memory_;
};

}  // namespace tilewave
