// SPDX-License-Identifier: Apache-2.0
#include "arch/core/sm/cta_plan.hpp"

#include <algorithm>

#include "arch/core/sm/warp_facts.hpp"
#include "arch/core/sm/window_accesses.hpp"

namespace tilewave {

using program::Instruction;
using program::UnitKind;

CtaPlan::CtaPlan(const SmParams& sm, const program::GpuKernel& kernel)
    : kernel_(&kernel), costs_(sm, kernel) {
  for (const program::Node& node : kernel.kernel.body) {
    if (const auto* loop = std::get_if<program::Loop>(&node)) {
      read_loop(*loop);
    } else if (const auto& i = std::get<Instruction>(node); i.unit == UnitKind::store) {
      stores_.push_back(&i);
    }
  }
  stages_ = kNever;
  for (const program::Slot& slot : kernel.kernel.slots) {
    // What is never given back is loaded once a block, not a slab.
    if (slot.releases > 0) stages_ = std::min(stages_, slot.stages);
  }
  if (stages_ == kNever) stages_ = 1;
}

void CtaPlan::read_loop(const program::Loop& loop) {
  slabs_ *= loop.count;
  nest_.push_back({loop.index, loop.count});
  for (const program::Node& inner : loop.body) {
    if (const auto* nested = std::get_if<program::Loop>(&inner)) {
      read_loop(*nested);
      continue;
    }
    const auto& i = std::get<Instruction>(inner);
    (i.unit == UnitKind::load ? loads_ : work_).push_back(&i);
  }
}

LoopIndex CtaPlan::index_of(program::BlockPlace block, Count slab) const {
  LoopIndex index{};
  for (std::size_t l = nest_.size(); l-- > 0;) {
    index[static_cast<std::size_t>(nest_[l].index)] =
        static_cast<std::int64_t>(slab % nest_[l].count);
    slab /= nest_[l].count;
  }
  for (std::size_t d = 0; d < kGridDims; ++d) {
    index[kBlockIndex + d] = static_cast<std::int64_t>(block[d]);
  }
  if (kernel_->cta.mask) {
    index[static_cast<std::size_t>(nest_[0].index)] +=
        static_cast<std::int64_t>(kernel_->cta.mask->passes_of(index).first);
  }
  return index;
}

Count CtaPlan::slabs_of(program::BlockPlace block) const {
  if (!kernel_->cta.mask) return slabs_;
  return kernel_->cta.mask->passes_of(index_of(block, 0)).count;
}

Count CtaPlan::slabs_of(Count first, Count end) const {
  if (!kernel_->cta.mask) return (end - first) * slabs_;
  Count sum = 0;
  for (Count number = first; number < end; ++number) sum += slabs_of(place_of(*kernel_, number));
  return sum;
}

Count CtaPlan::blocks_with(Count slabs, Count first) const {
  if (!kernel_->cta.mask) return (slabs + slabs_ / 2) / slabs_;
  Count sum = 0, number = first;
  for (const Count end = kernel_->kernel.blocks(); number < end; ++number) {
    const Count more = slabs_of(place_of(*kernel_, number));
    if (sum + more / 2 >= slabs) break;
    sum += more;
  }
  return number - first;
}

/// A masked product counts the scores that are asked for, as many products for each as its tile has.
Count CtaPlan::macs_of(const Instruction& i, const LoopIndex& index) const {
  const auto& mask = kernel_->cta.mask;
  if (!mask) return i.m.at(index) * i.n.at(index) * i.k.at(index);
  const Count tile = warp::extent(i.m) * warp::extent(i.n) * warp::extent(i.k);
  const auto pass = static_cast<Count>(index[static_cast<std::size_t>(nest_[0].index)]);
  return mask->scores(mask->tile_of(index), pass) *
         (tile / (mask->heads * mask->tile_queries * mask->tile_keys));
}

Count CtaPlan::shared_by(const Instruction& i) const {
  return kernel_->cta.shared_by(i.region.tensor);
}

/// Only conditions on the first (queries) and the last pass (a residual) of the whole nest are made for
/// GPUs.
bool CtaPlan::holds(const program::Condition& when, Count slab, Count slabs) {
  return (when.last == 0 || slab + 1 == slabs) && (when.first == 0 || slab == 0);
}

void CtaPlan::append(const Instruction& i, const LoopIndex& index, Accesses& out) const {
  const auto& tensor = kernel_->kernel.tensors[static_cast<std::size_t>(i.region.tensor)];
  MatrixAccess a;
  a.over_link = tensor.space == program::Space::link;
  a.address = tensor.base_address + static_cast<std::uint64_t>(i.region.offset_bytes.at(index));
  if (const auto* windows = std::get_if<program::WindowTaps>(&i.region.shape)) {
    const std::size_t first = out.size();
    append_window_accesses(*windows, a.address, index, out);
    for (std::size_t k = first; k < out.size(); ++k) out[k].shared_by = shared_by(i);
    return;
  }
  const auto& rows = std::get<program::StridedRows>(i.region.shape);
  a.first_byte = static_cast<Bytes>(rows.row_bytes.start_at(index));
  a.row_bytes = rows.row_bytes.size_at(index);
  a.rows = 1;
  if (!rows.dims.empty()) {
    a.first_row = static_cast<Count>(rows.dims[0].span.start_at(index));
    a.rows = rows.dims[0].span.size_at(index);
    a.pitch_bytes = rows.dims[0].pitch_bytes;
  }
  if (a.bytes() == 0) return;
  a.shared_by = shared_by(i);
  constexpr Bytes kLine = BlockCache::kColumnBytes;
  if (a.rows == 1 && a.row_bytes > kLine && a.first_byte % kLine == 0) {
    // A run of bytes is rows of a line each; what is left of the last line by itself.
    const Bytes rest = a.row_bytes % kLine;
    MatrixAccess lines = a;
    lines.address = a.address + a.first_row * a.pitch_bytes;
    lines.first_row = a.first_byte / kLine;
    lines.rows = a.row_bytes / kLine;
    lines.first_byte = 0;
    lines.row_bytes = lines.pitch_bytes = kLine;
    MatrixAccess last = lines;
    last.first_row += lines.rows;
    last.rows = 1;
    last.row_bytes = rest;
    a = lines;
    if (rest > 0) out.push_back(last);
  }
  out.push_back(a);
}

void CtaPlan::loads_of(program::BlockPlace block, Count slab, Accesses& out) const {
  const LoopIndex index = index_of(block, slab);
  const Count slabs = slabs_of(block);
  for (const Instruction* i : loads_) {
    if (holds(i->when, slab, slabs)) append(*i, index, out);
  }
}

void CtaPlan::stores_of(program::BlockPlace block, Accesses& out) const {
  const LoopIndex index = index_of(block, 0);
  for (const Instruction* i : stores_) append(*i, index, out);
}

/// Blocks load alike if their first slabs have equally many bytes; windows if they lie at the same place
/// of an image, too, since it decides what is padding.
void CtaPlan::add_likeness(const program::Region& region, const LoopIndex& first) const {
  const auto* windows = std::get_if<program::WindowTaps>(&region.shape);
  if (windows == nullptr) {
    likeness_.push_back(region.bytes_at(first));
    return;
  }
  const auto start = static_cast<Count>(windows->outputs.start_at(first));
  likeness_.push_back(start % (windows->rows.out * windows->cols.out));
  likeness_.push_back(windows->outputs.size_at(first));
  likeness_.push_back(static_cast<Count>(windows->taps.start_at(first)));
  likeness_.push_back(windows->taps.size_at(first));
}

Bytes CtaPlan::bytes_of(const Instruction& load, const LoopIndex& index) const {
  if (!std::holds_alternative<program::WindowTaps>(load.region.shape)) {
    return load.region.bytes_at(index) / shared_by(load);
  }
  counted_.clear();
  append(load, index, counted_);
  Bytes bytes = 0;
  for (const MatrixAccess& a : counted_) bytes += a.from_l2();
  return bytes;
}

void CtaPlan::read_likeness(program::BlockPlace block, const LoopIndex& first) const {
  if (const auto& mask = kernel_->cta.mask) {
    likeness_ = {block[static_cast<std::size_t>(mask->tile_dim)],
                 block[static_cast<std::size_t>(mask->split_dim)]};
    return;
  }
  likeness_.assign(1, block[2]);
  for (const auto* instructions : {&loads_, &stores_}) {
    for (const Instruction* i : *instructions) add_likeness(i->region, first);
  }
}

const CtaPlan::BlockWork& CtaPlan::work_of(program::BlockPlace block) const {
  const LoopIndex first = index_of(block, 0);
  read_likeness(block, first);
  const auto [place, is_new] = works_.try_emplace(likeness_);
  BlockWork& work = place->second;
  if (!is_new) return work;
  const Count slabs = slabs_of(block);
  for (Count slab = 0; slab < slabs; ++slab) {
    const LoopIndex index = index_of(block, slab);
    for (const Instruction* i : loads_) {
      if (!holds(i->when, slab, slabs)) continue;
      const Bytes bytes = bytes_of(*i, index);
      work.load_bytes += bytes;
      const auto& tensor = kernel_->kernel.tensors[static_cast<std::size_t>(i->region.tensor)];
      if (tensor.space == program::Space::link) work.link_bytes += bytes;
    }
    for (const Instruction* i : work_) {
      if (i->unit == UnitKind::matrix) work.macs += macs_of(*i, index);
    }
  }
  for (const Instruction* i : stores_) work.store_bytes += i->region.bytes_at(first);
  return work;
}

CtaPlan::BlockWork CtaPlan::work_of(Count first, Count end) const {
  BlockWork sum;
  for (Count number = first; number < end; ++number) sum += work_of(place_of(*kernel_, number));
  return sum;
}

}  // namespace tilewave
