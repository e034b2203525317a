// SPDX-License-Identifier: Apache-2.0
#include "workloads/parallel/data_parallel.hpp"

#include <utility>

namespace tilewave {

Workload data_parallel(const Workload& workload) {
  Workload placed{.name = workload.name, .ops = {}};
  for (const Op& op : workload.ops) {
    const auto* update = std::get_if<Optimizer>(&op.shape);
    if (update == nullptr) {
      placed.ops.push_back(op);
      continue;
    }
    Op sum{.name = "all_reduce." + op.name,
           .dtype = op.dtype,
           .shape = Collective{CollectiveKind::all_reduce, update->parameters},
           .inputs = {},
           .partial_inputs = op.partial_inputs};
    Op updated = op;
    // Without names it reads the op before it, which is now the sum.
    if (!op.inputs.empty()) sum.inputs = {std::exchange(updated.inputs[0], sum.name)};
    placed.ops.push_back(std::move(sum));
    placed.ops.push_back(std::move(updated));
  }
  return placed;
}

}  // namespace tilewave
