// SPDX-License-Identifier: Apache-2.0
#include "workloads/kernels/gpu/row_kernel.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace tilewave {

using program::Instruction;
using program::UnitKind;

namespace {

constexpr int kPassLoop = 0, kChunkLoop = 1;
constexpr int kY = kBlockIndex + 1;
constexpr Bytes kAccessBytes = 16;  ///< of a lane
constexpr Bytes kRunBytes = 1024;
/// A CTA of warps that keep rows: four of them.
constexpr Count kRegisterWarps = 4;
/// Of the threads of long rows; of those that keep rows (32 elements each).
constexpr Count kRegisters = 32, kKeepingRegisters = 56;
/// Chunks of a row on their way at a time.
constexpr Count kStages = 2;
/// Accesses of a thread that a loop over a row has in flight where a CTA is small: it is unrolled.
constexpr Count kUnrolled = 4, kSmallCta = 128;

class Builder {
 public:
  Builder(const KernelId& id, const RowKernel& work, const GpuTarget& target)
      : w_(work), target_(target) {
    auto& k = gpu_.kernel;
    k.name = id.name;
    k.layer = id.layer;
    k.dtype = id.dtype;
  }

  program::GpuKernel build() {
    auto& k = gpu_.kernel;
    const bool kept = w_.cols <= w_.register_cols;
    const Bytes row_bytes = bytes_for(w_.cols, static_cast<unsigned>(w_.inputs[0].bits));
    const Count elements_of_access = std::max<Count>(1, kAccessBytes * 8 / w_.inputs[0].bits);
    if (kept) {
      gpu_.cta.threads = kRegisterWarps * target_.warp_lanes;
      gpu_.cta.registers_per_thread = kKeepingRegisters;
      rows_ = kRegisterWarps;
      gpu_.cta.warp_reductions = w_.reductions;
      chunk_ = row_bytes;
      run_ = run_elements();
    } else {
      const Count wanted = std::bit_ceil(std::max<Count>(1, w_.cols / elements_of_access));
      gpu_.cta.threads = std::clamp(wanted, target_.warp_lanes, w_.most_threads);
      gpu_.cta.registers_per_thread = kRegisters;
      gpu_.cta.cta_reductions = w_.reductions;
      passes_ = w_.passes;
      const Count unrolled = gpu_.cta.threads <= kSmallCta ? kUnrolled : 1;
      chunk_ = gpu_.cta.threads * kAccessBytes * unrolled;
    }
    chunks_ = std::max<Count>(1, ceil_div(row_bytes, chunk_));
    k.grid = {1, kept ? ceil_div(w_.rows * w_.cols, run_) : w_.rows, 1};
    k.description = kept ? fmt::format("{} CTAs of {} threads, a warp keeps a row", k.blocks(),
                                       gpu_.cta.threads)
                         : fmt::format("{} CTAs of {} threads, one a row, read {} times",
                                       k.blocks(), gpu_.cta.threads, passes_);
    program::Loop chunks{.name = "chunk", .index = kChunkLoop, .count = chunks_, .body = {}};
    for (const auto& input : w_.inputs) {
      chunks.body.emplace_back(move("load", UnitKind::load, input, true));
    }
    chunks.body.emplace_back(vector("compute", w_.operations, 0));
    if (w_.special_operations > 0) {
      chunks.body.emplace_back(
          vector("special functions", w_.special_operations, program::kSpecialQueue));
    }
    program::Loop passes{.name = "pass", .index = kPassLoop, .count = passes_, .body = {}};
    passes.body.emplace_back(std::move(chunks));
    k.slots = {{.name = "row",
                .buffer = "registers",
                .stages = chunks_ > 1 ? kStages : 1,
                .stage_bytes = chunk_}};
    k.body.emplace_back(std::move(passes));
    k.body.emplace_back(move("store", UnitKind::store, w_.output, false));
    return std::move(gpu_);
  }

 private:
  Instruction move(const char* label, UnitKind unit, const RowKernel::Operand& operand,
                   bool by_chunk) {
    Instruction i;
    i.label = label;
    i.unit = unit;
    i.region.tensor = static_cast<int>(gpu_.kernel.tensors.size());
    const auto bits = static_cast<unsigned>(operand.bits);
    program::StridedRows shape;
    if (run_ > 0) {
      const auto run = static_cast<std::int64_t>(bytes_for(run_, bits));
      shape.row_bytes = Span::whole(bytes_for(w_.rows * w_.cols, bits));
      shape.row_bytes.begin = Affine::of_loop(kY, run);
      shape.row_bytes.length = run;
    } else {
      const Bytes row = bytes_for(w_.cols, bits);
      shape.dims = {{Span::tile(kY, 1, w_.rows), row}};
      // A chunk has as many elements of each operand.
      const Bytes chunk = chunk_ * operand.bits / w_.inputs[0].bits;
      shape.row_bytes = by_chunk ? Span::tile(kChunkLoop, chunk, row) : Span::whole(row);
    }
    i.region.shape = shape;
    gpu_.kernel.tensors.push_back({.name = label,
                                   .space = operand.place.space,
                                   .base_address = operand.place.base_address,
                                   .bytes = operand.place.stored_bytes});
    return i;
  }

  /// So many operations of each element of the rows, spread over all passes and chunks.
  [[nodiscard]] Instruction vector(const char* label, Count operations, int queue) const {
    Instruction v;
    v.label = label;
    v.unit = UnitKind::vector;
    v.queue = queue;
    v.elements.factors = {
        Span::whole(ceil_div((run_ > 0 ? run_ : w_.cols) * operations, passes_ * chunks_))};
    return v;
  }

  /// Rows that follow one another are a run of bytes. Runs are whole KiB of each operand, as the L2 keeps
  /// what lies in a KiB together: the last row of one may end in the next.
  [[nodiscard]] Count run_elements() const {
    Count least_bits = w_.output.bits;
    for (const auto& input : w_.inputs) least_bits = std::min(least_bits, input.bits);
    const Count unit = std::max<Count>(1, kRunBytes * 8 / std::max<Count>(1, least_bits));
    return std::max<Count>(1, (rows_ * w_.cols + unit / 2) / unit) * unit;
  }

  const RowKernel& w_;
  const GpuTarget& target_;
  Count rows_ = 1;  ///< of a CTA, about
  Count passes_ = 1, chunks_ = 1;
  Bytes chunk_ = 0;  ///< of a row of the first input
  Count run_ = 0;    ///< elements of a CTA that keeps rows
  program::GpuKernel gpu_;
};

}  // namespace

program::GpuKernel build_row_kernel(const KernelId& id, const RowKernel& work,
                                    const GpuTarget& target) {
  return Builder(id, work, target).build();
}

}  // namespace tilewave
