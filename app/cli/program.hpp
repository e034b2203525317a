// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

namespace tilewave {

/// The program `tilewave`: `words` are its arguments, the result its exit status. 0: done; 1: the
/// simulation failed, or its result could not be written; 2: wrong usage or input; 130:
/// interrupted.
[[nodiscard]] int run_program(std::span<const std::string> words) noexcept;

}  // namespace tilewave
