// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/models/model.hpp"

namespace tilewave {

/// The batch that an application of TPU v1's paper was measured with (table 1), to be changed.
[[nodiscard]] inline ModelParameter tpu_v1_batch(Count published) {
  ModelParameter batch = batch_parameter();
  batch.default_count = published;
  return batch;
}

}  // namespace tilewave
