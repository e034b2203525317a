// SPDX-License-Identifier: Apache-2.0
// A program that can never end: the run says who waits for what, and the next run is fine.
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/machines.hpp"

#include "arch/chip/systolic_chip.hpp"

using namespace tilewave;
using namespace tilewave::test;
using namespace tilewave::program;

namespace {

/// A load that fills a stage nobody reads, and a second one that waits for the same stage.
Program stuck_program() {
  Kernel kernel;
  kernel.name = "stuck";
  kernel.tensors.push_back({"A", Space::dram, 0, 64});
  kernel.slots.push_back({"activations", "activation", 1, 32, 1});
  for (int i = 0; i < 2; ++i) {
    Instruction load;
    load.label = "fetch activations";
    load.unit = UnitKind::load;
    load.queue = 1;
    load.region.tensor = 0;
    load.region.shape = program::StridedRows{{}, Span::whole(32)};
    SlotUse use;
    use.acquire = Condition::always();
    use.produce = true;
    load.slots.push_back(use);
    kernel.body.emplace_back(load);
  }
  return {.kernels = {kernel}};
}

}  // namespace

TEST_CASE("a deadlock names who waits for what") {
  const ChipParams chip = resolve(small_machine()).chip;
  std::string message;
  try {
    (void)run_on_chip(chip, stuck_program(), Fidelity::fast);
  } catch (const SimulationError& error) {
    message = error.what();
  }
  CHECK_THAT(message, contains("deadlock"));
  CHECK_THAT(message, contains("core0.dma_activations"));
  CHECK_THAT(message, contains("\"fetch activations\" of kernel \"stuck\""));
  CHECK_THAT(message, contains("a free stage of \"activations\""));
  CHECK(cycles(small_machine(), gemm_workload(4, 4, 4)) > 0);
}

TEST_CASE("a program for a link the machine lacks is refused") {
  Program program = stuck_program();
  program.kernels[0].tensors[0].space = Space::host;
  CHECK_THROWS_WITH(run_on_chip(resolve(small_machine()).chip, program, Fidelity::fast),
                    contains("link that this machine lacks"));
}

TEST_CASE("a run can be stopped from outside") {
  std::atomic<bool> stop{true};
  Diagnostics diagnostics;
  RunRequest request;
  request.arch = resolve(small_machine());
  request.workload = gemm_workload(2000, 100, 100);
  request.stop = &stop;
  CHECK_THROWS_AS(simulate(request), Interrupted);
}
