// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>

#include "arch/program/data_type.hpp"
#include "sim/units.hpp"

namespace tilewave {

/// How warps give work to the tensor cores.
///   mma: a warp reads fragments from shared memory into registers and multiplies these (Volta to
///        Ada, AMD's matrix cores);
///   wgmma: four warps together, operands read from shared memory by the unit (Hopper);
///   tcgen05: one thread issues for the SM, sums are in tensor memory (Blackwell).
enum class MmaKind { mma, wgmma, tcgen05 };

/// How operands come from global to shared memory.
///   registers: a load into registers, then a store to shared memory;
///   cp_async: by the load-store unit, past the registers (Ampere on);
///   tma: by a copy engine, a tile an instruction (Hopper on).
enum class CopyKind { registers, cp_async, tma };

[[nodiscard]] std::string_view to_string(MmaKind kind);
[[nodiscard]] std::string_view to_string(CopyKind kind);

/// Tensor cores of an SM, one a sub-core.
struct TensorCoreParams {
  MmaKind kind = MmaKind::mma;
  /// Fused multiply-adds a cycle and sub-core, dense, by data type.
  std::map<DataType, Count> fma_per_cycle;
  bool structured_sparsity = false;  ///< 2:4 of the weights doubles the rate
  Cycle latency_cycles = 0;          ///< from the issue of an instruction to a dependent one
  /// Share of the peak rate that products keep up: clock under the power limit on real data.
  double sustained_share = 1.0;
};

/// SIMD lanes of a sub-core: operations of a type a cycle.
struct VectorLanes {
  Count fp32 = 0, fp16 = 0, integer = 0, fp64 = 0, special = 0;
  double sustained_share =
      1.0;  ///< of the peak rate that products keep up, as of the tensor cores'
};

/// Load-store unit, L1 and shared memory of an SM.
struct LoadStoreParams {
  Bytes shared_bytes_per_cycle = 128;
  Cycle shared_latency_cycles = 0;
  Cycle l1_latency_cycles = 0;
  Bytes l2_read_bytes_per_cycle = 64;   ///< port from the interconnect
  Bytes l2_write_bytes_per_cycle = 64;  ///< port towards it
  /// Reads from beyond the SM in flight at most; what they bring is reserved on chip.
  Bytes outstanding_bytes = 0;
  CopyKind copy = CopyKind::registers;
  Cycle copy_latency_cycles = 0;  ///< of the copy engine, on top of a load's
};

/// A streaming multiprocessor (a compute unit of AMD's).
struct SmParams {
  Count sub_cores = 4;
  Count warp_lanes = 32;
  Bytes registers_bytes = 0;  ///< register file of the SM
  Count max_warps = 0, max_ctas = 0;
  Bytes l1_shared_bytes = 0;        ///< L1 and shared memory together
  Bytes max_shared_bytes = 0;       ///< of these, shared memory at most
  Bytes reserved_shared_bytes = 0;  ///< of a CTA, beside what it asks for
  Count max_cluster = 1;            ///< CTAs of a cluster at most; 1: no clusters
  std::optional<TensorCoreParams> tensor;
  VectorLanes lanes;
  LoadStoreParams load_store;
  Cycle cta_launch_cycles =
      0;                     ///< from its dispatch to its first load: launch, parameters, addresses
  Cycle barrier_cycles = 0;  ///< from the last arrival to the first instruction behind it

  [[nodiscard]] Count registers() const { return registers_bytes / 4; }
  /// Multiply-adds a cycle of the SM; nothing if no unit takes the type.
  [[nodiscard]] std::optional<Count> tensor_fma_per_cycle(DataType type) const;
  /// On the lanes: fp32, packed fp16, dp4a.
  [[nodiscard]] std::optional<Count> lane_fma_per_cycle(DataType type) const;
  [[nodiscard]] Count peak_fma_per_cycle(DataType type) const;
};

}  // namespace tilewave
