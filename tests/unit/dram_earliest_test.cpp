// SPDX-License-Identifier: Apache-2.0
// The smallest of keys that change one at a time.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "support/catch.hpp"

#include "arch/memory/dram/earliest.hpp"

using namespace tilewave;

TEST_CASE("the earliest of keys is the smallest, of equal ones the first", "[dram]") {
  std::mt19937_64 random(1);
  for (const std::size_t size : {1U, 2U, 3U, 8U, 17U, 32U}) {
    constexpr std::int64_t kLast = 100;
    std::vector<std::int64_t> keys(size, kLast);
    Earliest<std::int64_t> earliest(size, kLast);
    CHECK(earliest.key() == kLast);
    for (int change = 0; change < 1000; ++change) {
      const std::size_t index = random() % size;
      keys[index] = static_cast<std::int64_t>(random() % (kLast + 1));
      earliest.set(index, keys[index]);
      const auto smallest = std::min_element(keys.begin(), keys.end());
      INFO("size " << size << ", change " << change);
      REQUIRE(earliest.key() == *smallest);
      REQUIRE(earliest[index] == keys[index]);
      // Keys that nobody set are after all others: none of them is chosen for an equal one.
      REQUIRE(earliest.index() == static_cast<std::size_t>(smallest - keys.begin()));
    }
  }
}
