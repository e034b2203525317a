// SPDX-License-Identifier: Apache-2.0
#include "app/dram/dram_run.hpp"

#include <algorithm>
#include <utility>

namespace tilewave {
namespace {

constexpr std::size_t kLeastInFlight = 16;
/// Read queues in flight by default: that of the channel, and before it enough for a stream to be
/// more than its controller sees.
constexpr Count kQueuesInFlight = 8;
/// Channels x requests in flight: a gigabyte of the memory system's tables.
constexpr std::size_t kMostPlaces = std::size_t{1} << 24U;
constexpr std::size_t kMostInFlight = 65536;
constexpr Count kBetweenProgress = 4096;

class Driver {
 public:
  Driver(const DramRunRequest& request, TrafficSource& source)
      : request_(request),
        source_(source),
        capacity_(request.dram.capacity_bytes()),
        system_(request.dram, request.pace, request.in_flight) {}

  DramRunResult run() {
    DramTick now = 0;
    for (;;) {
      submit(now);
      const DramTick next = system_.next();
      if (next == kNoTick) break;
      system_.advance(next);
      take_done(next);
      now = next + 1;
    }
    if (request_.progress) request_.progress(done_);
    const DramTick end = std::max(last_done_, system_.last_data());
    system_.catch_up(end);
    system_.check_laws();
    finish(end);
    return std::move(result_);
  }

 private:
  void submit(DramTick now) {
    while (more_ && system_.can_submit()) {
      DramAccess access;
      more_ = submitted_ < request_.requests && source_.next(access);
      if (!more_) return;
      if (access.address >= capacity_) {
        access.address %= capacity_;
        ++result_.wrapped;
      }
      access.address &= ~(request_.request_bytes - 1);
      // The tag is the time, so that there is no table of requests to keep.
      system_.submit(now, access.address, request_.request_bytes, access.write,
                     static_cast<std::uint64_t>(now));
      ++submitted_;
    }
  }

  void take_done(DramTick now) {
    DramSystem::Completion completion;
    while (system_.pop_done(now, completion)) {
      const std::uint64_t latency = static_cast<std::uint64_t>(completion.done) - completion.tag;
      (completion.write ? result_.write_ticks : result_.read_ticks).add(latency);
      last_done_ = completion.done;
      if (++done_ % kBetweenProgress == 0 && request_.progress) request_.progress(done_);
    }
  }

  void finish(DramTick end) {
    const DramParams& dram = request_.dram;
    result_.reads = result_.read_ticks.count();
    result_.writes = result_.write_ticks.count();
    result_.ticks_per_cycle = system_.ticks_per_cycle();
    result_.cycles = static_cast<Cycle>(ceil_div(end, system_.ticks_per_cycle()));
    result_.seconds = static_cast<double>(result_.cycles) / dram.clock().hz();
    result_.counts = system_.counts();
    for (std::size_t c = 0; c < system_.channels(); ++c) {
      result_.channels.push_back(system_.channel_counts(c));
    }
    result_.energy = energy_of(result_.counts, dram, result_.seconds);
  }

  const DramRunRequest& request_;
  TrafficSource& source_;
  Bytes capacity_;
  DramSystem system_;
  DramRunResult result_;
  bool more_ = true;
  Count submitted_ = 0, done_ = 0;
  DramTick last_done_ = 0;
};

bool has(const std::vector<DramCommand>& commands, DramCommand command) {
  return std::ranges::find(commands, command) != commands.end();
}

/// How long a bank waits for its ACT after the refresh.
std::int64_t busy_cycles(const DramParams& dram, DramCommand refresh, DramLevel scope) {
  std::int64_t cycles = 0;
  for (const DramTimingRule& rule : dram.rules) {
    const bool is_own = rule.level == scope && !rule.sibling && rule.window == 1;
    if (is_own && has(rule.from, refresh) && has(rule.to, DramCommand::act)) {
      cycles = std::max(cycles, rule.cycles);
    }
  }
  return cycles;
}

Count banks_in(const DramOrganisation& o, DramLevel scope) {
  Count banks = o.bank_groups * o.banks;
  if (scope == DramLevel::pseudo_channel || scope == DramLevel::channel) banks *= o.ranks;
  if (scope == DramLevel::channel) banks *= o.pseudo_channels;
  return banks;
}

}  // namespace

std::size_t most_in_flight(const DramParams& dram) {
  return std::clamp<std::size_t>(kMostPlaces / dram.organisation.channels, kLeastInFlight,
                                 kMostInFlight);
}

std::size_t default_in_flight(const DramParams& dram, Bytes request_bytes) {
  const Bytes in_queues =
      dram.controller.read_queue * dram.organisation.channels * dram.organisation.burst_bytes();
  return std::clamp<std::size_t>(ceil_div(kQueuesInFlight * in_queues, request_bytes),
                                 kLeastInFlight, most_in_flight(dram));
}

DramRunResult run_dram(const DramRunRequest& request, TrafficSource& source) {
  return Driver(request, source).run();
}

double refresh_share(const DramParams& dram, const DramCounts& counts, Cycle cycles) {
  if (cycles == 0) return 0;
  const auto bank_cycles = [&](DramCommand refresh, DramLevel scope, Count banks) {
    return static_cast<double>(counts.commands[static_cast<std::size_t>(refresh)] * banks) *
           static_cast<double>(busy_cycles(dram, refresh, scope));
  };
  const DramLevel scope = dram.standard.refresh_all_scope;
  const double busy = bank_cycles(DramCommand::ref_all, scope, banks_in(dram.organisation, scope)) +
                      bank_cycles(DramCommand::ref_bank, DramLevel::bank, 1);
  const Count banks = dram.organisation.banks_per_channel() * dram.organisation.channels;
  return std::min(busy / (static_cast<double>(banks) * static_cast<double>(cycles)), 1.0);
}

}  // namespace tilewave
