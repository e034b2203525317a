// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tilewave {

/// tilewave(1): all commands and options, as roff; made from their syntax.
[[nodiscard]] std::string man_page();

}  // namespace tilewave
