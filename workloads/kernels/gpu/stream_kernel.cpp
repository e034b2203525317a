// SPDX-License-Identifier: Apache-2.0
#include "workloads/kernels/gpu/stream_kernel.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tilewave {

namespace {

constexpr Count kThreads = 256;
constexpr Count kVectorBits = 128;  ///< a lane's access
constexpr Count kAccesses = 4;
constexpr Count kByteBits = 8;
constexpr Count kRegisters = 32;
constexpr int kX = kBlockIndex;

}  // namespace

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
  k.grid = {std::max<Count>(1, ceil_div(work.elements, chunk)), 1, 1};
  k.description =
      fmt::format("{} CTAs of {} threads, {} elements each", k.grid[0], gpu.cta.threads, chunk);
  const auto span = [&](Count of_operand) {
    Span s = Span::whole(work.elements * of_operand / 8);
    s.begin = Affine::of_loop(kX, static_cast<std::int64_t>(chunk * of_operand / 8));
    s.length = static_cast<std::int64_t>(chunk * of_operand / 8);
    return s;
  };
  const auto move = [&](const char* label, program::UnitKind unit,
                        const StreamKernel::Operand& operand) {
    program::Instruction i;
    i.label = label;
    i.unit = unit;
    i.region.tensor = static_cast<int>(k.tensors.size());
    i.region.shape = program::StridedRows{{}, span(operand.bits)};
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
  program::Instruction v;
  v.label = "compute";
  v.unit = program::UnitKind::vector;
  Span elements = Span::whole(work.elements);
  elements.begin = Affine::of_loop(kX, static_cast<std::int64_t>(chunk));
  elements.length = static_cast<std::int64_t>(chunk);
  v.elements.factors = {elements};
  v.operations_per_element = work.operations;
  v.read_bytes_per_element = 0;
  loop.body.emplace_back(std::move(v));
  k.body.emplace_back(std::move(loop));
  k.body.emplace_back(move("store", program::UnitKind::store, work.output));
  return gpu;
}

}  // namespace tilewave
