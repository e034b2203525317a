// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace tilewave {

/// Parts of a progress line, whatever makes progress.
inline constexpr std::string_view kEraseLine = "\r\x1b[K";
/// Below this share of the work done, an estimate of the time left is a guess.
inline constexpr double kLeastShare = 0.02;

/// "[####......]", `columns` between the brackets.
[[nodiscard]] std::string progress_bar(double share, std::size_t columns);
/// "1:02", "1:00:02".
[[nodiscard]] std::string duration_text(double seconds);
/// Decoration: if the terminal is gone, nothing is lost.
void send_to_terminal(int descriptor, std::string_view text);

}  // namespace tilewave
