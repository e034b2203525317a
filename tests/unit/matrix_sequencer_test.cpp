// SPDX-License-Identifier: Apache-2.0
// The sequencer of an array: when folds load and stream, when it gives stages back, why it waits.
// The array is 4 x 4 (FoldArray, tested by itself): WS loads take 4 cycles, a stream of T vectors
// T, results are complete T + 6 cycles after its start; OS results T + 10.
#include "arch/core/matrix_sequencer.hpp"

#include <memory>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace tilewave::test {
namespace {

using program::Condition;
using Role = program::SlotUse::Role;

SystolicCoreParams core_of(Dataflow dataflow) {
  SystolicCoreParams core;
  core.matrix.array.rows = core.matrix.array.cols = 4;
  core.matrix.array.dataflow = dataflow;
  core.matrix.passes = {{DataType::int8, 1}};
  core.weight.store = WeightStore::buffer;
  core.dma.queue_depth = 4;
  return core;
}

/// A sequencer whose operands and results go through slots of one stage each; the test is the
/// producer of the operands and the consumer of the results.
struct Bench {
  explicit Bench(SystolicCoreParams params = core_of(Dataflow::weight_stationary),
                 Count accumulator_stages = 1)
      : core(std::move(params)), unit("matrix", core, make_fold_array(core.matrix.array)) {
    kernel.slots = {{"weights", "weight", 1, 16, 1},
                    {"activations", "activation", 1, 64, 1},
                    {"accumulators", "accumulator", accumulator_stages, 64, 1}};
    kernel.body.emplace_back(program::Instruction{});
    walker = std::make_unique<program::Walker>(kernel);
    opened = slots.open(kernel);
  }

  [[nodiscard]] SlotTable::Binding bind(std::size_t slot, bool fills, Role role) {
    program::SlotUse use;
    use.role = role;
    (fills ? use.acquire : use.release) = Condition::always();
    (fills ? use.produce : use.wait) = true;
    return slots.bind(opened[slot], use, *walker);
  }
  /// What surrounds a fold: its operands' producers and its result's consumer.
  struct Neighbours {
    SlotTable::Binding weights, activations, result;
  };
  /// Queues a fold of m x 4 x 4 MACs, 0 for an empty one.
  Neighbours push(Count m, bool weights_in_slot = true) {
    Neighbours n;
    Job job{.kernel = &kernel, .instruction = &instruction, .m = m, .n = 4, .k = 4};
    const auto add = [&](const SlotTable::Binding& b) { job.slots[job.slot_count++] = b; };
    if (weights_in_slot) {
      n.weights = bind(0, true, Role::plain);
      add(bind(0, false, Role::stationary));
    }
    n.activations = bind(1, true, Role::plain);
    add(bind(1, false, Role::stream));
    add(bind(2, true, Role::result));
    n.result = bind(2, false, Role::plain);
    unit.push(job);
    return n;
  }
  void fill(const SlotTable::Binding& b) {
    slots.acquire(b);
    slots.produce(b);
  }
  /// Runs all cycles up to and with `last`; notes what the sequencer does.
  void run_to(Cycle last) {
    for (; now <= last; ++now) {
      unit.advance(now);
      while (unit.step(
          now, slots, [this](const Job&) { return allowed; },
          [this](const Job&, const FoldShape& shape, Cycle at) {
            did.push_back("stream of " + std::to_string(shape.stream) + " at " +
                          std::to_string(at));
          },
          [this](const Job& job, Cycle, Cycle at) {
            did.push_back("fold of " + std::to_string(job.m) + " complete at " +
                          std::to_string(at));
          })) {
      }
    }
  }
  /// Cycle in which `b` becomes ready, running there.
  Cycle when_ready(const SlotTable::Binding& b) {
    while (!slots.ready(b)) {
      REQUIRE(now < 1000);
      run_to(now);
    }
    return now - 1;
  }
  [[nodiscard]] CycleClass reason() const { return unit.waiting_for(now - 1, slots); }

  SystolicCoreParams core;
  MatrixSequencer unit;
  program::Kernel kernel;
  program::Instruction instruction;
  std::unique_ptr<program::Walker> walker;
  SlotTable slots;
  std::vector<SlotTable::Opened> opened;
  Cycle now = 0;
  bool allowed = true;
  std::vector<std::string> did;
};
using Did = std::vector<std::string>;

TEST_CASE("a fold gives its stages back as the array lets go of them", "[matrix]") {
  Bench bench;
  const auto first = bench.push(8), second = bench.push(8);
  bench.fill(first.weights);
  bench.fill(first.activations);
  CHECK(bench.when_ready(second.weights) == 4);       // loaded
  CHECK(bench.when_ready(second.activations) == 12);  // streamed
  CHECK(bench.when_ready(first.result) == 18);        // complete
  CHECK(bench.did == Did{"stream of 8 at 4", "fold of 8 complete at 18"});
  CHECK(bench.unit.macs_done() == 8 * 4 * 4);
}

TEST_CASE("results take their way into the accumulators, one behind another", "[matrix]") {
  SystolicCoreParams core = core_of(Dataflow::weight_stationary);
  core.matrix.result_latency_cycles = 5;
  Bench bench(core, 2);
  const auto first = bench.push(8), second = bench.push(6);
  bench.fill(first.weights);
  bench.fill(first.activations);
  bench.fill((bench.when_ready(second.weights), second.weights));
  bench.fill((bench.when_ready(second.activations), second.activations));
  bench.run_to(22);
  CHECK(bench.unit.in_flight(22));
  CHECK(bench.when_ready(first.result) == 18 + 5);
  CHECK(bench.when_ready(second.result) == 13 + 6 + 6 + 5);
  CHECK(bench.unit.quiet(bench.now));
}

TEST_CASE("the next weights load while a fold streams", "[matrix]") {
  Bench bench;
  const auto first = bench.push(8), second = bench.push(6);
  bench.fill(first.weights);
  bench.fill(first.activations);
  bench.fill((bench.when_ready(second.weights), second.weights));
  bench.fill((bench.when_ready(second.activations), second.activations));
  bench.run_to(17);
  CHECK(bench.did == Did{"stream of 8 at 4"});  // the accumulator stage is taken
  CHECK(bench.reason() == CycleClass::wait_output);
  bench.run_to(20);
  bench.slots.release(first.result);
  CHECK(bench.when_ready(second.result) == 21 + 6 + 6);
  CHECK(bench.did == Did{"stream of 8 at 4", "fold of 8 complete at 18", "stream of 6 at 21",
                         "fold of 6 complete at 33"});
}

TEST_CASE("weights from a slot load ahead of earlier kernels, streams wait", "[matrix]") {
  Bench bench;
  bench.allowed = false;
  const auto first = bench.push(8), second = bench.push(8);
  bench.fill(first.weights);
  bench.fill(first.activations);
  CHECK(bench.when_ready(second.weights) == 4);
  bench.run_to(30);
  CHECK(bench.did.empty());
  bench.allowed = true;
  CHECK(bench.when_ready(first.result) == 31 + 14);
}

TEST_CASE("weights that an earlier kernel left on chip wait for it", "[matrix]") {
  Bench bench;
  bench.allowed = false;
  const auto fold = bench.push(8, false);
  bench.fill(fold.activations);
  bench.run_to(30);
  CHECK_FALSE(bench.unit.in_flight(30));
  bench.allowed = true;
  CHECK(bench.when_ready(fold.result) == 31 + 4 + 14);
}

TEST_CASE("an empty fold takes no time and keeps its place", "[matrix]") {
  Bench bench;
  const auto first = bench.push(8), empty = bench.push(0), third = bench.push(8);
  for (const auto* fold : {&first, &empty, &third}) {
    bench.when_ready(fold->weights);
    bench.fill(fold->weights);
    bench.when_ready(fold->activations);
    bench.fill(fold->activations);
    bench.when_ready(fold->result);
    bench.slots.release(fold->result);
  }
  // The accumulators are given back, and the next fold is fed, in the cycle after.
  CHECK(bench.did == Did{"stream of 8 at 4", "fold of 8 complete at 18", "fold of 0 complete at 19",
                         "stream of 8 at 24", "fold of 8 complete at 38"});
  CHECK(bench.unit.empty());
  CHECK(bench.unit.macs_done() == 2 * 8 * 4 * 4);
}

TEST_CASE("an output-stationary fold holds both operands while it streams", "[matrix]") {
  Bench bench(core_of(Dataflow::output_stationary));
  const auto first = bench.push(4), second = bench.push(4);
  bench.fill(first.weights);
  bench.fill(first.activations);
  CHECK(bench.when_ready(second.weights) == 4);
  CHECK(bench.slots.ready(second.activations));
  CHECK(bench.when_ready(first.result) == 4 + 10);
  CHECK(bench.did == Did{"stream of 4 at 0", "fold of 4 complete at 14"});
}

TEST_CASE("why the next fold does not stream", "[matrix]") {
  Bench bench;
  const auto first = bench.push(8), second = bench.push(8);
  bench.run_to(0);
  CHECK(bench.reason() == CycleClass::wait_weights);
  bench.fill(first.weights);
  bench.run_to(4);
  CHECK(bench.reason() == CycleClass::weight_load);
  bench.run_to(6);
  CHECK(bench.reason() == CycleClass::wait_activations);
  bench.fill(first.activations);
  bench.run_to(10);  // streams from 7 on
  CHECK(bench.reason() == CycleClass::wait_weights);
  bench.fill(second.weights);
  bench.run_to(16);
  CHECK(bench.reason() == CycleClass::wait_activations);
  bench.fill(second.activations);
  bench.run_to(20);
  CHECK(bench.reason() == CycleClass::wait_output);
  CHECK(bench.unit.next_job()->m == 8);

  Bench os(core_of(Dataflow::output_stationary));
  const auto fold = os.push(4);
  os.run_to(0);
  CHECK(os.reason() == CycleClass::wait_weights);
  os.fill(fold.weights);
  os.run_to(1);
  CHECK(os.reason() == CycleClass::wait_activations);
  os.fill(fold.activations);
  os.run_to(2);
  CHECK(os.unit.next_job() == nullptr);
}

TEST_CASE("without fold overlap the next fold waits for the pipeline", "[matrix]") {
  auto core = core_of(Dataflow::weight_stationary);
  core.matrix.array.fold_overlap = false;
  Bench bench(core, 2);
  const auto first = bench.push(8), second = bench.push(8);
  bench.fill(first.weights);
  bench.fill(first.activations);
  bench.fill((bench.when_ready(second.weights), second.weights));
  bench.fill((bench.when_ready(second.activations), second.activations));
  bench.run_to(15);
  CHECK(bench.reason() == CycleClass::fill_drain);
  bench.run_to(40);
  CHECK(bench.did == Did{"stream of 8 at 4", "fold of 8 complete at 18", "stream of 8 at 18",
                         "fold of 8 complete at 32"});
}

}  // namespace
}  // namespace tilewave::test
