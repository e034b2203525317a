// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "arch/memory/dram/dram_counts.hpp"
#include "arch/memory/hierarchy/shared_cache_counts.hpp"
#include "sim/units.hpp"

namespace tilewave {

/// What a core does in a cycle, seen from its matrix units. Every cycle of a run is in exactly one
/// class; the first that applies, in this order of questions:
///   matrix_busy       a matrix unit takes in vectors;
///   else, if a multiplication is next that may run (all earlier kernels are complete), why it does
///   not yet:
///     wait_weights    its weights (or an activation in their place) are not on chip yet;
///     weight_load     its stationary operand is moving into the array;
///     wait_activations, wait_host   its activations are not on chip yet (memory; over the host
///                     link, whatever it is);
///     wait_output     no accumulator stage is free;
///     fill_drain      the array is still busy with the pipeline of earlier folds;
///   else (the tail of a kernel, or one without multiplications):
///     fill_drain      results are still leaving the array;
///     vector_busy     the vector unit works;
///     wait_link       data is on the way to and from the neighbouring chips;
///     wait_dram, wait_host   data for it is on the way;
///     wait_store      results are being written off chip;
///     idle            latencies in between.
/// Before all of these: launch, while a kernel is being started; and last: wait_cores, while this
/// core's part of the kernel is complete and another's is not.
enum class CycleClass : std::uint8_t {
  matrix_busy,
  vector_busy,
  weight_load,
  fill_drain,
  wait_weights,
  wait_activations,
  wait_output,
  wait_dram,
  wait_host,
  wait_link,
  wait_store,
  wait_cores,
  launch,
  idle,
};
inline constexpr std::size_t kCycleClasses = 14;
[[nodiscard]] std::string_view to_string(CycleClass c);

/// What a kernel did, counted by the units.
struct LayerRecord {
  Cycle start_cycle = 0;                         ///< end of the kernel before
  Cycle end_cycle = 0;                           ///< all its instructions are complete
  std::array<Cycle, kCycleClasses> breakdown{};  ///< of the cycles between, sums to end - start

  Count macs = 0;
  Count folds = 0;
  Count mapped_pe_folds = 0;  ///< sum over folds of rows used x columns used
  Count vector_operations = 0;
  Bytes pe_register_bytes = 0;  ///< operands and sums that moved one PE on
  Count block_macs = 0;         ///< cube: what its blocks had room for
  // Cube: operands between L1, L0A, L0B and the multipliers.
  Bytes l0a_read_bytes = 0, l0a_write_bytes = 0;
  Bytes l0b_read_bytes = 0, l0b_write_bytes = 0;

  // Off chip (or from and to the L2, if there is one), of this kernel's own transfers (some may have
  // run ahead, in earlier windows).
  Bytes dram_read_bytes = 0, dram_write_bytes = 0;
  Bytes host_read_bytes = 0, host_write_bytes = 0;
  Bytes link_bytes = 0;  ///< received from a neighbouring chip; as many are sent to the other
  // Off chip, all that went over the link during this kernel's window.
  Bytes window_dram_bytes = 0, window_host_bytes = 0, window_link_bytes = 0;
  DramCounts window_dram;       ///< what the DRAM's controllers did then; zero without controllers
  SharedCacheCounts window_l2;  ///< what the L2 did then; zero without one

  // On chip.
  Bytes activation_read_bytes = 0, activation_write_bytes = 0;
  Bytes weight_read_bytes = 0, weight_write_bytes = 0;
  Bytes accumulator_read_bytes = 0, accumulator_write_bytes = 0;

  [[nodiscard]] Cycle cycles() const { return end_cycle - start_cycle; }
  /// With the kernel that ran next, as one.
  LayerRecord& operator+=(const LayerRecord& next) noexcept;
};

/// What the cores of a chip did in one kernel, each a record of the same window, as one: counts add
/// up; the breakdown is the cores' mean, rounded so that it still sums to the window.
[[nodiscard]] LayerRecord of_all_cores(const std::vector<const LayerRecord*>& cores);

}  // namespace tilewave
