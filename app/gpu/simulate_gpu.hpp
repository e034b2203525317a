// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/simulate.hpp"

namespace tilewave {

/// simulate() and dump_program() of a machine of SMs.
[[nodiscard]] RunResult simulate_gpu(const RunRequest& request);
[[nodiscard]] std::string dump_gpu_program(const RunRequest& request);

}  // namespace tilewave
