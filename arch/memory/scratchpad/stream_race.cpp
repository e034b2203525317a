// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/scratchpad/stream_race.hpp"

#include <algorithm>
#include <utility>

namespace tilewave {

StreamRace::StreamRace(const ScratchpadParams& params, std::vector<BankStream> streams)
    : streams_(std::move(streams)),
      conflicts_(params),
      arbiter_(params, streams_.size()),
      words_(params.banks),
      runners_(streams_.size()) {
  for (std::size_t i = 0; i < streams_.size(); ++i) runners_[i].next_ask = streams_[i].start;
}

std::vector<StreamOutcome> StreamRace::run() {
  Count cycles_since = 0, remember_for = 1;
  remember();
  for (;;) {
    if (!ask()) {
      Cycle next = kNever;
      for (std::size_t i = 0; i < runners_.size(); ++i) {
        if (running(runners_[i], i)) next = std::min(next, runners_[i].next_ask);
      }
      if (next == kNever) break;
      now_ = next;
      continue;
    }
    arbiter_.grant();
    ++now_;
    complete();
    if (const Count times = repetitions(); times > 0) {
      skip(times);
      remember_for = 1;  // what follows differs
      cycles_since = 0;
    }
    if (++cycles_since >= remember_for) {
      remember();
      remember_for *= 2;
      cycles_since = 0;
    }
  }
  std::vector<StreamOutcome> outcomes;
  for (const Runner& runner : runners_) {
    outcomes.push_back({.end = runner.end, .wait_cycles = runner.wait_cycles});
  }
  return outcomes;
}

bool StreamRace::ask() {
  bool any = false;
  for (std::size_t i = 0; i < runners_.size(); ++i) {
    Runner& runner = runners_[i];
    const BankStream& stream = streams_[i];
    if (!runner.open && runner.asked < stream.access.vectors && runner.next_ask <= now_) {
      if (runner.asked >= runner.pattern.end) {
        runner.pattern = conflicts_.bank_run(stream.access, runner.asked);
      }
      const auto load = conflicts_.words_per_bank(stream.access.at(runner.asked), words_);
      arbiter_.ask(i, stream.write, words_);
      runner.open = true;
      runner.alone_cycles = conflicts_.cost(load).cycles;
      runner.asked_at = now_;
      ++runner.asked;
    }
    any |= runner.open;
  }
  return any;
}

void StreamRace::complete() {
  for (std::size_t i = 0; i < runners_.size(); ++i) {
    Runner& runner = runners_[i];
    if (!runner.open || arbiter_.open(i) > 0) continue;
    runner.open = false;
    runner.wait_cycles += now_ - runner.asked_at - runner.alone_cycles;
    runner.next_ask = std::max(now_, runner.asked_at + streams_[i].interval);
    if (runner.asked == streams_[i].access.vectors) runner.end = now_;
  }
}

void StreamRace::remember() {
  memory_.now = now_;
  memory_.runners = runners_;
  memory_.banks = arbiter_.state();
}

bool StreamRace::repeats(std::size_t i, const Runner& then) const {
  const Runner& runner = runners_[i];
  if (running(runner, i) != running(then, i)) return false;
  if (!running(runner, i)) return true;
  if (then.asked == 0 && runner.asked == 0) return true;                    // both before the start
  if (runner.open && then.open && runner.asked == then.asked) return true;  // got nothing since
  if (runner.open != then.open || runner.pattern.end != then.pattern.end || then.asked == 0 ||
      (runner.asked - then.asked) % runner.pattern.period != 0) {
    return false;
  }
  return runner.open ? now_ - runner.asked_at == memory_.now - then.asked_at
                     : runner.next_ask - now_ == then.next_ask - memory_.now;
}

Count StreamRace::repetitions() const {
  const Cycle period = now_ - memory_.now;
  Count times = kNever;
  for (std::size_t i = 0; i < runners_.size(); ++i) {
    const Runner& then = memory_.runners[i];
    if (!repeats(i, then)) return 0;
    const Runner& runner = runners_[i];
    if (!running(runner, i)) continue;
    if (runner.asked == 0) {
      times = std::min(times, (runner.next_ask - now_) / period);
    } else if (const Count vectors = runner.asked - then.asked; vectors > 0) {
      const Count last = std::min(runner.pattern.end, streams_[i].access.vectors - 1);
      times = std::min(times, last > runner.asked ? (last - runner.asked) / vectors : 0);
    }
  }
  return times > 0 && times != kNever && arbiter_.state() == memory_.banks ? times : 0;
}

void StreamRace::skip(Count repetitions) {
  const Cycle cycles = repetitions * (now_ - memory_.now);
  for (std::size_t i = 0; i < runners_.size(); ++i) {
    Runner& runner = runners_[i];
    const Runner& then = memory_.runners[i];
    const Count vectors = runner.asked - then.asked;
    if (vectors == 0) continue;
    runner.asked += repetitions * vectors;
    runner.asked_at += cycles;
    runner.next_ask += cycles;
    runner.wait_cycles += repetitions * (runner.wait_cycles - then.wait_cycles);
  }
  now_ += cycles;
}

}  // namespace tilewave
