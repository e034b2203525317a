// SPDX-License-Identifier: Apache-2.0
#include "workloads/ops/window.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <string>

#include "workloads/ops/count_math.hpp"

namespace tilewave {
namespace {

/// Members below `bound` of the union of `runs` intervals [j pitch, j pitch + length).
Count members_below(Count bound, Count runs, Count pitch, Count length) {
  if (length >= pitch) return std::min(bound, (runs - 1) * pitch + length);
  const Count whole = std::min(runs, bound / pitch);
  const Count rest = whole < runs ? std::min(length, bound - whole * pitch) : 0;
  return whole * length + rest;
}

}  // namespace

Count WindowAxis::extent() const {
  return filter == 0 ? 0 : sum({product({filter - 1, dilation}), 1});
}

Count WindowAxis::padded_input() const {
  return sum({input, padding, padding_end.value_or(padding)});
}

bool WindowAxis::fits() const { return filter > 0 && stride > 0 && extent() <= padded_input(); }

Count WindowAxis::outputs() const {
  if (!fits()) return 0;
  const Count room = padded_input() - extent();
  return (ceil_output ? ceil_div(room, stride) : room / stride) + 1;
}

Count WindowAxis::touched() const {
  if (!fits()) return 0;
  // Taps whose offsets differ by a multiple of the stride fall on the same positions, shifted by
  // whole windows: every `period`-th tap, `pitch` windows further. The taps of one such class touch
  // a union of equal intervals of windows; classes share no position.
  const Count period = stride / std::gcd(stride, dilation);
  const Count pitch = dilation / std::gcd(stride, dilation);
  const Count windows = outputs();
  Count total = 0;
  for (Count tap = 0; tap < std::min(period, filter); ++tap) {
    const Count taps = (filter - tap - 1) / period + 1;
    const Count offset = tap * dilation;
    // In steps of the stride from this tap: the first position at or after the input's start and
    // the first at or after its end.
    const Count low = padding > offset ? ceil_div(padding - offset, stride) : 0;
    const Count end = input + padding;
    const Count high = end > offset ? ceil_div(end - offset, stride) : 0;
    if (high > low) {
      total += members_below(high, taps, pitch, windows) - members_below(low, taps, pitch, windows);
    }
  }
  return total;
}

WindowAxis::Run WindowAxis::windows_on_input(Count tap) const {
  const Count offset = tap * dilation;
  const Count low = padding > offset ? ceil_div(padding - offset, stride) : 0;
  const Count end = input + padding > offset ? ceil_div(input + padding - offset, stride) : 0;
  return {low, std::max(low, std::min(outputs(), end))};
}

Count WindowAxis::taps_on_input() const {
  Count taps = 0;
  for (Count tap = 0; tap < filter; ++tap) {
    const Run windows = windows_on_input(tap);
    taps += windows.end - windows.begin;
  }
  return taps;
}

std::vector<WindowAxis::Run> WindowAxis::touched_runs() const {
  const Count all = touched();
  if (all == 0) return {};
  Count first = input, last = 0;
  for (Count tap = 0; tap < filter; ++tap) {
    const Run windows = windows_on_input(tap);
    if (windows.begin == windows.end) continue;
    const auto at = [&](Count window) { return window * stride + tap * dilation - padding; };
    first = std::min(first, at(windows.begin));
    last = std::max(last, at(windows.end - 1));
  }
  if (last - first + 1 == all || product({outputs(), filter}) > kMostTaps) {
    return {{first, first + all}};
  }
  std::vector<bool> is_touched(last + 1);
  for (Count tap = 0; tap < filter; ++tap) {
    const Run windows = windows_on_input(tap);
    for (Count window = windows.begin; window < windows.end; ++window) {
      is_touched[window * stride + tap * dilation - padding] = true;
    }
  }
  std::vector<Run> runs;
  for (Count x = 0; x <= last; ++x) {
    if (!is_touched[x]) continue;
    if (runs.empty() || runs.back().end != x) runs.push_back({x, x});
    ++runs.back().end;
  }
  return runs;
}

void check_fits(const WindowAxis& axis, std::string_view key, std::string_view axis_name,
                ShapeFaults& faults) {
  if (axis.fits()) return;
  const std::string spans =
      axis.dilation == 1 ? "" : fmt::format(" (spans {} with dilation)", axis.extent());
  faults.push_back(
      {std::string(key), fmt::format("the filter's {} {}{} is larger than the padded input's {}",
                                     axis_name, axis.filter, spans, axis.padded_input())});
}

}  // namespace tilewave
