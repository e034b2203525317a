// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arch/program/systolic_target.hpp"
#include "workloads/op.hpp"

namespace tilewave {

/// Bytes that `stored_bytes` of the tensors of `op` may take once their rows are padded, at most.
[[nodiscard]] Bytes padded_at_most(const Op& op, const LayoutTile& tile, Bytes stored_bytes);

}  // namespace tilewave
