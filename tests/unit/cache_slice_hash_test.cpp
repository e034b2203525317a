// SPDX-License-Identifier: Apache-2.0
// Address -> slice.
#include <algorithm>
#include <set>
#include <vector>

#include "support/catch.hpp"

#include "arch/memory/cache/slice_hash.hpp"

namespace tilewave::test {
namespace {

constexpr Count kSliceCounts[] = {1, 2, 10, 12, 16, 32, 40, 48, 80, 94, 96};

TEST_CASE("xor_fold takes all bits in", "[slice_hash]") {
  CHECK(xor_fold(0, 4) == 0);
  CHECK(xor_fold(0x5, 4) == 0x5);
  CHECK(xor_fold(0x1234, 4) == (0x1 ^ 0x2 ^ 0x3 ^ 0x4));
  CHECK(xor_fold(~std::uint64_t{0}, 4) == 0);
  CHECK(xor_fold(0x8000'0000'0000'0000U, 3) == 1);  // bit 63 is in group 21
  CHECK(xor_fold(1234, 0) == 0);
  for (unsigned bit = 0; bit < 64; ++bit) {
    CHECK(xor_fold(std::uint64_t{1} << bit, 5) == std::uint64_t{1} << (bit % 5));
  }
}

TEST_CASE("each group of blocks has one in each slice; bytes of a block stay together",
          "[slice_hash]") {
  for (const Count slices : kSliceCounts) {
    INFO(slices << " slices");
    const SliceHash hash(slices, 256);
    for (const std::uint64_t group : {0ULL, 1ULL, 77ULL, 1ULL << 33U}) {
      std::set<Count> used;
      for (std::uint64_t block = group * slices; block < (group + 1) * slices; ++block) {
        const Count slice = hash.slice_of(block * 256);
        REQUIRE(slice < slices);
        REQUIRE(hash.slice_of(block * 256 + 255) == slice);
        used.insert(slice);
      }
      REQUIRE(used.size() == slices);
    }
  }
}

TEST_CASE("power-of-two strides up to 1 MiB spread within 25 % of even", "[slice_hash]") {
  for (const Count slices : {10U, 16U, 40U, 80U, 96U}) {
    for (const Bytes interleave : {Bytes{256}, Bytes{4096}}) {
      const SliceHash hash(slices, interleave);
      for (Bytes stride = interleave / 2; stride <= Bytes{1} << 20U; stride *= 2) {
        INFO(slices << " slices of " << interleave << " bytes, stride " << stride);
        const Count accesses = 400 * slices;
        std::vector<Count> uses(slices);
        for (Count i = 0; i < accesses; ++i) ++uses[hash.slice_of(0x7'654'300 + i * stride)];
        const auto [least, most] = std::minmax_element(uses.begin(), uses.end());
        const double even = static_cast<double>(accesses) / static_cast<double>(slices);
        REQUIRE(static_cast<double>(*least) > 0.75 * even);
        REQUIRE(static_cast<double>(*most) < 1.25 * even);
      }
    }
  }
}

TEST_CASE("without the hash, the same strides would use a few slices only", "[slice_hash]") {
  std::set<Count> used;
  for (std::uint64_t i = 0; i < 10'000; ++i) used.insert(i * (Bytes{1} << 20U) / 256 % 80);
  CHECK(used.size() == 5);
}

TEST_CASE("a client is near to the slices of its partition", "[slice_hash]") {
  const SlicePlacement two(80, 2, 200);
  CHECK(two.partition_of(0) == 0);
  CHECK(two.partition_of(39) == 0);
  CHECK(two.partition_of(40) == 1);
  CHECK(two.partition_of(79) == 1);
  CHECK(two.extra_cycles(0, 39) == 0);
  CHECK(two.extra_cycles(0, 40) == 200);
  CHECK(two.extra_cycles(1, 39) == 200);
  CHECK(two.extra_cycles(1, 79) == 0);
  const SlicePlacement one(80, 1, 200);
  CHECK(one.extra_cycles(0, 79) == 0);
}

}  // namespace
}  // namespace tilewave::test
