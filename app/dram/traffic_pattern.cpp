// SPDX-License-Identifier: Apache-2.0
#include "app/dram/traffic_pattern.hpp"

#include <algorithm>
#include <cmath>

namespace tilewave {
namespace {

constexpr std::uint64_t kBillion = 1'000'000'000;
constexpr std::array<std::string_view, 4> kNames{"sequential", "strided", "random", "mixed"};

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers on every machine.
std::uint64_t next_number(std::uint64_t& state) noexcept {
  std::uint64_t z = state += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

}  // namespace

std::span<const std::string_view> traffic_pattern_names() { return kNames; }

std::string_view to_string(TrafficPattern pattern) {
  return kNames[static_cast<std::size_t>(pattern)];
}

PatternTraffic::PatternTraffic(const TrafficParams& params)
    : params_(params),
      reads_per_billion_(static_cast<std::uint64_t>(
          std::llround(params.read_share * static_cast<double>(kBillion)))),
      random_state_(params.seed) {
  const auto aligned = [&](Bytes bytes) { return bytes - bytes % params_.request_bytes; };
  const bool is_mixed = params_.pattern == TrafficPattern::mixed;
  const Bytes region =
      is_mixed ? aligned(params_.capacity_bytes / kMixedSources) : params_.capacity_bytes;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const Bytes begin = i * region;
    streams_[i] = {
        .begin = begin, .end = begin + region, .at = begin + aligned(region / streams_.size() * i)};
  }
  random_begin_ = is_mixed ? streams_.size() * region : 0;
  random_places_ = std::min(region, kRandomBytes) / params_.request_bytes;
}

bool PatternTraffic::next(DramAccess& access) {
  switch (params_.pattern) {
    case TrafficPattern::sequential:
      access = {.address = streams_[0].next(params_.request_bytes), .write = is_write()};
      break;
    case TrafficPattern::strided:
      access = {.address = next_strided(), .write = is_write()};
      break;
    case TrafficPattern::random:
      access = {.address = next_random(), .write = is_write()};
      break;
    case TrafficPattern::mixed:
      access = next_mixed();
      break;
  }
  return true;
}

// A pass ends with the capacity; passes of all beginnings within a stride have touched all of it.
std::uint64_t PatternTraffic::next_strided() noexcept {
  const std::uint64_t address = strided_at_;
  strided_at_ += params_.stride_bytes;
  if (strided_at_ >= params_.capacity_bytes) {
    strided_begin_ += params_.request_bytes;
    if (strided_begin_ >= params_.stride_bytes) strided_begin_ = 0;
    strided_at_ = strided_begin_;
  }
  return address;
}

std::uint64_t PatternTraffic::next_random() noexcept {
  const auto number = static_cast<Uint128>(next_number(random_state_));
  const auto place = static_cast<std::uint64_t>((number * random_places_) >> 64U);
  return random_begin_ + place * params_.request_bytes;
}

DramAccess PatternTraffic::next_mixed() noexcept {
  const std::size_t source = turn_;
  turn_ = (turn_ + 1) % kMixedSources;
  if (source == streams_.size()) return {.address = next_random(), .write = false};
  return {.address = streams_[source].next(params_.request_bytes),
          .write = source + 1 == streams_.size()};
}

bool PatternTraffic::is_write() noexcept {
  read_debt_ += reads_per_billion_;
  if (read_debt_ < kBillion) return true;
  read_debt_ -= kBillion;
  return false;
}

}  // namespace tilewave
