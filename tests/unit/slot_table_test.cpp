// SPDX-License-Identifier: Apache-2.0
// Rings of stages: who waits for space, who for data, and what kernels share.
#include "arch/core/slot_table.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"

#include "sim/diagnostics.hpp"

namespace tilewave::test {
namespace {

using program::Condition;
using program::Kernel;
using program::Slot;
using program::SlotUse;
using program::Walker;

/// A kernel whose one instruction is the place that uses are bound at.
Kernel kernel_of(std::vector<Slot> slots) {
  Kernel kernel;
  kernel.slots = std::move(slots);
  kernel.body.emplace_back(program::Instruction{});
  return kernel;
}

SlotUse producer() {
  SlotUse use;
  use.acquire = Condition::always();
  use.produce = true;
  return use;
}
SlotUse consumer(Count part = 0) {
  SlotUse use;
  use.wait = true;
  use.part = part;
  use.release = Condition::always();
  return use;
}

/// A kernel opened in a table.
struct Opened {
  Opened(SlotTable& the_table, std::vector<Slot> slots)
      : table(the_table),
        kernel(kernel_of(std::move(slots))),
        walker(kernel),
        opened(table.open(kernel)) {}
  [[nodiscard]] SlotTable::Binding bind(const SlotUse& use, std::size_t slot = 0) {
    return table.bind(opened[slot], use, walker);
  }
  SlotTable& table;
  Kernel kernel;
  Walker walker;
  std::vector<SlotTable::Opened> opened;
};

Slot slot_of(Count stages, Count releases = 1, Bytes bytes = 64) {
  return {"tiles", "activation", stages, bytes, releases};
}

TEST_CASE("a producer waits for a free stage, a consumer for its data", "[slots]") {
  SlotTable table;
  Opened k(table, {slot_of(2)});
  const auto p0 = k.bind(producer()), c0 = k.bind(consumer());
  const auto p1 = k.bind(producer()), c1 = k.bind(consumer());
  const auto p2 = k.bind(producer());

  CHECK(table.ready(p0));
  CHECK_FALSE(table.ready(c0));
  table.acquire(p0);
  CHECK_FALSE(table.ready(c0));  // taken, not filled
  CHECK(table.ready(p1));
  table.acquire(p1);
  CHECK_FALSE(table.ready(p2));  // no third stage
  table.produce(p1);
  CHECK_FALSE(table.ready(c0));  // that was the other one
  CHECK(table.ready(c1));
  table.produce(p0);
  CHECK(table.ready(c0));
  table.release(c1);
  CHECK_FALSE(table.ready(p2));  // the next stage of the ring is still taken
  table.release(c0);
  CHECK(table.ready(p2));
  CHECK(table.all_free());
  table.acquire(p2);
  CHECK_FALSE(table.all_free());
  CHECK(table.name(p2.ring) == "tiles");
}

TEST_CASE("a consumer waits for its part of a stage", "[slots]") {
  SlotTable table;
  Opened k(table, {slot_of(1)});
  SlotUse more;
  more.produce = true;
  const auto first = k.bind(producer()), second = k.bind(more), third = k.bind(more);
  const auto use0 = k.bind(consumer(0)), use2 = k.bind(consumer(2));
  table.acquire(first);
  table.produce(first);
  CHECK(table.ready(use0));
  table.produce(second);
  CHECK_FALSE(table.ready(use2));
  table.produce(third);
  CHECK(table.ready(use2));
}

TEST_CASE("a stage with several consumers is free after the last", "[slots]") {
  SlotTable table;
  Opened k(table, {slot_of(1, 3)});
  const auto p0 = k.bind(producer()), c0 = k.bind(consumer()), p1 = k.bind(producer());
  table.acquire(p0);
  table.produce(p0);
  for (int i = 0; i < 3; ++i) {
    CHECK(table.ready(c0));
    CHECK_FALSE(table.ready(p1));
    table.release(c0);
  }
  CHECK(table.ready(p1));
  CHECK_FALSE(table.ready(c0));  // its data is gone
}

TEST_CASE("a consumer that comes late does not read the next data of its stage", "[slots]") {
  SlotTable table;
  Opened k(table, {slot_of(1, 1)});
  const auto p0 = k.bind(producer()), c0 = k.bind(consumer()), p1 = k.bind(producer());
  table.acquire(p0);
  table.produce(p0);
  table.release(c0);
  table.acquire(p1);
  table.produce(p1);
  CHECK_FALSE(table.ready(c0));
}

TEST_CASE("conditions decide where in a loop a stage is taken and given back", "[slots]") {
  Kernel kernel = kernel_of({slot_of(1)});
  kernel.body = {program::Loop{.name = "m", .index = 0, .count = 3, .body = kernel.body}};
  SlotUse use;
  use.acquire.never = false;
  use.acquire.first = 1;
  use.release.never = false;
  use.release.last = 1;
  SlotTable table;
  const auto slot = table.open(kernel)[0];
  std::string taken, given_back;
  for (Walker walker(kernel); walker.current() != nullptr; walker.next()) {
    const auto b = table.bind(slot, use, walker);
    CHECK(b.sequence == 0);  // all of one stage
    taken += b.acquire ? 'x' : '-';
    given_back += b.release ? 'x' : '-';
  }
  CHECK(taken == "x--");
  CHECK(given_back == "--x");
}

TEST_CASE("a use may name its stage by the number of its acquisition in the kernel", "[slots]") {
  SlotTable table;
  Opened first(table, {slot_of(4)});
  for (int i = 0; i < 3; ++i) CHECK(first.bind(producer()).sequence == static_cast<Count>(i));
  Opened second(table, {slot_of(4)});  // the same ring, three stages further
  CHECK(second.bind(producer()).sequence == 3);
  CHECK(second.bind(producer()).sequence == 4);
  SlotUse use = consumer();
  CHECK(second.bind(use).sequence == 4);  // the last one
  use.stage = Affine::constant(0);
  CHECK(second.bind(use).sequence == 3);
  use.stage = Affine::constant(1);
  CHECK(second.bind(use).sequence == 4);
  for (const std::int64_t missing : {2, -4}) {
    use.stage = Affine::constant(missing);
    CHECK_THROWS_AS(second.bind(use), SimulationError);
  }
}

TEST_CASE("kernels with the same slot share its ring", "[slots]") {
  SlotTable table;
  Opened first(table, {slot_of(2)}), second(table, {slot_of(2)});
  const auto p0 = first.bind(producer()), c0 = first.bind(consumer());
  const auto p1 = second.bind(producer()), p2 = second.bind(producer());
  table.acquire(p0);
  table.produce(p0);
  CHECK(table.ready(p1));  // the second stage, while the first kernel still uses the first
  table.acquire(p1);
  CHECK_FALSE(table.ready(p2));
  table.release(c0);
  CHECK(table.ready(p2));
}

TEST_CASE("a slot of another geometry waits until the old one is empty", "[slots]") {
  for (const Slot& other : {slot_of(3), slot_of(2, 2), slot_of(2, 1, 65)}) {
    INFO(other.stages << " stages of " << other.stage_bytes << ", " << other.releases);
    SlotTable table;
    Opened first(table, {slot_of(2)}), second(table, {other}), third(table, {slot_of(2)});
    const auto p0 = first.bind(producer()), c0 = first.bind(consumer());
    const auto q0 = second.bind(producer()), r0 = third.bind(producer());
    table.acquire(p0);
    CHECK_FALSE(table.ready(q0));
    table.produce(p0);
    CHECK_FALSE(table.ready(q0));
    table.release(c0);
    CHECK(table.ready(q0));
    table.acquire(q0);
    CHECK_FALSE(table.ready(r0));  // the geometry of before is a new ring, behind the second
  }
}

TEST_CASE("slots of other names or buffers do not wait for each other", "[slots]") {
  SlotTable table;
  Opened first(table, {slot_of(1)});
  Opened second(table, {{"tiles", "weight", 2, 64, 1}, {"others", "activation", 2, 64, 1}});
  table.acquire(first.bind(producer()));
  CHECK(table.ready(second.bind(producer(), 0)));
  CHECK(table.ready(second.bind(producer(), 1)));
}

TEST_CASE("misuse of a slot is an error that names it", "[slots]") {
  SlotTable table;
  Opened k(table, {slot_of(1)});
  const auto throws = [](const std::string& what) {
    return Catch::Matchers::Message("program: a stage of slot \"tiles\" is " + what);
  };
  CHECK_THROWS_MATCHES(k.bind(consumer()), SimulationError, throws("used before it is acquired"));
  const auto p0 = k.bind(producer()), c0 = k.bind(consumer()), p1 = k.bind(producer());
  CHECK_THROWS_MATCHES(table.produce(p0), SimulationError, throws("filled but not taken"));
  CHECK_THROWS_MATCHES(table.release(c0), SimulationError, throws("given back but not taken"));
  table.acquire(p0);
  CHECK_THROWS_MATCHES(table.acquire(p0), SimulationError, throws("taken but not free"));
  CHECK_THROWS_MATCHES(table.acquire(p1), SimulationError, throws("taken but not free"));
  table.produce(p0);
  table.release(c0);
  CHECK_THROWS_MATCHES(table.release(c0), SimulationError, throws("given back but not taken"));
  table.acquire(p1);
  CHECK_THROWS_MATCHES(table.produce(p0), SimulationError, throws("filled but not taken"));
}

}  // namespace
}  // namespace tilewave::test
