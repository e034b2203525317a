// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/dram/dram_system.hpp"

#include <fmt/format.h>

#include "sim/diagnostics.hpp"

namespace tilewave {

DramSystem::DramSystem(const DramParams& dram, DramPace pace, std::size_t requests)
    : map_(dram),
      pace_(pace),
      ticks_per_cycle_(dram.standard.half_cycle_precharge ? 2 : 1),
      requests_(requests) {
  const auto is_column = [](DramCommand c) {
    const auto wait = DramTiming::wait_of(c);
    return wait == DramTiming::kRead || wait == DramTiming::kWrite;
  };
  // A state is compared without what rules with a window remember of RD and WR; and a short queue
  // gains nothing.
  skips_streams_ =
      std::min(dram.controller.read_queue, dram.controller.write_queue) >= kSkippingQueue &&
      std::none_of(dram.rules.begin(), dram.rules.end(), [&](const DramTimingRule& rule) {
        return rule.window > 1 && std::any_of(rule.from.begin(), rule.from.end(), is_column);
      });
  lanes_.reserve(dram.organisation.channels);
  for (Count c = 0; c < dram.organisation.channels; ++c) {
    // A run cut block by block may have two parts on a channel.
    lanes_.push_back({.channel = DramChannel(dram, map_),
                      .parts = BoundedQueue<Part>(2 * requests),
                      .done = BoundedQueue<Due>(requests)});
  }
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    lanes_[i].index = i;
    lanes_[i].channel.connect(*this);
  }
  next_.assign(lanes_.size(), kNoTick);
  first_done_.resize(lanes_.size());
  for (std::size_t i = requests; i-- > 0;) free_.push_back(static_cast<std::uint32_t>(i));
}

void DramSystem::submit(DramTick now, std::uint64_t address, Bytes bytes, bool write,
                        std::uint64_t tag) {
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  Request& request = requests_[slot];
  // One more than the bursts, until all parts are queued: none may end it before.
  request = {.tag = tag, .order = ++order_, .bursts_left = 1, .done = now, .write = write};
  asked_bytes_ += bytes;
  map_.split(address, bytes, [&](std::uint32_t channel, std::uint64_t burst, std::uint64_t bursts) {
    request.bursts_left += bursts;
    asked_bursts_ += bursts;
    Lane& lane = lanes_[channel];
    working_ = &lane;
    if (lane.parts.empty() && lane.channel.can_accept(write)) lane.pull_at = now;
    lane.parts.push({.burst = burst, .bursts = bursts, .slot = slot, .write = write});
    lane.bursts += bursts;
    next_[channel] = std::min(next_[channel], lane.pull_at);
  });
  bursts_done(slot, 1, now);
}

void DramSystem::on_served(std::uint64_t owner, bool, DramTick, DramTick done) {
  bursts_done(static_cast<std::uint32_t>(owner), 1, done);
}

void DramSystem::bursts_done(std::uint32_t slot, std::uint64_t bursts, DramTick done) {
  Request& request = requests_[slot];
  request.done = std::max(request.done, done);
  request.bursts_left -= bursts;
  if (request.bursts_left > 0) return;
  auto& due = working_->done;
  due.push({.done = request.done, .order = request.order, .slot = slot});
  for (std::size_t i = due.size() - 1; i > 0 && due.at(i).before(due.at(i - 1)); --i) {
    std::swap(due.at(i), due.at(i - 1));  // they come nearly in order
  }
  first_done_[working_->index] = due.front();
}

// The first part's bursts enter the channel's queues.
void DramSystem::pull(Lane& lane, DramTick now) {
  for (int i = 0; i < kBurstsPerTick && !lane.parts.empty(); ++i) {
    Part& part = lane.parts.front();
    if (!lane.channel.can_accept(part.write)) break;
    lane.channel.accept(now, part.burst, part.write, part.slot);
    ++part.burst;
    --lane.bursts;
    if (--part.bursts == 0) lane.parts.pop();
  }
}

void DramSystem::step(Lane& lane, DramTick now) {
  working_ = &lane;
  if (lane.pull_at <= now) pull(lane, now);
  if (lane.channel.next() <= now) lane.channel.advance(now);
  const bool more = !lane.parts.empty() && lane.channel.can_accept(lane.parts.front().write);
  lane.pull_at = more ? now + 1 : kNoTick;
  next_[lane.index] = std::min(lane.pull_at, lane.channel.next());
}

// As long as more bursts wait than a tick takes, what arrives later cannot change what the channel
// does.
void DramSystem::work_off(Lane& lane, DramTick now) {
  const DramTick& next = next_[lane.index];
  while (next <= now || (lane.bursts > kBurstsPerTick && next != kNoTick)) {
    const DramTick tick = next;
    step(lane, tick);
    if (skips_streams_ && lane.bursts > 2 * DramChannel::Stream::kWindow)
      look_for_stream(lane, tick);
  }
}

void DramSystem::advance(DramTick now) {
  if (pace_ == DramPace::run_ahead) {
    for (Lane& lane : lanes_) {
      if (next_[lane.index] <= now) work_off(lane, now);  // else let more gather
    }
    return;
  }
  for (;;) {
    const DramTick first = *std::min_element(next_.begin(), next_.end());
    if (first > now) return;
    for (Lane& lane : lanes_) {
      if (next_[lane.index] <= first) step(lane, first);
    }
  }
}

DramTick DramSystem::next() const {
  DramTick first = kNoTick;
  for (const DramTick tick : next_) first = std::min(first, tick);
  for (const Due& due : first_done_) first = std::min(first, due.done);
  return first;
}

bool DramSystem::pop_done(DramTick now, Completion& completion) {
  std::size_t lane = 0;
  for (std::size_t i = 1; i < first_done_.size(); ++i) {
    if (first_done_[i].before(first_done_[lane])) lane = i;
  }
  if (first_done_[lane].done > now) return false;
  const std::uint32_t slot = first_done_[lane].slot;
  const Request& request = requests_[slot];
  completion = {.done = request.done, .tag = request.tag, .write = request.write};
  auto& done = lanes_[lane].done;
  done.pop();
  first_done_[lane] = done.empty() ? Due{} : done.front();
  free_.push_back(slot);
  return true;
}

bool DramSystem::idle() const noexcept {
  return free_.size() == requests_.size() &&
         std::all_of(lanes_.begin(), lanes_.end(),
                     [](const Lane& lane) { return lane.channel.idle() && lane.parts.empty(); });
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
