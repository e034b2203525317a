// SPDX-License-Identifier: Apache-2.0
#include "workloads/parallel/place_on_chips.hpp"

#include <fmt/format.h>

#include "workloads/parallel/data_parallel.hpp"
#include "workloads/parallel/tensor_parallel.hpp"

namespace tilewave {

Workload place_on_chips(const Workload& workload, Count chips, Parallelism parallel,
                        Diagnostics& diagnostics) {
  Workload placed = workload;
  if (chips > 1 && parallel == Parallelism::data) placed = data_parallel(workload);
  if (chips > 1 && parallel == Parallelism::tensor) placed = tensor_parallel(workload, chips);
  for (Op& op : placed.ops) {
    auto* collective = std::get_if<Collective>(&op.shape);
    if (collective == nullptr) continue;
    if (collective->chips != 0 && collective->chips != chips) {
      diagnostics.error("", op.name,
                        fmt::format("{} is of {} chips, the machine has {} (chips)",
                                    kind_name(op.shape), collective->chips, chips));
    }
    collective->chips = chips;
  }
  return placed;
}

}  // namespace tilewave
