// SPDX-License-Identifier: Apache-2.0
// Stretches that were seen before are not done burst by burst.
#include <limits>
#include <utility>

#include "arch/memory/dram/dram_system.hpp"

namespace tilewave {
namespace {

/// Bursts of a stretch, at most: of small requests, and where large ones wait, of which more comes
/// alike. Near a refresh it is short, so that few differ in when the refresh comes, unless so many
/// bursts wait that this costs more than it saves. All measured.
constexpr int kOfSmall = 128, kLong = 512, kShort = DramSystem::kShortStretch, kWorthIt = 256;
/// Of a stretch, and of what waits when it begins: a pattern of many short pieces is no stream.
constexpr std::size_t kMostPieces = 8;
/// Bursts of its first run.
constexpr std::uint64_t kLeastRun = 8;

}  // namespace

// The next bursts of the direction, up to `most`, as pieces; returns how many.
int DramSystem::gather_pieces(const Lane& lane, int most, bool write,
                              std::vector<DramPiece>& pieces) const {
  const std::uint64_t block = lane.channel.block_bursts();
  pieces.clear();
  int gathered = 0;
  for (Index i = lane.first_part; i != kNone && parts_[i].write == write; i = parts_[i].next) {
    std::uint64_t burst = parts_[i].burst, left = parts_[i].bursts;
    while (left > 0) {
      if (gathered == most) return gathered;
      const auto room = static_cast<std::uint64_t>(most - gathered);
      const int count = static_cast<int>(std::min({left, block - burst % block, room}));
      const bool follows =
          !pieces.empty() && burst % block != 0 &&
          pieces.back().burst + static_cast<std::uint64_t>(pieces.back().count) == burst;
      if (!follows && pieces.size() == kMostPieces) return gathered;
      if (follows) {
        pieces.back().count += count;
      } else {
        pieces.push_back(lane.channel.piece(burst, DramWaiting::kPlaces + gathered, count));
      }
      gathered += count;
      burst += static_cast<std::uint64_t>(count);
      left -= static_cast<std::uint64_t>(count);
    }
  }
  return gathered;
}

// The bursts of the next stretch: up to `most`, to the end of a block or of a part of one. What a
// later arrival could change is left out (work_off); one more is looked at.
bool DramSystem::gather(const Lane& lane, int most, const DramWaiting& waiting,
                        DramInput& input) const {
  constexpr int kBehind = kBurstsPerTick;  // the last tick may take one more, and looks at the next
  auto& pieces = input.pieces;
  const int gathered = gather_pieces(lane, most + kBehind, waiting.write, pieces);
  const auto within = static_cast<std::int64_t>(lane.bursts) - kBurstsPerTick - 1;
  const int limit = static_cast<int>(std::min<std::int64_t>({gathered - kBehind, within, most}));
  int bursts = 0;
  std::uint64_t roundest = 0;  // ends where many do, so that stretches begin alike
  for (const DramPiece& piece : pieces) {
    const int before = piece.place - DramWaiting::kPlaces;
    const std::uint64_t end =
        piece.burst + static_cast<std::uint64_t>(std::clamp(limit - before, 0, piece.count));
    const bool whole = before + piece.count <= limit;
    std::uint64_t round = static_cast<std::uint64_t>(most);
    while (round > kShort && end / round * round <= piece.burst) round /= 2;
    const std::uint64_t cut = whole && round == kShort ? end : end / round * round;
    if (cut <= piece.burst) break;
    const int taken = before + static_cast<int>(cut - piece.burst);
    if (round >= roundest || bursts < most / 2) bursts = taken, roundest = round;
    if (!whole) break;
  }
  input.bursts = bursts;
  if (bursts < kShort / 2) return false;
  while (pieces.back().place - DramWaiting::kPlaces > bursts) pieces.pop_back();
  pieces.back().count = bursts + 1 - (pieces.back().place - DramWaiting::kPlaces);
  if (!waiting.write) return true;
  // A write of a burst that waits to be written replaces it: not so in one stream.
  const auto origin = [](const DramPiece& piece) {
    return piece.burst - static_cast<std::uint64_t>(piece.place);
  };
  const auto same = [&](const DramPiece& piece) { return origin(piece) == origin(pieces.front()); };
  return std::ranges::all_of(pieces, same) && std::ranges::all_of(waiting.pieces, same);
}

// Bursts that follow on each other, and a place where others began or will begin: what is looked at
// is likely to come again. No oftener than it is worth.
bool DramSystem::begins_stretch(Lane& lane) const noexcept {
  if (!replays_ || lane.bursts <= kShort) return false;
  const Part* part = &parts_[lane.first_part];
  if (part->burst % kShort >= kBurstsPerTick || part->burst == lane.looked_at) return false;
  lane.looked_at = part->burst;
  std::uint64_t run = part->bursts;
  while (run < kLeastRun && part->next != kNone) {
    const std::uint64_t end = part->burst + part->bursts;
    part = &parts_[part->next];
    if (part->burst != end) return false;
    run += part->bursts;
  }
  return run >= kLeastRun;
}

// From lane.waiting on, as far as it is known; ends with a stretch that is seen for the first time,
// or where what waits before the channel is not enough for one.
void DramSystem::replay(Lane& lane) {
  DramChannel& channel = lane.channel;
  const DramWaiting& waiting = lane.waiting;
  for (bool refresh_near = false; waiting.pieces.size() <= kMostPieces;) {
    const bool refreshing = channel.refreshing();
    if (lane.first_part == kNone) return;
    const bool small = parts_[lane.first_part].bursts < kLeastRun;
    const int most = refreshing || refresh_near ? kShort : small ? kOfSmall : kLong;
    if (!gather(lane, most, waiting, input_)) return;
    DramMemo::Outcome outcome;
    bool in_way = refreshing;
    if (!refreshing) {
      if (!channel.describe(waiting, input_, 0, quiet_.frame, quiet_.key)) return;
      outcome = memo_.find(quiet_.key.words());
      in_way = outcome != nullptr && waiting.now + outcome->ticks >= channel.next_refresh();
    }
    const Described* described = &quiet_;
    if (outcome == nullptr || in_way) {
      const DramTick horizon = stretch_ticks_ * input_.bursts + refresh_ticks_;
      const bool soon = in_way || channel.next_refresh() < waiting.now + horizon;
      refresh_near = soon && input_.bursts > kShort && input_.bursts < kWorthIt;
      if (refresh_near) continue;
      outcome = nullptr;
      if (soon) {
        if (!channel.describe(waiting, input_, horizon, refreshed_.frame, refreshed_.key)) return;
        outcome = memo_.find(refreshed_.key.words());
        described = &refreshed_;
      }
      if (outcome == nullptr) {
        if (!record(lane, soon ? horizon : 0, in_way)) return;
        continue;
      }
    }
    follow(lane, outcome, described->frame);
    refresh_near = false;
  }
}

// The channel goes on burst by burst.
void DramSystem::go_on(Lane& lane) {
  if (!lane.replaying) return;
  lane.replaying = false;
  lane.channel.resume(lane.waiting);
  const bool more = lane.channel.can_accept(parts_[lane.first_part].write);
  lane.pull_at = more ? lane.waiting.now + 1 : kNoTick;
}

void DramSystem::follow(Lane& lane, const DramMemo::Outcome& found, const DramFrame& frame) {
  const DramOutcome& outcome = *found;
  working_ = &lane;
  lane.replaying = true;
  lane.pull_at = kNoTick;  // known again when it goes on
  DramWaiting& waiting = lane.waiting;
  const auto settle = [&](int begin, int end, Index owner) {
    const std::int16_t *const before = outcome.served_before.data(), *const done =
                                                                         outcome.done.data();
    const int served = before[end] - before[begin];
    if (served == 0) return;
    std::int16_t last = 0;
    for (int place = begin; place < end; ++place) last = std::max(last, done[place]);
    bursts_done(owner, static_cast<std::uint64_t>(served), waiting.now + last);
  };
  int place = 0;
  for (const DramWaiting::Run& run : waiting.owners) {
    settle(place, run.end, run.owner);
    place = run.end;
  }
  place = DramWaiting::kPlaces;
  for (std::uint64_t left = static_cast<std::uint64_t>(outcome.taken); left > 0;) {
    Part& part = parts_[lane.first_part];
    const std::uint64_t count = std::min(part.bursts, left);
    const int end = place + static_cast<int>(count);
    settle(place, end, part.slot);
    if (!waiting.owners.empty() && waiting.owners.back().owner == part.slot) {
      waiting.owners.back().end = end;
    } else {
      waiting.owners.push_back({end, part.slot});
    }
    place = end;
    left -= count;
    part.burst += count;
    part.bursts -= count;
    if (part.bursts == 0) pop_part(lane);
  }
  std::erase_if(waiting.owners, [&](DramWaiting::Run& run) {
    run.end -= outcome.taken;
    return run.end <= 0;
  });
  lane.bursts -= static_cast<std::uint64_t>(outcome.taken);
  replayed_bursts_ += static_cast<Count>(outcome.taken);
  lane.replays.push_back({waiting.now, found});
  lane.channel.take(waiting, input_, frame, outcome);
}

// Steps through a stretch and remembers it, with the refreshes in it if there were any.
bool DramSystem::record(Lane& lane, DramTick horizon, bool refreshing) {
  go_on(lane);
  DramChannel& channel = lane.channel;
  DramWaiting& waiting = lane.waiting;
  const DramTick begin = waiting.now, refresh = channel.next_refresh();
  const std::uint64_t order = channel.order(), bursts = lane.bursts;
  DramCounts counts = channel.counts();
  const std::size_t events = lane.ahead.size();
  bool steady = true;
  DramTick tick = begin;
  const auto taken = [&] { return channel.order() - order; };
  while (steady && taken() < static_cast<std::uint64_t>(input_.bursts)) {
    tick = std::min(lane.pull_at, channel.next());
    static_cast<void>(step(lane, tick));
    steady = channel.steady(waiting.write);
  }
  const bool quiet = !refreshing && !channel.refreshing() && channel.next_refresh() == refresh;
  if (!steady || bursts - lane.bursts != taken() || tick <= begin ||
      (!quiet && tick - begin >= horizon) || !channel.view(tick, waiting)) {
    return false;
  }
  DramOutcome outcome{.ticks = tick - begin,
                      .taken = static_cast<int>(taken()),
                      .waiting = waiting.waiting,
                      .classified = waiting.classified,
                      .done = std::vector<std::int16_t>(
                          static_cast<std::size_t>(DramWaiting::kPlaces) + taken(), 0),
                      .served_before = {0},
                      .state = {},
                      .counts = channel.counts(),
                      .events = {},
                      .since_column = tick - channel.last_served(waiting.write)};
  outcome.counts -= counts;
  outcome.events.assign(lane.ahead.begin() + static_cast<std::ptrdiff_t>(events), lane.ahead.end());
  const DramTick data = channel.data_ticks(waiting.write);
  for (DramEvent& event : outcome.events) {
    event.tick -= begin;
    const auto wait = DramTimingTables::wait_of(event.command);
    if (wait != DramWait::rd && wait != DramWait::wr) continue;
    const DramTick done = event.tick + data;
    if (done > std::numeric_limits<std::int16_t>::max()) return false;
    outcome.last_data = std::max(outcome.last_data, done);
    outcome.done[static_cast<std::size_t>(DramWaiting::kPlaces) - 1 + event.order - order] =
        static_cast<std::int16_t>(done);
  }
  for (const std::int16_t done : outcome.done) {
    outcome.served_before.push_back(
        static_cast<std::int16_t>(outcome.served_before.back() + (done != 0 ? 1 : 0)));
  }
  const Described& described = quiet ? quiet_ : refreshed_;
  end_state_.clear();
  channel.write_state(waiting, described.frame, end_state_);
  if (!end_state_.complete()) return false;
  const auto end = end_state_.words();
  outcome.state.assign(end.begin(), end.end());
  memo_.insert(described.key.words(), std::move(outcome));
  return true;
}

}  // namespace tilewave
