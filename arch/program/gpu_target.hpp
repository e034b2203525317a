// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "arch/program/cta.hpp"
#include "arch/program/data_type.hpp"
#include "sim/units.hpp"

namespace tilewave {

/// What the library of kernels has to know of a GPU. The machine fills it in (arch/chip), so that no
/// rule stands twice.
struct GpuTarget {
  Count cores = 1;
  Count max_threads = 1024;  ///< of a CTA
  Count warp_lanes = 32;
  Count max_registers_per_thread = 255;
  Bytes max_shared_bytes = 0;  ///< of a CTA
  Count max_cluster = 1;
  bool has_copy_engine = false, has_async_copy = false;
  program::MmaUnit mma_unit = program::MmaUnit::none;  ///< what multiplies most types
  double dram_bytes_per_cycle = 0, l2_bytes_per_cycle = 0;
  double sm_bytes_per_cycle = 0;   ///< most that an SM reads
  double load_latency_cycles = 0;  ///< of a load from DRAM, alone
  Cycle launch_cycles = 0, kernel_gap_cycles = 0;
  bool captured_graph = false;  ///< launch_cycles once, before the first kernel of all
  std::string gemm_kernel;      ///< that the user wants for products, in words; empty: the fastest

  /// Multiply-adds a cycle of an SM, by the unit that a kernel uses; 0: it has none for the type.
  std::function<Count(DataType, program::MmaUnit)> fma_per_cycle;
  /// Cycles that a slab of so many rows, columns and k takes of what CTAs of an SM share, and at least of
  /// its CTA; those of the epilogue of so many sums.
  struct SlabCycles {
    Cycle of_sm = 0, of_cta = 0;
  };
  std::function<SlabCycles(const program::Cta&, DataType, Count bm, Count bn, Count bk)>
      slab_cycles;
  std::function<Cycle(const program::Cta&, Count sums, Bytes bytes)> epilogue_cycles;
  /// CTAs of a kernel that an SM holds at a time; 0: it does not fit.
  std::function<Count(const program::Cta&)> ctas_per_sm;
};

}  // namespace tilewave
