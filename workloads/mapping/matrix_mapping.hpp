// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "arch/program/systolic_target.hpp"
#include "sim/diagnostics.hpp"
#include "workloads/mapping/matrix_problem.hpp"
#include "workloads/mapping/nest.hpp"

namespace tilewave {

/// How an operand goes through its on-chip buffer.
struct OperandPlan {
  bool resident = false;  ///< on chip already, nothing is fetched
  int level = -1;         ///< kept at this level of the nest (see Nest)
  Count stages = 1;
  Bytes stage_bytes = 0;
  Bytes traffic_bytes = 0;  ///< fetched in all
};

/// A mapping of a contraction: tiles, loop order, what is kept on chip, and what it should cost.
struct MatrixMapping {
  Nest nest{{}};
  AFetch fetch = AFetch::matrix;
  Count tm = 0, tn = 0, tk = 0;
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
  bool a_from_host = false, c_to_host = false;
};

/// Lane operations an output element takes in the vector unit.
[[nodiscard]] Count epilogue_operations(const MatrixProblem& problem, const SystolicTarget& target);

/// The mapping with the least predicted time among all tile heights, loop orders and levels of
/// keeping that fit the buffers; ties go to less traffic, then to fewer tiles. If nothing fits:
/// none, and `why` says what is too small.
///
///   predicted = fill and drain + latency + first tiles / bandwidth
///             + max(array, DRAM, host link, vector unit),
/// where work that cannot overlap for lack of a second buffer stage is added instead.
[[nodiscard]] std::optional<MatrixMapping> choose_mapping(const MatrixProblem& problem,
                                                          const MatrixContext& context, Fault& why);

/// The mapping in words, for the report.
[[nodiscard]] std::string in_words(const MatrixProblem& problem, const MatrixMapping& mapping,
                                   const MatrixContext& context);

}  // namespace tilewave
