// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "arch/memory/cache/cache_banks.hpp"
#include "arch/memory/cache/cache_index.hpp"
#include "arch/memory/cache/cache_lower_port.hpp"
#include "arch/memory/cache/cache_mshrs.hpp"
#include "arch/memory/cache/cache_params.hpp"
#include "arch/memory/cache/cache_responses.hpp"
#include "arch/memory/cache/cache_statistics.hpp"
#include "arch/memory/cache/cache_tags.hpp"
#include "arch/memory/memory_link.hpp"
#include "sim/statistics.hpp"

namespace tilewave {

/// How a cache serves a run of bytes that hits in several lines.
enum class CacheRuns : std::uint8_t {
  whole,        ///< in one step, as far as it hits
  line_by_line  ///< a step for each cycle; the outcome is the same
};

/// Who wants to know of each look-up.
class CacheListener {
 public:
  virtual ~CacheListener() = default;
  virtual void looked_up(Cycle now, std::uint64_t line_address, bool write,
                         CacheOutcome outcome) = 0;
};

/// A sectored, set-associative cache, a core's own or one slice of a shared one, between an upper
/// link (it is the server) and a lower one (it is the client).
///
/// Modelled: real tags, valid and dirty bits for each sector; look-up ports, banks, MSHRs with
/// merging, a write queue, a fill port, a response port; back-pressure from both links. A request is
/// a run of bytes, cut into lines; each line is one look-up, in order of arrival. A look-up that
/// lacks something (CacheStall) stays in front of the tags and holds up all behind it; with
/// hit_under_miss, those behind one that lacks an MSHR, a merge, a way or a place in the write queue
/// go on, also in order, as long as they hit in other lines. Reads of sectors that are not there
/// fetch these, each run of adjacent ones by one request below, and wait. Writes, write_back: a
/// sector written whole needs no fetch; one written in part is fetched first, if it is not there
/// (there are no byte masks). write_through: the write goes below and is acknowledged when that is;
/// it fetches nothing, and sectors written whole become valid. A write that may not allocate and
/// finds no line goes below in the same way. Hints: streaming lines are the first to go, no_allocate
/// reads and writes leave no line.
///
/// Not modelled: data; coherence; the bank cycles of fills, victims and of reads that wait for a
/// fill (they get the data as it comes); translation; prefetch.
///
/// Timing, x the cycle of the look-up, d the longest that it occupies a bank (ceil(bytes / width)),
/// f = ceil(bytes of the fill / fill_bytes_per_cycle):
///
///   hit, or write that waits for no fill   response leaves at x + hit_latency + d - 1
///   request below (fill, write)            leaves at x + tag_latency, one a cycle
///   fill seen at y, port free              takes f cycles: the sectors are there at y + f - 1, and
///                                          the responses of those who waited leave then
///   request of several look-ups            response with the last of them
///   responses                              one after the other, each ceil(bytes / bytes_per_cycle()),
///                                          of which the last cycle is that in which it leaves
///   throughput                             ports look-ups, bytes_per_cycle() bytes a cycle; misses:
///                                          mshrs in the time from x to the end of the fill
class Cache final : public MemoryUnit {
 public:
  /// The links must outlive the cache, and the cache the group.
  Cache(const std::string& name, const CacheParams& params, MemoryLink& upper, MemoryLink& lower,
        StatGroup& parent, CacheRuns runs = CacheRuns::whole);

  Cycle step(Cycle now) override;
  /// Also nothing waits for it in the links.
  [[nodiscard]] bool idle() const override;

  /// Sends all dirty sectors below, a line a cycle; they stay, clean. Only while idle; it is idle
  /// again when all is acknowledged. To be stepped then, as if something had arrived.
  void flush();
  /// Drops all lines, also dirty ones. Only while idle.
  void invalidate();

  void listen(CacheListener& listener) { listener_ = &listener; }
  [[nodiscard]] const CacheStatistics& statistics() const noexcept { return stats_; }
  /// Are all sectors of these bytes there? For tests and for a look from outside; counts nothing.
  [[nodiscard]] bool holds(std::uint64_t address, Bytes bytes) const;
  [[nodiscard]] Bytes dirty_bytes() const;
  /// Throws SimulationError, naming the law, if counts and state do not agree.
  void check_laws() const;

 private:
  using Entry = CacheTags::Entry;
  /// A request on its way through the tags.
  struct Walk {
    std::uint64_t address = 0;  // of what is left
    Bytes left = 0;             // 0: there is none
    CacheResponses::Slot slot = 0;
    bool write = false;
    CacheHint hint = CacheHint::normal;
  };
  /// What one look-up finds and does.
  struct LookUp {
    std::uint64_t line = 0, local = 0;
    std::size_t set = 0;
    Entry entry = CacheTags::kNone;  // kNone: not there
    Entry room = CacheTags::kNone;   // found by lacks(): the entry to take
    Bytes offset = 0, bytes = 0;     // in the line
    SectorMask touched = 0, hits = 0;
    SectorMask fetch = 0;     // to ask for
    SectorMask wait = 0;      // to wait for
    SectorMask validate = 0;  // written whole
    CacheMshrs::Index mshr = CacheMshrs::kNone;
    CacheOutcome outcome = CacheOutcome::hit;
    bool allocate = false;  // takes a line
    bool below = false;     // goes below itself
    bool barred = false;    // must wait until the MSHR is done
    bool banks = false;     // occupies them

    /// Needs nothing but banks.
    [[nodiscard]] bool plain_hit() const noexcept { return outcome == CacheOutcome::hit && !below; }
  };

  void receive(Cycle now);
  void fill(Cycle now, const MemoryResponse& response);
  void look_up(Cycle now);
  void look_up_requests(Cycle now);
  bool take(Cycle now);
  void run_ahead();
  bool flush_next(Cycle now);
  [[nodiscard]] Cycle next_look_up(Cycle now) const;

  [[nodiscard]] LookUp plan(const Walk& walk) const;
  void plan_write(const Walk& walk, SectorMask missing, SectorMask coming, LookUp& p) const;
  [[nodiscard]] std::optional<CacheStall> lacks(LookUp& p, Cycle now);
  void commit(const LookUp& p, Walk& walk, Cycle now);
  void count(const LookUp& p, const Walk& walk, Cycle now);
  void allocate(const LookUp& p, CacheHint hint, Cycle now);
  void write_back(Entry entry, Cycle now);
  void write_below(const LookUp& p, const Walk& walk, Cycle now);
  void fetch(const LookUp& p, CacheMshrs::Index mshr, CacheHint hint, Cycle now);
  void settle_stall(Cycle now);

  [[nodiscard]] std::uint64_t address_of(std::uint64_t line) const { return line << line_bits_; }
  [[nodiscard]] Cycle free_port_cycle() const {
    return port_used_ < params_.ports ? port_cycle_ : port_cycle_ + 1;
  }

  std::string name_;
  CacheParams params_;
  bool write_back_, run_ahead_;
  unsigned line_bits_, sector_bits_;
  MemoryLink& upper_;
  MemoryLink& lower_link_;
  CacheListener* listener_ = nullptr;

  CacheIndex index_;
  CacheTags tags_;
  CacheMshrs mshrs_;
  CacheBanks banks_;
  CacheResponses responses_;
  CacheLowerPort lower_;

  Walk current_, passed_;  // the request at the tags; the one that it may pass
  Cycle port_cycle_ = 0;   // cycle of the last look-ups, which may lie ahead
  Count port_used_ = 0;    // look-ups of that cycle
  std::optional<CacheStall> stall_;
  Cycle stall_since_ = 0, bank_free_ = kNever;

  MemoryResponse filling_{};
  Cycle fill_done_ = kNever;  // of filling_
  Cycle fill_free_ = 0;
  Entry flushed_ = CacheTags::kNone;  // entries before it are clean; kNone: no flush

  CacheStatistics stats_;
};

}  // namespace tilewave
