// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "app/dram/traffic.hpp"
#include "sim/units.hpp"

namespace tilewave {

enum class TrafficPattern {
  sequential,  ///< one request after another
  strided,     ///< `stride_bytes` apart; each pass over the memory begins a request further on
  random,      ///< anywhere in the first kRandomBytes
  mixed        ///< two sequential reads, a sequential write and random reads, in turn
};
/// In the order of the enumerators.
[[nodiscard]] std::span<const std::string_view> traffic_pattern_names();
[[nodiscard]] std::string_view to_string(TrafficPattern pattern);

struct TrafficParams {
  TrafficPattern pattern = TrafficPattern::sequential;
  Bytes request_bytes = 64;   ///< every address is a multiple of it
  Bytes capacity_bytes = 0;   ///< every address is below; a multiple of request_bytes
  Bytes stride_bytes = 4096;  ///< strided; a multiple of request_bytes below the capacity
  double read_share = 1;      ///< of the requests; mixed has its own
  std::uint64_t seed = 1;     ///< random, mixed
};

/// Endless traffic of a pattern. Reads and writes are spread evenly: after n requests, n times
/// read_share were reads, rounded down. The streams of `mixed` have a quarter of the memory each
/// and begin at its start, a third and two thirds of it, so that they do not march through the same
/// banks; its random reads are in the last quarter.
class PatternTraffic final : public TrafficSource {
 public:
  static constexpr Bytes kRandomBytes = Bytes{256} << 20U;
  static constexpr Count kLeastRequests = 4;
  /// Requires a capacity of kLeastRequests requests.
  explicit PatternTraffic(const TrafficParams& params);

  [[nodiscard]] bool next(DramAccess& access) override;

 private:
  /// Consecutive requests that begin anew at the end of their region.
  struct Stream {
    Bytes begin = 0, end = 0, at = 0;
    [[nodiscard]] std::uint64_t next(Bytes step) noexcept {
      const std::uint64_t address = at;
      at = at + step < end ? at + step : begin;
      return address;
    }
  };
  [[nodiscard]] std::uint64_t next_strided() noexcept;
  [[nodiscard]] std::uint64_t next_random() noexcept;
  [[nodiscard]] DramAccess next_mixed() noexcept;
  [[nodiscard]] bool is_write() noexcept;

  static constexpr std::size_t kMixedSources = 4;

  TrafficParams params_;
  std::uint64_t reads_per_billion_;
  std::uint64_t read_debt_ = 0;  // billionths of a read
  std::uint64_t random_state_;
  std::uint64_t random_begin_ = 0, random_places_ = 1;
  std::array<Stream, kMixedSources - 1> streams_{};  // the first one is that of `sequential`
  std::size_t turn_ = 0;                             // of the mixed sources
  Bytes strided_at_ = 0, strided_begin_ = 0;
};

}  // namespace tilewave
