// SPDX-License-Identifier: Apache-2.0
// What warps ask of their SM: slabs, barriers, blocks.
#include <algorithm>

#include "arch/core/sm/detailed/detailed_sm.hpp"

namespace tilewave {

namespace {
/// Bytes that a lane moves with one instruction.
constexpr Bytes kLaneBytes = 16;
constexpr Bytes kLine = BlockCache::kColumnBytes;

/// Of `pieces` dealt to warps in turn: which of this warp's are in a part.
struct Share {
  Count first, end;
};
Share share_of(Count pieces, Count warp, Count warps, Count part, Count parts) {
  const Count own = pieces > warp ? (pieces - warp - 1) / warps + 1 : 0;
  return {own * part / parts, own * (part + 1) / parts};
}
}  // namespace

void DetailedSm::add_block(Cta& cta, Count number) const {
  Block& block = cta.blocks.emplace_back();
  block.number = number;
  block.first_slab = cta.end_slab;
  block.slabs = plan_->slabs_of(program::place_of(plan_->kernel(), number));
  cta.end_slab += block.slabs;
}

DetailedSm::Block* DetailedSm::block_of(Cta& cta, Count block) {
  if (block < cta.first_block || block >= cta.first_block + cta.blocks.size()) return nullptr;
  return &cta.blocks[block - cta.first_block];
}

void DetailedSm::ask(Count cta) {
  if (ctas_[cta].asked || ctas_[cta].no_more) return;
  ctas_[cta].asked = true;
  fresh_.wants_block.push_back(cta);
}

void DetailedSm::give(Count cta_number, std::optional<Count> number) {
  Cta& cta = ctas_[cta_number];
  cta.asked = false;
  if (number) {
    add_block(cta, *number);
  } else {
    cta.no_more = true;
  }
  wake_all(cta.wants_block, stepping_);
}

/// Rows of a tile in pieces of whole instructions, which begin where the L2's pieces do.
void DetailedSm::cut(const MatrixAccess& a, std::vector<Piece>& out) const {
  const Bytes end_byte = a.first_byte + a.row_bytes;
  const Bytes touched = a.rows * a.row_bytes;
  Bytes done = 0;
  for (Bytes c0 = a.first_byte; c0 < end_byte;) {
    const Bytes c1 = std::min(end_byte, (c0 / kLine + 1) * kLine);
    const Count lanes_of_row = ceil_div(c1 - c0, kLaneBytes);
    const Count rows_each = std::max<Count>(
        BlockCache::kPieceRows,
        sm_.warp_lanes / lanes_of_row / BlockCache::kPieceRows * BlockCache::kPieceRows);
    const Count end_row = a.first_row + a.rows;
    for (Count r0 = a.first_row; r0 < end_row;) {
      const Count r1 = std::min(end_row, (r0 / rows_each + 1) * rows_each);
      Piece piece{a, ceil_div((r1 - r0) * lanes_of_row, sm_.warp_lanes)};
      piece.access.first_row = r0, piece.access.rows = r1 - r0;
      piece.access.first_byte = c0, piece.access.row_bytes = c1 - c0;
      r0 = r1;
      if (a.moved_bytes > 0) {
        // Each has its share of what windows move; one without any is nothing but padding.
        const Bytes part = piece.access.rows * piece.access.row_bytes;
        piece.access.moved_bytes =
            a.moved_bytes * (done + part) / touched - a.moved_bytes * done / touched;
        done += part;
        if (piece.access.moved_bytes == 0) continue;
      }
      out.push_back(piece);
    }
    c0 = c1;
  }
}

/// A stage takes the slab: what it loads, in pieces.
void DetailedSm::prepare(Count cta_number, Stage& stage, Count sequence) {
  Cta& cta = ctas_[cta_number];
  stage.sequence = sequence;
  stage.asked_for = true;
  stage.given_back = 0;
  stage.pieces.clear();
  stage.ready = 0;
  stage.from_dram = false;
  accesses_.clear();
  const auto block = std::find_if(cta.blocks.rbegin(), cta.blocks.rend(),
                                  [&](const Block& b) { return b.first_slab <= sequence; });
  plan_->loads_of(program::place_of(plan_->kernel(), block->number), sequence - block->first_slab,
                  accesses_);
  for (const MatrixAccess& access : accesses_) {
    if (expansion_->by_engine()) {
      stage.pieces.push_back({access, 1});
    } else {
      cut(access, stage.pieces);
    }
  }
  stage.due = stage.pieces.size();
  // No answer will come for a slab that is nothing but padding.
  if (stage.due == 0) wake_all(stage.waiting, stepping_);
}

/// Instructions of this warp, one of `warps`, for its part of `pieces`; the warp begins at the first.
Count DetailedSm::take_share(Warp& warp, const WarpInstruction& i, const std::vector<Piece>& pieces,
                             Count warps) {
  const Share share = share_of(pieces.size(), warp.index, warps, i.part, i.parts);
  Count number = 0;
  for (Count p = share.first; p < share.end; ++p) {
    number += pieces[warp.index + p * warps].instructions;
  }
  if (number > 0) {
    warp.piece = warp.index + share.first * warps;
    warp.left_of_piece = pieces[warp.piece].instructions;
  }
  return number;
}

std::optional<Count> DetailedSm::copies_of(Warp& warp, const WarpInstruction& i, WarpPlace place) {
  const Count copiers = expansion_->copiers();
  if (warp.role != expansion_->copier_role() || warp.index >= copiers) return 0;
  Cta& cta = ctas_[warp.cta];
  const Count sequence = warp.sequence + i.arg;
  if (sequence >= cta.end_slab) {
    if (cta.no_more) return 0;
    cta.wants_block.push_back(place);
    ask(warp.cta);
    return std::nullopt;
  }
  Stage& stage = stage_of(cta, sequence);
  if (!stage.asked_for || stage.sequence != sequence) prepare(warp.cta, stage, sequence);
  return take_share(warp, i, stage.pieces, copiers);
}

std::optional<Count> DetailedSm::instructions_of(Warp& warp, const WarpInstruction& i,
                                                 WarpPlace place) {
  if (i.op == WarpOp::store) return stores_of(warp, i);
  return copies_of(warp, i, place);
}

Count DetailedSm::stores_of(Warp& warp, const WarpInstruction& i) {
  Cta& cta = ctas_[warp.cta];
  Block& block = *block_of(cta, warp.block);
  if (!block.stores_known) {
    block.stores_known = true;
    accesses_.clear();
    plan_->stores_of(program::place_of(plan_->kernel(), block.number), accesses_);
    for (const MatrixAccess& access : accesses_) cut(access, block.stores);
  }
  return take_share(warp, i, block.stores, expansion_->computing_warps());
}

WarpHost::When DetailedSm::may_issue(const Warp& warp, const WarpInstruction& i, WarpPlace place) {
  Cta& cta = ctas_[warp.cta];
  switch (i.op) {
    case WarpOp::copy:
      if (in_flight_ < sm_.load_store.outstanding_bytes) return {0, SubCoreCycle::memory_queue};
      wants_flight_.push_back(place);
      return {kNever, SubCoreCycle::wait_l2};
    case WarpOp::wait_slab: {
      const Count sequence = warp.sequence + i.arg;
      if (cta.no_more && sequence >= cta.end_slab) return {0, SubCoreCycle::wait_l2};
      Stage& stage = stage_of(cta, sequence);
      if (!stage.asked_for || stage.sequence != sequence || stage.due > 0) {
        stage.waiting.push_back(place);
        return {kNever, SubCoreCycle::wait_l2};
      }
      return {stage.ready, stage.from_dram ? SubCoreCycle::wait_dram : SubCoreCycle::wait_l2};
    }
    case WarpOp::wait_room: {
      if (warp.role != expansion_->copier_role() || warp.index >= expansion_->copiers()) return {};
      const Count sequence = warp.sequence + i.arg;
      Stage& stage = stage_of(cta, sequence);
      // Free, or another copier has taken it already.
      if (!stage.asked_for || stage.sequence == sequence) {
        return {stage.free_at, SubCoreCycle::barrier};
      }
      stage.waiting.push_back(place);
      return {kNever, SubCoreCycle::barrier};
    }
    case WarpOp::wait_sums: {
      Block* block = block_of(cta, warp.block);
      if (block->sums_ready != kNever) return {block->sums_ready, SubCoreCycle::math_pipe};
      cta.waits_for_sums.push_back(place);
      return {kNever, SubCoreCycle::math_pipe};
    }
    case WarpOp::wait_place: {
      // Places for the sums of two blocks (of one, if the epilogue is not beside the next products).
      const Count places = plan_->kernel().cta.overlapped_epilogue ? 2 : 1;
      if (warp.block < places) return {};
      Block* block = block_of(cta, warp.block - places);
      if (block == nullptr || block->sums_read >= expansion_->computing_warps()) return {};
      cta.waits_for_sums.push_back(place);
      return {kNever, SubCoreCycle::barrier};
    }
    default:
      return {};
  }
}

Cycle DetailedSm::perform(Warp& warp, const WarpInstruction& i, WarpPlace place, Cycle now) {
  Cta& cta = ctas_[warp.cta];
  switch (i.op) {
    case WarpOp::copy:
      copy_one(warp, i);
      return expansion_->by_engine() ? now : global_.take(now, lines_of_instruction()).begin;
    case WarpOp::store:
      store_one(warp);
      return global_.take(now, lines_of_instruction()).begin;
    case WarpOp::barrier:
      arrive(warp, place, now);
      break;
    case WarpOp::give_back:
      give_back(warp, i, now);
      break;
    case WarpOp::cta_multiply:
      multiply_everywhere(warp, i, now);
      break;
    case WarpOp::give_sums:
      block_of(cta, warp.block)->sums_ready = warp.last_multiply + sm_.tensor->latency_cycles;
      wake_all(cta.waits_for_sums, now + 1);
      break;
    case WarpOp::free_sums:
      ++block_of(cta, warp.block)->sums_read;
      wake_all(cta.waits_for_sums, now + 1);
      break;
    default:
      break;
  }
  return now;
}

/// Cycles of the load-store unit for an instruction of 16 bytes a lane: a line each.
Cycle DetailedSm::lines_of_instruction() const {
  return ceil_div(sm_.warp_lanes * kLaneBytes, kLine);
}

void DetailedSm::copy_one(Warp& warp, const WarpInstruction& i) {
  Stage& stage = stage_of(ctas_[warp.cta], warp.sequence + i.arg);
  if (--warp.left_of_piece > 0) return;
  const MatrixAccess& access = stage.pieces[warp.piece].access;
  fresh_.requests.push_back({.cta = warp.cta,
                             .stage = (warp.sequence + i.arg) % plan_->stages(),
                             .write = false,
                             .access = access});
  in_flight_ += access.bytes();
  warp.piece += expansion_->copiers();
  if (warp.piece < stage.pieces.size()) warp.left_of_piece = stage.pieces[warp.piece].instructions;
}

void DetailedSm::store_one(Warp& warp) {
  if (--warp.left_of_piece > 0) return;
  Cta& cta = ctas_[warp.cta];
  const Block& block = *block_of(cta, warp.block);
  fresh_.requests.push_back(
      {.cta = warp.cta, .stage = 0, .write = true, .access = block.stores[warp.piece].access});
  ++cta.stores_due;
  warp.piece += expansion_->computing_warps();
  if (warp.piece < block.stores.size()) warp.left_of_piece = block.stores[warp.piece].instructions;
}

void DetailedSm::arrive(Warp& warp, WarpPlace place, Cycle now) {
  Cta& cta = ctas_[warp.cta];
  warp.not_before_why = SubCoreCycle::barrier;
  if (cta.at_barrier.size() + 1 < expansion_->computing_warps()) {
    warp.not_before = kNever;
    cta.at_barrier.push_back(place);
    return;
  }
  const Cycle release = now + std::max<Cycle>(1, sm_.barrier_cycles);
  warp.not_before = release;
  for (const WarpPlace& p : cta.at_barrier)
    sub_cores_[p.sub_core].warp(p.slot).not_before = release;
  wake_all(cta.at_barrier, release);
}

void DetailedSm::multiply_everywhere(Warp& warp, const WarpInstruction& i, Cycle now) {
  const auto feed = access_shared(now, i.wavefronts, i.bytes);
  Ticks end = feed.end * kTicks;
  for (SubCore& s : sub_cores_)
    end = std::max(end, s.take_tensor(now, i.interval, feed.end * kTicks, i.interval));
  warp.last_multiply = (end + kTicks - 1) / kTicks;
}

/// The slab has been read by this warp; by all: its place is free, or will be once the multiplies are done
/// that read it.
void DetailedSm::give_back(Warp& warp, const WarpInstruction& i, Cycle now) {
  if (warp.part == Warp::Part::slab && warp.slab < i.arg) return;
  Cta& cta = ctas_[warp.cta];
  const Count sequence = warp.sequence - (warp.part == Warp::Part::tail ? 1 : i.arg);
  Stage& stage = stage_of(cta, sequence);
  const bool computes = warp.program->computes;
  if (++stage.given_back < (computes ? expansion_->computing_warps() : 1)) return;
  stage.asked_for = false;
  stage.free_at = computes ? now + 1 : std::max(now + 1, warp.last_group);
  wake_all(stage.waiting, now + 1);
}

WarpHost::Next DetailedSm::next_block(Warp& warp, WarpPlace place, Cycle now) {
  (void)now;
  Cta& cta = ctas_[warp.cta];
  if (warp.program->computes && !warp.reported) {
    warp.reported = true;
    block_done(cta, warp);
  }
  if (warp.block + 1 < cta.first_block + cta.blocks.size()) {
    warp.reported = false;
    warp.slabs = block_of(cta, warp.block + 1)->slabs;
    return Next::go_on;
  }
  if (cta.no_more) {
    --cta.warps;
    return Next::exit;
  }
  cta.wants_block.push_back(place);
  ask(warp.cta);
  return Next::wait;
}

void DetailedSm::block_done(Cta& cta, const Warp& warp) {
  ++block_of(cta, warp.block)->warps_done;
  while (!cta.blocks.empty() && cta.blocks.front().warps_done == expansion_->computing_warps()) {
    ++record_.blocks;
    const Block& block = cta.blocks.front();
    record_.slabs += block.slabs;
    record_.macs += plan_->work_of(program::place_of(plan_->kernel(), block.number)).macs;
    cta.blocks.pop_front();
    ++cta.first_block;
  }
}

}  // namespace tilewave
