// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "workloads/op.hpp"

namespace tilewave {

/// A permutation of axes that exchanges two neighbouring blocks of them: outer x a x b x inner
/// becomes outer x b x a x inner.
struct AxisExchange {
  Count outer = 1, a = 1, b = 1, inner = 1;
};

/// None if it takes more than one exchange. A permutation that moves nothing exchanges with 1.
[[nodiscard]] std::optional<AxisExchange> as_exchange(const Transpose& transpose);

}  // namespace tilewave
