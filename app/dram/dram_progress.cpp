// SPDX-License-Identifier: Apache-2.0
#include "app/dram/dram_progress.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <unistd.h>

#include "app/cli/terminal.hpp"
#include "app/cli/text.hpp"

namespace tilewave {
namespace {

constexpr std::chrono::milliseconds kQuietStart{250};
constexpr std::chrono::milliseconds kBetweenDraws{100};
constexpr std::string_view kEraseLine = "\r\x1b[K";
constexpr std::size_t kBarColumns = 10;
/// Below this share of the work done, an estimate of the time left is a guess.
constexpr double kLeastShare = 0.02;

std::string bar(double share) {
  const auto full = std::min(
      static_cast<std::size_t>(share * static_cast<double>(kBarColumns) + 0.5), kBarColumns);
  return '[' + std::string(full, '#') + std::string(kBarColumns - full, '.') + "] ";
}

std::string duration(double seconds) {
  const auto all = static_cast<long>(seconds + 0.5);
  return all < 3600 ? fmt::format("{}:{:02}", all / 60, all % 60)
                    : fmt::format("{}:{:02}:{:02}", all / 3600, all / 60 % 60, all % 60);
}

void send(int descriptor, std::string_view text) {
  // Decoration: if the terminal is gone, nothing is lost.
  [[maybe_unused]] const ssize_t written = write(descriptor, text.data(), text.size());
}

}  // namespace

std::string dram_progress_text(const DramProgress& progress, std::size_t columns) {
  std::string out;
  if (progress.share) out = fmt::format("{:3.0f} %  ", 100 * *progress.share);
  out += si(static_cast<double>(progress.requests), "requests");
  const auto append = [&](const std::string& part) {
    if (out.size() + 2 + part.size() <= columns) out += "  " + part;
  };
  if (progress.seconds_left) append(duration(*progress.seconds_left) + " left");
  append(si(progress.requests_per_s, "requests/s"));
  if (progress.share) {
    if (const std::string drawn = bar(*progress.share); drawn.size() + out.size() <= columns) {
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
  send(descriptor_, std::string(kEraseLine) + text);
  drawn_ = true;
}

void DramProgressLine::erase() {
  if (drawn_) {
    send(descriptor_, kEraseLine);
    drawn_ = false;
  }
}

}  // namespace tilewave
