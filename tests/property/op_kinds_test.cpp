// SPDX-License-Identifier: Apache-2.0
// Ops of every kind on random machines: audited, fast = detailed, each byte of the result once.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/random_ops.hpp"

#include "arch/program/run_cursor.hpp"
#include "workloads/mapping/lower.hpp"
#include "workloads/ops/facts.hpp"

namespace tilewave::test {
namespace {

constexpr std::uint64_t kSeeds = 25;

/// Calls visit(machine, workload) for random machines, each with one op of every kind in turn.
template <typename Visit>
void for_each_kind(Visit&& visit) {
  for (Count kind = 0; kind < kRandomOpKinds; ++kind) {
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      RandomCases cases(seed * kRandomOpKinds + kind);
      Json machine = cases.machine();
      const Op op = random_op(cases, kind, "op");
      INFO("kind " << kind << ", seed " << seed << ": " << kind_name(op.shape));
      REQUIRE(check_shape(op.shape).empty());
      visit(machine, Workload{.name = "one", .ops = {op}});
    }
  }
}

TEST_CASE("ops of every kind: fast and detailed agree, every law holds") {
  Count simulated = 0, tried = 0;
  for_each_kind([&](const Json& machine, const Workload& workload) {
    ++tried;
    Json fast;
    try {
      fast = comparable(run(machine, workload));
    } catch (const ConfigError&) {
      return;  // too small for the workload
    }
    ++simulated;
    Json detailed = comparable(run(machine, workload, Fidelity::detailed));
    fast.erase("fidelity");
    detailed.erase("fidelity");
    if (fast != detailed) FAIL(Json::diff(fast, detailed).dump(1).substr(0, 2000));
  });
  CHECK(simulated * 10 > tried * 7);
}

TEST_CASE("ops of every kind: bytes lie in their tensors, the result is written once") {
  Count checked = 0;
  for_each_kind([&](const Json& machine, const Workload& workload) {
    Diagnostics diagnostics;
    const auto target = resolve(machine).chip.target();
    const auto lowered = lower(workload, target, "test.json", diagnostics);
    if (!diagnostics.ok() || !target.has_vector_unit) return;
    const Placement& out = lowered.tensors.ops[0].output;
    if (out.on_chip()) return;
    std::vector<Count> writes(out.stored_bytes);
    for (const program::Kernel& kernel : lowered.program.kernels) {
      for (program::Walker walker(kernel); walker.current() != nullptr; walker.next()) {
        const program::Instruction& i = *walker.current();
        const bool store = i.unit == program::UnitKind::store;
        if (!store && i.unit != program::UnitKind::load) continue;
        const auto& tensor = kernel.tensors[static_cast<std::size_t>(i.region.tensor)];
        INFO(kernel.name << ", " << i.label << " of " << tensor.name << ": " << tensor.bytes);
        for (program::RunCursor cursor(i.region, walker.index()); !cursor.done();) {
          const auto run = cursor.next(4096);
          REQUIRE(run.offset + run.bytes <= tensor.bytes);
          const std::uint64_t address = tensor.base_address + run.offset;
          if (!store || tensor.space != out.space || address < out.base_address) continue;
          for (Bytes b = address - out.base_address;
               b < address - out.base_address + run.bytes && b < writes.size(); ++b) {
            ++writes[b];
          }
        }
      }
    }
    ++checked;
    CHECK(std::ranges::all_of(writes, [](Count n) { return n <= 1; }));
    CHECK(static_cast<Bytes>(std::ranges::count(writes, Count{1})) ==
          lowered.facts[0].output_bytes);
  });
  CHECK(checked > 200);
}

}  // namespace
}  // namespace tilewave::test
