// SPDX-License-Identifier: Apache-2.0
// Where tensors live: producers, what stays on chip and for how long, addresses.
#include "workloads/mapping/tensor_plan.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace tilewave::test {
namespace {

using program::Space;

SystolicTarget target_of(Bytes activation_bytes) {
  SystolicTarget target;
  target.activation.capacity_bytes = activation_bytes;
  target.has_vector_unit = true;
  return target;
}

/// An elementwise op on `elements` bytes; with two names it reads two tensors.
Op step(const std::string& name, Count elements, std::vector<std::string> inputs = {}) {
  const Count operands = std::max<Count>(1, inputs.size());
  return {.name = name,
          .shape = Elementwise{.elements = elements, .operands = operands},
          .inputs = std::move(inputs)};
}

TensorPlan plan(const std::vector<Op>& ops, const SystolicTarget& target) {
  std::vector<OpFacts> all;
  for (const Op& op : ops) all.push_back(facts(op));
  return plan_tensors({.name = "test", .ops = ops}, all, target);
}

std::vector<Bytes> resident(const TensorPlan& plan) {
  std::vector<Bytes> bytes;
  for (const auto& op : plan.ops) bytes.push_back(op.resident_bytes);
  return bytes;
}
using Sizes = std::vector<Bytes>;

TEST_CASE("a chain hands its results on, on chip", "[mapping]") {
  const auto p = plan({step("a", 100), step("b", 100), step("c", 100)}, target_of(800));
  CHECK(p.ops[0].inputs[0].producer == -1);
  CHECK(p.ops[1].inputs[0].producer == 0);
  CHECK(p.ops[2].inputs[0].producer == 1);
  CHECK(p.ops[0].inputs[0].place.space == Space::dram);
  CHECK(p.ops[0].output.on_chip());
  CHECK(p.ops[1].inputs[0].place.on_chip());
  CHECK(p.ops[1].output.on_chip());
  CHECK(p.ops[2].inputs[0].place.on_chip());
  CHECK(p.ops[2].output.space == Space::dram);  // nobody reads it
  CHECK(resident(p) == Sizes{100, 200, 100});
  CHECK(p.spill_bytes == 0);
}

TEST_CASE("an op reads the one before only if the sizes agree", "[mapping]") {
  const auto p = plan({step("a", 100), step("b", 99), step("c", 99, {"input"}), step("d", 99)},
                      target_of(800));
  CHECK(p.ops[1].inputs[0].producer == -1);
  CHECK(p.ops[2].inputs[0].producer == -1);  // it says so
  CHECK(p.ops[3].inputs[0].producer == 2);
  CHECK(p.ops[0].output.space == Space::dram);
  CHECK(p.ops[2].output.on_chip());
}

TEST_CASE("a branch stays on chip until its last reader", "[mapping]") {
  const auto p = plan({step("a", 100), step("b", 100), step("c", 100), step("sum", 100, {"c", "a"}),
                       step("e", 100)},
                      target_of(800));
  CHECK(p.ops[3].inputs[0].producer == 2);
  CHECK(p.ops[3].inputs[1].producer == 0);
  CHECK(p.ops[3].inputs[1].place.on_chip());
  CHECK(resident(p) == Sizes{100, 200, 300, 300, 100});
  // A name that stands for a later op, or for none, is a tensor from outside.
  const auto outside = plan({step("a", 100, {"b", "nobody"}), step("b", 100)}, target_of(800));
  CHECK(outside.ops[0].inputs[0].producer == -1);
  CHECK(outside.ops[0].inputs[1].producer == -1);
  CHECK(outside.ops[0].inputs[1].place.space == Space::dram);
  CHECK(outside.ops[0].inputs[1].place.bytes == 100);
  CHECK(outside.ops[0].inputs[0].place.base_address != outside.ops[0].inputs[1].place.base_address);
}

TEST_CASE("a residual operand is resolved like a second one", "[mapping]") {
  std::vector<Op> ops = {
      step("a", 100),
      {.name = "b", .shape = Gemm{.m = 10, .n = 10, .k = 10}},
      {.name = "c",
       .shape = Gemm{.m = 10, .n = 10, .k = 10, .epilogue = {Epilogue::residual}},
       .inputs = {"b", "a"}}};
  const auto p = plan(ops, target_of(4000));
  CHECK(p.ops[2].inputs[0].producer == 1);
  CHECK(p.ops[2].inputs[1].producer == 0);
  CHECK(resident(p) == Sizes{100, 200, 200});
}

TEST_CASE("results stay as long as 1/8 of the buffer is free for tiles", "[mapping]") {
  // At b the results of a and b are there together: 2 x 350 of 700.
  CHECK(resident(plan({step("a", 350), step("b", 350), step("c", 350)}, target_of(800))) ==
        Sizes{350, 700, 350});
  const auto p = plan({step("a", 351), step("b", 351), step("c", 351)}, target_of(800));
  CHECK(resident(p) == Sizes{351, 351, 0});  // the earlier one has stayed
  CHECK(p.ops[0].output.on_chip());
  CHECK(p.ops[1].output.space == Space::dram);
  CHECK(p.ops[2].inputs[0].place.space == Space::dram);
  CHECK(p.ops[2].inputs[0].place.base_address == p.ops[1].output.base_address);
  CHECK(p.spill_bytes == 351);

  const auto large = plan({step("a", 701), step("b", 701)}, target_of(800));
  CHECK(large.ops[0].output.space == Space::dram);
  CHECK(large.spill_bytes == 701);
  CHECK(resident(large) == Sizes{0, 0});
}

TEST_CASE("a result that finds no room at one of the ops between does not stay", "[mapping]") {
  // c fits at its own op, but not beside d at d's: so d goes, it comes later.
  const auto p = plan({step("a", 300), step("c", 300, {"a"}), step("d", 500, {"a"}),
                       step("e", 300, {"c"}), step("f", 500, {"d"})},
                      target_of(800));
  CHECK(p.ops[0].output.on_chip());
  CHECK(p.ops[1].output.on_chip());
  CHECK(p.ops[2].output.space == Space::dram);
  CHECK(p.spill_bytes == 500);
  CHECK(resident(p) == Sizes{300, 600, 600, 300, 0});
}

TEST_CASE("nothing stays if results are not to be kept or nothing could finish them", "[mapping]") {
  auto off = target_of(800), no_vector_unit = target_of(800);
  off.keep_results = false;
  no_vector_unit.has_vector_unit = false;
  for (const auto& target : {off, no_vector_unit}) {
    const auto p = plan({step("a", 100), step("b", 100)}, target);
    CHECK(p.ops[0].output.space == Space::dram);
    CHECK(p.ops[1].inputs[0].place.base_address == p.ops[0].output.base_address);
    CHECK(p.spill_bytes == 100);
    CHECK(resident(p) == Sizes{0, 0});
  }
  auto unlimited = target_of(0);
  unlimited.activation.unlimited = true;
  CHECK(
      plan({step("a", 1U << 30), step("b", 1U << 30)}, unlimited).ops[1].inputs[0].place.on_chip());
}

TEST_CASE("where DRAM holds weights only, activations live at the host", "[mapping]") {
  auto target = target_of(100);
  target.dram_holds_weights_only = true;
  auto p =
      plan({{.name = "a", .shape = Gemm{.m = 100, .n = 100, .k = 50}}, step("b", 10'000)}, target);
  place_weights(p, 0, 5000, 5000, 0);
  CHECK(p.ops[0].inputs[0].place.space == Space::host);
  CHECK(p.ops[0].weights.space == Space::dram);
  CHECK(p.ops[0].output.space == Space::host);
  CHECK(p.ops[1].output.space == Space::host);
  // Rounded up to whole pages: 5 000 bytes of weights; 5 000, 10 000, 10 000 of activations.
  CHECK(p.dram.used() == 2 * 4096);
  CHECK(p.host.used() == (2 + 3 + 3) * 4096);
}

TEST_CASE("random workloads: every result lies where its readers look, nothing overlaps",
          "[mapping]") {
  std::mt19937_64 random(7);
  const auto pick = [&](Count low, Count high) {
    return std::uniform_int_distribution<Count>(low, high)(random);
  };
  Count kept = 0, spilled = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<Op> ops;
    const Count count = pick(1, 12);
    for (Count i = 0; i < count; ++i) {
      const auto any = [&] { return i == 0 ? "input" : "op" + std::to_string(pick(0, i - 1)); };
      std::vector<std::string> inputs{any()};
      if (pick(0, 2) == 0) inputs.push_back(any());
      ops.push_back(step("op" + std::to_string(i), pick(1, 9000), inputs));
    }
    auto target = target_of(pick(0, 40'000));
    target.dram_holds_weights_only = pick(0, 1) == 1;
    target.tensor_alignment_bytes = pick(0, 1) == 1 ? 4096 : pick(1, 100);
    const auto p = plan(ops, target);

    struct Interval {
      std::uint64_t begin, end;
    };
    std::map<Space, std::vector<Interval>> used;
    const auto place = [&](const Placement& at) {
      if (at.on_chip()) return;
      CHECK(at.base_address % target.tensor_alignment_bytes == 0);
      used[at.space].push_back({at.base_address, at.base_address + at.stored_bytes});
      CHECK(at.stored_bytes >= at.bytes);
    };
    std::vector<Bytes> live(ops.size());
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const auto& t = p.ops[i];
      std::size_t last = i;
      for (std::size_t j = i + 1; j < ops.size(); ++j) {
        for (const InputTensor& input : p.ops[j].inputs) {
          if (input.producer != static_cast<int>(i)) continue;
          REQUIRE(input.place.space == t.output.space);
          REQUIRE(input.place.base_address == t.output.base_address);
          last = j;
        }
      }
      for (const InputTensor& input : t.inputs) {
        if (input.producer < 0) place(input.place);
      }
      place(t.output);
      REQUIRE(!(last == i && t.output.on_chip()));
      if (last > i) ++(t.output.on_chip() ? kept : spilled);
      for (std::size_t j = i; t.output.on_chip() && j <= last; ++j) live[j] += t.output.bytes;
    }
    for (std::size_t i = 0; i < ops.size(); ++i) {
      REQUIRE(p.ops[i].resident_bytes == live[i]);
      REQUIRE(live[i] <= target.activation.capacity_bytes * 7 / 8 + 1);
    }
    for (auto& [space, intervals] : used) {
      std::sort(intervals.begin(), intervals.end(),
                [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
      for (std::size_t i = 1; i < intervals.size(); ++i) {
        REQUIRE(intervals[i - 1].end <= intervals[i].begin);
      }
      REQUIRE(intervals.back().end <= (space == Space::host ? p.host.used() : p.dram.used()));
    }
  }
  CHECK(kept > 100);
  CHECK(spilled > 100);
}

}  // namespace
}  // namespace tilewave::test
