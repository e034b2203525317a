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

/// What may follow what where sums stay (output-stationary arrays, cubes): they continue exactly where the
/// last fold left sums behind, in the same PEs, and either all folds of a chain have values or none.
class FoldChain {
 public:
  /// The next fold; its operands are checked too.
  void enter(const ArrayParams& params, const FoldShape& shape, const FoldValues* values);

 private:
  struct Link {
    FoldShape shape;
    bool has_values = false;
  };
  std::optional<Link> previous_;
};
/// The operands have the sizes fold_values.hpp states.
void check_values(const ArrayParams& params, const FoldShape& shape, const FoldValues& values);

}  // namespace tilewave
