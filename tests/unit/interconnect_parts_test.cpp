// SPDX-License-Identifier: Apache-2.0
// What an interconnect is made of: arbiter, buffer with credits, table of requests.
#include <algorithm>
#include <utility>
#include <vector>

#include "support/catch.hpp"

#include "arch/memory/interconnect/lane_arbiter.hpp"
#include "arch/memory/interconnect/packet_buffer.hpp"
#include "arch/memory/interconnect/request_table.hpp"
#include "arch/memory/interconnect/round_robin.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave::test {
namespace {

TEST_CASE("round robin: the first who asks, from the one after the last winner on") {
  RoundRobin arbiter(200);
  CHECK_FALSE(arbiter.any());
  for (const std::size_t i : {3U, 64U, 150U, 199U, 0U}) arbiter.ask(i);
  CHECK(arbiter.grant() == 0);
  CHECK(arbiter.grant() == 3);
  arbiter.ask(3);
  arbiter.ask(4);
  CHECK(arbiter.grant() == 4);  // 3 has had its turn
  CHECK(arbiter.grant() == 64);
  CHECK(arbiter.grant() == 150);
  CHECK(arbiter.grant() == 199);
  CHECK(arbiter.any());
  CHECK(arbiter.grant() == 3);
  CHECK_FALSE(arbiter.any());
}

TEST_CASE("round robin: all who always ask win equally often") {
  for (const std::size_t n : {1U, 2U, 63U, 64U, 65U, 130U}) {
    RoundRobin arbiter(n);
    for (std::size_t i = 0; i < n; ++i) arbiter.ask(i);
    std::vector<int> wins(n, 0);
    for (std::size_t k = 0; k < 5 * n; ++k) {
      const std::size_t winner = arbiter.grant();
      ++wins[winner];
      arbiter.ask(winner);
    }
    CHECK(std::count(wins.begin(), wins.end(), 5) == static_cast<std::ptrdiff_t>(n));
  }
}

TEST_CASE("a lane is given in turn, or to the oldest") {
  struct Asks {
    std::size_t requester;
    Cycle since;
  };
  const std::vector<Asks> asks{{5, 30}, {1, 40}, {7, 20}, {3, 30}};
  for (const auto& [arbitration, order] :
       {std::pair{Arbitration::round_robin, std::vector<std::size_t>{1, 3, 5, 7}},
        std::pair{Arbitration::oldest_first, std::vector<std::size_t>{7, 3, 5, 1}}}) {
    INFO(to_string(arbitration));
    LaneArbiter arbiter(8, arbitration);
    CHECK_FALSE(arbiter.any());
    for (const Asks& a : asks) arbiter.ask(a.requester, a.since);
    std::vector<std::size_t> winners;
    while (arbiter.any()) winners.push_back(arbiter.grant());
    CHECK(winners == order);
  }
}

TEST_CASE("a buffer's place comes back when the packet has left and the credit travelled") {
  PacketBuffer buffer(2, 3);
  CHECK(buffer.ready_at() == kNever);
  CHECK(buffer.can_push(0));
  buffer.push({.bytes = 8, .cycles = 4, .destination = 1, .id = 10}, 5);
  buffer.push({.bytes = 9, .cycles = 1, .destination = 2, .id = 11}, 6);
  CHECK_FALSE(buffer.can_push(100));
  CHECK(buffer.next_credit() == kNever);  // nothing has left
  CHECK(buffer.queued_bytes() == 17);
  CHECK(buffer.ready_at() == 5);
  CHECK(buffer.front().id == 10);

  CHECK(buffer.pop(7, 4) == 13);   // on the link during [7, 11), the last byte's credit takes 3
  CHECK(buffer.ready_at() == 11);  // the read port
  CHECK(buffer.front().id == 11);
  CHECK(buffer.next_credit() == 13);
  CHECK_FALSE(buffer.can_push(12));
  CHECK(buffer.held() == 2);
  CHECK(buffer.can_push(13));
  CHECK(buffer.held() == 1);
  CHECK(buffer.queued() == 1);
  buffer.push({.id = 12}, 20);
  CHECK_THROWS_AS(buffer.push({.id = 13}, 20), SimulationError);
  CHECK(buffer.pop(11, 1) == 14);
  CHECK(buffer.ready_at() == 20);
  CHECK(buffer.front().id == 12);
}

MemoryRequest request_of(std::uint64_t tag, Bytes bytes, bool write) {
  return {.address = 0, .bytes = bytes, .write = write, .tag = tag, .hint = CacheHint::normal};
}

TEST_CASE("a request keeps the client's tag under a number of its own") {
  RequestTable table(2, 2);
  const auto a = table.add(request_of(77, 32, false), 1, 5);
  const auto b = table.add(request_of(77, 64, true), 1, 6);
  CHECK(a != b);
  CHECK_FALSE(table.has_place(1));
  CHECK(table.has_place(0));
  CHECK(table.outstanding() == 2);
  CHECK(table.reach_server(a).request.bytes == 32);
  const auto& entry = table.answered_by(5, {a, 32, false});
  CHECK(entry.client == 1);
  CHECK(entry.request.tag == 77);
  table.leave_server(a);
  CHECK(table.in_stage(RequestTable::Stage::to_client) == 1);
  CHECK(table.finish(a).request.tag == 77);
  CHECK(table.has_place(1));
  CHECK(table.add(request_of(78, 1, false), 1, 0) == a);
}

TEST_CASE("a response that no request waits for is refused") {
  RequestTable table(1, 4);
  const auto id = table.add(request_of(1, 32, false), 0, 3);
  const auto answer = [&](std::size_t server, MemoryResponse response) {
    (void)table.answered_by(server, response);
  };
  CHECK_THROWS_WITH(answer(3, {id, 32, false}), contains("does not have"));  // not there yet
  table.reach_server(id);
  CHECK_THROWS_WITH(answer(2, {id, 32, false}), contains("server 2 sends a response"));
  CHECK_THROWS_WITH(answer(3, {99, 32, false}), contains("to no request"));
  CHECK_THROWS_WITH(answer(3, {id, 31, false}), contains("does not fit"));
  CHECK_THROWS_WITH(answer(3, {id, 32, true}), contains("does not fit"));
  CHECK_NOTHROW(answer(3, {id, 32, false}));
  table.leave_server(id);
  CHECK_THROWS_AS(answer(3, {id, 32, false}), SimulationError);  // a second time
  CHECK_THROWS_AS(table.leave_server(id), SimulationError);
  table.finish(id);
  CHECK_THROWS_AS(answer(3, {id, 32, false}), SimulationError);
}

}  // namespace
}  // namespace tilewave::test
