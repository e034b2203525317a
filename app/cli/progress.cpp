// SPDX-License-Identifier: Apache-2.0
#include "app/cli/progress.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <unistd.h>
#include <utility>

#include "app/cli/progress_parts.hpp"
#include "app/cli/terminal.hpp"
#include "app/cli/text.hpp"

namespace tilewave {
namespace {

constexpr std::chrono::milliseconds kQuietStart{250};
constexpr std::chrono::milliseconds kBetweenDraws{100};
constexpr std::size_t kLeastNameColumns = 8;

}  // namespace

std::string progress_text(const Progress& progress, std::size_t columns) {
  const std::string percent = fmt::format("{:3.0f} %", 100 * progress.share);
  const std::string position = fmt::format(
      "layer {} of {}", std::min(progress.layers_done + 1, progress.layers), progress.layers);
  const std::string rate = si(progress.cycles_per_s, "cycles/s");
  const std::string left =
      progress.seconds_left ? duration_text(*progress.seconds_left) + " left" : std::string();

  std::string out = percent + "  " + position;
  const auto room = [&] { return columns - std::min(columns, width_of(out)); };
  const auto need = [&](const std::string& part, std::size_t reserve) {
    return !part.empty() && room() >= part.size() + 2 + reserve;
  };
  // What is most worth knowing takes its room first; the order on the line is another.
  const bool with_left = need(left, 0);
  const std::size_t left_columns = with_left ? left.size() + 2 : 0;
  const bool with_rate = need(rate, left_columns);
  const std::size_t tail = left_columns + (with_rate ? rate.size() + 2 : 0);
  const std::size_t bar_columns = columns >= 100 ? 22 : 12;
  if (room() >= tail + bar_columns + 1 + kLeastNameColumns) {
    out = progress_bar(progress.share, bar_columns - 2) + " " + out;
  }
  if (!progress.layer.empty() && room() >= tail + 1 + kLeastNameColumns) {
    out += ' ' + fitted(progress.layer, room() - tail - 1);
  }
  out += with_rate ? "  " + rate : "";
  out += with_left ? "  " + left : "";
  return fitted(out, columns);
}

ProgressLine::ProgressLine(int descriptor, std::vector<Layer> layers)
    : descriptor_(descriptor), layers_(std::move(layers)), next_(start_ + kQuietStart) {
  for (const Layer& layer : layers_) {
    all_cycles_ += layer.least_cycles;
  }
}

/// Layers that are done count as a whole; the one at work by its cycles, but never as done.
double ProgressLine::share_done(std::size_t layers_done, Cycle now) {
  constexpr double kNearlyDone = 0.95;
  if (layers_done != current_) {
    current_ = layers_done;
    current_since_ = now;
  }
  double done = 0;
  for (std::size_t i = 0; i < layers_done; ++i) {
    done += layers_[i].least_cycles;
  }
  done += std::min(static_cast<double>(now - std::min(now, current_since_)),
                   kNearlyDone * layers_[layers_done].least_cycles);
  return done / all_cycles_;
}

void ProgressLine::update(std::size_t layers_done, std::size_t layers, Cycle now) {
  const auto time = Clock::now();
  if (time < next_ || layers == 0) {
    return;
  }
  next_ = time + kBetweenDraws;
  const double elapsed = std::chrono::duration<double>(time - start_).count();
  Progress progress{.layers_done = layers_done,
                    .layers = layers,
                    .layer = {},
                    .share = static_cast<double>(layers_done) / static_cast<double>(layers),
                    .cycles_per_s = static_cast<double>(now) / elapsed,
                    .seconds_left = std::nullopt};
  if (layers == layers_.size() && layers_done < layers && all_cycles_ > 0) {
    progress.share = share_done(layers_done, now);
    progress.layer = layers_[layers_done].name;
  }
  if (progress.share > kLeastShare) {
    progress.seconds_left = elapsed * (1 - progress.share) / progress.share;
  }
  // The last column stays free: in it, some terminals move on to the next line.
  const std::string text = progress_text(progress, terminal_columns(descriptor_) - 1);
  send_to_terminal(descriptor_, std::string(kEraseLine) + text);
  drawn_ = true;
}

void ProgressLine::erase() {
  if (drawn_) {
    send_to_terminal(descriptor_, kEraseLine);
    drawn_ = false;
  }
}

}  // namespace tilewave
