// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "arch/memory/scratchpad/bank_access.hpp"
#include "arch/memory/scratchpad/scratchpad_params.hpp"

namespace tilewave {

/// A unit that reads or writes a stream: vector 0 from `start` on, each further one `interval`
/// cycles after the last, or as soon as the last is complete, whichever is later.
struct BankStream {
  StreamAccess access{};
  bool write = false;
  Cycle start = 0;
  Cycle interval = 1;  ///< >= 1
};

struct StreamOutcome {
  Cycle end = 0;              ///< the cycle after the last grant
  Cycle conflict_cycles = 0;  ///< of its own words in one bank
  Cycle wait_cycles = 0;      ///< vectors took longer than alone, because of other streams
  Count words = 0;
  friend bool operator==(const StreamOutcome&, const StreamOutcome&) = default;
};

// Streams that share a scratchpad, in the order of their priority, from cycle 0 until all have
// ended: rules and timing of Scratchpad. The two have equal results, by test.

/// Detailed: each vector counted lane by lane, each cycle arbitrated.
[[nodiscard]] std::vector<StreamOutcome> simulate_streams(const ScratchpadParams& params,
                                                          std::span<const BankStream> streams);

/// Fast. A stream that meets no other in a bank (and port) has a closed form. Streams that meet are
/// a machine of finitely many states, so what they do repeats: as soon as a state comes back, as
/// many repetitions as fit are taken in one step. Streams with a common period longer than
/// themselves are followed cycle by cycle.
[[nodiscard]] std::vector<StreamOutcome> predict_streams(const ScratchpadParams& params,
                                                         std::span<const BankStream> streams);

}  // namespace tilewave
