// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/simulate.hpp"

namespace tilewave {

/// The request with the workload that one of the machine's chips does; all do the same at the same time.
/// Throws ConfigError.
[[nodiscard]] RunRequest of_one_chip(const RunRequest& request);

}  // namespace tilewave
