// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/scratchpad/bank_arbiter.hpp"

#include <algorithm>

#include "sim/diagnostics.hpp"

namespace tilewave {

BankArbiter::BankArbiter(const ScratchpadParams& params, std::size_t requesters)
    : params_(params),
      requesters_(requesters),
      writes_(requesters),
      open_(requesters),
      open_in_bank_(params.banks),
      granted_(requesters),
      granted_by_bank_(params.banks) {
  check_scratchpad(params);
  if (requesters == 0) throw SimulationError("scratchpad: at least one requester");
  state_.open.resize(params.banks * requesters);
  state_.last.resize(2 * params.banks, requesters - 1);
}

void BankArbiter::ask(std::size_t requester, bool write, std::span<const Count> words) {
  if (open_[requester] > 0) throw SimulationError("scratchpad: the requester has words open");
  writes_[requester] = write;
  for (std::size_t bank = 0; bank < words.size(); ++bank) {
    state_.open[bank * requesters_ + requester] = words[bank];
    open_[requester] += words[bank];
    open_in_bank_[bank] += words[bank];
  }
}

Count BankArbiter::open_in_busiest_bank(std::size_t requester) const {
  Count most = 0;
  for (std::size_t bank = 0; bank < open_in_bank_.size(); ++bank) {
    most = std::max(most, state_.open[bank * requesters_ + requester]);
  }
  return most;
}

void BankArbiter::grant() {
  for (std::size_t bank = 0; bank < open_in_bank_.size(); ++bank) {
    if (open_in_bank_[bank] == 0) continue;
    Count served = 0;
    switch (params_.ports) {
      case BankPorts::single:
        served = serve(bank, Serves::both);
        break;
      case BankPorts::read_and_write:
        served = serve(bank, Serves::reads) + serve(bank, Serves::writes);
        break;
      case BankPorts::dual:
        served = serve(bank, Serves::both);
        served += serve(bank, Serves::both);
        break;
    }
    granted_by_bank_[bank] += served;
    most_in_a_cycle_ = std::max(most_in_a_cycle_, served);
  }
}

Count BankArbiter::serve(std::size_t bank, Serves kind) {
  Count* open = &state_.open[bank * requesters_];
  std::size_t& last = state_.last[2 * bank + (kind == Serves::writes ? 1 : 0)];
  const bool round_robin = params_.arbitration == BankArbitration::round_robin;
  std::size_t next = round_robin ? last : requesters_ - 1;
  for (std::size_t i = 0; i < requesters_; ++i) {
    next = next + 1 == requesters_ ? 0 : next + 1;
    if (open[next] == 0 || !serves(kind, next)) continue;
    --open[next];
    --open_[next];
    --open_in_bank_[bank];
    ++granted_[next];
    if (round_robin) last = next;
    return 1;
  }
  return 0;
}

}  // namespace tilewave
