// SPDX-License-Identifier: Apache-2.0
// The chosen mapping and the kernel built from it, on random problems and machines of all
// dataflows: everything fits, everything is computed once, and the traffic is as predicted.
#include <map>
#include <optional>
#include <string>

#include "support/catch.hpp"
#include "support/random_cases.hpp"

#include "arch/program/run_cursor.hpp"
#include "workloads/mapping/matrix_kernel.hpp"

namespace tilewave::test {
namespace {

using program::Space;
using program::UnitKind;

/// A matrix op on a machine, mapped if that is possible.
struct Mapped {
  Mapped(Op the_op, SystolicTarget the_target, bool a_resident, bool c_resident)
      : op(std::move(the_op)), target(std::move(the_target)), problem(op) {
    const OpFacts f = facts(op);
    tensors.inputs.push_back(
        {-1, {a_resident ? Space::on_chip : Space::dram, 0, f.inputs[0].bytes}});
    tensors.weights = {Space::dram, 1U << 20, f.weight_bytes};
    const bool residual = f.inputs.size() > 1;
    if (residual) {
      tensors.residual = {Space::dram, 2U << 20, f.inputs[1].bytes};
      tensors.inputs.push_back({-1, tensors.residual});
    }
    tensors.output = {c_resident ? Space::on_chip : Space::dram, 3U << 20, f.output_bytes};
    const MatrixContext context{.target = target,
                                .activation_budget_bytes = target.activation.capacity_bytes,
                                .a_resident = a_resident,
                                .c_resident = c_resident,
                                .residual_fetched = residual && target.has_vector_unit};
    mapping = choose_mapping(problem, context, why);
    if (mapping)
      kernel = build_matrix_kernel({op.name, 0, op.dtype}, problem, *mapping, context, tensors);
  }

  Op op;
  SystolicTarget target;
  MatrixProblem problem;
  OpTensors tensors;
  std::optional<MatrixMapping> mapping;
  program::Kernel kernel;
  Fault why;
};

bool is_matrix_op(const Op& op) {
  return std::holds_alternative<Gemm>(op.shape) || std::holds_alternative<Conv2d>(op.shape);
}

/// A random matrix op; one in four adds a residual.
Op random_op(RandomCases& cases) {
  for (;;) {
    for (Op op : cases.workload().ops) {
      if (!is_matrix_op(op)) continue;
      if (cases.pick(0, 3) == 0) {
        auto* gemm = std::get_if<Gemm>(&op.shape);
        (gemm != nullptr ? gemm->epilogue : std::get<Conv2d>(op.shape).epilogue)
            .push_back(Epilogue::residual);
      }
      return op;
    }
  }
}

/// Calls `check` for each random case that can be mapped.
template <typename Check>
void for_each_mapped(int count, Check&& check) {
  std::map<Dataflow, int> mapped;
  for (int seed = 0; seed < count; ++seed) {
    RandomCases cases(static_cast<std::uint64_t>(20'000 + seed));
    auto target = resolve(cases.machine()).chip.target();
    if (cases.pick(0, 1) == 0) target.activation.capacity_bytes = cases.pick(30, 1500);
    const bool keeps = target.has_vector_unit;
    const Mapped m(random_op(cases), target, keeps && cases.pick(0, 3) == 0,
                   keeps && cases.pick(0, 3) == 0);
    if (!m.mapping) continue;
    ++mapped[target.dataflow];
    INFO("seed " << 20'000 + seed << ": " << m.kernel.description);
    check(m);
  }
  CHECK(mapped[Dataflow::weight_stationary] > count / 3);
  CHECK(mapped[Dataflow::output_stationary] > count / 6);
  CHECK(mapped[Dataflow::input_stationary] > count / 6);
}

TEST_CASE("the slots of a mapped op fit its buffers", "[mapping]") {
  for_each_mapped(3000, [](const Mapped& m) {
    std::map<std::string, Bytes> used;
    Count weight_tiles = 0;
    for (const auto& slot : m.kernel.slots) {
      used[slot.buffer] += slot.stages * slot.stage_bytes;
      if (slot.buffer == "weight") weight_tiles += slot.stages;
    }
    REQUIRE(m.target.activation.fits(used["activation"]));
    REQUIRE(m.target.accumulator.fits(used["accumulator"]));
    switch (m.target.weights) {
      case SystolicTarget::Weights::buffer:
        REQUIRE(m.target.weight.fits(used["weight"]));
        break;
      case SystolicTarget::Weights::fifo:
        REQUIRE(weight_tiles <= m.target.fifo_tiles);
        break;
      case SystolicTarget::Weights::shared:
        REQUIRE(used["weight"] == 0);
        break;
    }
  });
}

TEST_CASE("every tile fits the stage it goes to", "[mapping]") {
  for_each_mapped(3000, [](const Mapped& m) {
    for (program::Walker w(m.kernel); w.current() != nullptr; w.next()) {
      const auto& i = *w.current();
      Bytes bytes = 0;
      if (i.unit == UnitKind::load) {
        bytes = i.region.bytes_at(w.index());
      } else if (i.unit == UnitKind::vector) {
        bytes = i.elements.at(w.index()) * i.write_bytes_per_element;
      } else if (i.unit == UnitKind::matrix) {
        const Count rows =
            m.target.dataflow == Dataflow::input_stationary ? i.n.at(w.index()) : i.m.at(w.index());
        bytes = rows * bytes_for(m.target.cols, accumulator_bits(m.op.dtype));
      }
      for (const auto& use : i.slots) {
        if (!use.produce) continue;
        const auto& slot = m.kernel.slots[static_cast<std::size_t>(use.slot)];
        INFO(i.label << " into " << slot.name);
        REQUIRE(bytes <= slot.stage_bytes);
      }
    }
  });
}

TEST_CASE("every product once, and the bytes that were predicted", "[mapping]") {
  for_each_mapped(3000, [](const Mapped& m) {
    std::map<std::string, Bytes> moved;
    for (program::Walker w(m.kernel); w.current() != nullptr; w.next()) {
      const auto& i = *w.current();
      if (i.unit == UnitKind::load || i.unit == UnitKind::store) {
        moved[i.label] += i.region.bytes_at(w.index());
      }
    }
    const auto work = program::count_work(m.kernel);
    const OpFacts f = facts(m.op);
    REQUIRE(work.macs == f.macs);
    REQUIRE(moved["fetch activations"] == m.mapping->a.traffic_bytes);
    REQUIRE(moved["fetch weights"] == m.mapping->b.traffic_bytes);
    REQUIRE(moved["fetch bias"] == m.problem.bias_bytes);
    REQUIRE(moved["fetch residual"] ==
            (f.inputs.size() > 1 && m.target.has_vector_unit ? f.inputs[1].bytes : 0));
    REQUIRE(moved["store results"] == (m.tensors.output.on_chip() ? 0 : f.output_bytes));
    REQUIRE(work.dram_read_bytes == moved["fetch activations"] + moved["fetch weights"] +
                                        moved["fetch bias"] + moved["fetch residual"]);
    REQUIRE(work.dram_write_bytes == moved["store results"]);
    if (m.target.has_vector_unit) REQUIRE(work.vector_operations >= f.output_elements);
  });
}

/// The number after `word` in a message.
Count number_after(const std::string& text, const std::string& word) {
  const auto at = text.find(word);
  REQUIRE(at != std::string::npos);
  return std::stoull(text.substr(at + word.size()));
}

TEST_CASE("a buffer that is too small is named, with the bytes that would do", "[mapping]") {
  std::map<std::string, int> named;
  for (int seed = 0; seed < 3000; ++seed) {
    RandomCases cases(static_cast<std::uint64_t>(30'000 + seed));
    auto target = resolve(cases.machine()).chip.target();
    const Op op = random_op(cases);
    const bool a_resident = cases.pick(0, 3) == 0;
    TargetBuffer& small = *cases.one_of<TargetBuffer*>(
        {&target.activation, &target.accumulator, &target.weight, &target.weight});
    small.capacity_bytes = cases.pick(0, 200);
    const Mapped failed(op, target, a_resident, false);
    if (failed.mapping) continue;
    const std::string& why = failed.why.message;
    INFO("seed " << 30'000 + seed << ": " << failed.why.path << ": " << why);
    // The buffer that is named: with the bytes it asks for the op can be mapped, or the next
    // buffer is the one that is too small; with a byte less the answer is the same.
    TargetBuffer& buffer = failed.why.path == "core.buffers.activation"    ? target.activation
                           : failed.why.path == "core.buffers.accumulator" ? target.accumulator
                                                                           : target.weight;
    if (&buffer == &target.weight) REQUIRE(failed.why.path == "core.buffers.weight");
    ++named[failed.why.path];
    const Bytes needed = number_after(why, "too small for one tile: ");
    REQUIRE(number_after(why, "are needed, ") == buffer.capacity_bytes);
    REQUIRE(needed > buffer.capacity_bytes);
    buffer.capacity_bytes = needed;
    const Mapped enough(op, target, a_resident, false);
    REQUIRE((enough.mapping || enough.why.path != failed.why.path));
    buffer.capacity_bytes = needed - 1;
    const Mapped less(op, target, a_resident, false);
    REQUIRE_FALSE(less.mapping);
    REQUIRE(less.why.path == failed.why.path);
  }
  CHECK(named["core.buffers.activation"] > 50);
  CHECK(named["core.buffers.accumulator"] > 50);
  CHECK(named["core.buffers.weight"] > 50);
}

TEST_CASE("arrays share the tiles of a short weight FIFO", "[mapping]") {
  auto target = resolve(with(small_machine(), {"core.matrix_unit.count=3"})).chip.target();
  target.weights = SystolicTarget::Weights::fifo;
  target.fifo_tiles = 2;
  const Op op = gemm_workload(8, 24, 8).ops[0];
  const Mapped mapped(op, target, false, false);
  REQUIRE(mapped.mapping);
  CHECK(mapped.mapping->split_m);  // tiles of n would need one each
}

TEST_CASE("the tiles that arrays take side by side come in as one, one after another",
          "[mapping]") {
  Json machine = with(small_machine(), {"core.matrix_unit.count=3"});
  machine["core"]["buffers"]["weight"] = {{"shared_with", "activation"}};
  const auto target = resolve(machine).chip.target();
  REQUIRE(target.weights == SystolicTarget::Weights::shared);
  // One row, 7 tiles of n: rounds of 3, 3 and 1 tiles; k in 5 tiles.
  const Mapped mapped(gemm_workload(1, 28, 20).ops[0], target, false, false);
  REQUIRE(mapped.mapping);
  REQUIRE_FALSE(mapped.mapping->split_m);
  REQUIRE(mapped.mapping->units == 3);
  CHECK(mapped.mapping->b_abreast == 3);
  const auto at = [&](const program::Tensor& t) { return t.name == "B"; };
  const auto b = std::ranges::find_if(mapped.kernel.tensors, at) - mapped.kernel.tensors.begin();
  std::int64_t end = 0;
  Count loads = 0;
  Bytes bytes = 0;
  for (program::Walker w(mapped.kernel); w.current() != nullptr; w.next()) {
    const auto& i = *w.current();
    if (i.unit != UnitKind::load || i.region.tensor != b) continue;
    program::RunCursor cursor(i.region, w.index());
    for (Bytes left = i.region.bytes_at(w.index()); left > 0;) {
      const auto run = cursor.next(left);
      if (loads <= 10) CHECK(static_cast<std::int64_t>(run.offset) == end);
      end = static_cast<std::int64_t>(run.offset + run.bytes);
      left -= run.bytes;
      bytes += run.bytes;
    }
    ++loads;
  }
  CHECK(loads == 3 * 5);
  CHECK(bytes == 28 * 20);
}

}  // namespace
}  // namespace tilewave::test
