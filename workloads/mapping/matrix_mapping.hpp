// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>

#include "arch/program/systolic_target.hpp"
#include "sim/diagnostics.hpp"
#include "workloads/mapping/matrix_problem.hpp"
#include "workloads/mapping/nest.hpp"

namespace tilewave {

/// How an operand goes through its on-chip buffer.
struct OperandPlan {
  bool resident = false;    ///< on chip already, nothing is fetched
  bool whole = false;       ///< all tiles kept at the level come in as one: `held` is 1
  int level = -1;           ///< kept at this level of the nest (see Nest)
  Count held = 1;           ///< tiles that must be on chip together
  Count stages = 1;         ///< tiles there is room for, at most twice as many
  Bytes stage_bytes = 0;    ///< of a tile
  Bytes traffic_bytes = 0;  ///< fetched in all
};

/// Cores along groups, m, n and k of a contraction.
using CoreGrid = std::array<Count, 4>;

/// A mapping of a contraction: tiles, loop order, what is kept on chip, and what it should cost.
struct MatrixMapping {
  Nest nest{{}};  ///< of a core
  /// Each with an equal share of whole tiles.
  CoreGrid grid{1, 1, 1, 1};
  /// Of k; where there are several each core's sums go to memory, to be added up (split_k.hpp).
  [[nodiscard]] Count parts() const { return grid[3]; }
  bool split_m = false;  ///< the units of a core take tiles of m in turn, else of n
  Count units = 1;       ///< that take part
  Count b_abreast = 1;   ///< units whose tiles of B, side by side along n, come in as one
  AFetch fetch = AFetch::matrix;
  Count tm = 0, tn = 0, tk = 0;
  Count b_window = 0, k = 0;  ///< columns and rows of a window of B, where it comes in so
  OperandPlan a{}, b{};
  Count accumulator_stages = 2;
  Bytes accumulator_stage_bytes = 0;  ///< of one unit
  Count result_stages = 0;            ///< 0: results stay on chip
  double predicted_cycles = 0;
};

/// What of the machine an op may use, and where its tensors are.
struct MatrixContext {
  const SystolicTarget& target;
  Bytes activation_budget_bytes = 0;  ///< what resident tensors leave
  bool a_resident = false;
  bool c_resident = false;
  bool residual_fetched = false;
  bool a_from_host = false, b_from_host = false, c_to_host = false;
  bool k_splits = false;  ///< k may be dealt to cores: there is memory for their sums
};

/// Lane operations an output element takes in the vector unit.
[[nodiscard]] Count epilogue_operations(const MatrixProblem& problem, const SystolicTarget& target);

/// The mapping with the least predicted time among all splits over cores and units, tile heights,
/// loop orders and levels of keeping that fit the buffers; ties go to less traffic, then to fewer
/// tiles. If nothing fits: none, and `why` says what is too small. Where an operand or the result is
/// on chip, it lies there group by group on the cores. Where transfers go by windows, only mappings
/// of that kind are tried. Mappings that deal k to the cores are among them where that is possible
/// (can_split_k): their prediction has the sum of the parts in it.
///
///   predicted = fill and drain + latency + first tiles / bandwidth + epilogue of the last tile
///             + max(array, DRAM, host link, vector unit)
/// The array's time includes the fetching that it cannot hide: a new set of kept tiles comes in
/// during the last use of the old set and as far as there is spare room. A link's time is that of
/// its bytes, and of each engine's transfers: of a tile at most a few (stages, queue, requests in
/// flight) are under way during the latency of one.
[[nodiscard]] std::optional<MatrixMapping> choose_mapping(const MatrixProblem& problem,
                                                          const MatrixContext& context, Fault& why);

/// The mapping in words, for the report.
[[nodiscard]] std::string in_words(const MatrixProblem& problem, const MatrixMapping& mapping,
                                   const MatrixContext& context);

}  // namespace tilewave
