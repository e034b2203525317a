// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/shared_l2/gpu_memory.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "arch/program/cta.hpp"

namespace tilewave {

namespace {

/// A rate of 0 is without limit.
double per_byte(double bytes_per_cycle) { return bytes_per_cycle > 0 ? 1.0 / bytes_per_cycle : 0; }

/// Of pieces with so many bytes each, on average.
Bytes bytes_of(BlockCache::Mask pieces, double share) {
  return static_cast<Bytes>(std::ceil(share * static_cast<double>(std::popcount(pieces))));
}

/// The pieces of a block that rows [r0, r1) and bytes [c0, c1) of it touch.
BlockCache::Mask mask_of(Count r0, Count r1, Bytes c0, Bytes c1) {
  const auto first = static_cast<unsigned>(c0 / BlockCache::kSectorBytes);
  const auto last = static_cast<unsigned>((c1 - 1) / BlockCache::kSectorBytes);
  const BlockCache::Mask sectors = ((1U << (last - first + 1)) - 1U) << first;
  const auto top = static_cast<unsigned>(r0 / BlockCache::kPieceRows);
  const auto bottom = static_cast<unsigned>((r1 - 1) / BlockCache::kPieceRows);
  // The same sectors in each group of rows from top to bottom.
  const BlockCache::Mask all_groups = 0x11111111U;
  const BlockCache::Mask groups = (all_groups << (4 * top)) & (all_groups >> (4 * (7 - bottom)));
  return groups * sectors;
}

}  // namespace

/// What an access has of a block.
struct GpuMemory::Part {
  std::uint64_t key;
  BlockCache::Mask pieces;
  Bytes bytes;         ///< of the access
  Bytes sector_bytes;  ///< with what else is in their sectors
};

GpuMemoryCounts& GpuMemoryCounts::operator+=(const GpuMemoryCounts& o) noexcept {
  l2_read_bytes += o.l2_read_bytes, l2_write_bytes += o.l2_write_bytes;
  l2_hit_bytes += o.l2_hit_bytes, fill_bytes += o.fill_bytes;
  write_back_bytes += o.write_back_bytes, link_bytes += o.link_bytes;
  chip_link_bytes += o.chip_link_bytes;
  return *this;
}

GpuMemoryCounts operator-(GpuMemoryCounts a, const GpuMemoryCounts& b) noexcept {
  a.l2_read_bytes -= b.l2_read_bytes, a.l2_write_bytes -= b.l2_write_bytes;
  a.l2_hit_bytes -= b.l2_hit_bytes, a.fill_bytes -= b.fill_bytes;
  a.write_back_bytes -= b.write_back_bytes, a.link_bytes -= b.link_bytes;
  a.chip_link_bytes -= b.chip_link_bytes;
  return a;
}

GpuMemoryCounts operator*(Count times, GpuMemoryCounts a) noexcept {
  a.l2_read_bytes *= times, a.l2_write_bytes *= times, a.l2_hit_bytes *= times;
  a.fill_bytes *= times, a.write_back_bytes *= times, a.link_bytes *= times;
  a.chip_link_bytes *= times;
  return a;
}

GpuMemory::GpuMemory(const SharedL2Params& l2, const Dram& dram, Count sms, const Ports& ports,
                     const ChipLink& chip_link)
    : params_(l2),
      dram_params_(dram),
      sms_(sms),
      chip_link_{.cycles_per_byte = per_byte(chip_link.bytes_per_cycle)},
      chip_link_latency_(chip_link.latency_cycles) {
  const auto n = static_cast<double>(l2.partitions);
  for (Count p = 0; p < l2.partitions; ++p) {
    partitions_.push_back(
        {.cache = BlockCache(l2.capacity_bytes / l2.partitions),
         .slices = {.cycles_per_byte = n * per_byte(static_cast<double>(l2.bytes_per_cycle()))},
         .link_in = {.cycles_per_byte =
                         per_byte(static_cast<double>(l2.partition_link_bytes_per_cycle))}});
  }
  read_ports_.assign(
      sms, {.cycles_per_byte = per_byte(static_cast<double>(ports.read_bytes_per_cycle))});
  write_ports_.assign(
      sms, {.cycles_per_byte = per_byte(static_cast<double>(ports.write_bytes_per_cycle))});
  dram_.cycles_per_byte = per_byte(dram.bytes_per_cycle);
}

std::size_t GpuMemory::home_of(std::uint64_t key) const noexcept {
  if (partitions_.size() == 1) return 0;
  // The parity of the address: any stride is spread evenly.
  const std::uint64_t line = key % program::kGpuReservationBytes / BlockCache::kColumnBytes;
  return static_cast<std::size_t>(std::popcount(line) % 2);
}

template <typename Visit>
void GpuMemory::each_block(const MatrixAccess& a, Visit&& visit) const {
  const Count end_row = a.first_row + a.rows;
  const Bytes end_byte = a.first_byte + a.row_bytes;
  for (Count row = a.first_row / BlockCache::kRows * BlockCache::kRows; row < end_row;
       row += BlockCache::kRows) {
    const Count r0 = std::max(a.first_row, row) - row;
    const Count r1 = std::min(end_row, row + BlockCache::kRows) - row;
    for (Bytes column = a.first_byte / BlockCache::kColumnBytes * BlockCache::kColumnBytes;
         column < end_byte; column += BlockCache::kColumnBytes) {
      const Bytes c0 = std::max(a.first_byte, column) - column;
      const Bytes c1 = std::min(end_byte, column + BlockCache::kColumnBytes) - column;
      // Whole sectors come; that of a row's end has the next row in it, too, where rows are packed.
      const Bytes first = c0 / BlockCache::kSectorBytes * BlockCache::kSectorBytes;
      const Bytes last =
          std::min(ceil_div(c1, BlockCache::kSectorBytes) * BlockCache::kSectorBytes + column,
                   std::max(a.pitch_bytes, column + c1));
      visit(Part{.key = a.address + row * a.pitch_bytes + column,
                 .pieces = mask_of(r0, r1, c0, c1),
                 .bytes = (r1 - r0) * (c1 - c0),
                 .sector_bytes = (r1 - r0) * (last - column - first)});
    }
  }
}

void GpuMemory::write_back(double now, Bytes bytes) {
  if (bytes == 0) return;
  counts_.write_back_bytes += bytes;
  (void)dram_.serve(now, bytes);
}

/// While the DRAM has nothing to do, what has been dirty for longest is written back.
void GpuMemory::clean(double now) {
  while (dram_.free < now) {
    BlockCache* oldest = &partitions_[0].cache;
    for (Partition& p : partitions_) {
      if (p.cache.dirty_since() < oldest->dirty_since()) oldest = &p.cache;
    }
    const double since = oldest->dirty_since();
    const Bytes bytes = oldest->clean_oldest();
    if (bytes == 0) return;
    counts_.write_back_bytes += bytes;
    (void)dram_.serve(since, bytes);
  }
}

/// Brings pieces from DRAM into the block's home; returns when they are there.
double GpuMemory::fill(double now, std::size_t home, std::uint64_t key, BlockCache::Mask mask,
                       double share) {
  Bytes evicted = 0;
  BlockCache::Block& block = partitions_[home].cache.touch(key, evicted);
  write_back(now, evicted);
  const auto missing = mask & ~block.present;
  if (missing != 0) {
    const Bytes bytes = bytes_of(missing, share);
    counts_.fill_bytes += bytes;
    block.ready = std::max(block.ready, dram_.serve(now, bytes) + dram_params_.latency_cycles);
    block.present |= missing;
  }
  return block.ready;
}

void GpuMemory::read_block(double now, std::size_t near, std::uint64_t key, BlockCache::Mask mask,
                           double share, double& ready, bool& from_dram) {
  const std::size_t home = home_of(key);
  double there = 0;
  if (home == near) {
    there = fill(now, home, key, mask, share);
  } else {
    Bytes evicted = 0;
    BlockCache::Block& copy = partitions_[near].cache.touch(key, evicted);
    write_back(now, evicted);
    const auto missing = mask & ~copy.present;
    if (missing != 0) {
      const Bytes bytes = bytes_of(missing, share);
      const double at_home = fill(now, home, key, missing, share);
      const double passed = partitions_[near].link_in.serve(now, bytes);
      counts_.link_bytes += bytes;
      copy.ready = std::max(
          copy.ready, std::max(at_home, passed) + static_cast<double>(params_.far_latency_cycles));
      copy.present |= missing;
    }
    there = copy.ready;
  }
  if (there > ready) {
    ready = there;
    from_dram = there > now;
  }
}

/// All servers but the DRAM, which dirty blocks wait for in the past, too.
template <typename Self, typename Visit>
void GpuMemory::each_server(Self& self, Visit&& visit) {
  for (auto& p : self.partitions_) visit(p.slices), visit(p.link_in);
  for (auto& port : self.read_ports_) visit(port);
  for (auto& port : self.write_ports_) visit(port);
  visit(self.chip_link_);
}

void GpuMemory::begin_at(Cycle now) {
  const auto shift = static_cast<double>(now - origin_);
  origin_ = now;
  each_server(*this, [&](Server& s) { s = {s.cycles_per_byte, std::max(0.0, s.free - shift), 0}; });
  for (Partition& p : partitions_) p.cache.shift_times(shift);
  dram_.free -= shift;
  dram_.busy = 0;
}

GpuMemory::State GpuMemory::state() const {
  State state;
  bool dirty = false;
  for (const Partition& p : partitions_) {
    BlockCache::State cache = p.cache.state();
    for (BlockCache::Block& block : cache.blocks) {
      block.dirty_mark = 0;
      // It could be cleaned when the DRAM has been free, not before.
      block.dirty_since = block.dirty == 0 ? 0 : std::max(block.dirty_since, dram_.free);
    }
    dirty = dirty || !cache.dirty.empty();
    state.caches.push_back(std::move(cache));
  }
  each_server(*this, [&](const Server& s) { state.free.push_back(s.free); });
  state.free.push_back(dirty ? dram_.free : std::max(0.0, dram_.free));
  return state;
}

void GpuMemory::set_state(const State& state) {
  for (std::size_t p = 0; p < partitions_.size(); ++p) {
    partitions_[p].cache.set_state(state.caches[p]);
  }
  auto free = state.free.begin();
  each_server(*this, [&](Server& s) { s.free = *free++; });
  dram_.free = *free;
}

GpuMemory::Answer GpuMemory::read(Cycle cycle, Count sm, const MatrixAccess& access) {
  const auto now = static_cast<double>(cycle - origin_);
  clean(now);
  const std::size_t near = partition_of(sm);
  const Bytes bytes = access.bytes();
  const Bytes filled_before = counts_.fill_bytes;
  double ready = 0;
  bool from_dram = false;
  each_block(access, [&](const Part& part) {
    const double share = access.whole_pieces
                             ? static_cast<double>(BlockCache::kPieceBytes)
                             : static_cast<double>(part.sector_bytes) / std::popcount(part.pieces);
    read_block(now, near, part.key, part.pieces, share, ready, from_dram);
  });
  const Bytes from_l2 = access.from_l2();
  counts_.l2_read_bytes += from_l2;
  counts_.l2_hit_bytes += from_l2 - std::min(from_l2, counts_.fill_bytes - filled_before);
  const double served = partitions_[near].slices.serve(now, from_l2);
  const double arrived = read_ports_[sm].serve(now, bytes);
  double end = std::max({ready, served, arrived});
  if (access.over_link) {
    counts_.chip_link_bytes += bytes;
    end = std::max(end, chip_link_.serve(now, bytes)) + chip_link_latency_;
  }
  return {.ready = origin_ + static_cast<Cycle>(std::ceil(end)) + params_.latency_cycles,
          .accepted = cycle,
          .from_dram = from_dram && ready >= std::max(served, arrived)};
}

GpuMemory::Answer GpuMemory::write(Cycle cycle, Count sm, const MatrixAccess& access) {
  const auto now = static_cast<double>(cycle - origin_);
  const Bytes bytes = access.bytes();
  const std::size_t near = partition_of(sm);
  double crossed = now, room = now;
  each_block(access, [&](const Part& part) {
    const std::size_t home = home_of(part.key);
    Bytes evicted = 0;
    BlockCache::Block& block = partitions_[home].cache.touch(part.key, evicted);
    write_back(now, evicted);
    // What has to leave for it must have left.
    if (evicted > 0) room = std::max(room, dram_.free);
    block.present |= part.pieces;
    partitions_[home].cache.soil(block, part.pieces, part.bytes, now);
    if (home != near) {
      crossed = std::max(crossed, partitions_[home].link_in.serve(now, part.bytes));
      counts_.link_bytes += part.bytes;
    }
  });
  counts_.l2_write_bytes += bytes;
  const double left = write_ports_[sm].serve(now, bytes);
  const double served = partitions_[near].slices.serve(now, bytes);
  return {.ready = origin_ +
                   static_cast<Cycle>(std::ceil(std::max({left, served, crossed, room}))) +
                   params_.latency_cycles,
          .accepted = origin_ + static_cast<Cycle>(std::ceil(std::max(left, room))),
          .from_dram = false};
}

Bytes GpuMemory::dirty_bytes() const {
  Bytes bytes = 0;
  for (const Partition& p : partitions_) bytes += p.cache.dirty_bytes();
  return bytes;
}

}  // namespace tilewave
