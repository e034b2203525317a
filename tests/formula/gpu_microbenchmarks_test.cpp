// SPDX-License-Identifier: Apache-2.0
// Microbenchmarks on the parts of the detailed SM: latency and interval of multiplies by shape and
// generation, lanes, order of warps, bank conflicts, and latencies of loads through the memory.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/machines.hpp"

#include "arch/core/sm/detailed/mma_timing.hpp"
#include "arch/core/sm/detailed/shared_memory.hpp"
#include "arch/core/sm/detailed/sub_core.hpp"
#include "arch/memory/shared_l2/gpu_memory.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

/// Warps on one sub-core that need nothing of others.
class Alone final : public WarpHost {
 public:
  explicit Alone(const SmParams& sm) : sm_(sm), core_(sm_, *this, 0) {}

  /// Runs `warps` of the program; returns the cycle of the last issue.
  Cycle run(const WarpProgram& program, Count warps) {
    core_.begin_kernel(warps);
    for (Count w = 0; w < warps; ++w) {
      Warp warp;
      warp.program = &program;
      warp.index = w;
      core_.start(std::move(warp), 0, 0);
    }
    Cycle last = 0;
    while (!core_.empty()) {
      last = core_.next();
      REQUIRE(last != kNever);
      core_.step(last);
    }
    core_.account(last + 1);
    return last;
  }
  [[nodiscard]] const SubCore& core() const { return core_; }
  std::vector<Count> ends;  ///< warps in the order in which they ended

  std::optional<Count> instructions_of(Warp&, const WarpInstruction&, WarpPlace) override {
    return 0;
  }
  When may_issue(const Warp&, const WarpInstruction&, WarpPlace) override { return {}; }
  Cycle perform(Warp&, const WarpInstruction&, WarpPlace, Cycle now) override { return now; }
  SharedPort::Access access_shared(Cycle now, Cycle cycles, Bytes) override {
    return port_.take(now, cycles);
  }
  Next next_block(Warp& warp, WarpPlace, Cycle) override {
    ends.push_back(warp.index);
    return Next::exit;
  }

 private:
  SmParams sm_;
  SharedPort port_;
  SubCore core_;
};

WarpInstruction lane_instruction(Ticks interval, Cycle latency, std::int16_t result,
                                 std::int16_t source) {
  WarpInstruction i;
  i.pipe = WarpPipe::fp32;
  i.interval = static_cast<std::uint32_t>(interval);
  i.latency = static_cast<std::uint16_t>(latency);
  i.result = result;
  i.sources[0] = source;
  return i;
}

/// `chains` chains of `length` multiplies that depend on each other, then an instruction that needs all.
WarpProgram multiplies(const MmaTiming& mma, Count chains, Count length) {
  WarpProgram program;
  program.registers = chains;
  for (Count n = 0; n < length; ++n) {
    for (Count set = 0; set < mma.sets; ++set) {
      for (Count c = 0; c < chains; ++c) {
        append_set(program.head, mma, 1.0, set, {.sums = static_cast<std::int16_t>(c)});
      }
    }
  }
  for (Count c = 0; c < chains; ++c) {
    program.head.push_back(
        lane_instruction(kTicks, 1, WarpInstruction::kNone, static_cast<std::int16_t>(c)));
  }
  return program;
}

struct Multiply {
  std::string machine;
  DataType type, sums;
  Count m, n, k;
  Cycle latency;   ///< from the first step to whoever needs the result
  Cycle interval;  ///< of the tensor core
  Count instructions;
};

MmaTiming timing_of(const SmParams& sm, const Multiply& x) {
  for (const MmaShape& shape : sm.tensor->shapes) {
    if (shape.type == x.type && shape.sums == x.sums && shape.m == x.m && shape.n == x.n &&
        shape.k == x.k) {
      return mma_timing(*sm.tensor, shape);
    }
  }
  FAIL("no such shape");
  return {};
}

}  // namespace

// Raihan, Goli and Aamodt, ISPASS 2019, for Titan V and RTX 2080 (the RTX 2080 Ti is the same generation);
// A100: Sun et al. (arXiv 2206.02874), from memory. Intervals: multiply-adds over the published rate.
TEST_CASE("a multiply takes its latency alone and its interval among many", "[gpu]") {
  using enum DataType;
  for (const Multiply& x : {Multiply{"v100_sxm2_16gb", fp16, fp32, 16, 16, 16, 54, 32, 16},
                            Multiply{"v100_sxm2_16gb", fp16, fp16, 16, 16, 16, 64, 32, 8},
                            Multiply{"rtx_2080_ti", fp16, fp32, 16, 16, 16, 99, 64, 4},
                            Multiply{"rtx_2080_ti", fp16, fp16, 16, 16, 16, 74, 32, 4},
                            Multiply{"rtx_2080_ti", int8, int32, 16, 16, 16, 59, 16, 4},
                            Multiply{"a100_sxm_80gb", fp16, fp32, 16, 8, 16, 25, 8, 1},
                            Multiply{"a100_sxm_80gb", fp16, fp32, 16, 8, 8, 18, 4, 1}}) {
    INFO(x.machine << " " << to_string(x.type) << " " << x.m << "x" << x.n << "x" << x.k);
    const SmParams sm = gpu_preset(x.machine).sm;
    const MmaTiming mma = timing_of(sm, x);
    CHECK(mma.instructions() == x.instructions);
    CHECK(Alone(sm).run(multiplies(mma, 1, 1), 1) == x.latency);
    // A chain: each needs the sums of the one before.
    Alone chain(sm);
    const Cycle one = Alone(sm).run(multiplies(mma, 1, 10), 1);
    const Cycle two = chain.run(multiplies(mma, 1, 20), 1);
    CHECK(two - one == 10 * x.latency);
    CHECK(chain.core().totals().instructions == 20 * x.instructions + 1);
    // Many warps with independent ones keep the tensor core busy.
    Alone many(sm);
    constexpr Count kWarps = 8, kLength = 16, kChains = 4;
    const Cycle all = many.run(multiplies(mma, kChains, kLength), kWarps);
    const double expected = static_cast<double>(kWarps * kChains * kLength * x.interval);
    CHECK(static_cast<double>(all) == Approx(expected).epsilon(0.05));
    CHECK(many.core().matrix_ticks() == kWarps * kChains * kLength * x.interval * kTicks);
  }
}

TEST_CASE("every cycle of a sub-core has issued or is in one class of waiting", "[gpu]") {
  const SmParams sm = gpu_preset("v100_sxm2_16gb").sm;
  const MmaTiming mma = mma_timing(*sm.tensor, DataType::fp16);
  Alone alone(sm);
  const Cycle last = alone.run(multiplies(mma, 2, 5), 3);
  const auto& cycles = alone.core().totals().cycles;
  CHECK(std::accumulate(cycles.begin(), cycles.end(), Cycle{0}) == last + 1);
  CHECK(cycles[static_cast<std::size_t>(SubCoreCycle::issued)] ==
        alone.core().totals().instructions);
  CHECK(cycles[static_cast<std::size_t>(SubCoreCycle::math_pipe)] > 0);
}

TEST_CASE("16 lanes take a warp's instruction every other cycle, a dependent one waits", "[gpu]") {
  const SmParams sm = gpu_preset("a100_sxm_80gb").sm;
  const Ticks interval = kTicks * sm.warp_lanes / sm.lanes.fp32;
  const Cycle latency = sm.lanes.latency_cycles;
  WarpProgram independent, dependent;
  dependent.registers = 1;
  for (int i = 0; i < 101; ++i) {
    independent.head.push_back(lane_instruction(interval, latency, -1, -1));
    dependent.head.push_back(lane_instruction(interval, latency, 0, 0));
  }
  CHECK(Alone(sm).run(independent, 1) == 200);
  CHECK(Alone(sm).run(independent, 4) == 403 * 2);
  CHECK(Alone(sm).run(dependent, 1) == 100 * latency);
  CHECK(Alone(sm).run(dependent, 2) == 100 * latency + 2);
}

TEST_CASE("gto keeps to a warp, lrr takes turns", "[gpu]") {
  SmParams sm = gpu_preset("a100_sxm_80gb").sm;
  WarpProgram program;
  for (int i = 0; i < 8; ++i) program.head.push_back(lane_instruction(kTicks, 4, -1, -1));
  for (const WarpOrder order : {WarpOrder::gto, WarpOrder::lrr}) {
    sm.warp_order = order;
    // Of four warps the first is through after its own eight cycles, or after nearly all of them.
    Alone alone(sm);
    CHECK(alone.run(program, 4) == 31);
    CHECK(alone.ends == std::vector<Count>{0, 1, 2, 3});
    WarpProgram longer = program;
    longer.head.insert(longer.head.end(), program.head.begin(), program.head.end());
    CHECK(Alone(sm).run(longer, 2) == 31);
  }
}

TEST_CASE("lanes that meet in a bank wait for each other", "[gpu]") {
  const SharedBanks banks;
  for (const Count stride : {1, 2, 3, 4, 8, 16, 31, 32, 33, 64}) {
    std::vector<std::uint64_t> addresses;
    for (Count lane = 0; lane < 32; ++lane) addresses.push_back(lane * stride * 4);
    INFO("stride of " << stride << " words");
    CHECK(banks.wavefronts(addresses, 4) == std::gcd(stride, Count{32}));
  }
  // One word for all is read once; 16 bytes a lane are four cycles.
  CHECK(banks.wavefronts(std::vector<std::uint64_t>(32, 64), 4) == 1);
  std::vector<std::uint64_t> wide;
  for (Count lane = 0; lane < 32; ++lane) wide.push_back(lane * 16);
  CHECK(banks.wavefronts(wide, 16) == 4);
}

TEST_CASE("an ldmatrix from swizzled rows has no conflicts, from plain ones as many as meet",
          "[gpu]") {
  const SharedBanks banks;
  for (const Bytes row : {32, 64, 128}) {
    INFO("rows of " << row << " bytes");
    CHECK(matrix_load_wavefronts(banks, row) == 1);
    CHECK(matrix_load_wavefronts(banks, row, false) == row / 16);
  }
  // Longer rows are tiles of 128 bytes side by side; a row of padding helps, too.
  CHECK(matrix_load_wavefronts(banks, 256) == 1);
  CHECK(matrix_load_wavefronts(banks, 128 + 16, false) == 1);
}

TEST_CASE("loads from shared memory: latency alone, the port's rate among many", "[gpu]") {
  const SmParams sm = gpu_preset("a100_sxm_80gb").sm;
  WarpInstruction load;
  load.op = WarpOp::read_shared;
  load.pipe = WarpPipe::memory;
  load.wavefronts = 1;
  load.latency = static_cast<std::uint16_t>(sm.load_store.shared_latency_cycles);
  load.result = 0;
  load.sources[0] = 0;
  WarpProgram chase;
  chase.registers = 1;
  chase.head.assign(11, load);
  CHECK(Alone(sm).run(chase, 1) == 10 * sm.load_store.shared_latency_cycles);
  // Conflicts of 8: the port is taken for 8 cycles each.
  load.wavefronts = 8;
  load.sources[0] = WarpInstruction::kNone;
  WarpProgram many;
  many.registers = 1;
  many.head.assign(100, load);
  Alone alone(sm);
  const Cycle last = alone.run(many, 1);
  // The queue holds some when the last issues.
  CHECK(last <= 99 * 8);
  CHECK(last + 8 * sm.load_store.queue_instructions >= 99 * 8);
}

// gpu-benches at 1038c5d0 (gpu-latency) and HPMLL/NVIDIA-Hopper-Benchmark at ded6f576 (random_latency), as in
// the presets' notes; the H100's are an H800's at 1.755 GHz.
TEST_CASE("a chase of pointers takes the measured latencies of L2, far L2 and DRAM", "[gpu]") {
  struct Measured {
    std::string machine;
    double l2, far, dram;  ///< cycles; far 0: one partition
  };
  for (const Measured& m :
       {Measured{"v100_sxm2_16gb", 212.1, 0, 431.7}, Measured{"a100_sxm_80gb", 205.7, 403, 536.3},
        Measured{"h100_sxm", 264.4, 470, 640}, Measured{"l40s", 273.6, 0, 601.1},
        Measured{"mi210", 253, 0, 638.4}}) {
    INFO(m.machine);
    const GpuParams gpu = gpu_preset(m.machine);
    GpuMemory memory(gpu.l2,
                     {.bytes_per_cycle = gpu.dram_bytes_per_cycle(),
                      .latency_cycles = gpu.dram.latency_ns * gpu.clock().ghz()},
                     gpu.cores,
                     {.read_bytes_per_cycle = gpu.sm.load_store.l2_read_bytes_per_cycle,
                      .write_bytes_per_cycle = gpu.sm.load_store.l2_write_bytes_per_cycle});
    constexpr Count kPointers = 512;
    Cycle now = 0;
    // Each load begins when the one before has ended; returns the mean latency.
    const auto chase = [&](Count sm) {
      const Cycle begin = now;
      for (Count p = 0; p < kPointers; ++p) {
        // A sector of a block of its own.
        MatrixAccess pointer;
        pointer.address = p * 128 * 1024;
        pointer.rows = 1;
        pointer.row_bytes = 32;
        pointer.pitch_bytes = 128;
        now = memory.read(now, sm, pointer).ready;
      }
      return static_cast<double>(now - begin) / static_cast<double>(kPointers);
    };
    CHECK(chase(0) == Approx(m.dram).epsilon(0.1));
    CHECK(chase(0) == Approx(m.l2).epsilon(0.1));
    if (m.far > 0) {
      // Of an SM on the other side: half of the data has its home here.
      const double other = chase(gpu.cores - 1);
      CHECK(2 * other - m.l2 == Approx(m.far).epsilon(0.1));
      CHECK(chase(gpu.cores - 1) == Approx(m.l2).epsilon(0.1));
    }
  }
}
