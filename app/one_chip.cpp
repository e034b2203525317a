// SPDX-License-Identifier: Apache-2.0
#include "app/one_chip.hpp"

#include "sim/diagnostics.hpp"
#include "workloads/parallel/place_on_chips.hpp"

namespace tilewave {

RunRequest of_one_chip(const RunRequest& request) {
  Diagnostics diagnostics;
  RunRequest one = request;
  one.workload =
      place_on_chips(request.workload, request.arch.chips(), request.arch.parallel(), diagnostics);
  diagnostics.throw_if_errors();
  return one;
}

}  // namespace tilewave
