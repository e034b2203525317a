// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "arch/program/gpu_target.hpp"

namespace tilewave {

/// A matrix product as a GPU's kernels see it: C[b] = A[b] B[b].
struct GemmProblem {
  Count m = 0, n = 0, k = 0, batch = 1;
  DataType dtype = DataType::fp16;
  bool sparse = false;  ///< B is 2:4
  /// Of the elements of A and B, how large a share is different ones: the windows of a convolution
  /// have each pixel under several taps.
  double distinct_a = 1.0, distinct_b = 1.0;
  Count most_splits = 32;  ///< of k
};

/// One kernel of the library: its tile and how its warps do it.
struct GemmTile {
  program::MmaUnit unit = program::MmaUnit::mma;
  Count bm = 128, bn = 128, bk = 32;
  Count warps_m = 2, warps_n = 2;
  Count stages = 3;
  Count splits = 1;  ///< of k, over CTAs
  bool specialised = false, persistent = false, overlapped_epilogue = false;
  Count raster_rows = 8;
  /// CTAs of a cluster along n (they share A) and along m (they share B).
  Count cluster_n = 1, cluster_m = 1;
  friend bool operator==(const GemmTile&, const GemmTile&) = default;
};

/// What it asks of an SM.
[[nodiscard]] program::Cta cta_of(const GemmTile& tile, const GemmProblem& problem,
                                  const GpuTarget& target);
/// "mma 128x128x32, 2x2 warps, 3 stages, 4 splits of k"
[[nodiscard]] std::string in_words(const GemmTile& tile);

/// Kernels that a library has for this type on this machine, whatever the sizes; those that do not fit an
/// SM are left out.
[[nodiscard]] std::vector<GemmTile> tile_menu(const GemmProblem& problem, const GpuTarget& target);

/// Cycles that the kernel takes, by a closed form: launch, waves of CTAs limited by multipliers and by
/// the L2, DRAM. Good enough to tell which kernels are worth simulating.
[[nodiscard]] double estimate_cycles(const GemmTile& tile, const GemmProblem& problem,
                                     const GpuTarget& target);

}  // namespace tilewave
