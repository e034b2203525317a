// SPDX-License-Identifier: Apache-2.0
#include "app/dram/dram_progress.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <unistd.h>

#include "app/cli/progress_parts.hpp"
#include "app/cli/terminal.hpp"
#include "app/cli/text.hpp"

namespace tilewave {
namespace {

constexpr std::chrono::milliseconds kQuietStart{250};
constexpr std::chrono::milliseconds kBetweenDraws{100};
constexpr std::size_t kBarColumns = 10;

}  // namespace

std::string dram_progress_text(const DramProgress& progress, std::size_t columns) {
  std::string out;
  if (progress.share) out = fmt::format("{:3.0f} %  ", 100 * *progress.share);
  out += si(static_cast<double>(progress.requests), "requests");
  const auto append = [&](const std::string& part) {
    if (out.size() + 2 + part.size() <= columns) out += "  " + part;
  };
  if (progress.seconds_left) append(duration_text(*progress.seconds_left) + " left");
  append(si(progress.requests_per_s, "requests/s"));
  if (progress.share) {
    if (const std::string drawn = progress_bar(*progress.share, kBarColumns) + ' ';
        drawn.size() + out.size() <= columns) {
      out.insert(0, drawn);
    }
  }
  return fitted(out, columns);
}

DramProgressLine::DramProgressLine(int descriptor)
    : descriptor_(descriptor), next_(start_ + kQuietStart) {}

void DramProgressLine::update(Count requests, std::optional<double> share) {
  const auto time = Clock::now();
  if (time < next_) return;
  next_ = time + kBetweenDraws;
  const double elapsed = std::chrono::duration<double>(time - start_).count();
  DramProgress progress{.requests = requests,
                        .requests_per_s = static_cast<double>(requests) / elapsed,
                        .share = share,
                        .seconds_left = std::nullopt};
  if (share && *share > kLeastShare) progress.seconds_left = elapsed * (1 - *share) / *share;
  // The last column stays free: in it, some terminals move on to the next line.
  const std::string text = dram_progress_text(progress, terminal_columns(descriptor_) - 1);
  send_to_terminal(descriptor_, std::string(kEraseLine) + text);
  drawn_ = true;
}

void DramProgressLine::erase() {
  if (drawn_) {
    send_to_terminal(descriptor_, kEraseLine);
    drawn_ = false;
  }
}

}  // namespace tilewave
