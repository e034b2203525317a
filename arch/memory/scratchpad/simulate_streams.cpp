// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "arch/memory/scratchpad/scratchpad.hpp"
#include "arch/memory/scratchpad/shared_streams.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {

std::vector<StreamOutcome> simulate_streams(const ScratchpadParams& params,
                                            std::span<const BankStream> streams) {
  if (streams.empty()) return {};
  StatGroup root("");
  std::vector<std::string> names;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    if (streams[i].access.vectors == 0) {
      throw SimulationError("scratchpad: a stream has at least one vector");
    }
    names.push_back("stream" + std::to_string(i));
  }
  Scratchpad scratchpad("scratchpad", params, names, root);

  struct Progress {
    Count asked = 0;
    Cycle next_ask = 0;
  };
  std::vector<Progress> progress(streams.size());
  for (std::size_t i = 0; i < streams.size(); ++i) progress[i].next_ask = streams[i].start;
  std::vector<StreamOutcome> outcomes(streams.size());
  std::vector<std::uint64_t> addresses;

  for (Cycle now = 0; now != kNever;) {
    scratchpad.advance(now);
    Cycle next = kNever;
    for (std::size_t i = 0; i < streams.size(); ++i) {
      const BankStream& stream = streams[i];
      Progress& p = progress[i];
      if (!scratchpad.free(i)) continue;
      if (p.asked == stream.access.vectors) {
        if (outcomes[i].end == 0) outcomes[i].end = now;
        continue;
      }
      if (now < p.next_ask) {
        next = std::min(next, p.next_ask);
        continue;
      }
      const StridedAccess vector = stream.access.at(p.asked);
      addresses.clear();
      for (Count lane = 0; lane < vector.lanes; ++lane) addresses.push_back(vector.address(lane));
      scratchpad.start(now, i, addresses, vector.element_bytes, stream.write);
      ++p.asked;
      p.next_ask = now + stream.interval;
    }
    now = std::min(next, scratchpad.next_event(now));
  }
  scratchpad.check_drained();
  scratchpad.check_laws();
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const auto& use = scratchpad.use(i);
    outcomes[i].conflict_cycles = use.conflict_cycles;
    outcomes[i].wait_cycles = use.wait_cycles;
    outcomes[i].words = use.words_asked;
  }
  return outcomes;
}

}  // namespace tilewave
