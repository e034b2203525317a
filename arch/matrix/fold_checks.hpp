// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "arch/matrix/array_params.hpp"
#include "arch/matrix/fold_values.hpp"

namespace tilewave {

/// What both variants of the array demand of their caller; a SimulationError says what is violated.

/// At least one row, one column and one hop a cycle.
void check_array(const ArrayParams& params);
/// The fold fits the array; a load moves at most a row a hop.
void check_shape(const ArrayParams& params, const FoldShape& shape);
/// WS, IS: the fold that streams is the one that was loaded.
void check_loaded(const FoldShape& loaded, const FoldShape& streamed);

/// A fold of an output-stationary array, as the next one sees it.
struct ChainLink {
  FoldShape shape;
  bool has_values = false;
};
/// OS: `next` may follow `previous` (none: the array is new): sums continue exactly where the last
/// fold left sums behind, in the same PEs.
void check_chain(const std::optional<ChainLink>& previous, const ChainLink& next);
/// The operands have the sizes fold_values.hpp states.
void check_values(const ArrayParams& params, const FoldShape& shape, const FoldValues& values);

}  // namespace tilewave
