// SPDX-License-Identifier: Apache-2.0
#include "arch/core/sm/fast_sm.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tilewave {

void FastSm::begin_kernel(const CtaPlan& plan, Count ctas, Cycle now) {
  account(now);
  plan_ = &plan;
  slots_.resize(ctas);
  for (Slot& s : slots_) {
    s.phase = Slot::Phase::free;
    s.stages.assign(plan.stages(), {});
    s.teams.assign(plan.kernel().cta.teams, {});
  }
  warps_each_ = ceil_div(plan.kernel().cta.threads, sm_.warp_lanes);
  class_ = SmCycle::launch;
}

SmRecord FastSm::end_kernel(Cycle now) {
  account(now);
  class_ = SmCycle::launch;
  return std::exchange(record_, {});
}

void FastSm::give(Count cta, std::optional<Count> number) {
  Slot& s = slots_[cta];
  s.asked = false;
  begin_load(s, number);
  if (number) s.next_blocks.push_back(*number);
}

void FastSm::begin_work(Slot& s, Count block) {
  s.work_block = block;
  s.work_slabs = plan_->slabs_of(place_of(plan_->kernel(), block));
  for (Slot::Team& team : s.teams) team.slab = 0;
}

void FastSm::begin_load(Slot& s, std::optional<Count> block) {
  s.load_block = block;
  s.load_slab = 0;
  if (block) s.load_slabs = plan_->slabs_of(place_of(plan_->kernel(), *block));
}

Count FastSm::Slot::worked() const noexcept {
  Count least = teams[0].worked;
  for (const Team& t : teams) least = std::min(least, t.worked);
  return least;
}

bool FastSm::Slot::works() const noexcept {
  return std::ranges::any_of(teams, [](const Team& t) { return t.working; });
}

bool FastSm::Slot::block_done() const noexcept {
  return std::ranges::all_of(teams,
                             [this](const Team& t) { return !t.working && t.slab == work_slabs; });
}

void FastSm::start(Cycle now, Count number) {
  account(now);
  for (Slot& s : slots_) {
    if (s.phase != Slot::Phase::free) continue;
    auto stages = std::move(s.stages);
    auto blocks = std::move(s.next_blocks);
    auto teams = std::move(s.teams);
    s = Slot{};
    s.stages = std::move(stages);
    s.next_blocks = std::move(blocks);  // empty; keeps its memory
    teams.assign(teams.size(), {});
    s.teams = std::move(teams);
    s.phase = Slot::Phase::launch;
    s.first_block = number;
    begin_work(s, number);
    begin_load(s, number);
    s.until = now + sm_.cta_launch_cycles + plan_->kernel().cta.setup_cycles;
    ++running_;
    return;
  }
}

/// Data that has arrived makes room for more in flight.
void FastSm::free_arrived(Cycle now) {
  std::erase_if(flights_, [&](const Flight& f) {
    if (f.ready > now) return false;
    in_flight_ -= f.bytes;
    return true;
  });
}

Cycle FastSm::step(Cycle now) {
  account(now);
  (void)news_before(now);
  fresh_cycle_ = now;
  free_arrived(now);
  Cycle wake = kNever;
  for (Count i = 0; i < slots_.size(); ++i) {
    if (slots_[i].phase != Slot::Phase::free) wake = std::min(wake, advance(i, now));
  }
  class_ = waiting_class(now);
  return wake;
}

/// Takes a CTA as far as it gets at `now`; returns when it can go on by itself.
Cycle FastSm::advance(Count slot, Cycle now) {
  Slot& s = slots_[slot];
  if (s.phase == Slot::Phase::launch) {
    if (now < s.until) return s.until;
    s.phase = Slot::Phase::run;
  }
  Cycle wake = kNever;
  bool moved = true;
  while (moved && s.phase != Slot::Phase::free) {
    wake = kNever;
    moved = load(slot, now, wake);
    if (s.phase == Slot::Phase::run) {
      for (Slot::Team& team : s.teams) moved = work(s, team, now, wake) || moved;
    }
    if (finish_block(slot, now, wake)) moved = true;
  }
  if (s.phase != Slot::Phase::free && in_flight_ >= sm_.load_store.outstanding_bytes) {
    for (const Flight& f : flights_) wake = std::min(wake, std::max(f.ready, now + 1));
  }
  return wake;
}

bool FastSm::load(Count slot, Cycle now, Cycle& wake) {
  Slot& s = slots_[slot];
  if (!s.load_block || s.loaded - s.worked() >= plan_->stages()) return false;
  if (in_flight_ >= sm_.load_store.outstanding_bytes) return false;
  if (s.loaded > s.worked() && sm_.load_store.copy == CopyKind::registers &&
      plan_->kernel().cta.unit != program::MmaUnit::none) {
    // There are registers for one slab on its way.
    const Cycle ready = s.stages[(s.loaded - 1) % plan_->stages()].ready;
    if (ready > now) {
      if (ready != kUnknown) wake = std::min(wake, ready);
      return false;
    }
  }
  const Count index = s.loaded % plan_->stages();
  Stage& stage = s.stages[index];
  accesses_.clear();
  plan_->loads_of(place_of(plan_->kernel(), *s.load_block), s.load_slab, accesses_);
  stage = {.ready = accesses_.empty() ? now : kUnknown, .answers_due = accesses_.size()};
  for (const MatrixAccess& access : accesses_) {
    fresh_.requests.push_back({.cta = slot, .stage = index, .write = false, .access = access});
    stage.bytes += access.bytes();
  }
  in_flight_ += stage.bytes;
  ++s.loaded;
  if (++s.load_slab == s.load_slabs) {
    s.load_block.reset();
    if (plan_->kernel().cta.persistent) {
      s.asked = true;
      fresh_.wants_block.push_back(slot);
    }
  }
  return true;
}

Cycle FastSm::serve(Cycle now, const UnitCycles& c) {
  return std::max({tensor_.take(now, c.tensor), shared_.take(now, c.shared),
                   issue_.take(now, c.issue), special_.take(now, c.special), now + c.least});
}

/// The next step of a slab, if it is the CTA's turn.
bool FastSm::serve_step(Slot::Team& team, Cycle now, Cycle& wake) {
  const bool in_step = plan_->kernel().cta.in_step;
  if (in_step && turn_.free > now) {
    wake = std::min(wake, turn_.free);
    return false;
  }
  const CtaStep& step = plan_->costs().steps()[team.step];
  const Cycle end = serve(now, step.cycles);
  if (in_step) turn_.free = end;
  team.until = end + step.after;
  record_.tensor_cycles += step.cycles.tensor;
  return true;
}

bool FastSm::work(Slot& s, Slot::Team& team, Cycle now, Cycle& wake) {
  const CtaCosts& costs = plan_->costs();
  if (team.working) {
    if (now < team.until) {
      wake = std::min(wake, team.until);
      return false;
    }
    if (team.step + 1 < costs.steps().size()) {
      ++team.step;
      if (serve_step(team, now, wake)) return true;
      --team.step;
      return false;
    }
    team.working = false;
    team.step = 0;
    ++team.worked;
    ++team.slab;
    team.not_before = now + costs.tile().sync_cycles;
    return true;
  }
  if (team.slab == s.work_slabs || team.worked == s.loaded) return false;
  const Stage& stage = s.stages[team.worked % plan_->stages()];
  if (stage.ready == kUnknown) return false;
  const Cycle begin =
      std::max(team.not_before, stage.ready + (team.worked == 0 ? costs.fill_cycles() : 0));
  if (begin > now) {
    wake = std::min(wake, begin);
    return false;
  }
  if (!serve_step(team, now, wake)) return false;
  team.working = true;
  record_.macs_done += costs.tile().macs;
  record_.instructions += costs.tile().instructions;
  record_.shared_bytes += costs.tile().shared_bytes;
  if (&team == s.teams.data()) ++record_.slabs;  // all teams go through each
  return true;
}

void FastSm::post_stores(Count slot, Count block) {
  Slot& s = slots_[slot];
  accesses_.clear();
  plan_->stores_of(place_of(plan_->kernel(), block), accesses_);
  s.stores_due = accesses_.size();
  s.stored = 0;
  for (const MatrixAccess& access : accesses_) {
    fresh_.requests.push_back({.cta = slot, .stage = 0, .write = true, .access = access});
  }
}

/// Once all slabs of a block are done: its epilogue, its stores, the next block or the CTA's end.
bool FastSm::finish_block(Count slot, Cycle now, Cycle& wake) {
  Slot& s = slots_[slot];
  const auto& costs = plan_->costs();
  const bool overlapped = plan_->kernel().cta.overlapped_epilogue;
  bool moved = false;
  // The side epilogue of the block before.
  if (s.side_epilogue) {
    if (!s.side_storing && now >= s.side_until) {
      post_stores(slot, s.side_block);
      s.side_storing = true;
      moved = true;
    }
    if (!s.side_storing) {
      wake = std::min(wake, s.side_until);
    } else if (s.stores_due == 0) {
      if (now >= s.stored) {
        s.side_epilogue = s.side_storing = false;
        moved = true;
      } else {
        wake = std::min(wake, s.stored);
      }
    }
  }
  const auto next_block = [&] {
    ++record_.blocks;
    record_.macs += plan_->work_of(place_of(plan_->kernel(), s.work_block)).macs;
    if (!s.next_blocks.empty()) {
      begin_work(s, s.next_blocks.front());
      s.next_blocks.erase(s.next_blocks.begin());
      s.phase = Slot::Phase::run;
      return;
    }
    s.phase = Slot::Phase::free;
    --running_;
    fresh_.finished.push_back(s.first_block);
  };
  switch (s.phase) {
    case Slot::Phase::run: {
      if (!s.block_done()) return moved;
      if (s.asked && s.next_blocks.empty()) return moved;
      const bool last = s.next_blocks.empty();
      if (overlapped && !last) {
        if (s.side_epilogue) return moved;  // its sums are still in the way
        s.side_epilogue = true;
        s.side_block = s.work_block;
        s.side_until = serve(now + costs.tile().drain_cycles, costs.epilogue());
        next_block();
        return true;
      }
      if (s.side_epilogue) return moved;
      s.phase = Slot::Phase::epilogue;
      s.until = serve(now + costs.tile().drain_cycles, costs.epilogue());
      return true;
    }
    case Slot::Phase::epilogue:
      if (now < s.until) {
        wake = std::min(wake, s.until);
        return moved;
      }
      post_stores(slot, s.work_block);
      s.phase = Slot::Phase::store;
      return true;
    case Slot::Phase::store:
      if (s.stores_due > 0) return moved;
      if (now < s.stored) {
        wake = std::min(wake, s.stored);
        return moved;
      }
      next_block();
      return true;
    case Slot::Phase::free:
    case Slot::Phase::launch:
      return moved;
  }
  return moved;
}

void FastSm::answer(const Request& request, const GpuMemory::Answer& answer) {
  Slot& s = slots_[request.cta];
  if (request.write) {
    s.stored = std::max(s.stored, answer.accepted);
    --s.stores_due;
    return;
  }
  Stage& stage = s.stages[request.stage];
  const Cycle ready = answer.ready + sm_.load_store.copy_latency_cycles;
  stage.from_dram = stage.from_dram || answer.from_dram;
  flights_.push_back({ready, request.access.bytes()});
  --stage.answers_due;
  stage.partial = std::max(stage.partial, ready);
  if (stage.answers_due == 0) stage.ready = stage.partial;
}

SmCycle FastSm::waiting_class(Cycle now) const {
  bool launching = false, storing = false, vector = false, syncing = false, l2 = false;
  for (const Slot& s : slots_) {
    switch (s.phase) {
      case Slot::Phase::free:
        break;
      case Slot::Phase::launch:
        launching = true;
        break;
      case Slot::Phase::epilogue:
        vector = true;
        break;
      case Slot::Phase::store:
        storing = true;
        break;
      case Slot::Phase::run: {
        if (s.works()) {
          vector = true;
          break;
        }
        if (s.worked() == s.loaded) break;
        const Stage& stage = s.stages[s.worked() % plan_->stages()];
        if (stage.ready <= now) {
          syncing = true;
        } else if (stage.from_dram) {
          return SmCycle::wait_dram;
        } else {
          l2 = true;
        }
        break;
      }
    }
  }
  if (vector) return SmCycle::vector_busy;
  if (l2) return SmCycle::wait_l2;
  if (syncing) return SmCycle::sync;
  if (storing) return SmCycle::wait_store;
  if (launching) return SmCycle::launch;
  return SmCycle::idle;
}

/// Cycles since the last call: the tensor cores' first, the rest as what the CTAs waited for then.
void FastSm::account(Cycle now) {
  if (now <= accounted_) return;
  const Cycle busy_until = std::clamp(tensor_.free, accounted_, now);
  record_.breakdown[static_cast<std::size_t>(SmCycle::matrix_busy)] += busy_until - accounted_;
  record_.breakdown[static_cast<std::size_t>(class_)] += now - busy_until;
  record_.resident_warp_cycles += running_ * warps_each_ * (now - accounted_);
  accounted_ = now;
}

std::string FastSm::describe() const {
  std::string text = fmt::format("SM {}: {} of {} CTAs", index_, running_, slots_.size());
  for (const Slot& s : slots_) {
    if (s.phase == Slot::Phase::free) continue;
    text += fmt::format("\n  block {}: slab {} of {}, {} loaded, phase {}", s.work_block,
                        s.teams[0].slab, s.work_slabs, s.loaded, static_cast<int>(s.phase));
  }
  return text;
}

}  // namespace tilewave
