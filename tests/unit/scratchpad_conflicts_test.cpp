// SPDX-License-Identifier: Apache-2.0
// Which bank holds an address, and the cycles a vector access takes, as tables.
#include <cstdint>
#include <vector>

#include "support/catch.hpp"

#include "arch/memory/scratchpad/bank_conflicts.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave::test {
namespace {

std::vector<Count> banks_of_words(const ScratchpadParams& params, Count words) {
  const BankConflicts conflicts(params);
  std::vector<Count> banks;
  for (Count w = 0; w < words; ++w) {
    banks.push_back(conflicts.bank_of(w * params.bank_word_bytes));
    // All bytes of a word are in its bank.
    CHECK(conflicts.bank_of((w + 1) * params.bank_word_bytes - 1) == banks.back());
  }
  return banks;
}

TEST_CASE("the bank of an address", "[scratchpad]") {
  using Banks = std::vector<Count>;
  ScratchpadParams p{.banks = 4, .bank_word_bytes = 8, .bank_bytes = 24};
  CHECK(banks_of_words(p, 12) == Banks{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3});
  p.interleaving = BankInterleaving::blocked;
  CHECK(banks_of_words(p, 12) == Banks{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3});
  p.interleaving = BankInterleaving::xor_swizzled;
  p.bank_bytes = 0;
  p.swizzle = {.bits = 2};
  CHECK(banks_of_words(p, 20) == Banks{0, 1, 2, 3, 1, 0, 3, 2, 2, 3, 0, 1, 3, 2, 1, 0, 0, 1, 2, 3});
  p.swizzle = {.bits = 1, .row_shift = 1, .bank_shift = 1};
  CHECK(banks_of_words(p, 20) == Banks{0, 1, 2, 3, 0, 1, 2, 3, 2, 3, 0, 1, 2, 3, 0, 1, 0, 1, 2, 3});
  CHECK(banks_of_words({.banks = 3, .bank_word_bytes = 6}, 7) == Banks{0, 1, 2, 0, 1, 2, 0});
}

TEST_CASE("a vector access takes the words of its busiest bank", "[scratchpad]") {
  struct Case {
    const char* name;
    std::vector<std::uint64_t> addresses;
    Bytes element_bytes;
    BankPorts ports;
    AccessCost cost;
  };
  const ScratchpadParams four{.banks = 4, .bank_word_bytes = 4};
  using enum BankPorts;
  for (const Case& c : {
           Case{"one lane", {20}, 4, single, {1, 1, 1}},
           Case{"one word each", {0, 4, 8, 12}, 4, single, {4, 1, 1}},
           Case{"in any order", {28, 16, 24, 20}, 4, single, {4, 1, 1}},
           Case{"two words of a bank", {0, 16, 4, 8}, 4, single, {4, 2, 1}},
           Case{"all of one bank", {0, 16, 32, 48}, 4, single, {4, 4, 1}},
           Case{"the same with two ports", {0, 16, 32, 48}, 4, dual, {4, 2, 1}},
           Case{"a port each way does not help", {0, 16, 32, 48}, 4, read_and_write, {4, 4, 1}},
           Case{"three words, two ports", {0, 16, 32}, 4, dual, {3, 2, 1}},
           Case{"all lanes one word: broadcast", {8, 8, 8, 8, 8, 8}, 4, single, {1, 1, 1}},
           Case{"parts of a word: broadcast", {8, 9, 10, 11}, 1, single, {1, 1, 1}},
           Case{"broadcast beside a conflict", {0, 0, 16, 16}, 4, single, {2, 2, 1}},
           Case{"an element across two words", {2}, 4, single, {2, 1, 1}},
           Case{"elements across words share them", {2, 6, 10}, 4, single, {4, 1, 1}},
           Case{"an element across all banks and one more word", {2}, 16, single, {5, 2, 2}},
           Case{"more words than banks are no conflict", {0, 8, 16, 24}, 8, single, {8, 2, 2}},
           Case{"unless uneven", {0, 16, 32, 48}, 8, single, {8, 4, 2}},
       }) {
    INFO(c.name);
    auto params = four;
    params.ports = c.ports;
    BankConflicts conflicts(params);
    CHECK(conflicts.cost(c.addresses, c.element_bytes) == c.cost);
    CHECK(conflicts.access_cycles(c.addresses, c.element_bytes) == c.cost.cycles);
    CHECK(conflicts.cost(c.addresses, c.element_bytes).conflict_cycles() ==
          c.cost.cycles - c.cost.ideal_cycles);
  }
}

TEST_CASE("a stream of vectors takes one after the other, at its interval", "[scratchpad]") {
  struct Case {
    const char* name = "";
    StreamAccess stream;
    Cycle interval = 1;
    StreamCost cost;  // {words, cycles, ideal}, slowest, duration
  };
  const StridedAccess row{
      .base_address = 0, .lanes = 4, .lane_stride_bytes = 4, .element_bytes = 4};
  const StridedAccess col{
      .base_address = 0, .lanes = 4, .lane_stride_bytes = 16, .element_bytes = 4};
  for (const Case& c : {
           Case{"one", {row, 1, 0}, 1, {{4, 1, 1}, 1, 1}},
           Case{"rows", {row, 10, 16}, 1, {{40, 10, 10}, 1, 10}},
           Case{"rows, slowly", {row, 10, 16}, 3, {{40, 10, 10}, 1, 28}},
           Case{"columns", {col, 10, 4}, 1, {{40, 40, 10}, 4, 40}},
           Case{"columns, slowly", {col, 10, 4}, 3, {{40, 40, 10}, 4, 40}},
           // At offsets 0, 2, 0, 2, … of a word: 4 words, 5 words.
           Case{"rows by half words", {row, 5, 18}, 1, {{22, 7, 7}, 2, 7}},
           Case{"rows by half words, slowly", {row, 4, 18}, 3, {{18, 6, 6}, 2, 11}},
           Case{"the same row again",
                {row, 1'000'000'000'000, 0},
                2,
                {{4'000'000'000'000, 1'000'000'000'000, 1'000'000'000'000}, 1, 1'999'999'999'999}},
       }) {
    INFO(c.name);
    BankConflicts conflicts({.banks = 4, .bank_word_bytes = 4});
    const auto cost = conflicts.cost(c.stream, c.interval);
    CHECK(cost.total.words == c.cost.total.words);
    CHECK(cost.total.cycles == c.cost.total.cycles);
    CHECK(cost.total.ideal_cycles == c.cost.total.ideal_cycles);
    CHECK(cost.slowest_cycles == c.cost.slowest_cycles);
    CHECK(cost.duration_cycles == c.cost.duration_cycles);
  }
}

TEST_CASE("accesses that are none, or outside, are refused", "[scratchpad]") {
  BankConflicts conflicts({.banks = 4, .bank_word_bytes = 4, .bank_bytes = 16});
  const StridedAccess row{
      .base_address = 0, .lanes = 4, .lane_stride_bytes = 16, .element_bytes = 4};
  std::vector<Count> words(4);
  CHECK(conflicts.load(row).words == 4);
  const auto refused = [&](auto&& change) {
    auto access = row;
    change(access);
    CHECK_THROWS_AS(conflicts.load(access), SimulationError);
    CHECK_THROWS_AS(conflicts.words_per_bank(access, words), SimulationError);
    CHECK_THROWS_AS(conflicts.cost(StreamAccess{.first = access}), SimulationError);
  };
  refused([](auto& a) { a.lanes = 0; });
  refused([](auto& a) { a.element_bytes = 0; });
  refused([](auto& a) { a.lanes = 5; });
  refused([](auto& a) { a.base_address = 13; });
  const std::vector<std::uint64_t> last{60}, outside{61}, none;
  CHECK(conflicts.access_cycles(last, 4) == 1);
  CHECK_THROWS_AS(conflicts.access_cycles(outside, 4), SimulationError);
  CHECK_THROWS_AS(conflicts.access_cycles(last, 0), SimulationError);
  CHECK_THROWS_AS(conflicts.access_cycles(none, 4), SimulationError);
  CHECK_THROWS_AS(conflicts.cost(StreamAccess{.first = row, .vectors = 0}), SimulationError);
  CHECK(conflicts.cost(StreamAccess{.first = row, .vectors = 4, .step_bytes = 4}).total.words ==
        16);
  CHECK_THROWS_AS(conflicts.cost(StreamAccess{.first = row, .vectors = 5, .step_bytes = 4}),
                  SimulationError);
}

}  // namespace
}  // namespace tilewave::test
