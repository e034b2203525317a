// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace tilewave {

/// A request of traffic for a memory alone: all are of one size.
struct DramAccess {
  std::uint64_t address = 0;
  bool write = false;
};

/// Where requests come from, one after another.
class TrafficSource {
 public:
  virtual ~TrafficSource() = default;
  /// The next request; false: there is none any more. Throws ConfigError if what it reads is wrong.
  [[nodiscard]] virtual bool next(DramAccess& access) = 0;
  /// How much of all requests has been taken, from 0 to 1, if the source can tell.
  [[nodiscard]] virtual std::optional<double> share_taken() const { return std::nullopt; }
};

}  // namespace tilewave
