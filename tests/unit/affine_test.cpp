// SPDX-License-Identifier: Apache-2.0
// Affine sizes, spans and regions, against listing what they stand for.
#include <algorithm>
#include <random>
#include <vector>

#include "support/catch.hpp"

#include "arch/program/program.hpp"

namespace tilewave::test {
namespace {

using program::Size;

TEST_CASE("an affine value is its base and a step for each loop", "[program]") {
  const LoopIndex index{3, 5, 0, 0, 0, 0, 0, 2};
  CHECK(Affine{}.at(index) == 0);
  CHECK(Affine::constant(-7).at(index) == -7);
  CHECK(Affine::of_loop(1, 10).at(index) == 50);
  CHECK(Affine::of_loop(7, 100, 1).at(index) == 201);
  CHECK(Affine::of_loop(0, -4, 2).plus(1, 6).plus(0, 1).at(index) == 2 - 3 * 3 + 5 * 6);
  // Sizes of today's largest tensors do not wrap.
  CHECK(Affine::of_loop(0, std::int64_t{1} << 40).at({1 << 20}) == std::int64_t{1} << 60);
}

TEST_CASE("tiles of an extent, the last one cut", "[program]") {
  const Span tile = Span::tile(2, 4, 10);
  struct Row {
    std::int64_t index, start;
    Count size;
  };
  for (const Row& r : {Row{0, 0, 4}, Row{1, 4, 4}, Row{2, 8, 2}}) {
    CHECK(tile.start_at({0, 0, r.index}) == r.start);
    CHECK(tile.size_at({0, 0, r.index}) == r.size);
  }
  CHECK(tile.size_at({0, 0, 3}) == 0);
  CHECK(tile.size_at({0, 0, 1'000'000}) == 0);
  CHECK(Span::whole(10).size_at({}) == 10);
  CHECK(Span::whole(0).size_at({}) == 0);
  CHECK(Span{}.size_at({}) == 1);
}

/// Random values around zero.
class Random {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}
  std::int64_t pick(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  Span span(std::int64_t low) {
    Span s{.begin = Affine::of_loop(0, pick(-4, 6), pick(low, 10)).plus(1, pick(-2, 3)),
           .length = pick(0, 8),
           .low = pick(low, 6),
           .high = 0};
    s.high = s.low + pick(0, 12);
    return s;
  }
  LoopIndex index() { return {pick(0, 3), pick(0, 3)}; }

 private:
  std::mt19937_64 random_;
};

std::vector<std::int64_t> members(const Span& s, const LoopIndex& index) {
  std::vector<std::int64_t> all;
  for (std::int64_t x = s.begin.at(index); x < s.begin.at(index) + s.length; ++x) {
    if (s.low <= x && x < s.high) all.push_back(x);
  }
  return all;
}

TEST_CASE("random spans hold what lies in both their ranges", "[program]") {
  Random random(1);
  for (int i = 0; i < 5000; ++i) {
    const Span a = random.span(-6), b = random.span(-6);
    const LoopIndex index = random.index();
    const auto in_a = members(a, index), in_b = members(b, index);
    REQUIRE(a.size_at(index) == in_a.size());
    if (!in_a.empty()) REQUIRE(a.start_at(index) == in_a.front());
    REQUIRE(Size{{a, b}}.at(index) == in_a.size() * in_b.size());
  }
  CHECK(Size{}.at({}) == 1);
}

}  // namespace
}  // namespace tilewave::test
