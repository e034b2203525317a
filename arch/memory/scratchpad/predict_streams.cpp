// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "arch/memory/scratchpad/shared_streams.hpp"
#include "arch/memory/scratchpad/stream_race.hpp"

namespace tilewave {

namespace {

/// The banks that any vector of a stream asks.
std::vector<bool> banks_of(BankConflicts& conflicts, const StreamAccess& stream,
                           std::vector<Count>& words) {
  std::vector<bool> banks(words.size());
  std::size_t found = 0;
  for (Count vector = 0; vector < stream.vectors && found < banks.size();) {
    const auto run = conflicts.bank_run(stream, vector);
    const Count end = std::min(run.end, vector + run.period);
    for (; vector < end && found < banks.size(); ++vector) {
      (void)conflicts.words_per_bank(stream.at(vector), words);
      for (std::size_t bank = 0; bank < banks.size(); ++bank) {
        if (words[bank] == 0 || banks[bank]) continue;
        banks[bank] = true;
        ++found;
      }
    }
    vector = run.end;
  }
  return banks;
}

bool meet(const std::vector<bool>& a, const std::vector<bool>& b) {
  for (std::size_t bank = 0; bank < a.size(); ++bank) {
    if (a[bank] && b[bank]) return true;
  }
  return false;
}

}  // namespace

std::vector<StreamOutcome> predict_streams(const ScratchpadParams& params,
                                           std::span<const BankStream> streams) {
  BankConflicts conflicts(params);
  std::vector<Count> words(params.banks);
  std::vector<StreamOutcome> outcomes(streams.size());
  std::vector<std::vector<bool>> banks;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const auto cost = conflicts.cost(streams[i].access, streams[i].interval);
    outcomes[i] = {.end = streams[i].start + cost.duration_cycles,
                   .conflict_cycles = cost.total.conflict_cycles(),
                   .words = cost.total.words};
    banks.push_back(banks_of(conflicts, streams[i].access, words));
  }

  // Groups of streams that meet, directly or by way of others: the first of a group names it.
  std::vector<std::size_t> group(streams.size());
  std::iota(group.begin(), group.end(), 0);
  for (std::size_t i = 0; i < streams.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool own_ports =
          params.ports == BankPorts::read_and_write && streams[i].write != streams[j].write;
      if (own_ports || group[i] == group[j] || !meet(banks[i], banks[j])) continue;
      const std::size_t low = std::min(group[i], group[j]), high = std::max(group[i], group[j]);
      std::replace(group.begin(), group.end(), high, low);
    }
  }
  for (std::size_t first = 0; first < streams.size(); ++first) {
    std::vector<std::size_t> members;
    for (std::size_t i = first; i < streams.size(); ++i) {
      if (group[i] == first) members.push_back(i);
    }
    if (members.size() < 2) continue;
    std::vector<BankStream> racing;
    racing.reserve(members.size());
    for (const std::size_t i : members) racing.push_back(streams[i]);
    const auto raced = StreamRace(params, std::move(racing)).run();
    for (std::size_t k = 0; k < members.size(); ++k) {
      outcomes[members[k]].end = raced[k].end;
      outcomes[members[k]].wait_cycles = raced[k].wait_cycles;
    }
  }
  return outcomes;
}

}  // namespace tilewave
