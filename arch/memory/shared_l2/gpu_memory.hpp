// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "arch/memory/shared_l2/block_cache.hpp"
#include "arch/memory/shared_l2/shared_l2_params.hpp"
#include "sim/units.hpp"

namespace tilewave {

/// Rows of a matrix that an SM reads or writes with one instruction.
struct MatrixAccess {
  std::uint64_t address = 0;  ///< of row 0, column 0 of the matrix
  Count first_row = 0, rows = 0;
  Bytes first_byte = 0, row_bytes = 0;  ///< of each row
  Bytes pitch_bytes = 0;
  Count shared_by = 1;  ///< SMs of a cluster that get it together: the L2 gives each a part of it
  /// Bytes that the SM takes, where these are not just those of the rows: windows leave padding out, an
  /// element may lie under several taps. 0: those of the rows.
  Bytes moved_bytes = 0;
  /// Is what it touches fetched in whole pieces of blocks, since others read what lies beside its rows?
  bool whole_pieces = false;
  /// From the chip before this one in a ring, whose memory is as this one's.
  bool over_link = false;
  [[nodiscard]] Bytes from_l2() const noexcept { return bytes() / shared_by; }
  [[nodiscard]] Bytes bytes() const noexcept {
    return moved_bytes > 0 ? moved_bytes : rows * row_bytes;
  }
};

/// What the memory system did; all of it counted, nothing derived.
struct GpuMemoryCounts {
  Bytes l2_read_bytes = 0, l2_write_bytes = 0;  ///< asked for by SMs
  Bytes l2_hit_bytes = 0;                       ///< of the reads, found or on their way
  Bytes fill_bytes = 0;                         ///< read from DRAM
  Bytes write_back_bytes = 0;                   ///< written to DRAM
  Bytes link_bytes = 0;                         ///< between the partitions
  Bytes chip_link_bytes = 0;  ///< read over the link between chips; as many are sent
  GpuMemoryCounts& operator+=(const GpuMemoryCounts& other) noexcept;
  friend GpuMemoryCounts operator-(GpuMemoryCounts a, const GpuMemoryCounts& b) noexcept;
  friend GpuMemoryCounts operator*(Count times, GpuMemoryCounts a) noexcept;
};

/// What all SMs share: L2 in one or two partitions, the link between these, and DRAM.
///
/// Modelled: occupancy in cycles of each SM's ports, of the slices of a partition together, of the
/// link and of the DRAM; residency in the L2 by blocks (BlockCache), fills on their way, write-back,
/// copies of far data in the near partition; dirty blocks are written back when they leave, or before if
/// the DRAM is idle (eager writeback, Lee, Tyson and Farrens, MICRO 2000; that GPUs do it is estimated). A transfer is a tile's rows; it occupies all that it
/// passes from the cycle of its request on, and is there when the slowest has passed it and its
/// latency is over. A read over the link to another chip is one of this chip's memory (the chips do the
/// same at the same time) that then takes the link.
/// Not modelled: conflicts between slices or channels (addresses are hashed over them), banks and rows
/// of the DRAM (their cost is in its sustained share), order within a transfer.
class GpuMemory {
 public:
  struct Ports {
    Bytes read_bytes_per_cycle = 64, write_bytes_per_cycle = 64;
  };
  struct Dram {
    double bytes_per_cycle = 0;
    double latency_cycles = 0;  ///< of a fill, on top of the L2's latency
  };
  struct ChipLink {
    double bytes_per_cycle, latency_cycles;
  };
  GpuMemory(const SharedL2Params& l2, const Dram& dram, Count sms, const Ports& ports,
            const ChipLink& chip_link = {0, 0});

  struct Answer {
    Cycle ready = 0;
    Cycle accepted = 0;      ///< a write: has left the SM
    bool from_dram = false;  ///< did the last of it come from there?
  };
  /// Moves time's origin to `now`, which calls after this one are not before. What follows is then the same,
  /// to the last bit, whenever it happens.
  void begin_at(Cycle now);
  /// All that what follows depends on, and nothing else: times from the origin, those in the past that have
  /// no effect as 0.
  struct State {
    std::vector<BlockCache::State> caches;  ///< of each partition
    std::vector<double> free;               ///< when ports, slices, links and the DRAM are
  };
  [[nodiscard]] State state() const;
  void set_state(const State& state);

  /// Calls must come in order of time. A read is answered with the cycle at which its data is there,
  /// a write with the one at which it is visible to all.
  Answer read(Cycle now, Count sm, const MatrixAccess& access);
  Answer write(Cycle now, Count sm, const MatrixAccess& access);

  [[nodiscard]] const GpuMemoryCounts& counts() const noexcept { return counts_; }
  /// Cycles that the DRAM has been occupied for since time's origin.
  [[nodiscard]] double dram_busy_cycles() const noexcept { return dram_.busy; }
  /// Bytes that are still to be written back.
  [[nodiscard]] Bytes dirty_bytes() const;

 private:
  struct Part;
  /// Moves bytes at a rate, in order of arrival.
  struct Server {
    double cycles_per_byte = 0, free = 0, busy = 0;
    double serve(double now, Bytes bytes) {
      const double cycles = static_cast<double>(bytes) * cycles_per_byte;
      free = (free > now ? free : now) + cycles;
      busy += cycles;
      return free;
    }
  };
  struct Partition {
    BlockCache cache;
    Server slices;
    Server link_in;  ///< from the other partition
  };
  [[nodiscard]] std::size_t partition_of(Count sm) const noexcept {
    return partitions_.size() == 1 || sm < sms_ / 2 ? 0 : 1;
  }
  [[nodiscard]] std::size_t home_of(std::uint64_t key) const noexcept;
  template <typename Visit>
  void each_block(const MatrixAccess& access, Visit&& visit) const;
  void read_block(double now, std::size_t near, std::uint64_t key, BlockCache::Mask mask,
                  double share, double& ready, bool& from_dram);
  double fill(double now, std::size_t home, std::uint64_t key, BlockCache::Mask mask, double share);
  void write_back(double now, Bytes bytes);
  void clean(double now);
  template <typename Self, typename Visit>
  static void each_server(Self& self, Visit&& visit);

  SharedL2Params params_;
  Dram dram_params_;
  Count sms_;
  std::vector<Partition> partitions_;
  std::vector<Server> read_ports_, write_ports_;
  Server dram_;
  Server chip_link_;
  double chip_link_latency_ = 0;
  Cycle origin_ = 0;
  GpuMemoryCounts counts_;
};

}  // namespace tilewave
