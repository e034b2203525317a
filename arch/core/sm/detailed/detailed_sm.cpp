// SPDX-License-Identifier: Apache-2.0
#include "arch/core/sm/detailed/detailed_sm.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace tilewave {

namespace {
/// Of data that arrives, written to shared memory at a time.
constexpr Bytes kArrivalBytes = 1024;
}  // namespace

DetailedSm::DetailedSm(const SmParams& sm, Count index) : sm_(sm), index_(index) {
  sub_cores_.reserve(sm.sub_cores);
  WarpHost& host = *this;
  for (std::size_t s = 0; s < sm.sub_cores; ++s) sub_cores_.emplace_back(sm_, host, s);
}

void DetailedSm::begin_kernel(const CtaPlan& plan, Count ctas, Cycle now) {
  account(now);
  plan_ = &plan;
  expansion_ = std::make_unique<CtaExpansion>(sm_, plan);
  const std::size_t slots = ceil_div(ctas * expansion_->warps(), sm_.sub_cores);
  warps_each_ = ceil_div(plan.kernel().cta.threads, sm_.warp_lanes);
  for (SubCore& s : sub_cores_) s.begin_kernel(slots);
  ctas_.assign(ctas, {});
  for (Cta& cta : ctas_) cta.stages.resize(plan.stages());
  class_ = SmCycle::launch;
  empty_class_ = SubCoreCycle::launch;
  for (SubCore& s : sub_cores_) s.set_class(SubCoreCycle::launch);
}

SmRecord DetailedSm::end_kernel(Cycle now) {
  account(now);
  publish();
  class_ = SmCycle::launch;
  empty_class_ = SubCoreCycle::launch;
  for (SubCore& s : sub_cores_) {
    s.set_class(SubCoreCycle::launch);
    s.clear_totals();
  }
  shared_bytes_ = 0;
  return std::exchange(record_, {});
}

const SmRecord& DetailedSm::record_at(Cycle now) {
  account(now);
  publish();
  return record_;
}

/// What the sub-cores count, into the record.
void DetailedSm::publish() {
  record_.sub_cores = {};
  record_.instructions = record_.macs_done = 0;
  Ticks matrix = 0;
  for (const SubCore& s : sub_cores_) {
    for (std::size_t c = 0; c < kSubCoreCycles; ++c) {
      record_.sub_cores[c] += s.totals().cycles[c];
    }
    record_.instructions += s.totals().instructions;
    record_.macs_done += s.totals().macs;
    matrix += s.matrix_ticks();
  }
  record_.tensor_cycles = matrix / kTicks / sm_.sub_cores;
  record_.shared_bytes = shared_bytes_;
}

void DetailedSm::dispatching(Cycle now) {
  account(now);
  class_ = SmCycle::idle;
  empty_class_ = SubCoreCycle::idle;
  for (SubCore& s : sub_cores_) s.set_class(SubCoreCycle::idle);
}

void DetailedSm::start(Cycle now, Count number) {
  account(now);
  const auto free = std::ranges::find_if(ctas_, [](const Cta& c) { return !c.active; });
  Cta& cta = *free;
  cta.active = true;
  cta.started_with = number;
  cta.blocks.clear();
  cta.first_block = 0;
  cta.end_slab = 0;
  add_block(cta, number);
  cta.asked = false;
  cta.no_more = !plan_->kernel().cta.persistent;
  for (Stage& s : cta.stages) {
    s.asked_for = false;
    s.due = 0;
    s.given_back = 0;
    s.free_at = 0;
    s.waiting.clear();
  }
  cta.stores_due = 0;
  cta.stored = now;
  cta.warps = 0;
  ++running_;
  const auto cta_number = static_cast<Count>(free - ctas_.begin());
  for (Count role = 0; role < expansion_->roles().size(); ++role) {
    for (Count w = 0; w < expansion_->roles()[role].warps; ++w) {
      Warp warp;
      warp.program = &expansion_->roles()[role].program;
      warp.cta = cta_number, warp.role = role, warp.index = w;
      warp.slabs = cta.blocks.front().slabs;
      ++cta.warps;
      // To the sub-core with the fewest.
      const auto to = std::ranges::max_element(
          sub_cores_, [](const SubCore& a, const SubCore& b) { return a.room() < b.room(); });
      to->start(std::move(warp), now, now + sm_.cta_launch_cycles);
    }
  }
}

Cycle DetailedSm::step(Cycle now) {
  account(now);
  stepping_ = now;
  (void)news_before(now);
  fresh_cycle_ = now;
  free_arrived(now);
  Cycle wake = kNever;
  for (SubCore& s : sub_cores_) {
    if (s.next() <= now) s.step(now);
  }
  end_ctas(now);
  for (const SubCore& s : sub_cores_) wake = std::min(wake, std::max(s.next(), now + 1));
  for (const Cta& cta : ctas_) {
    if (cta.active && cta.warps == 0 && cta.stores_due == 0) wake = std::min(wake, cta.stored);
  }
  if (!wants_flight_.empty() && next_arrival_ != kNever) {
    wake = std::min(wake, std::max(next_arrival_, now + 1));
  }
  classify();
  return wake;
}

void DetailedSm::end_ctas(Cycle now) {
  for (Cta& cta : ctas_) {
    if (!cta.active || cta.warps > 0 || cta.stores_due > 0 || cta.stored > now) continue;
    cta.active = false;
    --running_;
    fresh_.finished.push_back(cta.started_with);
  }
}

/// Data that has arrived makes room for more in flight, and has passed the port of shared memory.
void DetailedSm::free_arrived(Cycle now) {
  if (next_arrival_ > now) return;
  next_arrival_ = kNever;
  std::erase_if(flights_, [&](const Flight& f) {
    if (f.ready > now) {
      next_arrival_ = std::min(next_arrival_, f.ready);
      return false;
    }
    in_flight_ -= f.bytes;
    if (expansion_->lands_in_shared()) {
      (void)shared_.take(f.ready, ceil_div(f.bytes, sm_.load_store.shared_bytes_per_cycle));
      shared_bytes_ += f.bytes;
    }
    return true;
  });
  wake_all(wants_flight_, now);
}

/// Who is woken may wait for the same again.
void DetailedSm::wake_all(std::vector<WarpPlace>& places, Cycle at) {
  if (places.empty()) return;
  woken_.clear();
  std::swap(woken_, places);
  for (const WarpPlace& p : woken_) sub_cores_[p.sub_core].wake(p.slot, at);
}

SharedPort::Access DetailedSm::access_shared(Cycle now, Cycle cycles, Bytes bytes) {
  shared_bytes_ += bytes;
  return shared_.take(now, cycles);
}

void DetailedSm::answer(const SmRequest& request, const GpuMemory::Answer& answer) {
  Cta& cta = ctas_[request.cta];
  if (request.write) {
    cta.stored = std::max(cta.stored, answer.accepted);
    --cta.stores_due;
    return;
  }
  Stage& stage = cta.stages[request.stage];
  const Cycle ready = answer.ready + sm_.load_store.copy_latency_cycles;
  // It comes at the rate of the port, piece by piece.
  Bytes left = request.access.bytes();
  for (Cycle at = ready; left > 0;) {
    const Bytes piece = std::min(left, kArrivalBytes);
    flights_.push_back({at, piece});
    next_arrival_ = std::min(next_arrival_, at);
    left -= piece;
    const Cycle earlier = piece / sm_.load_store.l2_read_bytes_per_cycle;
    at = at > stepping_ + earlier ? at - earlier : at;
  }
  stage.ready = std::max(stage.ready, ready);
  stage.from_dram = stage.from_dram || answer.from_dram;
  if (--stage.due > 0) return;
  wake_all(stage.waiting, stepping_);
}

void DetailedSm::account(Cycle now) {
  if (now <= accounted_) return;
  for (SubCore& s : sub_cores_) s.account(now);
  Cycle matrix = 0;
  for (const SubCore& s : sub_cores_) matrix = std::max(matrix, s.matrix_until());
  const Cycle busy_until = std::clamp(matrix, accounted_, now);
  record_.breakdown[static_cast<std::size_t>(SmCycle::matrix_busy)] += busy_until - accounted_;
  record_.breakdown[static_cast<std::size_t>(class_)] += now - busy_until;
  record_.resident_warp_cycles += running_ * warps_each_ * (now - accounted_);
  accounted_ = now;
}

/// What its cycles are from now on, in the terms of `fast`: the sub-core nearest to work decides.
void DetailedSm::classify() {
  // A sub-core without a warp, while CTAs wait for their stores to leave, waits for that.
  const bool draining =
      std::ranges::any_of(ctas_, [](const Cta& cta) { return cta.active && cta.warps == 0; });
  for (SubCore& s : sub_cores_) {
    if (s.empty()) s.set_class(draining ? SubCoreCycle::store_drain : SubCoreCycle::idle);
  }
  bool vector = false, dram = false, l2 = false, sync = false, store = false, launch = false;
  for (const SubCore& s : sub_cores_) {
    switch (s.current_class()) {
      case SubCoreCycle::issued:
      case SubCoreCycle::math_pipe:
      case SubCoreCycle::dependency:
        vector = true;
        break;
      case SubCoreCycle::memory_queue:
      case SubCoreCycle::shared_data:
      case SubCoreCycle::barrier:
        sync = true;
        break;
      case SubCoreCycle::wait_dram:
        dram = true;
        break;
      case SubCoreCycle::wait_l2:
        l2 = true;
        break;
      case SubCoreCycle::store_drain:
        store = true;
        break;
      case SubCoreCycle::launch:
        launch = true;
        break;
      case SubCoreCycle::idle:
        break;
    }
  }
  class_ = vector   ? SmCycle::vector_busy
           : dram   ? SmCycle::wait_dram
           : l2     ? SmCycle::wait_l2
           : sync   ? SmCycle::sync
           : store  ? SmCycle::wait_store
           : launch ? SmCycle::launch
                    : SmCycle::idle;
}

std::string DetailedSm::describe() const {
  std::string text = fmt::format("SM {}: {} of {} CTAs", index_, running_, ctas_.size());
  for (const Cta& cta : ctas_) {
    if (!cta.active) continue;
    text += fmt::format("\n  block {}: {} warps, {} at a barrier, {} stores out",
                        cta.blocks.empty() ? 0 : cta.blocks.front().number, cta.warps,
                        cta.at_barrier.size(), cta.stores_due);
  }
  return text;
}

void DetailedSm::trace(const EventBus& events) {
  events_ = &events;
  for (std::size_t s = 0; s < sub_cores_.size(); ++s) {
    sub_cores_[s].trace([this, s](std::size_t slot, SubCoreCycle why, Cycle begin, Cycle end) {
      events_->slice(fmt::format("sm{}.sub_core{}.warp{}", index_, s, slot), to_string(why),
                     plan_->kernel().kernel.layer, begin, end);
    });
  }
}

}  // namespace tilewave
