// SPDX-License-Identifier: Apache-2.0
#include "arch/core/sm/detailed/mma_timing.hpp"

#include <algorithm>
#include <cmath>

namespace tilewave {

namespace {
/// m16n8 and 32 bytes of k (PTX ISA, mma.sync: k16 for 16 bits, k32 for 8).
constexpr unsigned kDefaultKBits = 256;
}  // namespace

Cycle MmaTiming::last_latency_cycles() const {
  const auto issued =
      (sets - 1) * std::max<Cycle>(set_cycles,
                                   static_cast<Cycle>(step_cycles * static_cast<double>(steps))) +
      static_cast<Cycle>(std::ceil(step_cycles * static_cast<double>(steps - 1)));
  return latency_cycles > issued ? latency_cycles - issued : 1;
}

MmaTiming mma_timing(const TensorCoreParams& tensor, const MmaShape& shape) {
  MmaTiming timing{.m = shape.m,
                   .n = shape.n,
                   .k = shape.k,
                   .sets = shape.sets,
                   .steps = shape.steps,
                   .set_cycles = shape.set_cycles,
                   .latency_cycles = shape.latency_cycles};
  const auto rate = tensor.fma_per_cycle.find(shape.type);
  const double fma = rate == tensor.fma_per_cycle.end() ? 1 : static_cast<double>(rate->second);
  timing.step_cycles = static_cast<double>(shape.m * shape.n * shape.k) /
                       static_cast<double>(timing.instructions()) / fma / shape.rate_share;
  return timing;
}

MmaTiming mma_timing(const TensorCoreParams& tensor, DataType type) {
  const DataType multiplied = multiplied_as(type);
  for (const MmaShape& shape : tensor.shapes) {
    if (shape.type == multiplied) return mma_timing(tensor, shape);
  }
  MmaShape usual;
  usual.type = multiplied;
  usual.k = std::max<Count>(1, kDefaultKBits / std::max(activation_bits(type), weight_bits(type)));
  usual.latency_cycles = tensor.latency_cycles;
  return mma_timing(tensor, usual);
}

void append_set(std::vector<WarpInstruction>& list, const MmaTiming& mma, double rate, Count set,
                const MmaRegisters& registers) {
  for (Count step = 0; step < mma.steps; ++step) {
    WarpInstruction i;
    i.pipe = WarpPipe::tensor;
    i.multiplies = true;
    i.interval = static_cast<std::uint32_t>(std::llround(mma.step_cycles / rate * kTicks));
    i.macs = static_cast<std::uint32_t>(mma.m * mma.n * mma.k / mma.instructions());
    if (step == 0) i.sources = {registers.sums, registers.a, registers.b};
    if (step + 1 == mma.steps) {
      // The next set of the same sums may follow the first step, others need the result.
      const auto issued = static_cast<Cycle>(mma.step_cycles * static_cast<double>(mma.steps - 1));
      const Cycle to_next_set = mma.set_cycles - std::min(mma.set_cycles, issued);
      i.result = registers.sums;
      i.latency = static_cast<std::uint16_t>(set + 1 == mma.sets ? mma.last_latency_cycles()
                                                                 : std::max<Cycle>(1, to_next_set));
    }
    list.push_back(i);
  }
}

}  // namespace tilewave
