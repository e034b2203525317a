// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "arch/chip/gpu_chip.hpp"
#include "arch/memory/shared_l2/gpu_memory.hpp"
#include "arch/program/cta.hpp"

namespace tilewave {

/// What kernels of a program did, for those that come later and do the same: kernels of the same work
/// (the layers of a transformer) that find the memory in the same state but for where tensors lie. Their
/// outcome is then the same to the last cycle, and the memory is left in the same state.
///
/// The state is compared whole: each block of the L2, by its place in its tensor if it is the kernel's, by
/// its age alone if not; times from the kernel's beginning; which blocks are dirty, in their order. SMs
/// keep nothing between kernels.
class KernelReplays {
 public:
  explicit KernelReplays(const program::GpuProgram& program);

  /// The kernel is about to begin (GpuMemory::begin_at). If one like it did, its record, and the memory is
  /// as it was after that. Else null; end() follows.
  const GpuKernelRecord* begin(std::size_t kernel, GpuMemory& memory);
  /// The kernel that began last has ended, GpuMemory::begin_at included.
  void end(const GpuKernelRecord& record, const GpuMemory& memory);

 private:
  /// A state with what tells tensors apart taken out: keys of the kernel's blocks are tensor and offset.
  /// Other blocks have none, and lie where `others` says.
  struct Situation {
    GpuMemory::State state;
    std::vector<std::vector<BlockCache::Block>> others;  ///< of each cache, in its order
  };
  struct Outcome {
    Situation before;
    GpuMemory::State after;
    std::vector<std::vector<std::uint32_t>> others_left;  ///< of `before`, in the order of `after`
    GpuKernelRecord record;
  };
  [[nodiscard]] Situation situation(std::size_t kernel, const GpuMemory& memory) const;
  void apply(const Outcome& outcome, const Situation& now, std::size_t kernel,
             GpuMemory& memory) const;

  const program::GpuProgram& program_;
  std::vector<std::size_t> classes_;         ///< of each kernel
  std::vector<std::size_t> last_of_;         ///< kernel of each class
  std::vector<std::vector<Outcome>> known_;  ///< of each class, latest last
  std::size_t kernel_ = 0;                   ///< that began last
  std::optional<Situation> before_;          ///< it, if another of its class is to come
};

}  // namespace tilewave
