// SPDX-License-Identifier: Apache-2.0
#include "workloads/kernels/gpu/stream_kernel.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "workloads/kernels/gpu/kernel_facts.hpp"

namespace tilewave {

namespace {

constexpr Count kThreads = 256;
constexpr Count kVectorBits = 128;  ///< a lane's access
constexpr Count kAccesses = 4;
constexpr Count kByteBits = 8;
constexpr Count kRegisters = 32;
constexpr Count kTileRows = 8;
constexpr int kX = kBlockIndex, kY = kBlockIndex + 1;

}  // namespace

void StreamKernel::add_splits(const Placement& sums, Count splits, Bytes each) {
  for (Count split = 0; split < splits; ++split) {
    inputs.push_back({{sums.space, sums.base_address + split * each, each, each}, kSumBits});
  }
}

program::GpuKernel build_stream_kernel(const KernelId& id, const StreamKernel& work,
                                       const GpuTarget& target) {
  program::GpuKernel gpu;
  gpu.cta.threads = kThreads / 32 * target.warp_lanes;
  gpu.cta.registers_per_thread = kRegisters;
  auto& k = gpu.kernel;
  k.name = id.name;
  k.layer = id.layer;
  k.dtype = id.dtype;
  Count bits = 0;
  for (const auto& input : work.inputs) bits += input.bits;
  bits = std::max({bits, work.output.bits, Count{1}});
  // Elements a CTA takes: a few vector accesses a thread; whole bytes of each operand.
  const Count whole = ceil_div(kAccesses * kVectorBits * gpu.cta.threads, bits);
  const Count chunk = whole > kByteBits ? whole / kByteBits * kByteBits : whole;
  const Count columns = work.row_elements > 0 ? work.row_elements : work.elements;
  const Count rows = work.elements / std::max<Count>(1, columns);
  const Count tile_rows = work.row_elements > 0 ? std::min(kTileRows, rows) : 1;
  const Count tile_columns = work.row_elements > 0
                                 ? std::clamp(chunk / tile_rows / kByteBits * kByteBits, kByteBits,
                                              ceil_div(columns, kByteBits) * kByteBits)
                                 : chunk;
  k.grid = {std::max<Count>(1, ceil_div(columns, tile_columns)),
            std::max<Count>(1, ceil_div(rows, tile_rows)), 1};
  // Runs follow one another along y: no order of tiles repeats, each wave is as the one before.
  if (work.row_elements == 0) std::swap(k.grid[0], k.grid[1]);
  const int run_dim = work.row_elements == 0 ? kY : kX;
  k.description = fmt::format("{} CTAs of {} threads, {} x {} elements each", k.blocks(),
                              gpu.cta.threads, tile_rows, tile_columns);
  const auto span = [](int dim, Count tile, Count extent) {
    Span s = Span::whole(extent);
    s.begin = Affine::of_loop(dim, static_cast<std::int64_t>(tile));
    s.length = static_cast<std::int64_t>(tile);
    return s;
  };
  const auto move = [&](const char* label, program::UnitKind unit,
                        const StreamKernel::Operand& operand) {
    program::Instruction i;
    i.label = label;
    i.unit = unit;
    i.region.tensor = static_cast<int>(k.tensors.size());
    program::StridedRows shape;
    if (work.row_elements > 0) {
      shape.dims = {
          {span(kY, tile_rows, rows), bytes_for(columns, static_cast<unsigned>(operand.bits))}};
    }
    shape.row_bytes = span(run_dim, tile_columns * operand.bits / 8, columns * operand.bits / 8);
    i.region.shape = shape;
    k.tensors.push_back({.name = label,
                         .space = operand.place.space,
                         .base_address = operand.place.base_address,
                         .bytes = operand.place.stored_bytes});
    return i;
  };
  program::Loop loop{.name = "chunk", .index = 0, .count = 1, .body = {}};
  for (const auto& input : work.inputs) {
    loop.body.emplace_back(move("load", program::UnitKind::load, input));
  }
  const auto compute = [&](const char* label, Count operations, int queue) {
    if (operations == 0) return;
    program::Instruction v;
    v.label = label;
    v.unit = program::UnitKind::vector;
    v.queue = queue;
    v.elements.factors = {span(run_dim, tile_columns, columns)};
    if (work.row_elements > 0) v.elements.factors.push_back(span(kY, tile_rows, rows));
    v.operations_per_element = operations;
    loop.body.emplace_back(std::move(v));
  };
  compute("compute", work.operations, 0);
  compute("special functions", work.special_operations, program::kSpecialQueue);
  k.body.emplace_back(std::move(loop));
  k.body.emplace_back(move("store", program::UnitKind::store, work.output));
  return gpu;
}

}  // namespace tilewave
