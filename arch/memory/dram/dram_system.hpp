// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <vector>

#include "arch/memory/dram/address_map.hpp"
#include "arch/memory/dram/dram_channel.hpp"
#include "arch/memory/dram/dram_memo.hpp"
#include "arch/memory/dram/dram_params.hpp"
#include "arch/memory/dram/earliest.hpp"

namespace tilewave {

/// How a memory system works through time; the outcome is the same.
enum class DramPace {
  lock_step,  ///< all channels tick by tick, whenever one of them has something to do
  /// A channel works off what it has been given at once, since others cannot interfere: what it
  /// needs stays in the host's caches.
  burst_by_burst,
  run_ahead  ///< the same, and a stretch of a stream like one seen before in one step (dram_stretch.hpp)
};

/// All channels of a memory, behind one queue of requests. Plain C++ (DramMemory is the TLM target
/// around it).
///
/// A request is a run of bytes. It is cut into the part of each channel (AddressMap), parts queue at
/// their channel in order, and a channel accepts up to kBurstsPerTick bursts of its first part a
/// tick while its own queues have room. A request is done when the last data of its last burst is on
/// the bus (of a write: in the array's hands). Bounded: `requests` at a time.
class DramSystem final : private DramChannel::Listener {
 public:
  static constexpr int kBurstsPerTick = 2;
  static constexpr Count kReplayingQueue = 16;  ///< shortest queues with which it is worth it
  /// Bursts of a short stretch: what must wait before the channel for one to be looked for.
  static constexpr int kShortStretch = 32;

  /// Requires a valid `dram` (read_dram), which need not outlive the system.
  DramSystem(const DramParams& dram, DramPace pace, std::size_t requests);

  [[nodiscard]] bool can_submit() const noexcept { return !free_.empty(); }
  /// Requires can_submit(), bytes > 0 and times in order.
  void submit(DramTick now, std::uint64_t address, Bytes bytes, bool write, std::uint64_t tag);

  /// Does all that happens up to and at `now`.
  void advance(DramTick now);
  /// The next tick at which something happens: a command or a completion; kNoTick if nothing will.
  [[nodiscard]] DramTick next() const;

  struct Completion {
    DramTick done = 0;
    std::uint64_t tag = 0;
    bool write = false;
  };
  /// The oldest request done by `now`, if any; its place becomes free.
  [[nodiscard]] bool pop_done(DramTick now, Completion& completion);

  /// Nothing waits anywhere, writes included.
  [[nodiscard]] bool idle() const noexcept;
  /// Makes up for the refreshes of idle channels, so that counts are those at `now`.
  void catch_up(DramTick now);
  [[nodiscard]] DramCounts counts() const;
  /// Of the same what happened up to and at `now`, the time of the last advance() or later.
  [[nodiscard]] DramCounts counts_at(DramTick now) const;
  [[nodiscard]] const DramCounts& channel_counts(std::size_t channel) const {
    return lanes_[channel].channel.counts();
  }
  [[nodiscard]] std::size_t channels() const noexcept { return lanes_.size(); }
  /// When the last data was on a bus.
  [[nodiscard]] DramTick last_data() const;
  [[nodiscard]] DramTick ticks_per_cycle() const noexcept { return ticks_per_cycle_; }
  [[nodiscard]] Bytes burst_bytes() const noexcept { return map_.burst_bytes(); }
  [[nodiscard]] Bytes asked_bytes() const noexcept { return asked_bytes_; }
  /// Bursts that were not done one by one (DramPace::run_ahead).
  [[nodiscard]] Count replayed_bursts() const noexcept { return replayed_bursts_; }
  /// Throws SimulationError if bursts were lost or made up, or the system should be idle and is not.
  void check_laws() const;

 private:
  using Index = std::uint32_t;
  static constexpr Index kNone = std::numeric_limits<Index>::max();
  struct Part {
    std::uint64_t burst, bursts;
    Index slot;
    Index next;  // of the lane, or of those that are free
    bool write;
  };
  /// When a request is done whose bursts are all on their way.
  struct Due {
    DramTick done = kNoTick;
    std::uint64_t order = 0;  // of submission: equal ticks come in this order
    [[nodiscard]] bool operator<(const Due& other) const noexcept {
      const auto earlier = static_cast<unsigned>(done < other.done);
      const auto equal = static_cast<unsigned>(done == other.done);
      return (earlier | (equal & static_cast<unsigned>(order < other.order))) != 0;
    }
  };
  struct Lane {
    DramChannel channel;
    std::size_t index = 0;
    Index first_part = kNone, last_part = kNone;
    Index first_done = kNone, last_done = kNone;  // requests whose last burst was here, sorted
    DramTick pull_at = kNoTick;                   // when the first part's next bursts may go in
    std::uint64_t bursts = 0;                     // in parts
    DramWaiting waiting{};                        // while it replays: what its channel holds
    std::uint64_t looked_at = 0;                  // the burst before which a stretch was looked for
    std::vector<DramEvent> ahead{};  // events later than the last advance(), and some before
    struct Replayed {
      DramTick begin;
      DramMemo::Outcome outcome;
    };
    std::deque<Replayed> replays{};  // likewise
    bool replaying = false;          // the channel's own queues are not up to date
  };
  struct Request {
    std::uint64_t tag = 0;
    std::uint64_t bursts_left = 0;
    Due due{};                             // so far
    Index next = kNone, previous = kNone;  // in the lane's list of those done
    bool write = false;
  };
  void on_served(std::uint64_t owner, bool write, DramTick accepted, DramTick done) override;
  void bursts_done(Index slot, std::uint64_t bursts, DramTick done);
  void insert_done(Lane& lane, Index slot);
  void push_part(Lane& lane, const Part& part);
  void pop_part(Lane& lane);
  /// Returns when the lane goes on.
  [[nodiscard]] DramTick step(Lane& lane, DramTick now);
  void pull(Lane& lane, DramTick now);
  void work_off(Lane& lane, DramTick now);
  [[nodiscard]] int gather_pieces(const Lane& lane, int most, bool write,
                                  std::vector<DramPiece>& pieces) const;
  [[nodiscard]] bool gather(const Lane& lane, int most, const DramWaiting& waiting,
                            DramInput& input) const;
  [[nodiscard]] bool begins_stretch(Lane& lane) const noexcept;
  void replay(Lane& lane);
  void go_on(Lane& lane);
  void follow(Lane& lane, const DramMemo::Outcome& found, const DramFrame& frame);
  static void forget_events(Lane& lane, DramTick until);
  [[nodiscard]] bool record(Lane& lane, DramTick horizon, bool refreshing);

  AddressMap map_;
  DramPace pace_;
  DramTick ticks_per_cycle_;
  bool replays_ = false;
  std::vector<Lane> lanes_;
  std::vector<DramTick> next_;  // of each lane: when it goes on
  DramTick soonest_ = kNoTick;  // of them
  Earliest<Due> first_done_;    // of each lane
  std::vector<Part> parts_;     // of all lanes, as many as there ever were at a time
  Index free_part_ = kNone;
  std::vector<Request> requests_;
  std::vector<Index> free_;
  Lane* working_ = nullptr;  // whose bursts are being served
  std::uint64_t order_ = 0;
  Count asked_bursts_ = 0, replayed_bursts_ = 0;
  Bytes asked_bytes_ = 0;

  // Stretches of all channels, which are alike.
  DramMemo memo_;
  DramTick stretch_ticks_ = 0, refresh_ticks_ = 0;  // a burst's, a refresh's, amply
  DramInput input_;
  struct Described {
    DramFrame frame;
    DramWords key;
  };
  Described quiet_, refreshed_;  // the stretch at hand without and with refreshes
  DramWords end_state_;
};

}  // namespace tilewave
