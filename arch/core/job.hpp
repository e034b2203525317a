// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "arch/core/slot_table.hpp"
#include "arch/matrix/array_params.hpp"
#include "arch/matrix/fold_values.hpp"
#include "arch/program/program.hpp"

namespace tilewave {

/// Most slots an instruction uses.
inline constexpr std::size_t kMaxSlotUses = 5;

/// An instruction with its loop indices filled in: what waits in a unit's queue.
struct Job {
  const program::Kernel* kernel = nullptr;
  const program::Instruction* instruction = nullptr;
  int kernel_index = 0;
  std::array<SlotTable::Binding, kMaxSlotUses> slots{};
  std::size_t slot_count = 0;

  // load, store
  LoopIndex index{};  ///< of the region
  std::uint64_t tensor_address = 0;
  Bytes bytes = 0;
  program::Space space = program::Space::dram;
  // vector
  Count elements = 0;
  // matrix
  Count m = 0, n = 0, k = 0;
  std::int64_t m0 = 0, n0 = 0, k0 = 0, batch = 0;
  bool first = true, last = true;

  [[nodiscard]] std::span<const SlotTable::Binding> uses() const {
    return {slots.data(), slot_count};
  }
};

}  // namespace tilewave
