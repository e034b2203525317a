// SPDX-License-Identifier: Apache-2.0
// Catch2, version 2 (one header) or 3 (split), with the names that differ made the same. Use from
// Catch::Matchers what both have: WithinRel, WithinAbs, Equals, Message.
#pragma once

#include <string>

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif

namespace tilewave::test {

/// Matches a string that has `part` somewhere: `CHECK_THAT(text, contains("rows"))`.
inline auto contains(const std::string& part) {
#if __has_include(<catch2/catch_all.hpp>)
  return Catch::Matchers::ContainsSubstring(part);
#else
  return Catch::Matchers::Contains(part);
#endif
}

}  // namespace tilewave::test
