// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "sim/diagnostics.hpp"
#include "workloads/mapping/kernel_id.hpp"
#include "workloads/mapping/stream_work.hpp"

namespace tilewave {

/// A pass through the vector unit in chunks: what is off chip is fetched, worked on and stored, a
/// chunk of each at a time. If not even one unit of work fits `budget_bytes` of the activation
/// buffer: none, and `why` says what is missing.
[[nodiscard]] std::optional<program::Kernel> build_vector_kernel(const KernelId& id,
                                                                 const StreamWork& work,
                                                                 const SystolicTarget& target,
                                                                 Bytes budget_bytes, Fault& why);

/// Results that lie on chip go to where they belong.
[[nodiscard]] program::Kernel build_write_kernel(const KernelId& id, const Placement& to);

/// An op that the machine has no unit for: no work, no time.
[[nodiscard]] program::Kernel build_skipped_kernel(const KernelId& id);

}  // namespace tilewave
