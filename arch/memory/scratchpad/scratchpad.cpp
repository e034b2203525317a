// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/scratchpad/scratchpad.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "sim/diagnostics.hpp"

namespace tilewave {

Scratchpad::Scratchpad(const std::string& name, const ScratchpadParams& params,
                       const std::vector<std::string>& requesters, StatGroup& parent)
    : name_(name),
      conflicts_(params),
      arbiter_(params, requesters.size()),
      words_(params.banks),
      slots_(requesters.size()) {
  auto& group = parent.group(name);
  group.count("words", "words", "words served by all banks", [this] { return words(); });
  group.count("busiest_bank_words", "words", "words served by the bank used most", [this] {
    Count most = 0;
    for (std::size_t bank = 0; bank < words_.size(); ++bank) {
      most = std::max(most, words_of_bank(bank));
    }
    return most;
  });
  group.count("active_cycles", "cycles", "cycles with an access under way", active_cycles_);
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    auto& slot = slots_[i];
    slot.name = requesters[i];
    auto& stats = group.group(slot.name);
    stats.count("vectors", "accesses", "vector accesses complete", slot.use.vectors);
    stats.count("words", "words", "words served", [this, i] { return arbiter_.granted(i); });
    stats.count("busy_cycles", "cycles", "cycles with an access under way", slot.use.busy_cycles);
    stats.count("conflict_cycles", "cycles", "cycles lost to words of one access in one bank",
                slot.use.conflict_cycles);
    stats.count("wait_cycles", "cycles", "cycles lost to other requesters", slot.use.wait_cycles);
  }
}

void Scratchpad::advance(Cycle now) {
  if (now < now_) throw SimulationError(name_ + ": time goes backwards");
  for (; now_ < now && under_way_ > 0; ++now_) {
    arbiter_.grant();
    ++active_cycles_;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      Slot& slot = slots_[i];
      if (slot.alone.words > 0 && arbiter_.open(i) == 0) complete(slot);
    }
  }
  now_ = now;
}

// The last word is granted in cycle now_.
void Scratchpad::complete(Slot& slot) {
  const Cycle busy = now_ + 1 - slot.started;
  ++slot.use.vectors;
  slot.use.busy_cycles += busy;
  slot.use.ideal_cycles += slot.alone.ideal_cycles;
  slot.use.conflict_cycles += slot.alone.conflict_cycles();
  slot.use.wait_cycles += busy - slot.alone.cycles;
  slot.data_visible = now_ + (slot.write ? 1 : conflicts_.geometry().params().read_latency_cycles);
  slot.alone = {};
  --under_way_;
}

Cycle Scratchpad::next_event(Cycle now) const {
  if (under_way_ == 0) return kNever;
  const Count ports = conflicts_.geometry().params().ports_for();
  Cycle least = kNever;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (free(i)) continue;
    least = std::min(least, ceil_div(arbiter_.open_in_busiest_bank(i), ports));
  }
  return now + least;
}

void Scratchpad::start(Cycle now, std::size_t requester, const StridedAccess& access, bool write) {
  check_start(now, requester);
  open(now, requester, conflicts_.words_per_bank(access, words_), write);
}

void Scratchpad::start(Cycle now, std::size_t requester, std::span<const std::uint64_t> addresses,
                       Bytes element_bytes, bool write) {
  check_start(now, requester);
  open(now, requester, conflicts_.words_per_bank(addresses, element_bytes, words_), write);
}

void Scratchpad::check_start(Cycle now, std::size_t requester) const {
  if (now != now_) throw SimulationError(name_ + ": advance() comes before start()");
  if (!free(requester)) {
    throw SimulationError(
        fmt::format("{}: {} has an access under way", name_, slots_[requester].name));
  }
}

void Scratchpad::open(Cycle now, std::size_t requester, const BankLoad& load, bool write) {
  arbiter_.ask(requester, write, words_);
  Slot& slot = slots_[requester];
  slot.write = write;
  slot.started = now;
  slot.alone = conflicts_.cost(load);
  slot.use.words_asked += load.words;
  ++under_way_;
}

Count Scratchpad::words() const {
  Count sum = 0;
  for (std::size_t i = 0; i < slots_.size(); ++i) sum += arbiter_.granted(i);
  return sum;
}

double Scratchpad::utilisation(Cycle cycles) const {
  const auto& p = conflicts_.geometry().params();
  const auto slots =
      static_cast<double>(p.banks * p.ports_per_bank()) * static_cast<double>(cycles);
  return slots > 0 ? static_cast<double>(words()) / slots : 0;
}

void Scratchpad::check_laws() const {
  const auto demand = [this](bool holds, const std::string& law) {
    if (!holds) throw SimulationError(fmt::format("law violated: {}: {}", name_, law));
  };
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Use& u = slots_[i].use;
    demand(arbiter_.granted(i) + arbiter_.open(i) == u.words_asked,
           "words granted and open are those asked for by " + slots_[i].name);
    demand(u.busy_cycles == u.ideal_cycles + u.conflict_cycles + u.wait_cycles,
           "busy cycles are ideal, conflict and wait, of " + slots_[i].name);
  }
  Count by_banks = 0;
  for (std::size_t bank = 0; bank < words_.size(); ++bank) by_banks += words_of_bank(bank);
  demand(by_banks == words(), "the banks served what the requesters got");
  demand(arbiter_.most_in_a_cycle() <= conflicts_.geometry().params().ports_per_bank(),
         "a bank serves no more than its ports in a cycle");
  demand(
      words() <= active_cycles_ * words_.size() * conflicts_.geometry().params().ports_per_bank(),
      "words fit the cycles of the banks");
}

void Scratchpad::check_drained() const {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (free(i)) continue;
    throw SimulationError(
        fmt::format("law violated: {}: every access is complete ({} has {} words "
                    "open)",
                    name_, slots_[i].name, arbiter_.open(i)));
  }
}

}  // namespace tilewave
