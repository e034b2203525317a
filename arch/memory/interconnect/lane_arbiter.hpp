// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "arch/memory/interconnect/interconnect_params.hpp"
#include "arch/memory/interconnect/round_robin.hpp"
#include "sim/units.hpp"

namespace tilewave {

/// Who may send next into a lane. Round robin: in turn. Oldest first: whose packet has been in the
/// network longest (of equals the one with the lowest number), so that a packet only waits for those
/// sent before it, of which there are ever fewer. Either way whoever asks is served. Allocates once.
class LaneArbiter {
 public:
  LaneArbiter() = default;
  LaneArbiter(std::size_t requesters, Arbitration arbitration) : arbitration_(arbitration) {
    if (arbitration == Arbitration::round_robin) {
      turns_ = RoundRobin(requesters);
    } else {
      asking_.reserve(requesters);
    }
  }

  [[nodiscard]] bool any() const noexcept { return turns_.any() || !asking_.empty(); }
  /// For a packet sent into the network at cycle `since`. Requires that the requester does not ask
  /// already.
  void ask(std::size_t requester, Cycle since) {
    if (arbitration_ == Arbitration::round_robin) {
      turns_.ask(requester);
    } else {
      asking_.emplace_back(since, static_cast<std::uint32_t>(requester));
    }
  }
  /// The winner, who no longer asks. Requires any().
  std::size_t grant() {
    if (arbitration_ == Arbitration::round_robin) return turns_.grant();
    const auto oldest = std::min_element(asking_.begin(), asking_.end());
    const std::size_t winner = oldest->second;
    *oldest = asking_.back();
    asking_.pop_back();
    return winner;
  }

 private:
  Arbitration arbitration_ = Arbitration::round_robin;
  RoundRobin turns_;
  std::vector<std::pair<Cycle, std::uint32_t>> asking_;
};

}  // namespace tilewave
