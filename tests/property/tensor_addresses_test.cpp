// SPDX-License-Identifier: Apache-2.0
// Tensors have addresses: of every instruction of random programs, the bytes lie in its tensor;
// tensors do not overlap; results are written once, weights are read whole.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/random_cases.hpp"

#include "arch/program/run_cursor.hpp"
#include "workloads/mapping/lower.hpp"

namespace tilewave::test {
namespace {

using program::Space;
using program::UnitKind;

/// How often each byte of a kernel's tensors is loaded and stored.
struct Moved {
  std::vector<std::vector<Count>> loads, stores;  ///< by tensor, by byte
};

Moved moved(const program::Kernel& kernel) {
  Moved m;
  for (const auto& tensor : kernel.tensors) {
    m.loads.emplace_back(tensor.space == Space::on_chip ? 0 : tensor.bytes);
    m.stores.emplace_back(m.loads.back().size());
  }
  for (program::Walker walker(kernel); walker.current() != nullptr; walker.next()) {
    const program::Instruction& i = *walker.current();
    if (i.unit != UnitKind::load && i.unit != UnitKind::store) continue;
    auto& counts = (i.unit == UnitKind::load ? m.loads : m.stores)
                       .at(static_cast<std::size_t>(i.region.tensor));
    INFO(kernel.description << ": " << i.label);
    Bytes sum = 0;
    for (program::RunCursor cursor(i.region, walker.index()); !cursor.done();) {
      const auto run = cursor.next(4096);
      REQUIRE(run.offset + run.bytes <= counts.size());
      for (Bytes b = 0; b < run.bytes; ++b) ++counts[run.offset + b];
      sum += run.bytes;
    }
    REQUIRE(sum == i.region.bytes_at(walker.index()));
  }
  return m;
}

Count touched(const std::vector<Count>& counts) {
  return static_cast<Count>(std::ranges::count_if(counts, [](Count n) { return n > 0; }));
}

/// Bytes [begin, end).
struct Interval {
  std::uint64_t begin, end;
  friend auto operator<=>(const Interval&, const Interval&) = default;
};

/// No two tensors share a byte, unless they are one: a result and its reader's input.
void check_no_overlap(const program::Program& program) {
  std::map<Space, std::vector<Interval>> used;
  for (const auto& kernel : program.kernels) {
    for (const auto& t : kernel.tensors) {
      if (t.space != Space::on_chip) {
        used[t.space].push_back({t.base_address, t.base_address + t.bytes});
      }
    }
  }
  for (auto& [space, intervals] : used) {
    std::ranges::sort(intervals);
    for (std::size_t i = 1; i < intervals.size(); ++i) {
      const Interval &a = intervals[i - 1], &b = intervals[i];
      REQUIRE((a.begin == b.begin || a.end <= b.begin));
    }
  }
}

TEST_CASE("random programs move bytes of their tensors, results once") {
  Count kernels = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    INFO("seed " << seed);
    RandomCases cases(seed);
    Json machine = cases.machine();
    machine["mapping"]["weights_layout"] = cases.one_of<const char*>({"tiled", "plain"});
    const Workload workload = cases.workload();
    Diagnostics diagnostics;
    const auto lowered = lower(workload, resolve(machine).chip.target(), "test.json", diagnostics);
    if (!diagnostics.ok()) continue;  // too small for the workload
    check_no_overlap(lowered.program);
    for (std::size_t i = 0; i < lowered.program.kernels.size(); ++i) {
      const program::Kernel& kernel = lowered.program.kernels[i];
      if (kernel.body.empty()) continue;
      INFO(kernel.name << ": " << kernel.description);
      ++kernels;
      const Moved m = moved(kernel);
      for (std::size_t t = 0; t < kernel.tensors.size(); ++t) {
        const std::string& name = kernel.tensors[t].name;
        INFO("tensor " << name);
        const OpFacts& facts = lowered.facts[i];
        if (name == "C" || name == "output") {
          const bool off_chip = kernel.tensors[t].space != Space::on_chip;
          CHECK(std::ranges::all_of(m.stores[t], [](Count n) { return n <= 1; }));
          CHECK(touched(m.stores[t]) == (off_chip ? facts.output_bytes : 0));
        } else {
          CHECK(touched(m.stores[t]) == 0);
        }
        if (name == "B") CHECK(touched(m.loads[t]) == facts.weight_bytes);
      }
    }
  }
  CHECK(kernels > 400);
}

}  // namespace
}  // namespace tilewave::test
