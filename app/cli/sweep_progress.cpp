// SPDX-License-Identifier: Apache-2.0
#include "app/cli/sweep_progress.hpp"

#include <array>
#include <fmt/format.h>
#include <unistd.h>

#include "app/cli/progress_parts.hpp"
#include "app/cli/terminal.hpp"
#include "app/cli/text.hpp"

namespace tilewave {
namespace {

constexpr std::chrono::milliseconds kBeforeFirst{300};
constexpr std::chrono::milliseconds kBetweenDraws{100};
constexpr std::size_t kBarColumns = 20;

}  // namespace

std::string sweep_progress_text(const SweepCounts& counts, double seconds, std::size_t columns) {
  const auto points = static_cast<double>(counts.points);
  const double share = points > 0 ? static_cast<double>(counts.done()) / points : 0;
  // What the store had costs next to nothing and says nothing about the rest.
  const auto worked = static_cast<double>(counts.ran + counts.reused);
  const double rate = seconds > 0 ? worked / seconds : 0;
  const double left = rate > 0 ? (points - static_cast<double>(counts.done())) / rate : 0;
  const std::array<std::string, 5> parts{
      fmt::format("{:3.0f} %", 100 * share),
      fmt::format("{} of {} points", counts.done(), counts.points),
      rate > 0 ? fmt::format("{} points/s",
                             rate < 10 ? fmt::format("{:.2g}", rate) : fmt::format("{:.0f}", rate))
               : "",
      rate > 0 ? duration_text(left) + " left" : "",
      counts.failed > 0 ? fmt::format("{} failed", counts.failed) : ""};
  std::string text;
  for (const std::string& part : parts) {
    if (part.empty() || width_of(text) + 2 + part.size() > columns) continue;
    text += (text.empty() ? "" : "  ") + part;
  }
  if (width_of(text) + kBarColumns + 4 <= columns) {
    text = progress_bar(share, kBarColumns) + "  " + text;
  }
  return fitted(text, columns);
}

SweepProgressLine::SweepProgressLine(bool wanted)
    : wanted_(wanted), next_(Clock::now() + kBeforeFirst) {}

void SweepProgressLine::update(const SweepCounts& counts) {
  const auto now = Clock::now();
  if (!wanted_ || now < next_ || counts.points == 0) return;
  next_ = now + kBetweenDraws;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  // The last column stays free: in it, some terminals move on to the next line.
  const std::string text =
      sweep_progress_text(counts, seconds, terminal_columns(STDERR_FILENO) - 1);
  send_to_terminal(STDERR_FILENO, std::string(kEraseLine) + text);
  drawn_ = true;
}

void SweepProgressLine::erase() {
  if (!drawn_) return;
  send_to_terminal(STDERR_FILENO, kEraseLine);
  drawn_ = false;
}

}  // namespace tilewave
