// SPDX-License-Identifier: Apache-2.0
// The vector unit: how long instructions take, in which order they start and end.
#include "arch/vector/vector_unit.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"

namespace tilewave::test {
namespace {

using program::Condition;

SystolicCoreParams core_of(Count lanes, Cycle latency) {
  SystolicCoreParams core;
  core.vector = VectorUnitParams{.lanes = lanes, .latency_cycles = latency};
  core.dma.queue_depth = 3;
  return core;
}

/// A vector unit and the instructions it is given.
struct Bench {
  explicit Bench(SystolicCoreParams params) : core(std::move(params)) {}

  Job job(Count elements) {
    return {.kernel = &kernel, .instruction = &instruction, .elements = elements};
  }
  /// All that happens at `now`.
  void step(Cycle now) {
    while (unit.step(
        now, slots, [this](const Job& j) { return j.elements != forbidden; },
        [this](const Job& j, Cycle begin, Cycle end) {
          done.push_back(std::to_string(j.elements) + ": " + std::to_string(begin) + " to " +
                         std::to_string(end));
        })) {
    }
  }
  /// Steps at the cycles the unit asks for, from `now` on; the last of them.
  Cycle run(Cycle now) {
    step(now);
    while (unit.next_event(now) != kNever) {
      REQUIRE(unit.next_event(now) > now);
      now = unit.next_event(now);
      step(now);
    }
    return now;
  }

  SystolicCoreParams core;
  VectorUnit unit{"vector", core};
  program::Kernel kernel;
  program::Instruction instruction;
  SlotTable slots;
  Count forbidden = kNever;  ///< elements of the instruction that earlier kernels hold back
  std::vector<std::string> done;
};
using Done = std::vector<std::string>;

TEST_CASE("an instruction takes its lanes or its ports, whichever is slower", "[vector]") {
  struct Case {
    const char* name;
    Count elements, operations;
    Bytes read_bytes, write_bytes;  ///< of an element
    bool reads_accumulators;
    Cycle cycles;
  };
  auto core = core_of(4, 0);
  core.activation.read_bytes_per_cycle = 8;
  core.activation.write_bytes_per_cycle = 2;
  core.accumulator.read_bytes_per_cycle = 16;
  for (const Case& c : {
           Case{"nothing", 0, 1, 4, 1, false, 0},
           Case{"one element", 1, 1, 1, 1, false, 1},
           Case{"whole rows of lanes", 16, 1, 0, 0, false, 4},
           Case{"a part of a row more", 17, 1, 0, 0, false, 5},
           Case{"nine operations an element, as in 3 x 3 pooling", 16, 9, 0, 0, false, 36},
           Case{"fewer operations than lanes fill a row together", 3, 5, 0, 0, false, 4},
           Case{"read port of the activation buffer", 16, 1, 4, 0, false, 8},
           Case{"read port of the accumulators", 16, 1, 8, 0, true, 8},
           Case{"write port", 16, 1, 4, 1, true, 8},
       }) {
    INFO(c.name);
    Bench bench(core);
    bench.instruction.operations_per_element = c.operations;
    bench.instruction.read_bytes_per_element = c.read_bytes;
    bench.instruction.write_bytes_per_element = c.write_bytes;
    bench.instruction.reads_accumulators = c.reads_accumulators;
    CHECK(vector_cycles(core, c.elements, bench.instruction) == c.cycles);
    bench.unit.push(bench.job(c.elements));
    CHECK(bench.run(10) == 10 + c.cycles);
    CHECK(bench.unit.busy_cycles() == c.cycles);
  }
}

TEST_CASE("latency comes after the last element and overlaps with the next instruction",
          "[vector]") {
  Bench bench(core_of(4, 100));
  bench.unit.push(bench.job(8));
  bench.unit.push(bench.job(12));
  bench.unit.push(bench.job(4));
  CHECK(bench.run(5) == 5 + 2 + 3 + 1 + 100);
  CHECK(bench.done == Done{"8: 5 to 107", "12: 7 to 110", "4: 10 to 111"});
  CHECK(bench.unit.busy_cycles() == 6);
  CHECK(bench.unit.empty());
}

TEST_CASE("an instruction on nothing ends at once, but not before its turn", "[vector]") {
  Bench bench(core_of(4, 100));
  bench.unit.push(bench.job(0));
  bench.step(5);
  CHECK(bench.done == Done{"0: 5 to 5"});
  bench.done.clear();
  bench.unit.push(bench.job(8));
  bench.unit.push(bench.job(0));
  bench.step(10);
  CHECK(bench.done.empty());
  CHECK(bench.run(11) == 112);
  REQUIRE(bench.done.size() == 2);
  CHECK(bench.done[0] == "8: 10 to 112");
}

TEST_CASE("the queue is as deep as the core says", "[vector]") {
  Bench bench(core_of(4, 0));
  CHECK(bench.unit.empty());
  for (const Count elements : {1, 2, 3}) {
    CHECK_FALSE(bench.unit.full());
    bench.unit.push(bench.job(elements));
  }
  CHECK(bench.unit.full());
  CHECK(bench.unit.next_job()->elements == 1);
  CHECK_FALSE(bench.unit.active());
  bench.step(0);
  CHECK(bench.unit.active());
  CHECK(bench.unit.next_job()->elements == 2);  // the first has started
  CHECK(bench.run(0) == 3);
  CHECK(bench.unit.next_job() == nullptr);
}

TEST_CASE("instructions wait for earlier kernels in order", "[vector]") {
  Bench bench(core_of(4, 0));
  bench.forbidden = 8;
  bench.unit.push(bench.job(4));
  bench.unit.push(bench.job(8));
  bench.unit.push(bench.job(12));
  CHECK(bench.run(0) == 1);  // then only another unit can change anything
  CHECK(bench.done == Done{"4: 0 to 1"});
  CHECK_FALSE(bench.unit.active());
  bench.forbidden = kNever;
  CHECK(bench.run(50) == 55);
  CHECK(bench.done == Done{"4: 0 to 1", "8: 50 to 52", "12: 52 to 55"});
}

TEST_CASE("an instruction waits for data and for room, and hands on when it is complete",
          "[vector]") {
  Bench bench(core_of(4, 10));
  bench.kernel.slots = {{"in", "accumulator", 1, 64, 1}, {"out", "activation", 1, 64, 1}};
  bench.kernel.body.emplace_back(program::Instruction{});
  const auto opened = bench.slots.open(bench.kernel);
  const program::Walker walker(bench.kernel);
  program::SlotUse fill, drain;
  fill.acquire = Condition::always();
  fill.produce = true;
  drain.wait = true;
  drain.release = Condition::always();
  const auto bind = [&](std::size_t slot, const program::SlotUse& use) {
    return bench.slots.bind(opened[slot], use, walker);
  };
  const auto work = [&](Count elements, const SlotTable::Binding& in,
                        const SlotTable::Binding& out) {
    Job job = bench.job(elements);
    job.slots = {in, out};
    job.slot_count = 2;
    return job;
  };
  const auto in0 = bind(0, fill), read0 = bind(0, drain), in1 = bind(0, fill);
  const auto read1 = bind(0, drain);
  const auto out0 = bind(1, fill), stored0 = bind(1, drain), out1 = bind(1, fill);
  bench.unit.push(work(4, read0, out0));
  bench.unit.push(work(8, read1, out1));

  CHECK(bench.run(0) == 0);  // no data
  bench.slots.acquire(in0);
  bench.slots.produce(in0);
  bench.step(20);
  CHECK(bench.unit.active());
  CHECK_FALSE(bench.slots.ready(in1));      // still being read
  CHECK_FALSE(bench.slots.ready(stored0));  // not complete
  CHECK(bench.run(21) == 31);
  CHECK(bench.done == Done{"4: 20 to 31"});
  CHECK(bench.slots.ready(in1));
  CHECK(bench.slots.ready(stored0));

  bench.slots.acquire(in1);
  bench.slots.produce(in1);
  CHECK(bench.run(40) == 40);  // data, but no room for the result
  bench.slots.release(stored0);
  CHECK(bench.run(50) == 62);
  CHECK(bench.done.back() == "8: 50 to 62");
}

}  // namespace
}  // namespace tilewave::test
