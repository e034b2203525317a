// SPDX-License-Identifier: Apache-2.0
// The order in which a walker runs through loop nests, and the conditions on the way.
#include <random>
#include <string>
#include <vector>

#include "support/catch.hpp"

#include "arch/program/program.hpp"

namespace tilewave::test {
namespace {

using program::Condition;
using program::Instruction;
using program::Kernel;
using program::Loop;
using program::Node;
using program::Walker;

Instruction step(std::string label, Condition when = Condition::always()) {
  Instruction i;
  i.label = std::move(label);
  i.when = when;
  return i;
}
Loop loop(int index, Count count, std::vector<Node> body) {
  return {.name = "l", .index = index, .count = count, .body = std::move(body)};
}
Kernel kernel_of(std::vector<Node> body) {
  Kernel kernel;
  kernel.body = std::move(body);
  return kernel;
}

/// "a00 b01 …": label and the first `depth` indices of each instruction executed.
std::string walk(const Kernel& kernel, std::size_t depth) {
  std::string text;
  for (Walker w(kernel); w.current() != nullptr; w.next()) {
    if (!text.empty()) text += ' ';
    text += w.current()->label;
    for (std::size_t i = 0; i < depth; ++i) text += std::to_string(w.index()[i]);
  }
  return text;
}

TEST_CASE("instructions before, in and after loops", "[program]") {
  CHECK(walk(kernel_of({}), 0).empty());
  CHECK(walk(kernel_of({step("a"), step("b")}), 0) == "a b");
  CHECK(walk(kernel_of({step("a"), loop(0, 2, {step("b"), step("c")}), step("d")}), 1) ==
        "a0 b0 c0 b1 c1 d0");
  CHECK(walk(kernel_of({loop(0, 2, {step("a"), loop(1, 3, {step("b")}), step("c")})}), 2) ==
        "a00 b00 b01 b02 c00 a10 b10 b11 b12 c10");
  // Loops one after the other may use the same index.
  CHECK(walk(kernel_of({loop(0, 2, {step("a")}), loop(0, 3, {step("b")})}), 1) == "a0 a1 b0 b1 b2");
  // An inner loop may have the lower index.
  CHECK(walk(kernel_of({loop(1, 2, {loop(0, 2, {step("a")})})}), 2) == "a00 a10 a01 a11");
}

TEST_CASE("loops of no iterations and of no instructions", "[program]") {
  CHECK(walk(kernel_of({loop(0, 0, {step("a")})}), 1).empty());
  CHECK(walk(kernel_of({step("a"), loop(0, 0, {step("b")}), step("c")}), 1) == "a0 c0");
  CHECK(walk(kernel_of({loop(0, 2, {step("a"), loop(1, 0, {step("b")})})}), 2) == "a00 a10");
  CHECK(walk(kernel_of({loop(0, 0, {loop(1, 5, {step("a")})}), step("b")}), 2) == "b00");
  CHECK(walk(kernel_of({loop(0, 3, {}), step("a")}), 1) == "a0");
  CHECK(walk(kernel_of({loop(0, 2, {loop(1, 2, {})}), step("a")}), 2) == "a00");
}

TEST_CASE("an instruction is executed when its condition holds", "[program]") {
  const Condition first{.first = 1}, last{.last = 1}, more{.not_last = 1};
  CHECK(walk(kernel_of({loop(0, 3,
                             {step("a", first), step("b", last), step("c", more),
                              step("d", Condition::no()), step("e")})}),
             1) == "a0 c0 e0 c1 e1 b2 e2");
  // A single iteration is the first and the last.
  CHECK(walk(kernel_of({loop(0, 1, {step("a", first), step("b", last), step("c", more)})}), 1) ==
        "a0 b0");
  // Bits of several loops must hold together.
  CHECK(walk(kernel_of({loop(0, 2, {loop(1, 2, {step("a", {.first = 1, .last = 2})})})}), 2) ==
        "a01");
  // All of a body may be left out, also at the end of a kernel.
  CHECK(walk(kernel_of({loop(0, 4, {step("a", Condition::no())})}), 1).empty());
}

TEST_CASE("a loop that is not entered is in its first and its last iteration", "[program]") {
  const Condition first{.first = 2}, last{.last = 2}, more{.not_last = 2};
  const auto outside = [&](const char* name) {
    const std::string n = name;
    return std::vector<Node>{step(n + "f", first), step(n + "l", last), step(n + "m", more)};
  };
  std::vector<Node> body = outside("before-");
  body.emplace_back(loop(1, 3, {step("in", first)}));
  for (const Node& node : outside("after-")) body.push_back(node);
  CHECK(walk(kernel_of({loop(0, 1, body)}), 0) == "before-f before-l in after-f after-l");
}

TEST_CASE("the deepest nest", "[program]") {
  std::vector<Node> body{step("a")};
  for (int i = kMaxLoops - 1; i >= 0; --i) body = {loop(i, 3, std::move(body))};
  const Kernel kernel = kernel_of(std::move(body));
  Count count = 0;
  for (Walker w(kernel); w.current() != nullptr; w.next()) {
    Count number = 0;
    for (std::size_t i = 0; i < kMaxLoops; ++i) {
      number = 3 * number + static_cast<Count>(w.index()[i]);
    }
    REQUIRE(number == count);
    ++count;
  }
  CHECK(count == 6561);  // 3^8
}

/// A random body and what executing it comes to, written down by plain recursion.
class RandomProgram {
 public:
  explicit RandomProgram(std::uint64_t seed) : random_(seed) {}

  std::vector<Node> body(int depth) {
    std::vector<Node> nodes;
    for (int i = pick(0, 3); i > 0; --i) {
      if (depth < kMaxLoops && pick(0, 1) == 0) {
        nodes.emplace_back(loop(depth, static_cast<Count>(pick(0, 3)), body(depth + 1)));
      } else {
        nodes.emplace_back(step(std::to_string(++labels_), condition()));
      }
    }
    return nodes;
  }

  struct Place {
    LoopIndex index{};
    std::array<Count, kMaxLoops> count{};  ///< 0: not entered
  };
  static void execute(const std::vector<Node>& nodes, Place place, std::vector<std::string>& out) {
    for (const Node& node : nodes) {
      if (const auto* l = std::get_if<Loop>(&node)) {
        const auto p = static_cast<std::size_t>(l->index);
        Place inside = place;
        inside.count[p] = l->count;
        for (Count i = 0; i < l->count; ++i) {
          inside.index[p] = static_cast<std::int64_t>(i);
          execute(l->body, inside, out);
        }
      } else if (const auto& i = std::get<Instruction>(node); holds(i.when, place)) {
        out.push_back(text(i, place.index));
      }
    }
  }
  static std::string text(const Instruction& i, const LoopIndex& index) {
    std::string words = i.label;
    for (const auto x : index) words += ' ' + std::to_string(x);
    return words;
  }

 private:
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  Condition condition() {
    if (pick(0, 1) == 0) return Condition::always();
    if (pick(0, 9) == 0) return Condition::no();
    const auto bits = [&] { return static_cast<std::uint8_t>(pick(0, 255) & pick(0, 255)); };
    return {.first = static_cast<std::uint8_t>(bits() & bits()),
            .last = static_cast<std::uint8_t>(bits() & bits()),
            .not_last = static_cast<std::uint8_t>(pick(0, 3) == 0 ? 1U << pick(0, 7) : 0U)};
  }
  static bool holds(const Condition& c, const Place& place) {
    if (c.never) return false;
    for (std::size_t i = 0; i < kMaxLoops; ++i) {
      const bool entered = place.count[i] > 0;
      const auto index = static_cast<Count>(place.index[i]);
      const bool first = !entered || index == 0, last = !entered || index + 1 == place.count[i];
      if (((c.first >> i) & 1) != 0 && !first) return false;
      if (((c.last >> i) & 1) != 0 && !last) return false;
      if (((c.not_last >> i) & 1) != 0 && last) return false;
    }
    return true;
  }

  std::mt19937_64 random_;
  int labels_ = 0;
};

TEST_CASE("random programs in the order of plain loops", "[program]") {
  Count executed = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    INFO("seed " << seed);
    const Kernel kernel = kernel_of(RandomProgram(seed).body(0));
    std::vector<std::string> expected, walked;
    RandomProgram::execute(kernel.body, {}, expected);
    for (Walker w(kernel); w.current() != nullptr; w.next()) {
      walked.push_back(RandomProgram::text(*w.current(), w.index()));
    }
    REQUIRE(walked == expected);
    executed += walked.size();
  }
  CHECK(executed > 1000);
}

}  // namespace
}  // namespace tilewave::test
