// SPDX-License-Identifier: Apache-2.0
// What the makers of GPUs publish, by arithmetic from the presets' rates, clocks and counts; and what
// others have measured of their L2 caches and latencies.
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/machines.hpp"

#include "arch/chip/gpu_params.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

/// 10^12 operations a second, two a multiply-add.
double peak(const GpuParams& gpu, DataType type) {
  return 2e-3 * static_cast<double>(gpu.peak_fma_per_cycle(type)) * gpu.clock_ghz;
}

double peak(const std::string& name, DataType type) { return peak(gpu_preset(name), type); }

const std::vector<std::string> kGpus{"p100_sxm",
                                     "p100_pcie_16gb",
                                     "gtx_1080_ti",
                                     "v100_sxm2_16gb",
                                     "v100_pcie_32gb",
                                     "rtx_2080_ti",
                                     "p4",
                                     "t4",
                                     "a100_sxm_40gb",
                                     "a100_sxm_80gb",
                                     "a100_pcie_40gb",
                                     "a100_pcie_80gb",
                                     "l4",
                                     "l40s",
                                     "h100_sxm",
                                     "h200_sxm",
                                     "b200_sxm",
                                     "gpu_n",
                                     "mi100",
                                     "mi210",
                                     "mi250x",
                                     "mi300x"};

}  // namespace

TEST_CASE("GPUs have the peaks that their makers publish", "[gpu]") {
  struct Published {
    const char* name;
    DataType type;
    double tera;  // TFLOPS or TOPS, of NVIDIA's and AMD's data sheets
  };
  const std::vector<Published> all{{"p100_sxm", DataType::fp32, 10.6},
                                   {"p100_sxm", DataType::fp16, 21.2},
                                   {"p100_sxm", DataType::fp64, 5.3},
                                   {"p100_pcie_16gb", DataType::fp32, 9.526},
                                   {"gtx_1080_ti", DataType::fp32, 11.34},
                                   {"gtx_1080_ti", DataType::int8, 45.4},
                                   {"p4", DataType::fp32, 5.704},
                                   {"v100_sxm2_16gb", DataType::fp16, 125},
                                   {"v100_sxm2_16gb", DataType::fp32, 15.7},
                                   {"v100_sxm2_16gb", DataType::fp64, 7.8},
                                   {"v100_sxm2_16gb", DataType::int8, 62.7},
                                   {"v100_pcie_32gb", DataType::fp16, 113},
                                   {"v100_pcie_32gb", DataType::fp32, 14.1},
                                   {"rtx_2080_ti", DataType::fp16, 107.6},
                                   {"rtx_2080_ti", DataType::int8, 215.2},
                                   {"t4", DataType::fp16, 65.1},
                                   {"t4", DataType::int8, 130.3},
                                   {"t4", DataType::int4, 260.5},
                                   {"t4", DataType::fp32, 8.14},
                                   {"a100_sxm_40gb", DataType::fp16, 312},
                                   {"a100_sxm_80gb", DataType::bf16, 312},
                                   {"a100_sxm_80gb", DataType::tf32, 156},
                                   {"a100_sxm_80gb", DataType::int8, 624},
                                   {"a100_sxm_80gb", DataType::int4, 1248},
                                   {"a100_sxm_80gb", DataType::fp64, 19.5},
                                   {"a100_sxm_80gb", DataType::fp32, 19.5},
                                   {"a100_pcie_40gb", DataType::fp16, 312},
                                   {"a100_pcie_80gb", DataType::fp16, 312},
                                   {"l4", DataType::fp16, 121},
                                   {"l4", DataType::fp8, 242.5},
                                   {"l4", DataType::fp32, 30.3},
                                   {"l40s", DataType::bf16, 362.05},
                                   {"l40s", DataType::fp8, 724.1},
                                   {"h100_sxm", DataType::bf16, 989.4},
                                   {"h100_sxm", DataType::tf32, 494.7},
                                   {"h100_sxm", DataType::fp8, 1978.9},
                                   {"h200_sxm", DataType::bf16, 989.4},
                                   {"b200_sxm", DataType::bf16, 2250},
                                   {"b200_sxm", DataType::fp8, 4500},
                                   {"b200_sxm", DataType::fp4, 9000},
                                   {"b200_sxm", DataType::tf32, 1125},
                                   {"gpu_n", DataType::fp16, 779},
                                   {"mi100", DataType::fp16, 184.6},
                                   {"mi100", DataType::bf16, 92.3},
                                   {"mi100", DataType::fp32, 46.1},
                                   {"mi210", DataType::bf16, 181},
                                   {"mi210", DataType::fp32, 45.3},
                                   {"mi250x", DataType::fp16, 383},
                                   {"mi250x", DataType::fp64, 95.7},
                                   {"mi300x", DataType::fp16, 1307.4},
                                   {"mi300x", DataType::fp8, 2614.9},
                                   {"mi300x", DataType::tf32, 653.7},
                                   {"mi300x", DataType::fp32, 163.4}};
  for (const Published& p : all) {
    INFO(p.name << ", " << to_string(p.type));
    CHECK(peak(p.name, p.type) == Approx(p.tera).epsilon(0.005));
  }
}

TEST_CASE("an A100 is 2.5 times a V100 in fp16, 5 times with 2:4 sparsity", "[gpu]") {
  const GpuParams a100 = gpu_preset("a100_sxm_80gb"), v100 = gpu_preset("v100_sxm2_16gb");
  CHECK(a100.sm.peak_fma_per_cycle(DataType::fp16) == 1024);
  CHECK(v100.sm.peak_fma_per_cycle(DataType::fp16) == 512);
  CHECK(peak(a100, DataType::fp16) / peak(v100, DataType::fp16) == Approx(2.5).epsilon(0.01));
  CHECK(a100.sm.tensor->structured_sparsity);
  CHECK_FALSE(v100.sm.tensor->structured_sparsity);
}

TEST_CASE("machines without tensor cores multiply on their lanes, in what these take", "[gpu]") {
  for (const char* name : {"p100_sxm", "gtx_1080_ti", "p4"}) {
    INFO(name);
    CHECK_FALSE(gpu_preset(name).sm.tensor);
  }
  CHECK(gpu_preset("p4").peak_fma_per_cycle(DataType::fp16) == 0);  // a 64th of fp32
  CHECK(gpu_preset("p100_sxm").peak_fma_per_cycle(DataType::fp16) ==
        2 * gpu_preset("p100_sxm").peak_fma_per_cycle(DataType::fp32));
}

TEST_CASE("L2 caches have the bandwidth that was measured of them", "[gpu]") {
  struct Measured {
    const char* name;
    double gb_per_s, ghz;  // at the clock of the measurement
  };
  // gpu-benches; of the V100 also Accel-Sim's l2_bw: 1,794 bytes a cycle.
  for (const Measured& m :
       {Measured{"v100_sxm2_16gb", 2450, 1.38}, Measured{"h200_sxm", 9774, 1.98},
        Measured{"l40s", 5240, 2.49}, Measured{"mi100", 2720, 1.43}, Measured{"mi210", 5104, 1.7},
        Measured{"mi300x", 9100, 2.1}}) {
    INFO(m.name);
    CHECK(static_cast<double>(gpu_preset(m.name).l2.bytes_per_cycle()) * m.ghz ==
          Approx(m.gb_per_s).epsilon(0.02));
  }
  // The A100's lies between two measurements: lines that SMs share (gpu-benches) and that each has for
  // itself (mt4g).
  const double a100 = static_cast<double>(gpu_preset("a100_sxm_80gb").l2.bytes_per_cycle()) * 1.41;
  CHECK(a100 < 5417);
  CHECK(a100 > 2550);
}

TEST_CASE("a load that misses in L2 takes as long as a pointer chase over a large array", "[gpu]") {
  struct Measured {
    const char* name;
    double cycles, ghz;  // over 100 to 200 MB, of the MI300X over 310 MB
  };
  for (const Measured& m :
       {Measured{"a100_sxm_80gb", 536, 1.41}, Measured{"v100_sxm2_16gb", 431.7, 1.38},
        Measured{"h100_sxm", 640, 1.755}, Measured{"h200_sxm", 655.5, 1.98},
        Measured{"l40s", 601.1, 2.49}, Measured{"mi100", 588.8, 1.43},
        Measured{"mi210", 638.4, 1.7}, Measured{"mi300x", 868, 2.092}}) {
    INFO(m.name);
    const GpuParams chip = gpu_preset(m.name);
    // In two partitions, half of all homes are far.
    const double far =
        chip.l2.partitions == 2 ? static_cast<double>(chip.l2.far_latency_cycles) / 2 : 0;
    CHECK(static_cast<double>(chip.l2.latency_cycles) + far + chip.dram.latency_ns * m.ghz ==
          Approx(m.cycles).epsilon(0.01));
  }
}

TEST_CASE("every GPU is whole: shares, memory, units", "[gpu]") {
  for (const std::string& name : kGpus) {
    INFO(name);
    const GpuParams chip = gpu_preset(name);
    CHECK(chip.name == name);
    CHECK(chip.dram.capacity_bytes >= Bytes{8} << 30);
    CHECK(chip.dram_sustained_share > 0.7);
    CHECK(chip.sm.max_warps * chip.sm.warp_lanes <= 2560);
    CHECK(chip.sm.registers() / chip.sm.sub_cores >= 16 * 1024);
    // Full occupancy leaves a thread at least 32 registers.
    CHECK(chip.sm.registers() / (chip.sm.max_warps * chip.sm.warp_lanes) >= 32);
    CHECK(static_cast<double>(chip.l2.bytes_per_cycle()) > chip.dram_bytes_per_cycle());
    if (chip.sm.tensor) {
      CHECK(chip.sm.tensor->sustained_share > 0.4);
      CHECK(chip.sm.tensor_fma_per_cycle(DataType::fp16) >
            chip.sm.lane_fma_per_cycle(DataType::fp16));
    }
  }
}
