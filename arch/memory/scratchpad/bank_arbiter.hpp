// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "arch/memory/scratchpad/scratchpad_params.hpp"

namespace tilewave {

/// The ports of all banks and who gets them. Each requester has the words of one vector access open
/// at a time, so many in each bank; order among them does not matter. A port serves one word a
/// cycle, of the requester that the arbitration chooses among those with words open in its bank;
/// banks decide independently. Two ports of a bank may serve the same requester, and two requesters
/// that want the same word are served one after the other.
class BankArbiter {
 public:
  BankArbiter(const ScratchpadParams& params, std::size_t requesters);

  /// Opens the words of each bank; the requester must have none open.
  void ask(std::size_t requester, bool write, std::span<const Count> words);
  /// Words still open.
  [[nodiscard]] Count open(std::size_t requester) const { return open_[requester]; }
  /// The same in the bank that has most of them.
  [[nodiscard]] Count open_in_busiest_bank(std::size_t requester) const;
  /// One cycle of all banks.
  void grant();

  [[nodiscard]] Count granted(std::size_t requester) const { return granted_[requester]; }
  [[nodiscard]] Count granted_by_bank(std::size_t bank) const { return granted_by_bank_[bank]; }
  /// Most words that a bank served in one cycle.
  [[nodiscard]] Count most_in_a_cycle() const noexcept { return most_in_a_cycle_; }

  /// All that decides what comes next.
  struct State {
    std::vector<Count> open;        ///< [bank x requesters + requester]
    std::vector<std::size_t> last;  ///< served last [2 x bank + kind of port]
    friend bool operator==(const State&, const State&) = default;
  };
  [[nodiscard]] const State& state() const noexcept { return state_; }

 private:
  enum class Serves : std::size_t { reads, writes, both };
  [[nodiscard]] bool serves(Serves kind, std::size_t requester) const {
    return kind == Serves::both || (kind == Serves::writes) == writes_[requester];
  }
  /// A port of `bank`: the words it serves, 0 or 1.
  Count serve(std::size_t bank, Serves kind);

  ScratchpadParams params_;
  std::size_t requesters_;
  State state_;
  std::vector<bool> writes_;         // the requester's words are writes
  std::vector<Count> open_;          // of each requester
  std::vector<Count> open_in_bank_;  // of all requesters
  std::vector<Count> granted_, granted_by_bank_;
  Count most_in_a_cycle_ = 0;
};

}  // namespace tilewave
