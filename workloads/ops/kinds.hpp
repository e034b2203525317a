// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "sim/config/reader.hpp"
#include "workloads/op.hpp"

namespace tilewave {

/// An op kind as files name it. A new op is an entry here, a member of OpShape, and a file in
/// workloads/ops.
struct OpKind {
  std::string_view name;
  OpShape (*read)(ObjectReader&);
};
[[nodiscard]] std::span<const OpKind> op_kinds();

}  // namespace tilewave
