// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tilewave {

/// How a workload is spread over the chips of a machine.
enum class Parallelism {
  none,   ///< each chip does all of it as it is written
  data,   ///< the same on a batch of its own; gradients of weights are summed
  tensor  ///< weights are split by columns, then by rows, with a sum over the chips behind
};

}  // namespace tilewave
