// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arch/program/parallelism.hpp"
#include "sim/diagnostics.hpp"
#include "workloads/op.hpp"

namespace tilewave {

/// What one of `chips` chips does of a workload: its collectives know how many take part, and with
/// data or tensor parallelism its ops are the chip's share. Faults go to `diagnostics`.
[[nodiscard]] Workload place_on_chips(const Workload& workload, Count chips, Parallelism parallel,
                                      Diagnostics& diagnostics);

}  // namespace tilewave
