// SPDX-License-Identifier: Apache-2.0
#include "arch/chip/kernel_replays.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "arch/program/same_kernel.hpp"

namespace tilewave {

namespace {

/// Outcomes that are kept of a class: the first layers find other states than those after them.
constexpr std::size_t kKept = 2;
/// Tensors of a kernel are numbered from 1 in the upper bits of a block's key.
constexpr unsigned kTensorShift = 48;
constexpr std::uint64_t kOther = 0;

using program::GpuKernel;
using program::Tensor;

bool holds(const Tensor& tensor, std::uint64_t address) {
  return address - tensor.base_address < tensor.bytes;
}

/// The key without where the tensor lies; kOther if it is in none of the kernel's.
std::uint64_t without_place(const GpuKernel& kernel, std::uint64_t key) {
  const auto& tensors = kernel.kernel.tensors;
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    if (holds(tensors[t], key)) return (t + 1) << kTensorShift | (key - tensors[t].base_address);
  }
  return kOther;
}

std::uint64_t with_place(const GpuKernel& kernel, std::uint64_t place) {
  const Tensor& tensor = kernel.kernel.tensors[(place >> kTensorShift) - 1];
  return tensor.base_address + (place & ((std::uint64_t{1} << kTensorShift) - 1));
}

bool overlap(const Tensor& a, const Tensor& b) {
  return a.base_address < b.base_address + b.bytes && b.base_address < a.base_address + a.bytes;
}

/// Do tensors lie to one another, and within their reservations, as those of the other?
bool same_places(const GpuKernel& a, const GpuKernel& b) {
  const auto& x = a.kernel.tensors;
  const auto& y = b.kernel.tensors;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if ((x[i].base_address - y[i].base_address) % program::kGpuReservationBytes != 0) return false;
    for (std::size_t j = 0; j < i; ++j) {
      if (!overlap(x[i], x[j]) && !overlap(y[i], y[j])) continue;
      if (x[i].base_address - x[j].base_address != y[i].base_address - y[j].base_address) {
        return false;
      }
    }
  }
  return true;
}

bool same(const GpuKernel& a, const GpuKernel& b) {
  return a.times == b.times && a.cta == b.cta && program::same_work(a.kernel, b.kernel) &&
         same_places(a, b);
}

bool same(const BlockCache::Block& a, const BlockCache::Block& b) {
  return a.key == b.key && a.ready == b.ready && a.dirty_since == b.dirty_since &&
         a.present == b.present && a.dirty == b.dirty && a.dirty_bytes == b.dirty_bytes;
}

bool same(const GpuMemory::State& a, const GpuMemory::State& b) {
  return a.free == b.free &&
         std::ranges::equal(a.caches, b.caches, [](const auto& x, const auto& y) {
           return x.dirty == y.dirty &&
                  std::ranges::equal(x.blocks, y.blocks,
                                     [](const auto& p, const auto& q) { return same(p, q); });
         });
}

}  // namespace

KernelReplays::KernelReplays(const program::GpuProgram& program) : program_(program) {
  std::vector<std::uint64_t> rough;
  for (const GpuKernel& kernel : program.kernels) {
    rough.push_back(program::rough_work(kernel.kernel));
  }
  const auto classes = program::classes_of(rough, [&](std::size_t first, std::size_t i) {
    return same(program.kernels[first], program.kernels[i]);
  });
  for (const int c : classes) {
    const std::size_t kernel = classes_.size();
    classes_.push_back(static_cast<std::size_t>(c));
    last_of_.resize(std::max(last_of_.size(), classes_.back() + 1));
    last_of_[classes_.back()] = kernel;
  }
  known_.resize(last_of_.size());
}

KernelReplays::Situation KernelReplays::situation(std::size_t kernel,
                                                  const GpuMemory& memory) const {
  Situation s{.state = memory.state(), .others = {}};
  for (BlockCache::State& cache : s.state.caches) {
    auto& others = s.others.emplace_back();
    for (BlockCache::Block& block : cache.blocks) {
      const std::uint64_t place = without_place(program_.kernels[kernel], block.key);
      if (place == kOther) {
        others.push_back(block);
        // Nobody asks for it: when, and what of it is there, is all the same.
        block.ready = 0;
        block.present = 0;
      }
      block.key = place;
    }
  }
  return s;
}

const GpuKernelRecord* KernelReplays::begin(std::size_t kernel, GpuMemory& memory) {
  kernel_ = kernel;
  before_.reset();
  auto& known = known_[classes_[kernel]];
  const bool more = last_of_[classes_[kernel]] > kernel;
  if (known.empty() && !more) return nullptr;
  Situation now = situation(kernel, memory);
  for (const Outcome& outcome : known) {
    if (!same(outcome.before.state, now.state)) continue;
    apply(outcome, now, kernel, memory);
    return &outcome.record;
  }
  if (more) before_ = std::move(now);
  return nullptr;
}

void KernelReplays::end(const GpuKernelRecord& record, const GpuMemory& memory) {
  if (!before_) return;
  Situation after = situation(kernel_, memory);
  // Its place in `before` of each block that is not the kernel's.
  std::vector<std::vector<std::uint32_t>> all_left;
  for (std::size_t c = 0; c < after.others.size(); ++c) {
    std::unordered_map<std::uint64_t, std::uint32_t> places;
    for (const BlockCache::Block& block : before_->others[c]) {
      places.emplace(block.key, places.size());
    }
    auto& left = all_left.emplace_back();
    for (const BlockCache::Block& block : after.others[c]) {
      const auto found = places.find(block.key);
      if (found == places.end()) return;  // it touched what is in none of its tensors
      left.push_back(found->second);
    }
  }
  auto& known = known_[classes_[kernel_]];
  if (known.size() == kKept) known.erase(known.begin());
  before_->others.clear();
  known.push_back({.before = std::move(*before_),
                   .after = std::move(after.state),
                   .others_left = std::move(all_left),
                   .record = record});
  before_.reset();
}

void KernelReplays::apply(const Outcome& outcome, const Situation& now, std::size_t kernel,
                          GpuMemory& memory) const {
  GpuMemory::State state = outcome.after;
  for (std::size_t c = 0; c < state.caches.size(); ++c) {
    auto other = outcome.others_left[c].begin();
    for (BlockCache::Block& block : state.caches[c].blocks) {
      if (block.key != kOther) {
        block.key = with_place(program_.kernels[kernel], block.key);
        continue;
      }
      const BlockCache::Block& own = now.others[c][*other++];
      block.key = own.key;
      block.present = own.present;
    }
  }
  memory.set_state(state);
}

}  // namespace tilewave
