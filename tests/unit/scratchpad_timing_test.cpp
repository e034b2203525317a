// SPDX-License-Identifier: Apache-2.0
// Whom the banks of a scratchpad serve when, cycle by cycle.
#include <optional>
#include <string>
#include <vector>

#include "support/catch.hpp"

#include "arch/memory/scratchpad/scratchpad.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave::test {
namespace {

/// `words` words of bank 0 (of four banks of four bytes), or of all banks.
StridedAccess of_one_bank(Count words) {
  return {.base_address = 0, .lanes = words, .lane_stride_bytes = 16, .element_bytes = 4};
}
StridedAccess of_all_banks(Count words_each) {
  return {.base_address = 0, .lanes = 4 * words_each, .lane_stride_bytes = 4, .element_bytes = 4};
}

struct Ask {
  std::size_t requester;
  StridedAccess access;
  bool write = false;
  Cycle at = 0;
};

/// The cycle at whose start each access is complete; requesters are "a", "b" and "c", each with one
/// access.
std::vector<Cycle> completions(const ScratchpadParams& params, const std::vector<Ask>& asks) {
  StatGroup root("root");
  Scratchpad scratchpad("spad", params, {"a", "b", "c"}, root);
  std::vector<Cycle> done(asks.size(), kNever);
  for (Cycle now = 0; now < 100; ++now) {
    scratchpad.advance(now);
    for (std::size_t i = 0; i < asks.size(); ++i) {
      if (done[i] == kNever && now > asks[i].at && scratchpad.free(asks[i].requester)) {
        done[i] = now;
      }
    }
    for (const Ask& ask : asks) {
      if (ask.at == now) scratchpad.start(now, ask.requester, ask.access, ask.write);
    }
  }
  scratchpad.check_laws();
  scratchpad.check_drained();
  return done;
}

TEST_CASE("who waits for whom in a bank", "[scratchpad]") {
  struct Case {
    const char* name;
    BankPorts ports;
    BankArbitration arbitration;
    std::vector<Ask> asks;
    std::vector<Cycle> completions;
  };
  using enum BankPorts;
  constexpr auto kFixed = BankArbitration::fixed_priority, kRobin = BankArbitration::round_robin;
  const auto bank1 = StridedAccess{.base_address = 4, .lanes = 1, .element_bytes = 4};
  for (const Case& c : {
           Case{"alone", single, kFixed, {{0, of_one_bank(3)}}, {3}},
           Case{"alone, later", single, kFixed, {{1, of_one_bank(3), false, 7}}, {10}},
           Case{"other banks", single, kFixed, {{0, of_one_bank(3)}, {1, bank1}}, {3, 1}},
           Case{"first comes first",
                single,
                kFixed,
                {{1, of_one_bank(3)}, {0, of_one_bank(2)}},
                {5, 2}},
           Case{"in turn, word by word",
                single,
                kRobin,
                {{0, of_one_bank(3)}, {1, of_one_bank(2)}},
                {5, 4}},
           Case{"three in turn",
                single,
                kRobin,
                {{0, of_one_bank(2)}, {1, of_one_bank(1)}, {2, of_one_bank(2)}},
                {4, 2, 5}},
           Case{"in turn after who was last",
                single,
                kRobin,
                {{0, of_one_bank(1)},
                 {1, of_one_bank(1), false, 1},
                 {0, of_one_bank(1), false, 2},
                 {2, of_one_bank(1), false, 2}},
                {1, 2, 4, 3}},
           Case{"the first in order overtakes",
                single,
                kFixed,
                {{1, of_one_bank(4)}, {0, of_one_bank(2), false, 1}},
                {6, 3}},
           Case{"read and write share a port",
                single,
                kFixed,
                {{0, of_one_bank(2), true}, {1, of_one_bank(2)}},
                {2, 4}},
           Case{"read and write have a port each",
                read_and_write,
                kFixed,
                {{0, of_one_bank(2), true}, {1, of_one_bank(2)}},
                {2, 2}},
           Case{"two reads share the read port",
                read_and_write,
                kFixed,
                {{0, of_one_bank(2)}, {1, of_one_bank(2)}},
                {2, 4}},
           Case{"two writes share the write port",
                read_and_write,
                kRobin,
                {{0, of_one_bank(2), true}, {1, of_one_bank(2), true}},
                {3, 4}},
           Case{"two ports for one", dual, kFixed, {{0, of_one_bank(3)}}, {2}},
           Case{"two ports: the rest for the next",
                dual,
                kFixed,
                {{0, of_one_bank(3)}, {1, of_one_bank(3), true}},
                {2, 3}},
           Case{"two ports, one each",
                dual,
                kRobin,
                {{0, of_one_bank(3)}, {1, of_one_bank(3)}},
                {3, 3}},
           Case{"a vector waits for its last word",
                single,
                kFixed,
                {{0, of_one_bank(4)}, {1, of_all_banks(1)}},
                {4, 5}},
           Case{"all words of all banks", single, kFixed, {{0, of_all_banks(3)}}, {3}},
       }) {
    INFO(c.name);
    CHECK(completions(
              {.banks = 4, .bank_word_bytes = 4, .ports = c.ports, .arbitration = c.arbitration},
              c.asks) == c.completions);
  }
}

struct Two {
  explicit Two(const ScratchpadParams& params) : spad("spad", params, {"a", "b"}, root) {}
  StatGroup root{"root"};
  Scratchpad spad;
};

TEST_CASE("data come after the latency, one vector a cycle", "[scratchpad]") {
  Two t({.banks = 4, .bank_word_bytes = 4, .read_latency_cycles = 5});
  for (Cycle now = 10; now < 20; ++now) {
    t.spad.advance(now);
    REQUIRE(t.spad.free(0));
    if (now > 10) CHECK(t.spad.data_visible(0) == now - 1 + 5);
    t.spad.start(now, 0, of_all_banks(1), false);
  }
  t.spad.advance(20);
  t.spad.start(20, 0, of_all_banks(2), true);
  t.spad.advance(22);
  CHECK(t.spad.data_visible(0) == 22);
  CHECK(t.spad.use(0).vectors == 11);
}

TEST_CASE("the next event is not later than a completion", "[scratchpad]") {
  Two t({.banks = 4, .bank_word_bytes = 4});
  CHECK(t.spad.next_event(0) == kNever);
  t.spad.start(0, 0, of_one_bank(3), false);
  CHECK(t.spad.next_event(0) == 3);
  t.spad.start(0, 1, of_one_bank(2), false);  // could be complete at 2, were it not for a
  CHECK(t.spad.next_event(0) == 2);
  t.spad.advance(2);
  CHECK(t.spad.next_event(2) == 3);
  t.spad.advance(3);
  CHECK(t.spad.free(0));
  CHECK(t.spad.next_event(3) == 5);
  t.spad.advance(5);
  CHECK(t.spad.free(1));
  CHECK(t.spad.next_event(5) == kNever);
}

TEST_CASE("cycles of requesters are ideal, conflict or wait", "[scratchpad]") {
  Two t({.banks = 4, .bank_word_bytes = 4});
  t.spad.start(0, 0, of_one_bank(3), false);                          // 1 + 2
  t.spad.start(0, 1, std::vector<std::uint64_t>{0, 1, 16}, 1, true);  // 1 + 1 + 3
  t.spad.advance(50);
  t.spad.start(50, 1, of_all_banks(2), false);
  t.spad.advance(60);
  t.spad.check_laws();
  CHECK(t.spad.use(0).busy_cycles == 3);
  CHECK(t.spad.use(0).ideal_cycles == 1);
  CHECK(t.spad.use(0).conflict_cycles == 2);
  CHECK(t.spad.use(0).wait_cycles == 0);
  CHECK(t.spad.use(1).busy_cycles == 5 + 2);
  CHECK(t.spad.use(1).ideal_cycles == 1 + 2);
  CHECK(t.spad.use(1).conflict_cycles == 1);
  CHECK(t.spad.use(1).wait_cycles == 3);
  CHECK(t.spad.active_cycles() == 5 + 2);
  CHECK(t.spad.words() == 3 + 2 + 8);
  CHECK(t.spad.words_of_bank(0) == 3 + 2 + 2);
  CHECK(t.spad.words_of_bank(3) == 2);
  CHECK(t.spad.utilisation(7) == Approx(13.0 / 28));

  const auto json = t.root.to_json()["spad"];
  CHECK(json["words"]["value"] == 13);
  CHECK(json["busiest_bank_words"]["value"] == 7);
  CHECK(json["active_cycles"]["value"] == 7);
  CHECK(json["a"]["vectors"]["value"] == 1);
  CHECK(json["b"]["words"]["value"] == 10);
  CHECK(json["b"]["busy_cycles"]["value"] == 7);
  CHECK(json["b"]["conflict_cycles"]["value"] == 1);
  CHECK(json["b"]["wait_cycles"]["value"] == 3);
}

TEST_CASE("a caller that breaks the contract is told", "[scratchpad]") {
  Two t({.banks = 4, .bank_word_bytes = 4, .bank_bytes = 64});
  t.spad.advance(5);
  CHECK_THROWS_AS(t.spad.advance(4), SimulationError);
  CHECK_THROWS_AS(t.spad.start(6, 0, of_one_bank(1), false), SimulationError);
  CHECK_THROWS_AS(t.spad.start(5, 0, of_one_bank(17), false), SimulationError);
  CHECK(t.spad.free(0));
  t.spad.start(5, 0, of_one_bank(2), false);
  CHECK_THROWS_AS(t.spad.start(5, 0, of_one_bank(1), false), SimulationError);
  CHECK_THROWS_WITH(t.spad.check_drained(), contains("a has 2 words open"));
  StatGroup root("root");
  CHECK_THROWS_AS(Scratchpad("x", {.banks = 4}, {}, root), SimulationError);
}

}  // namespace
}  // namespace tilewave::test
