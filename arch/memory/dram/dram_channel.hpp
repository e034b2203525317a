// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "arch/memory/dram/address_map.hpp"
#include "arch/memory/dram/bank_mask.hpp"
#include "arch/memory/dram/dram_counts.hpp"
#include "arch/memory/dram/dram_params.hpp"
#include "arch/memory/dram/dram_stretch.hpp"
#include "arch/memory/dram/dram_timing.hpp"

namespace tilewave {

/// One channel and its controller, command by command, event-driven. Plain C++.
///
/// A burst is accepted into the read or the write queue (bounded), waits there for the commands that
/// its bank needs (PRE, ACT, then RD or WR) and leaves with its RD or WR. Each command goes at the
/// first tick at which all rules (DramTiming) and its bus allow it; of those that can go at a tick
/// the scheduler takes one a bus (DramScheduler):
///   fr_fcfs      a bank serves its row hits first, but after row_hit_cap of them that passed an
///                older request to another row, that one; among banks the oldest
///   ready_first  the oldest request that has a command ready, be it a PRE that closes a row which
///                others still want; the request whose ACT opened a row is served before all others
///   fcfs         each bank serves its requests in their order
/// The request for which a row is opened moves from its queue to a place at the bank, so that the
/// queue takes another one, and is served before the row is closed, whatever the mode.
/// Reads go first; writes are drained between two watermarks and when no read waits; and neither
/// waits for the other longer than max_wait_cycles before it has a turn. A read that
/// finds its burst in the write queue is answered from there at the next cycle; a write that does
/// replaces it. A due refresh stops new commands to its banks until it has gone.
///
/// Modelled: every rule of the standard, both buses, queues, refresh. Not modelled: data, errors,
/// power-down, self-refresh, temperature, initialisation, a later read or write passing a write or
/// read of the same burst other than as above.
///
/// Unloaded, a read whose row is closed has its data nRCD + read_latency after its acceptance.
class DramChannel {
 public:
  /// `map` must outlive the channel; `timing` is that of `dram`, before its first command.
  DramChannel(const DramParams& dram, const AddressMap& map, DramTiming timing);
  DramChannel(const DramParams& dram, const AddressMap& map)
      : DramChannel(dram, map, DramTiming(dram)) {}

  /// Hears of each burst when its RD or WR goes: `done` is when its last data is on the bus.
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void on_served(std::uint64_t owner, bool write, DramTick accepted, DramTick done) = 0;
  };
  void connect(Listener& listener) noexcept { listener_ = &listener; }

  [[nodiscard]] bool can_accept(bool write) const noexcept {
    return queued_[write ? 1 : 0] < depth_[write ? 1 : 0];
  }
  /// Requires can_accept(write), and `now` no earlier than any call before.
  void accept(DramTick now, std::uint64_t burst, bool write, std::uint64_t owner);

  /// Issues all commands that go at `now`.
  void advance(DramTick now);
  /// The next tick at which advance() has something to do; kNoTick when nothing waits: refreshes
  /// that fall due while the channel is idle are made up for later (catch_up).
  [[nodiscard]] DramTick next() const noexcept { return idle() ? kNoTick : next_; }
  /// Does what fell due before `now` while the channel was idle: refreshes.
  void catch_up(DramTick now);

  [[nodiscard]] bool idle() const noexcept { return waiting(0) + waiting(1) == 0; }
  [[nodiscard]] std::size_t queued(bool write) const noexcept { return queued_[write ? 1 : 0]; }
  [[nodiscard]] const DramCounts& counts() const noexcept { return counts_; }
  /// When the last data of a RD or WR was on the bus.
  [[nodiscard]] DramTick last_data() const noexcept { return last_data_; }

  // Stretches (dram_stretch.hpp); in dram_stretch.cpp.

  /// Aligned blocks of so many bursts are in one row, and what is in which bank has a pattern that is
  /// the same in all.
  [[nodiscard]] std::uint64_t block_bursts() const noexcept { return block_bursts_; }
  [[nodiscard]] DramPiece piece(std::uint64_t burst, int place, int count) const noexcept;
  /// Only bursts of this direction wait, and nothing is about to change that.
  [[nodiscard]] bool steady(bool write) const noexcept;
  /// What waits, after advance(now); false if it is not the begin of a stretch.
  [[nodiscard]] bool view(DramTick now, DramWaiting& view) const;
  /// All that a stretch depends on, as words; with refreshes due within `horizon`, 0: of none. False
  /// if it cannot be told.
  [[nodiscard]] bool describe(const DramWaiting& view, const DramInput& input, DramTick horizon,
                              DramFrame& frame, DramWords& words);
  /// Adds the state of what takes part, by which also a stretch's end is told.
  void write_state(const DramWaiting& view, const DramFrame& frame, DramWords& words) const;
  /// Goes to the end of a stretch, but for the queues: they are in `view` until resume().
  void take(DramWaiting& view, const DramInput& input, const DramFrame& frame,
            const DramOutcome& outcome);
  void resume(const DramWaiting& view);
  /// Gets all events from now on; null: nobody does.
  void log(std::vector<DramEvent>* log) noexcept { log_ = log; }
  /// Bursts accepted, by number: that of the last one.
  [[nodiscard]] std::uint64_t order() const noexcept { return order_; }
  [[nodiscard]] DramTick next_refresh() const noexcept { return next_refresh_; }
  [[nodiscard]] bool refreshing() const noexcept { return refreshes_pending_ > 0; }
  /// From RD or WR to the last data.
  [[nodiscard]] DramTick data_ticks(bool write) const noexcept {
    return write ? write_latency_ : read_latency_;
  }
  /// When it was served last.
  [[nodiscard]] DramTick last_served(bool write) const noexcept {
    return waiting_since_[write ? 1 : 0];
  }

  /// For tests: sees each command as it goes.
  class Trace {
   public:
    virtual ~Trace() = default;
    virtual void on_command(DramTick now, DramCommand command, std::size_t bank,
                            std::int64_t row) = 0;
  };
  void set_trace(Trace* trace) noexcept { trace_ = trace; }

 private:
  static constexpr std::int16_t kNone = -1;
  static constexpr std::uint64_t kMostBlock = 128;
  struct Entry {
    std::int64_t row;
    std::uint64_t burst;
    std::uint64_t order;  // of acceptance
    std::uint64_t owner;
    DramTick accepted;
    std::uint32_t column;
    std::uint16_t bank;
    std::int16_t next, previous;  // in its bank and direction
    bool write, classified;
  };
  struct Bank {
    std::int64_t open_row = -1;
    std::array<std::int16_t, 2> head{kNone, kNone}, tail{kNone, kNone};  // [write], oldest first
    std::array<std::int16_t, 2> hit{kNone, kNone};                       // oldest to the open row
    std::array<std::int16_t, 2> miss{kNone, kNone};  // oldest to another row, or any if closed
    std::int16_t opener = kNone;  // the request for which the row was opened, until it is served
    Count passed = 0;             // row hits served since then while an older request waited
  };
  /// A command that a bank has to send; as long as nothing happens at the bank it stays the same.
  struct Candidate {
    DramTick ready = 0;  // by the rules of the bank itself
    // The lowest goes first of those ready: requests for which a row was opened (ready_first), by
    // bank, refreshes, all others.
    std::uint64_t order = 0;
    std::uint32_t node = 0;  // DramTiming::group_node()
    std::uint16_t bank = 0;
    std::int16_t entry = kNone;  // none: maintenance
    DramWait wait = DramWait::act;
    DramCommand command = DramCommand::act;
    std::uint8_t on_edge = 0;  // 1: on the rising edge of the clock only, where both count
  };
  /// Candidates of one kind.
  struct Candidates {
    std::vector<Candidate> of;  // a bank
    BankMask mask;              // banks that have one
  };
  /// The command that goes next over a bus.
  struct Choice {
    DramTick tick = kNoTick;
    const Candidate* candidate = nullptr;
    std::uint64_t order = 0;
    bool known = false;  // the candidates have been looked through since it last went or changed
  };
  /// Banks that are refreshed together.
  struct RefreshScope {
    std::size_t first_bank, last_bank;
    DramTick due;
    bool pending = false;
    Candidate next{};  // of a pending refresh
  };

  /// Requests of a direction that have not been served.
  [[nodiscard]] std::size_t waiting(std::size_t direction) const noexcept {
    return queued_[direction] + at_banks_[direction];
  }
  [[nodiscard]] Entry& entry(std::int16_t index) noexcept {
    return entries_[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] const Entry& entry(std::int16_t index) const noexcept {
    return entries_[static_cast<std::size_t>(index)];
  }
  void update_mode(DramTick now);
  void plan(DramTick from);
  void update_bank(std::size_t bank);
  [[nodiscard]] Candidate candidate(DramCommand command, std::size_t bank, std::int16_t entry,
                                    std::uint64_t order) const noexcept;
  void bank_changed(std::size_t bank, DramTick now);
  [[nodiscard]] bool hits_go_on(std::size_t bank, bool write) const noexcept;
  void propose(Candidates& candidates, std::size_t bank, std::int16_t entry, DramCommand command,
               bool urgent);
  void consider(Choice& best, const Candidate& candidate, DramTick from) const noexcept;
  void scan(Choice& best, const Candidates& candidates, DramTick from) const noexcept;
  /// The choice of which row commands are.
  [[nodiscard]] Choice& row_choice() noexcept { return split_bus_ ? row_ : column_; }
  [[nodiscard]] DramTick row_bus_free() const noexcept {
    return split_bus_ ? row_bus_free_ : column_bus_free_;
  }
  void forget_choices() noexcept { column_.known = row_.known = false; }
  void plan_refresh(DramTick from);
  void start_refreshes(DramTick now);
  void issue(const Candidate& choice, DramTick now);
  void issue_column(std::int16_t index, DramTick now);
  void issue_row(const Candidate& choice, DramTick now);
  void send(DramCommand command, std::size_t bank, std::int64_t row, DramTick now,
            DramEvent::Found found = DramEvent::Found::nothing_new, std::uint64_t order = 0);
  void open(std::size_t bank, std::int64_t row, std::int16_t opener);
  void close(std::size_t bank);
  void append(std::int16_t index);
  void remove(std::int16_t index);
  [[nodiscard]] std::int16_t find_from(std::int16_t index, std::int64_t row,
                                       bool same) const noexcept;
  [[nodiscard]] std::int16_t find_burst(const Bank& bank, std::int64_t row,
                                        std::uint32_t column) const noexcept;
  [[nodiscard]] DramEvent::Found classify(Entry& request, const Bank& bank) noexcept;
  [[nodiscard]] bool others_open(const RefreshScope& scope, const DramFrame& frame) const noexcept;
  void read_state(DramWaiting& view, const DramFrame& frame, const std::vector<DramWord>& words);
  [[nodiscard]] bool wanted_after(const Entry& served) const noexcept;

  AddressMap::Cursor map_;
  DramTiming timing_;
  DramControllerParams params_;
  DramTick read_latency_, write_latency_;
  bool half_cycles_, split_bus_;
  bool apart_;  // what goes over one bus leaves the other one's candidates of other banks alone
  DramCommand refresh_command_ = DramCommand::ref_all;
  DramTick refresh_period_ = 0;  // of a scope
  std::array<std::size_t, 2> depth_, queued_{0, 0};
  std::array<std::size_t, 2> at_banks_{0, 0};  // openers
  std::size_t write_high_, write_low_;

  std::vector<Entry> entries_;
  std::vector<std::int16_t> free_;
  std::vector<Bank> banks_;
  std::array<BankMask, 2> waiting_;  // [write]: banks with requests
  BankMask blocked_;                 // banks of a due refresh
  std::vector<RefreshScope> scopes_;
  std::size_t refreshes_pending_ = 0;
  DramTick next_refresh_ = kNoTick;  // earliest due

  bool write_mode_ = false;
  DramTick max_wait_;
  std::array<DramTick, 2> waiting_since_{0, 0};  // or since it was last served
  DramTick turn_began_ = 0;                      // the last one that was forced
  DramTick turn_due_ = kNoTick;  // when the direction that is not served gets a turn
  std::size_t turn_left_ = 0;    // bursts of such a turn still to go
  bool planned_ = false;         // mode and choices are those of what has been accepted
  Candidates columns_, rows_;
  Choice column_, row_;  // of a shared bus, all commands are in column_
  DramTick column_bus_free_ = 0, row_bus_free_ = 0;
  DramTick next_ = kNoTick;
  std::uint64_t order_;  // of the last request accepted
  DramTick last_data_ = 0;
  DramCounts counts_;
  // Of the address map: block_bursts(); offsets in it tell banks apart up to pattern_bursts_.
  std::uint64_t block_bursts_, pattern_bursts_;
  std::vector<std::uint32_t> low_bank_;  // of each offset
  std::vector<std::uint64_t> listed_;    // of each bank: the last frame that listed it
  std::uint64_t listing_ = 0;
  std::vector<DramEvent>* log_ = nullptr;
  Listener* listener_ = nullptr;
  Trace* trace_ = nullptr;
};

}  // namespace tilewave
