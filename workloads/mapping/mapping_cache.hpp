// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "workloads/mapping/matrix_mapping.hpp"

namespace tilewave {

/// Mappings chosen before: a workload has the same product many times (layers, heads, steps).
class MappingCache {
 public:
  [[nodiscard]] std::optional<MatrixMapping> choose(const Op& op, const MatrixProblem& problem,
                                                    const MatrixContext& context, Fault& why);

 private:
  struct Known {
    OpShape shape;
    DataType dtype;
    MatrixContext context;
    MatrixMapping mapping;
  };
  std::vector<Known> known_;  // few: compared one by one
};

}  // namespace tilewave
