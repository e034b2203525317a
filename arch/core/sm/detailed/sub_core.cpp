// SPDX-License-Identifier: Apache-2.0
#include "arch/core/sm/detailed/sub_core.hpp"

#include <algorithm>
#include <utility>

namespace tilewave {

namespace {

constexpr std::size_t of(WarpPipe pipe) { return static_cast<std::size_t>(pipe); }

/// Is it as many instructions as the host says?
bool is_counted(WarpOp op) {
  return op == WarpOp::copy || op == WarpOp::keep || op == WarpOp::store;
}
bool waits_for_others(WarpOp op) {
  switch (op) {
    case WarpOp::wait_slab:
    case WarpOp::wait_room:
    case WarpOp::wait_sums:
    case WarpOp::wait_place:
    case WarpOp::copy:
      return true;
    default:
      return false;
  }
}

}  // namespace

SubCore::SubCore(const SmParams& sm, WarpHost& host, std::size_t index)
    : sm_(sm), host_(host), index_(index), queue_(sm.load_store.queue_instructions, 0) {}

void SubCore::begin_kernel(std::size_t warps) {
  warps_.assign(warps, {});
  at_.assign(warps, kNever);
  pipe_.assign(warps, WarpPipe::control);
  why_.assign(warps, SubCoreCycle::idle);
  free_.clear();
  launching_.clear();
  for (std::size_t slot = warps; slot-- > 0;) free_.push_back(slot);
  last_ = kNobody;
  started_ = 0;
  next_ = kNever;
}

std::size_t SubCore::start(Warp warp, Cycle now, Cycle at) {
  account(now);
  const std::size_t slot = free_.back();
  free_.pop_back();
  Warp& w = warps_[slot];
  // Their memory is kept.
  warp.ready = std::move(w.ready);
  warp.why = std::move(w.why);
  w = std::move(warp);
  w.ready.assign(w.program->registers, 0);
  w.why.assign(w.program->registers, SubCoreCycle::dependency);
  w.order = started_++;
  w.issued = at > 0 ? at - 1 : 0;
  at_[slot] = kNever;
  why_[slot] = SubCoreCycle::launch;
  launching_.emplace_back(at, slot);
  next_ = std::min(next_, now);
  return slot;
}

void SubCore::wake(std::size_t slot, Cycle at) {
  Warp& w = warps_[slot];
  if (w.program == nullptr) return;
  const SubCoreCycle waited_for = why_[slot];
  const Cycle earliest = std::max(at, w.issued + 1);
  settle(slot, earliest);
  if (at_[slot] == earliest) why_[slot] = waited_for;
  next_ = std::min(next_, std::max(at_[slot], issued_ == kNever ? 0 : issued_ + 1));
}

bool SubCore::prefers(std::size_t a, std::size_t b, Cycle now) const {
  if (sm_.warp_order == WarpOrder::gto) {
    // Greedy: as long as it issues every cycle.
    if ((a == last_ || b == last_) && issued_ + 1 == now) return a == last_;
    return warps_[a].order < warps_[b].order;
  }
  // In turn, from the one after the last.
  const std::size_t n = warps_.size(), first = last_ == kNobody ? 0 : last_ + 1;
  return (a + n - first % n) % n < (b + n - first % n) % n;
}

SubCore::Choice SubCore::choose(Cycle now) const {
  Choice c{kNobody, kNever, kNobody};
  for (std::size_t slot = 0; slot < at_.size(); ++slot) {
    if (at_[slot] == kNever) continue;
    const Cycle t = std::max(at_[slot], pipe_free_[of(pipe_[slot])]);
    if (t > now) {
      if (t < c.wake) c.wake = t, c.waker = slot;
    } else if (c.slot == kNobody || prefers(slot, c.slot, now)) {
      c.slot = slot;
    }
  }
  return c;
}

void SubCore::step(Cycle now) {
  account(now);
  while (!launching_.empty() && launching_.front().first <= now) {
    settle(launching_.front().second, now);
    launching_.pop_front();
  }
  if (issued_ != now) {
    const Choice c = choose(now);
    if (c.slot != kNobody) {
      issue(c.slot, now);
      issued_ = now;
      issued_now_ = true;
    }
  }
  sleep(now + 1);
}

/// From `now` on until next() no warp can issue; says why.
void SubCore::sleep(Cycle now) {
  const Choice c = choose(now);
  if (c.slot != kNobody) {
    next_ = now;
    // In this cycle it could not: it has issued already, or it waits for the next step.
    class_ = SubCoreCycle::dependency;
    return;
  }
  next_ = c.wake;
  if (!launching_.empty()) next_ = std::min(next_, std::max(now, launching_.front().first));
  if (c.waker != kNobody) {
    const WarpPipe pipe = pipe_[c.waker];
    class_ = pipe_free_[of(pipe)] <= at_[c.waker] ? why_[c.waker]
             : pipe == WarpPipe::memory           ? SubCoreCycle::memory_queue
                                                  : SubCoreCycle::math_pipe;
    return;
  }
  // All wait for others: for data rather than for each other.
  class_ = SubCoreCycle::idle;
  for (std::size_t slot = 0; slot < warps_.size(); ++slot) {
    if (warps_[slot].program != nullptr) class_ = std::min(class_, why_[slot]);
  }
}

void SubCore::account(Cycle now) {
  if (now <= accounted_) return;
  Cycle cycles = now - accounted_;
  if (std::exchange(issued_now_, false)) {
    ++totals_.cycles[static_cast<std::size_t>(SubCoreCycle::issued)];
    --cycles;
  }
  totals_.cycles[static_cast<std::size_t>(class_)] += cycles;
  accounted_ = now;
}

void SubCore::enqueue(Cycle leaves) {
  queue_[oldest_] = leaves;
  oldest_ = oldest_ + 1 == queue_.size() ? 0 : oldest_ + 1;
  pipe_free_[of(WarpPipe::memory)] = queue_[oldest_];
}

Ticks SubCore::take_tensor(Cycle now, Ticks ticks, Ticks fed, Ticks queued) {
  Ticks& free = pipe_ticks_[of(WarpPipe::tensor)];
  free = std::max(std::max(free, now * kTicks) + ticks, fed);
  pipe_free_[of(WarpPipe::tensor)] = std::max(now + 1, (free - queued) / kTicks);
  matrix_ticks_ += ticks;
  matrix_until_ = free;
  return free;
}

/// Into the tensor core's queue: one may wait there while another is under way.
void SubCore::multiply(Warp& w, const WarpInstruction& i, Cycle now) {
  const auto feed = host_.access_shared(now, i.wavefronts, i.bytes);
  const Ticks end = take_tensor(now, i.interval, feed.end * kTicks, i.interval);
  w.last_multiply = (end + kTicks - 1) / kTicks + i.latency;
}

void SubCore::issue(std::size_t slot, Cycle now) {
  Warp& w = warps_[slot];
  const WarpInstruction& i = w.list()[w.at];
  if (on_stall_ && now > w.issued + 1) {
    const bool pipe = pipe_free_[of(pipe_[slot])] > at_[slot];
    on_stall_(
        slot,
        pipe ? (i.pipe == WarpPipe::memory ? SubCoreCycle::memory_queue : SubCoreCycle::math_pipe)
             : why_[slot],
        w.issued + 1, now);
  }
  ++totals_.instructions;
  totals_.macs += i.macs;
  last_ = slot;
  w.issued = now;
  switch (i.op) {
    case WarpOp::compute: {
      Ticks& free = pipe_ticks_[of(i.pipe)];
      free = std::max(free, now * kTicks) + i.interval;
      pipe_free_[of(i.pipe)] = free / kTicks;
      if (i.multiplies) {
        matrix_ticks_ += i.interval;
        matrix_until_ = std::max(matrix_until_, free);
      }
      if (i.result != WarpInstruction::kNone) {
        w.ready[static_cast<std::size_t>(i.result)] = now + i.latency;
        w.why[static_cast<std::size_t>(i.result)] = SubCoreCycle::dependency;
      }
      break;
    }
    case WarpOp::group_multiply:
      multiply(w, i, now);
      break;
    case WarpOp::read_shared: {
      const auto access = host_.access_shared(now, i.wavefronts, i.bytes);
      enqueue(access.begin);
      w.ready[static_cast<std::size_t>(i.result)] = access.end - 1 + i.latency;
      w.why[static_cast<std::size_t>(i.result)] = SubCoreCycle::shared_data;
      break;
    }
    case WarpOp::write_shared:
    case WarpOp::keep: {
      const auto access = host_.access_shared(now, i.wavefronts, i.bytes);
      enqueue(access.begin);
      w.writes_done = std::max(w.writes_done, access.end - 1 + i.latency);
      break;
    }
    case WarpOp::commit:
      w.group_before = w.last_group;
      w.last_group = w.last_multiply;
      break;
    case WarpOp::wait_group:
      break;
    default: {
      const Cycle leaves = host_.perform(w, i, {index_, slot}, now);
      if (i.pipe == WarpPipe::memory) enqueue(leaves);
    }
  }
  if (--w.left == 0) ++w.at;
  settle(slot, now + 1);
}

/// The warp is at the end of a part; false: it does not go on now.
bool SubCore::next_part(std::size_t slot, Cycle earliest) {
  Warp& w = warps_[slot];
  w.at = 0;
  switch (w.part) {
    case Warp::Part::head:
      w.part = w.slabs > 0 ? Warp::Part::slab : Warp::Part::tail;
      return true;
    case Warp::Part::slab:
      ++w.sequence;
      if (++w.slab == w.slabs) w.part = Warp::Part::tail;
      return true;
    case Warp::Part::tail:
      break;
  }
  w.at = w.list().size();  // if it has to wait it asks again
  switch (host_.next_block(w, {index_, slot}, earliest)) {
    case WarpHost::Next::go_on:
      w.part = Warp::Part::head;
      w.at = 0;
      w.slab = 0;
      ++w.block;
      return true;
    case WarpHost::Next::wait:
      at_[slot] = kNever;
      why_[slot] = SubCoreCycle::barrier;
      return false;
    case WarpHost::Next::exit:
      at_[slot] = kNever;
      w.program = nullptr;
      free_.push_back(slot);
      return false;
  }
  return false;
}

/// Goes to the warp's next instruction that is not skipped, and finds out when it may issue.
void SubCore::settle(std::size_t slot, Cycle earliest) {
  Warp& w = warps_[slot];
  for (;;) {
    if (w.not_before == kNever) {
      at_[slot] = kNever;
      why_[slot] = w.not_before_why;
      return;
    }
    const auto& list = w.list();
    if (w.at >= list.size()) {
      if (!next_part(slot, earliest)) return;
      continue;
    }
    const WarpInstruction& i = list[w.at];
    if (w.left == 0) {
      if ((i.unless_last && w.slab + 1 >= w.slabs) || (i.first_block && w.block > 0)) {
        ++w.at;
        continue;
      }
      if (is_counted(i.op)) {
        const auto count = host_.instructions_of(w, i, {index_, slot});
        if (!count) {
          at_[slot] = kNever;
          why_[slot] = SubCoreCycle::barrier;
          return;
        }
        if (*count == 0) {
          ++w.at;
          continue;
        }
        w.left = *count;
      } else {
        w.left = i.repeat;
      }
    }
    Cycle at = earliest;
    SubCoreCycle why = SubCoreCycle::dependency;
    const auto later = [&](Cycle when, SubCoreCycle reason) {
      if (when > at) at = when, why = reason;
    };
    later(w.not_before, w.not_before_why);
    for (const std::int16_t r : i.sources) {
      if (r == WarpInstruction::kNone) continue;
      later(w.ready[static_cast<std::size_t>(r)], w.why[static_cast<std::size_t>(r)]);
    }
    if (i.op == WarpOp::barrier) later(w.writes_done, SubCoreCycle::shared_data);
    if (i.op == WarpOp::wait_group) {
      later(i.arg == 0 ? w.last_group : w.group_before, SubCoreCycle::math_pipe);
    }
    if (waits_for_others(i.op)) {
      const auto when = host_.may_issue(w, i, {index_, slot});
      later(when.at, when.why);
    }
    at_[slot] = at;
    pipe_[slot] = i.pipe;
    why_[slot] = why;
    return;
  }
}

}  // namespace tilewave
