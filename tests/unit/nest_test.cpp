// SPDX-License-Identifier: Apache-2.0
// What a nest says about keeping an operand on chip, against walking through the loops.
#include "workloads/mapping/nest.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace tilewave::test {
namespace {

using program::Walker;

constexpr LoopId kAll[] = {LoopId::group, LoopId::m_block, LoopId::m, LoopId::n, LoopId::k};

/// A nest, an operand and the level it is kept at.
struct Case {
  Nest nest{{}};
  LoopSet depends;
  int level = -1;

  [[nodiscard]] std::string text() const {
    std::string words;
    for (const auto& loop : nest.loops()) {
      words += std::string(to_string(loop.id)) + ' ' + std::to_string(loop.count) +
               (depends.has(loop.id) ? "* " : " ");
    }
    return words + "kept at " + std::to_string(level);
  }
};

Case random_case(std::mt19937_64& random) {
  const auto pick = [&](Count low, Count high) {
    return std::uniform_int_distribution<Count>(low, high)(random);
  };
  std::vector<LoopId> ids(std::begin(kAll), std::end(kAll));
  std::shuffle(ids.begin(), ids.end(), random);
  std::vector<NestLoop> loops;
  Case c;
  for (const LoopId id : ids) {
    if (pick(0, 4) == 0) continue;
    loops.push_back({id, pick(1, 4)});
  }
  c.nest = Nest(loops);
  // A set is built from a list of names only.
  const bool g = pick(0, 1) == 1, b = pick(0, 1) == 1, m = pick(0, 1) == 1, n = pick(0, 1) == 1;
  const LoopId k = pick(0, 1) == 1 ? LoopId::k : LoopId::m;
  c.depends =
      LoopSet{g ? LoopId::group : k, b ? LoopId::m_block : k, m ? LoopId::m : k, n ? LoopId::n : k};
  if (pick(0, 9) == 0) c.depends = {};
  c.level = static_cast<int>(pick(0, loops.size())) - 1;
  return c;
}

/// Index of the loops for which `take` holds.
template <typename Take>
std::vector<std::int64_t> indices(const Case& c, const LoopIndex& index, Take&& take) {
  std::vector<std::int64_t> taken;
  for (int p = 0; p < c.nest.depth(); ++p) {
    if (take(p)) taken.push_back(index[static_cast<std::size_t>(p)]);
  }
  return taken;
}

program::Kernel around_one_instruction(const Nest& nest) {
  program::Kernel kernel;
  kernel.body = nest.wrap({program::Instruction{}});
  return kernel;
}

/// What happens to the operand's tiles, by walking through all iterations twice: how often a tile
/// is visited in a round (an iteration of the loops down to `level`), then visit by visit.
void check(const Case& c) {
  using Tile = std::vector<std::int64_t>;
  const auto kernel = around_one_instruction(c.nest);
  const auto round_of = [&](const LoopIndex& i) {
    return indices(c, i, [&](int p) { return p <= c.level; });
  };
  const auto tile_of = [&](const LoopIndex& i) {
    return indices(c, i, [&](int p) { return c.depends.has(c.nest.at(p).id); });
  };
  std::map<Tile, std::map<Tile, Count>> visits;  // of a round's tiles
  std::map<Tile, Count> iterations;              // of a round
  std::set<Tile> tiles;
  for (Walker w(kernel); w.current() != nullptr; w.next()) {
    ++visits[round_of(w.index())][tile_of(w.index())];
    ++iterations[round_of(w.index())];
    tiles.insert(tile_of(w.index()));
  }
  REQUIRE(c.nest.rounds(c.level) == visits.size());

  std::map<Tile, std::map<Tile, Count>> seen;
  std::map<Tile, Count> passed;
  std::map<Tile, Count> number;  // of the fetch that brought the tiles that are on chip
  Count fetched = 0, most_held = 0;
  const auto fetch_when = c.nest.fetch_when(c.depends, c.level);
  const auto release_when = c.nest.release_when(c.depends, c.level);
  const auto fetch_number = c.nest.fetch_number(c.depends, c.level);
  const auto first = c.nest.first_inside(c.level), last = c.nest.last_inside(c.level);
  for (Walker w(kernel); w.current() != nullptr; w.next()) {
    const Tile round = round_of(w.index()), tile = tile_of(w.index());
    REQUIRE(w.holds(first) == (passed[round] == 0));
    REQUIRE(w.holds(last) == (++passed[round] == iterations[round]));
    REQUIRE(w.holds(fetch_when) == (seen[round][tile] == 0));
    if (seen[round][tile]++ == 0) {
      REQUIRE(number.count(tile) == 0);  // given back before it is fetched again
      number[tile] = fetched++;
    }
    most_held = std::max<Count>(most_held, number.size());
    REQUIRE(fetch_number.at(w.index()) == static_cast<std::int64_t>(number.at(tile)));
    const bool done = seen[round][tile] == visits[round][tile];
    REQUIRE(w.holds(release_when) == done);
    REQUIRE(visits[round][tile] == c.nest.uses(c.depends, c.level));
    if (done) number.erase(tile);
  }
  REQUIRE(number.empty());
  REQUIRE(fetched == c.nest.fetches(c.depends, c.level) * tiles.size());
  REQUIRE(most_held <= c.nest.held(c.depends, c.level));
  REQUIRE(visits.begin()->second.size() == c.nest.held(c.depends, c.level));
}

TEST_CASE("fetches, uses and givings-back of an operand's tiles", "[mapping]") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 800; ++i) {
    const Case c = random_case(random);
    INFO("case " << i << ": " << c.text());
    check(c);
  }
}

TEST_CASE("an operand in numbers", "[mapping]") {
  // C += A B with 2 groups, 3 tiles of m, 4 of n, 5 of k.
  const Nest nest({{LoopId::group, 2}, {LoopId::m, 3}, {LoopId::n, 4}, {LoopId::k, 5}});
  const LoopSet a{LoopId::group, LoopId::m, LoopId::k}, b{LoopId::group, LoopId::n, LoopId::k};
  struct Row {
    int level;
    Count a_held, a_fetches, b_held, b_fetches;
  };
  for (const Row& r : {Row{-1, 30, 1, 40, 1}, Row{0, 15, 1, 20, 1}, Row{1, 5, 1, 20, 3},
                       Row{2, 5, 4, 5, 3}, Row{3, 1, 4, 1, 3}}) {
    INFO("level " << r.level);
    CHECK(nest.held(a, r.level) == r.a_held);
    CHECK(nest.fetches(a, r.level) == r.a_fetches);
    CHECK(nest.held(b, r.level) == r.b_held);
    CHECK(nest.fetches(b, r.level) == r.b_fetches);
  }
}

TEST_CASE("a nest finds its loops", "[mapping]") {
  const Nest nest({{LoopId::group, 2}, {LoopId::m, 3}, {LoopId::k, 1}});
  CHECK(nest.depth() == 3);
  CHECK(nest.position(LoopId::m) == 1);
  CHECK(nest.position(LoopId::n) == -1);
  CHECK(nest.count(LoopId::m) == 3);
  CHECK(nest.count(LoopId::n) == 1);

  Affine affine = Affine::constant(10);
  nest.add(affine, LoopId::m, 100);
  nest.add(affine, LoopId::m, 1);
  nest.add(affine, LoopId::n, 1000);  // no such loop: nothing to add
  CHECK(affine.at({7, 2, 5}) == 10 + 2 * 101);
}

TEST_CASE("loops of one iteration are not worth a word", "[mapping]") {
  using Loops = std::vector<NestLoop>;
  CHECK(Nest(Loops{{LoopId::group, 1}, {LoopId::n, 3}, {LoopId::m, 1}, {LoopId::k, 2}})
            .order_in_words() == "n, k");
  CHECK(Nest(Loops{{LoopId::group, 1}, {LoopId::k, 1}}).order_in_words() == "single tile");
  CHECK(Nest(Loops{}).order_in_words() == "single tile");
}

TEST_CASE("the loops wrap a body in order", "[mapping]") {
  const Nest nest({{LoopId::n, 2}, {LoopId::m_block, 3}});
  const auto kernel = around_one_instruction(nest);
  std::vector<std::vector<std::int64_t>> walked;
  for (Walker w(kernel); w.current() != nullptr; w.next()) {
    walked.push_back({w.index()[0], w.index()[1]});
  }
  CHECK(walked ==
        std::vector<std::vector<std::int64_t>>{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}});
  const auto& outer = std::get<program::Loop>(kernel.body.at(0));
  CHECK(outer.name == "n");
  CHECK(std::get<program::Loop>(outer.body.at(0)).name == "m_block");
}

}  // namespace
}  // namespace tilewave::test
