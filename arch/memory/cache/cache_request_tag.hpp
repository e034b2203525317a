// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "arch/memory/cache/cache_tags.hpp"

namespace tilewave {

/// What a cache writes into the tags of its requests below, to know the response again.
struct CacheRequestTag {
  enum class Kind : std::uint8_t { fill, write, write_back };
  Kind kind = Kind::fill;
  std::uint32_t index = 0;          ///< fill: the MSHR; write: the slot of the request
  unsigned first = 0, sectors = 0;  ///< fill

  [[nodiscard]] constexpr std::uint64_t pack() const noexcept {
    return static_cast<std::uint64_t>(kind) << 62U | static_cast<std::uint64_t>(first) << 40U |
           static_cast<std::uint64_t>(sectors) << 32U | index;
  }
  [[nodiscard]] static constexpr CacheRequestTag unpack(std::uint64_t tag) noexcept {
    return {.kind = static_cast<Kind>(tag >> 62U),
            .index = static_cast<std::uint32_t>(tag),
            .first = static_cast<unsigned>(tag >> 40U & 0xFFU),
            .sectors = static_cast<unsigned>(tag >> 32U & 0xFFU)};
  }
  [[nodiscard]] constexpr SectorMask mask() const noexcept {
    return sectors_between(first, first + sectors);
  }
};

}  // namespace tilewave
