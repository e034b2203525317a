// SPDX-License-Identifier: Apache-2.0
// Permutations of axes as an exchange of two blocks.
#include "workloads/mapping/transposition.hpp"

#include <vector>

#include "support/catch.hpp"

namespace tilewave::test {
namespace {

std::vector<Count> exchange(const std::vector<Count>& dims, const std::vector<Count>& order) {
  const auto e = as_exchange({.dims = dims, .permutation = order});
  if (!e) return {};
  return {e->outer, e->a, e->b, e->inner};
}

TEST_CASE("a permutation is an exchange of two neighbouring blocks of axes, or none", "[mapping]") {
  using Sizes = std::vector<Count>;
  CHECK(exchange({5, 7}, {1, 0}) == Sizes{1, 5, 7, 1});
  CHECK(exchange({2, 3, 5, 7}, {0, 2, 3, 1}) == Sizes{2, 3, 35, 1});  // NCHW to NHWC
  CHECK(exchange({2, 5, 7, 3}, {0, 3, 1, 2}) == Sizes{2, 35, 3, 1});  // and back
  CHECK(exchange({2, 3, 5, 7}, {0, 2, 1, 3}) == Sizes{2, 3, 5, 7});   // heads and tokens
  CHECK(exchange({2, 3, 5}, {0, 1, 2}) == Sizes{30, 1, 1, 1});
  CHECK(exchange({2, 3, 5}, {2, 1, 0}).empty());
  CHECK(exchange({2, 3, 5, 7}, {1, 0, 3, 2}).empty());
}

}  // namespace
}  // namespace tilewave::test
