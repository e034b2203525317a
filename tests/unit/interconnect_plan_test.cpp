// SPDX-License-Identifier: Apache-2.0
// Ways through the topologies, and where endpoints are placed.
#include <algorithm>
#include <cstdlib>
#include <set>
#include <vector>

#include "support/catch.hpp"

#include "arch/memory/interconnect/network_plan.hpp"

namespace tilewave::test {
namespace {

/// Indices of the links taken.
std::vector<std::uint32_t> way(const NetworkPlan& plan, std::size_t from, std::size_t to) {
  std::vector<std::uint32_t> links;
  for (std::size_t node = from; node != to;) {
    const std::uint32_t link = plan.link_towards(node, to);
    REQUIRE(link < plan.links.size());
    REQUIRE(plan.links[link].from == node);
    REQUIRE(links.size() <= plan.nodes);
    links.push_back(link);
    node = plan.links[link].to;
  }
  return links;
}

std::size_t apart(std::size_t a, std::size_t b) { return a > b ? a - b : b - a; }

TEST_CASE("ring: the shorter way, and nothing passes the dateline twice") {
  for (std::size_t n = 1; n <= 9; ++n) {
    const NetworkPlan plan = ring_plan(n);
    CHECK(plan.links.size() == (n == 1 ? 0 : 2 * n));
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) {
        const auto links = way(plan, a, b);
        CHECK(links.size() == std::min(apart(a, b), n - apart(a, b)));
        CHECK(std::count_if(links.begin(), links.end(),
                            [&](auto link) { return plan.links[link].dateline; }) <= 1);
      }
    }
  }
}

TEST_CASE("ring: the dateline breaks both circles") {
  const NetworkPlan plan = ring_plan(6);
  for (const auto& link : plan.links) {
    CHECK(link.dateline == (apart(link.from, link.to) != 1));
  }
}

TEST_CASE("ring: of two ways of equal length even nodes go up, odd ones down") {
  const NetworkPlan plan = ring_plan(6);
  for (std::size_t a = 0; a < 6; ++a) {
    const auto first = plan.links[way(plan, a, (a + 3) % 6).front()].to;
    CHECK(first == (a % 2 == 0 ? a + 1 : a - 1));
  }
}

TEST_CASE("mesh: the row first, then the column") {
  const std::size_t columns = 5, rows = 3;
  const NetworkPlan plan = mesh_plan(columns, rows);
  CHECK(plan.lanes == 1);
  CHECK(plan.links.size() == 2 * ((columns - 1) * rows + columns * (rows - 1)));
  for (std::size_t a = 0; a < plan.nodes; ++a) {
    for (std::size_t b = 0; b < plan.nodes; ++b) {
      const auto links = way(plan, a, b);
      CHECK(links.size() == apart(a % columns, b % columns) + apart(a / columns, b / columns));
      const auto along_row = [&](auto link) {
        return apart(plan.links[link].from, plan.links[link].to) == 1;
      };
      CHECK(std::is_partitioned(links.begin(), links.end(), along_row));
    }
  }
}

TEST_CASE("mesh: a row or column alone is a line") {
  CHECK(mesh_plan(1, 1).links.empty());
  CHECK(way(mesh_plan(4, 1), 3, 0).size() == 3);
  CHECK(way(mesh_plan(1, 4), 0, 3).size() == 3);
}

TEST_CASE("each topology has a plan") {
  InterconnectParams params;
  CHECK(node_count(params, 108, 80) == 1);
  CHECK_FALSE(plan_of(params, 1).queue_per_destination);
  params.virtual_output_queues = true;
  CHECK(plan_of(params, 1).queue_per_destination);
  params.topology = Topology::ring;
  CHECK(node_count(params, 3, 8) == 8);
  params.endpoints_per_node = 3;
  CHECK(node_count(params, 3, 8) == 3);
  CHECK(plan_of(params, 3).nodes == 3);
  params.ring_nodes = 12;
  CHECK(node_count(params, 3, 8) == 12);
  params.topology = Topology::mesh;
  params.mesh_columns = 4, params.mesh_rows = 3;
  CHECK(node_count(params, 3, 8) == 12);
  CHECK(plan_of(params, 12).links.size() == 34);
}

TEST_CASE("endpoints are spread evenly, or stand where the list says") {
  CHECK(place_endpoints({}, 4, 4) == std::vector<std::uint32_t>{0, 1, 2, 3});
  CHECK(place_endpoints({}, 3, 12) == std::vector<std::uint32_t>{0, 4, 8});
  CHECK(place_endpoints({}, 4, 2) == std::vector<std::uint32_t>{0, 0, 1, 1});
  CHECK(place_endpoints({7, 3}, 2, 12) == std::vector<std::uint32_t>{7, 3});
  const auto placed = place_endpoints({}, 80, 108);
  CHECK(std::set<std::uint32_t>(placed.begin(), placed.end()).size() == 80);
}

}  // namespace
}  // namespace tilewave::test
