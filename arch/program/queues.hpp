// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tilewave {

/// Load queues of a systolic core: one engine each, so that a fetch of one kind does not wait
/// behind another kind's buffer.
enum LoadQueue : int { kWeightLoads, kActivationLoads, kOperandLoads, kLoadQueues };

}  // namespace tilewave
