// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/dram/dram_system.hpp"

#include <fmt/format.h>

#include "sim/diagnostics.hpp"

namespace tilewave {

DramSystem::DramSystem(const DramParams& dram, DramPace pace, std::size_t requests)
    : map_(dram),
      pace_(pace),
      ticks_per_cycle_(dram.standard.half_cycle_precharge ? 2 : 1),
      next_(dram.organisation.channels, kNoTick),
      first_done_(dram.organisation.channels, Due{}),
      requests_(requests) {
  const std::size_t shortest = std::min(dram.controller.read_queue, dram.controller.write_queue);
  replays_ = pace == DramPace::run_ahead && shortest >= kReplayingQueue;
  // What a stretch may take at most is only a bound; one that takes longer is not remembered.
  constexpr DramTick kAmply = 4;
  stretch_ticks_ = kAmply * ticks_per_cycle_ * dram.timing("nBL");
  refresh_ticks_ = 2 * ticks_per_cycle_ *
                   std::max(dram.longest_rule(DramCommand::ref_all, DramCommand::act),
                            dram.longest_rule(DramCommand::ref_bank, DramCommand::act));
  lanes_.reserve(dram.organisation.channels);
  const DramTiming timing(dram);  // its tables are shared
  for (Count c = 0; c < dram.organisation.channels; ++c) {
    lanes_.push_back({.channel = DramChannel(dram, map_, timing), .index = c});
  }
  for (Lane& lane : lanes_) {
    lane.channel.connect(*this);
    if (pace != DramPace::lock_step) lane.channel.log(&lane.ahead);
  }
  for (std::size_t i = requests; i-- > 0;) free_.push_back(static_cast<Index>(i));
}

void DramSystem::submit(DramTick now, std::uint64_t address, Bytes bytes, bool write,
                        std::uint64_t tag) {
  const Index slot = free_.back();
  free_.pop_back();
  Request& request = requests_[slot];
  // One more than the bursts, until all parts are queued: none may end it before.
  request = {.tag = tag,
             .bursts_left = 1,
             .due = {.done = now, .order = ++order_},
             .next = kNone,
             .previous = kNone,
             .write = write};
  asked_bytes_ += bytes;
  map_.split(address, bytes, [&](std::uint32_t channel, std::uint64_t burst, std::uint64_t bursts) {
    request.bursts_left += bursts;
    asked_bursts_ += bursts;
    Lane& lane = lanes_[channel];
    working_ = &lane;
    if (lane.first_part == kNone && lane.channel.can_accept(write)) lane.pull_at = now;
    push_part(lane,
              {.burst = burst, .bursts = bursts, .slot = slot, .next = kNone, .write = write});
    lane.bursts += bursts;
    next_[channel] = std::min(next_[channel], lane.pull_at);
    soonest_ = std::min(soonest_, lane.pull_at);
  });
  bursts_done(slot, 1, now);
}

void DramSystem::on_served(std::uint64_t owner, bool, DramTick, DramTick done) {
  bursts_done(static_cast<std::uint32_t>(owner), 1, done);
}

void DramSystem::bursts_done(Index slot, std::uint64_t bursts, DramTick done) {
  Request& request = requests_[slot];
  request.due.done = std::max(request.due.done, done);
  request.bursts_left -= bursts;
  if (request.bursts_left == 0) insert_done(*working_, slot);
}

// They come nearly in order.
void DramSystem::insert_done(Lane& lane, Index slot) {
  Request& request = requests_[slot];
  Index before = lane.last_done;
  while (before != kNone && request.due < requests_[before].due) {
    before = requests_[before].previous;
  }
  request.previous = before;
  request.next = before == kNone ? lane.first_done : requests_[before].next;
  (request.next == kNone ? lane.last_done : requests_[request.next].previous) = slot;
  if (before == kNone) {
    lane.first_done = slot;
    first_done_.set(lane.index, request.due);
  } else {
    requests_[before].next = slot;
  }
}

void DramSystem::push_part(Lane& lane, const Part& part) {
  Index index = free_part_;
  if (index == kNone) {
    index = static_cast<Index>(parts_.size());
    parts_.push_back(part);
  } else {
    free_part_ = parts_[index].next;
    parts_[index] = part;
  }
  (lane.first_part == kNone ? lane.first_part : parts_[lane.last_part].next) = index;
  lane.last_part = index;
}

void DramSystem::pop_part(Lane& lane) {
  const Index index = lane.first_part;
  lane.first_part = parts_[index].next;
  parts_[index].next = free_part_;
  free_part_ = index;
}

// The first part's bursts enter the channel's queues.
void DramSystem::pull(Lane& lane, DramTick now) {
  for (int i = 0; i < kBurstsPerTick && lane.first_part != kNone; ++i) {
    Part& part = parts_[lane.first_part];
    if (!lane.channel.can_accept(part.write)) break;
    lane.channel.accept(now, part.burst, part.write, part.slot);
    ++part.burst;
    --lane.bursts;
    if (--part.bursts == 0) pop_part(lane);
  }
}

DramTick DramSystem::step(Lane& lane, DramTick now) {
  working_ = &lane;
  if (lane.pull_at <= now) pull(lane, now);
  if (lane.channel.next() <= now) lane.channel.advance(now);
  const bool more =
      lane.first_part != kNone && lane.channel.can_accept(parts_[lane.first_part].write);
  lane.pull_at = more ? now + 1 : kNoTick;
  return std::min(lane.pull_at, lane.channel.next());
}

// As long as more bursts wait than a tick takes, what arrives later cannot change what the channel
// does. A lane that replays and has come to `now` lets more gather, so that it can go on like that.
void DramSystem::work_off(Lane& lane, DramTick now) {
  forget_events(lane, now);
  const auto next = [&] { return std::min(lane.pull_at, lane.channel.next()); };
  if (lane.replaying) replay(lane);
  while (!lane.replaying || lane.waiting.now < now) {
    go_on(lane);
    const DramTick tick = next();
    if (tick > now && (lane.bursts <= kBurstsPerTick || tick == kNoTick)) {
      next_[lane.index] = tick;
      return;
    }
    static_cast<void>(step(lane, tick));
    if (begins_stretch(lane) && lane.channel.view(tick, lane.waiting)) replay(lane);
  }
  next_[lane.index] = lane.waiting.now + 1;
}

void DramSystem::advance(DramTick now) {
  if (soonest_ > now) return;
  soonest_ = kNoTick;
  for (Lane& lane : lanes_) {
    DramTick& next = next_[lane.index];
    if (pace_ != DramPace::lock_step) {
      if (next <= now) work_off(lane, now);  // else it lets more gather
    } else {
      while (next <= now) next = step(lane, next);
    }
    soonest_ = std::min(soonest_, next);
  }
}

DramTick DramSystem::next() const { return std::min(soonest_, first_done_.key().done); }

bool DramSystem::pop_done(DramTick now, Completion& completion) {
  if (first_done_.key().done > now) return false;
  Lane& lane = lanes_[first_done_.index()];
  const Index slot = lane.first_done;
  const Request& request = requests_[slot];
  completion = {.done = request.due.done, .tag = request.tag, .write = request.write};
  lane.first_done = request.next;
  if (lane.first_done == kNone) {
    lane.last_done = kNone;
    first_done_.set(lane.index, Due{});
  } else {
    requests_[lane.first_done].previous = kNone;
    first_done_.set(lane.index, requests_[lane.first_done].due);
  }
  free_.push_back(slot);
  return true;
}

bool DramSystem::idle() const noexcept {
  return free_.size() == requests_.size() &&
         std::all_of(lanes_.begin(), lanes_.end(), [](const Lane& lane) {
           return lane.channel.idle() && lane.first_part == kNone;
         });
}

void DramSystem::catch_up(DramTick now) {
  for (Lane& lane : lanes_) {
    if (lane.channel.idle()) lane.channel.catch_up(now);
  }
}

DramCounts DramSystem::counts() const {
  DramCounts total;
  for (const Lane& lane : lanes_) total += lane.channel.counts();
  return total;
}

DramCounts DramSystem::counts_at(DramTick now) const {
  DramCounts total = counts();
  for (const Lane& lane : lanes_) {
    for (const DramEvent& event : lane.ahead) {
      if (event.tick > now) event.subtract_from(total);
    }
    for (const auto& [begin, outcome] : lane.replays) {
      for (const DramEvent& event : outcome->events) {
        if (begin + event.tick > now) event.subtract_from(total);
      }
    }
  }
  return total;
}

// Events come in order.
void DramSystem::forget_events(Lane& lane, DramTick until) {
  const auto later = [&](const DramEvent& event) { return event.tick > until; };
  const auto first = std::ranges::find_if(lane.ahead, later);
  lane.ahead.erase(lane.ahead.begin(), first);
  while (!lane.replays.empty()) {
    const auto& [begin, outcome] = lane.replays.front();
    if (begin + outcome->ticks > until) break;
    lane.replays.pop_front();
  }
}

DramTick DramSystem::last_data() const {
  DramTick last = 0;
  for (const Lane& lane : lanes_) last = std::max(last, lane.channel.last_data());
  return last;
}

void DramSystem::check_laws() const {
  const auto violated = [](const std::string& law) {
    throw SimulationError("law violated: dram: " + law);
  };
  if (!idle()) violated("a request was not served");
  const DramCounts c = counts();
  const Count served = c.reads + c.writes + c.forwarded_reads + c.merged_writes;
  if (served != asked_bursts_) {
    violated(fmt::format("{} bursts were asked for, {} served", asked_bursts_, served));
  }
  if (c.row_hits + c.row_closed + c.row_conflicts != c.reads + c.writes) {
    violated("row hits, closed and conflicts are all the bursts");
  }
  const auto command = [&](DramCommand which) {
    return c.commands[static_cast<std::size_t>(which)];
  };
  if (command(DramCommand::rd) + command(DramCommand::rd_ap) != c.reads ||
      command(DramCommand::wr) + command(DramCommand::wr_ap) != c.writes) {
    violated("each burst takes one RD or WR");
  }
}

}  // namespace tilewave
