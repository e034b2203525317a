// SPDX-License-Identifier: Apache-2.0
// What instructions of warps move and multiply, for both models of an SM.
#pragma once

#include "arch/program/program.hpp"
#include "sim/units.hpp"

namespace tilewave::warp {

/// A lane moves 16 bytes with one instruction (ldmatrix.x4, cp.async, st.global).
inline constexpr Bytes kLaneBytes = 16;
/// A multiply takes 32 bytes of k (PTX ISA, mma.sync: k16 for 16 bits, k32 for 8; wgmma the same).
inline constexpr unsigned kMmaKBits = 256;
/// Rows of a warp group's multiply, and how many warps it has (PTX ISA, wgmma).
inline constexpr Count kGroupRows = 64, kGroupWarps = 4;
/// Instructions of a slab's loop beside loads and multiplies: counter, branch, addresses, barrier.
inline constexpr Count kLoopInstructions = 16;
/// Sums of a thread that an epilogue takes at a time (CUTLASS's default epilogue: eight rows of a tile
/// a step).
inline constexpr Count kSumsOfStep = 8;

/// Elements of a whole tile.
[[nodiscard]] inline Count extent(const program::Size& size) {
  Count product = 1;
  for (const Span& f : size.factors) product *= static_cast<Count>(f.length);
  return product;
}

/// Bytes of a whole tile that is stored.
[[nodiscard]] inline Bytes stored_bytes(const program::Instruction& store) {
  const auto* rows = std::get_if<program::StridedRows>(&store.region.shape);
  if (rows == nullptr) return 0;
  auto bytes = static_cast<Bytes>(rows->row_bytes.length);
  for (const auto& dim : rows->dims) bytes *= static_cast<Bytes>(dim.span.length);
  return bytes;
}

}  // namespace tilewave::warp
