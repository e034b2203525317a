// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "arch/program/program.hpp"
#include "arch/program/score_mask.hpp"

namespace tilewave::program {

/// Tensors of a GPU begin at multiples of it. What physical pages virtual ones are isn't known; the place
/// in such a reservation stands for the physical address, so that nothing depends on what lies elsewhere.
inline constexpr Bytes kGpuReservationBytes = Bytes{64} << 30;

/// What multiplies: nothing (a vector kernel), the lanes, or the tensor cores by one of their kinds of
/// instruction.
enum class MmaUnit { none, lanes, mma, wgmma, tcgen05 };
[[nodiscard]] std::string_view to_string(MmaUnit unit);

/// What a block of a GPU's kernel needs, and how its warps share the work.
struct Cta {
  Count threads = 128;  ///< producer warps included
  Count registers_per_thread = 32;
  Bytes shared_bytes = 0;
  MmaUnit unit = MmaUnit::none;
  bool sparse = false;  ///< weights are 2:4
  /// Of the C tile: how many warps (wgmma: warp groups) along m and n.
  Count warps_m = 1, warps_n = 1;
  /// Does a warp of its own fetch (and, persistent, fetch for the next tile during an epilogue)?
  bool specialised = false;
  /// As many CTAs as fit, each doing one block of the grid after another.
  bool persistent = false;
  /// The epilogue of a block goes on beside the products of the next (sums in tensor memory, or two
  /// groups of warps that take turns).
  bool overlapped_epilogue = false;
  /// CTAs of a cluster next to each other along x and along y. Those along x get what tensor 0 of the
  /// kernel gives a row of tiles together, those along y what tensor 1 gives a column: each fetches a
  /// part and sends it to the others too (multicast).
  Count cluster_x = 1, cluster_y = 1;
  [[nodiscard]] Count cluster() const { return cluster_x * cluster_y; }
  /// CTAs that get a load of this tensor together.
  [[nodiscard]] Count shared_by(int tensor) const {
    if (tensor > 1) return 1;
    return tensor == 0 ? cluster_x : cluster_y;
  }
  /// Rows of tiles (dimension y) that are walked together, column by column.
  Count raster_rows = 1;
  /// Lane operations a number of a slab takes before it is multiplied: unpacking, scales.
  Count convert_operations = 0;
  /// A pass of the loop is steps that need one another's results: a matrix instruction after a vector
  /// instruction, or one after a matrix instruction, begins a new step.
  bool stepwise = false;
  /// Groups of warps that share what a pass loads and each go through it by themselves: while one
  /// multiplies, another does its vector work. 1: the CTA's warps go together.
  Count teams = 1;
  /// Steps of the CTAs of an SM take turns: nothing makes one multiply while another does vector work, and
  /// a scheduler that is fair to the warps of a sub-core lets them finish each step together.
  bool in_step = false;
  /// Reductions over the threads of a CTA (shuffles, shared memory, barriers), and over those of a warp,
  /// in all passes of a block together.
  Count cta_reductions = 0, warp_reductions = 0;
  /// Between a CTA's launch and its first load: loads of what says where that is (a table of pages).
  Cycle setup_cycles = 0;
  /// Which scores of an attention exist: blocks stop, and begin, where theirs do.
  std::optional<ScoreMask> mask{};
  friend bool operator==(const Cta&, const Cta&) = default;
};

/// A kernel as a GPU runs it. The kernel's body is one loop over slabs (loads, then work on them),
/// then the epilogue (vector work, stores), for each block of the grid.
struct GpuKernel {
  Kernel kernel;
  Cta cta;
  /// That it runs, one after another: the first time is simulated and stands for all (steps of a
  /// recurrent layer, the first of which are kernels of their own).
  Count times = 1;
  /// It goes on in the launch of the kernel before it: a step behind a barrier of all CTAs.
  bool same_launch = false;
};

/// Where a block lies in its kernel's grid.
using BlockPlace = std::array<Count, kGridDims>;
/// The place of the block that is dispatched as number `number`: rows of tiles in groups of
/// Cta::raster_rows, column by column within a group; z slowest.
[[nodiscard]] BlockPlace place_of(const GpuKernel& kernel, Count number);

struct GpuProgram {
  std::vector<GpuKernel> kernels;
};

[[nodiscard]] std::string to_text(const GpuProgram& program);

}  // namespace tilewave::program
