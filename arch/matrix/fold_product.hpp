// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arch/matrix/array_params.hpp"
#include "arch/matrix/fold_values.hpp"

namespace tilewave {

/// Numbers of whole folds, computed at once in the order of sums fold_values.hpp states. Holds the
/// sums of an output-stationary chain between its folds.
class FoldProduct {
 public:
  /// WS, IS: fills values.result.
  static void multiply_stationary(const FoldShape& shape, FoldValues& values);
  /// OS: adds the fold's products to the sums; the last fold of a chain gets them as its result.
  void accumulate(const FoldShape& shape, FoldValues& values);

 private:
  FoldValues sums_;  ///< only `result` is used
};

}  // namespace tilewave
