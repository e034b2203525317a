// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arch/matrix/array_params.hpp"

namespace tilewave {

/// Cycles from the start of one fold's stream to the start of the next, when equal folds follow one
/// another and never wait for operands.
[[nodiscard]] Cycle steady_state_interval(const ArrayParams& params, const FoldShape& shape);

}  // namespace tilewave
