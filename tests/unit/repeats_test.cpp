// SPDX-License-Identifier: Apache-2.0
// When kernels come again: of the same work, from the same state, as far as both hold.
#include "arch/core/repeats.hpp"

#include <string>

#include "support/catch.hpp"

#include "arch/program/same_kernel.hpp"
#include "sim/statistics.hpp"
#include "sim/timeline.hpp"

using namespace tilewave;
using namespace tilewave::program;

namespace {

/// A kernel a letter: the same letter, the same work.
Program program_of(const std::string& letters) {
  Program program;
  for (const char letter : letters) {
    Kernel kernel;
    kernel.name = "kernel " + std::to_string(program.kernels.size());
    kernel.layer = static_cast<int>(program.kernels.size());
    kernel.tensors = {{.name = "t", .base_address = 64 * program.kernels.size(), .bytes = 64}};
    Instruction load;
    load.label = "load " + kernel.name;
    load.region.tensor = 0;
    load.region.shape = StridedRows{.row_bytes = Span::whole(static_cast<Count>(letter))};
    kernel.body.emplace_back(Loop{.name = "m", .count = 4, .body = {Node{load}}});
    program.kernels.push_back(std::move(kernel));
  }
  return program;
}

/// Asks at each kernel, in the same state; dispatch is `ahead`. The first that comes again: from
/// which, at which, how often.
struct Outcome {
  std::size_t first = 0, now = 0, times = 0;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};
Outcome first_found(const std::string& letters, std::size_t ahead) {
  Repeats repeats(program_of(letters));
  for (std::size_t k = 0; k + ahead < letters.size(); ++k) {
    const auto found =
        repeats.find({7}, {.kernel = k, .now = 10 * k, .log = 0, .statistics = {}}, k + ahead);
    if (found) return {found->first.kernel, k, found->times};
  }
  return {};
}

}  // namespace

TEST_CASE("kernels of the same work: names and addresses do not matter, all else does") {
  const Program p = program_of("aab");
  CHECK(same_work(p.kernels[0], p.kernels[1]));
  CHECK_FALSE(same_work(p.kernels[0], p.kernels[2]));
  CHECK(kernel_classes(program_of("abcab")) == std::vector<int>{0, 1, 2, 0, 1});
  const auto differs = [&](auto&& change) {
    Kernel kernel = p.kernels[0];
    change(kernel, std::get<Instruction>(std::get<Loop>(kernel.body[0]).body[0]));
    return !same_work(kernel, p.kernels[0]);
  };
  CHECK_FALSE(differs([](Kernel&, Instruction& i) { i.label = "another"; }));
  CHECK(differs([](Kernel& k, Instruction&) { k.dtype = DataType::fp16; }));
  CHECK(differs([](Kernel& k, Instruction&) { k.tensors[0].space = Space::host; }));
  CHECK(differs([](Kernel& k, Instruction&) { k.slots.emplace_back(); }));
  CHECK(differs([](Kernel& k, Instruction&) { std::get<Loop>(k.body[0]).count = 5; }));
  CHECK(differs([](Kernel&, Instruction& i) { i.runs_ahead = true; }));
  CHECK(differs([](Kernel&, Instruction& i) { i.when = Condition::no(); }));
  CHECK(differs([](Kernel&, Instruction& i) { i.region.offset_bytes.stride[2] = 1; }));
  CHECK(differs([](Kernel&, Instruction& i) { i.region.shape = GatheredRows{}; }));
  CHECK(differs([](Kernel&, Instruction& i) { i.slots.push_back({.slot = 0, .produce = true}); }));
  CHECK(differs([](Kernel&, Instruction& i) { i.n.factors.push_back(Span::whole(2)); }));
}

TEST_CASE("kernels come again as often as the program says, but for those looked at ahead") {
  // At kernel 1 all is as at kernel 0; the kernels 0, 1, 2, ... are a's: 4 more of 6, and one ahead
  // must still be one of them.
  CHECK(first_found("aaaaaa", 0) == Outcome{0, 1, 4});
  CHECK(first_found("aaaaaa", 1) == Outcome{0, 1, 3});
  CHECK(first_found("aaaaax", 1) == Outcome{0, 1, 2});
  CHECK(first_found("abababab", 0) == Outcome{0, 2, 2});
  CHECK(first_found("xabababab", 0) == Outcome{1, 3, 2});
  CHECK(first_found("abcabd", 0) == Outcome{});
  CHECK(first_found("acabacabacab", 0) == Outcome{0, 4, 1});
  CHECK(first_found("abcdef", 0) == Outcome{});
}

TEST_CASE("another state is another one") {
  Repeats repeats(program_of("aaaaaa"));
  CHECK_FALSE(repeats.find({1}, {.kernel = 0, .now = 0, .log = 0, .statistics = {}}, 0));
  CHECK_FALSE(repeats.find({2}, {.kernel = 1, .now = 9, .log = 0, .statistics = {}}, 1));
  CHECK(repeats.find({1}, {.kernel = 2, .now = 19, .log = 0, .statistics = {}}, 2));
  repeats.forget();
  CHECK_FALSE(repeats.find({1}, {.kernel = 3, .now = 29, .log = 0, .statistics = {}}, 3));
}

TEST_CASE("a timeline repeats what was added, as if it were added again") {
  Timeline repeated(2, 16), added(2, 16);
  repeated.keep_log();
  const auto add = [&](Timeline& to, Cycle shift) {
    to.add(0, 100 + shift, 117 + shift, 3.7);
    to.add(1, 105 + shift, 105 + shift, 11);
  };
  repeated.add(0, 3, 9, 1);
  added.add(0, 3, 9, 1);
  const std::size_t from = repeated.log_size();
  add(repeated, 0);
  repeated.repeat(from, 50, 9);
  for (Cycle i = 0; i < 10; ++i) add(added, i * 50);
  CHECK(repeated.bin_cycles() == added.bin_cycles());
  for (const std::size_t channel : {0U, 1U}) {
    CHECK(repeated.bins(channel, 570) == added.bins(channel, 570));
  }
}

TEST_CASE("statistics take what was counted elsewhere") {
  StatGroup root("chip");
  Count a = 5, b = 7;
  root.count("a", "requests", "a", a);
  root.group("unit").count("b", "bytes", "b", b);
  std::vector<Count> values;
  root.values(values);
  CHECK(values == std::vector<Count>{5, 7});
  values = {10, 20};
  CHECK(root.add(values.data()) == 2);
  a = 6;
  CHECK(root.to_json()["a"]["value"] == 16);
  CHECK(root.to_json()["unit"]["b"]["value"] == 27);
}
