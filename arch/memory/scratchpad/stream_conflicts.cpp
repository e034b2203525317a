// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "arch/memory/scratchpad/bank_conflicts.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {

BankConflicts::Run BankConflicts::bank_run(const StreamAccess& stream,
                                           Count vector) const noexcept {
  const auto& p = geometry_.params();
  if (p.interleaving != BankInterleaving::blocked) {
    const Bytes period_bytes = geometry_.period_bytes();
    return {period_bytes / std::gcd(stream.step_bytes, period_bytes), stream.vectors};
  }
  if (stream.step_bytes == 0) return {1, stream.vectors};
  // Vectors within the bank differ only in how their elements lie in the words.
  const StridedAccess access = stream.at(vector);
  const Count bank = geometry_.bank_of(access.base_address);
  const std::uint64_t bank_end = (bank + 1) * p.bank_bytes;
  const std::uint64_t end = access.base_address + access.extent_bytes();
  if (end > bank_end) return {1, vector + 1};
  const Count more = (bank_end - end) / stream.step_bytes;
  return {p.bank_word_bytes / std::gcd(stream.step_bytes, p.bank_word_bytes),
          std::min(stream.vectors, vector + more + 1)};
}

BankConflicts::Run BankConflicts::cost_run(const StreamAccess& stream,
                                           Count vector) const noexcept {
  const auto& p = geometry_.params();
  if (p.interleaving != BankInterleaving::word) return bank_run(stream, vector);
  // A shift by whole words only moves the banks round.
  return {p.bank_word_bytes / std::gcd(stream.step_bytes, p.bank_word_bytes), stream.vectors};
}

StreamCost BankConflicts::cost(const StreamAccess& stream, Cycle interval) {
  if (stream.vectors == 0) throw SimulationError("scratchpad: a stream has at least one vector");
  check(stream.at(stream.vectors - 1));
  StreamCost sum;
  for (Count vector = 0; vector < stream.vectors;) {
    const Run run = cost_run(stream, vector);
    const Count length = run.end - vector, different = std::min(run.period, length);
    for (Count i = 0; i < different; ++i) {
      const AccessCost each = cost(stream.at(vector + i));
      const Count times = length / run.period + (i < length % run.period ? 1 : 0);
      sum.total.words += times * each.words;
      sum.total.cycles += times * each.cycles;
      sum.total.ideal_cycles += times * each.ideal_cycles;
      sum.slowest_cycles = std::max(sum.slowest_cycles, each.cycles);
      sum.duration_cycles += times * std::max(interval, each.cycles);
    }
    vector = run.end;
  }
  // Nothing waits for the interval after the last vector.
  const Cycle last = cost(stream.at(stream.vectors - 1)).cycles;
  sum.duration_cycles -= std::max(interval, last) - last;
  return sum;
}

}  // namespace tilewave
