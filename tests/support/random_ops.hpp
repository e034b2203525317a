// SPDX-License-Identifier: Apache-2.0
// Random ops of every kind, small.
#pragma once

#include "support/random_cases.hpp"

namespace tilewave::test {

/// Kinds of ops and their variants that random_op() knows.
inline constexpr Count kRandomOpKinds = 22;
[[nodiscard]] Op random_op(RandomCases& cases, Count kind, const std::string& name);

}  // namespace tilewave::test
