// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "app/simulate.hpp"

namespace tilewave {

/// The hooks of a run for who asked for it: its stop, its listener on `events`, and progress in layers;
/// `layer_of` a kernel (only asked for those the program has).
[[nodiscard]] RunHooks hooks_of(const RunRequest& request, EventBus& events, std::size_t kernels,
                                std::function<std::size_t(std::size_t)> layer_of);

}  // namespace tilewave
