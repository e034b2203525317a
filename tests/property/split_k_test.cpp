// SPDX-License-Identifier: Apache-2.0
// Products whose k is dealt to the cores, on random machines: every product of numbers once, C right,
// fast and detailed the same report, sums counted wherever they go; and the mapper takes such a split
// only where it does not cost.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/cube_machine.hpp"
#include "support/products.hpp"
#include "support/random_cases.hpp"

#include "app/simulate.hpp"
#include "workloads/mapping/lower.hpp"
#include "workloads/ops/epilogue.hpp"
#include "workloads/workload_json.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

/// Few results, long sums.
Op long_product(RandomCases& cases) {
  Op op = cases.gemm("product");
  auto& gemm = std::get<Gemm>(op.shape);
  gemm.m = cases.pick(1, 20), gemm.n = cases.pick(1, 20), gemm.k = cases.pick(1, 300);
  if (cases.pick(0, 3) == 0) gemm.epilogue.push_back(Epilogue::residual);
  if (cases.pick(0, 5) == 0) gemm.ldc = gemm.n + cases.pick(0, 9);
  return op;
}

/// Of several cores, arrays or cubes; activations in memory, so that they may go anywhere.
Json machine_of_cores(RandomCases& cases) {
  Json machine = cases.pick(0, 2) == 0 ? cube_machine(cases) : cases.chip_of_cores();
  machine["cores"] = cases.pick(2, 6);
  machine["mapping"]["core_split_macs"] = 0;
  machine["mapping"]["keep_results"] = cases.pick(0, 1) == 1;
  machine["core"]["buffers"]["activation"]["capacity_bytes"] = cases.one_of<Count>({4096, 65536});
  return machine;
}

bool is_split(const Json& layer) {
  return layer["kernel"].get<std::string>().find("sum of parts") != std::string::npos;
}

Workload of(const Op& op) { return {.name = "split", .ops = {op}}; }

}  // namespace

TEST_CASE("parts of k on cores: fast and detailed agree, and C is the product", "[split_k]") {
  constexpr int kCases = 500;
  int simulated = 0, split = 0, products = 0;
  for (int seed = 0; seed < kCases; ++seed) {
    RandomCases cases(static_cast<std::uint64_t>(70'000 + seed));
    Json machine = machine_of_cores(cases);
    const Count cores = machine["cores"].get<Count>();
    machine["mapping"]["split_k"] = cases.pick(0, 3) == 0 ? 0 : cases.pick(2, cores);
    const Workload workload = of(long_product(cases));
    INFO("seed " << 70'000 + seed << " " << machine.dump() << to_json(workload).dump());
    const auto ran = run_unless_too_small(machine, workload);
    if (!ran) continue;
    ++simulated;
    Json fast = *ran;
    Json detailed = comparable(run(machine, workload, Fidelity::detailed));
    for (const char* key : {"fidelity", "timeline"}) {
      fast.erase(key);
      detailed.erase(key);
    }
    if (fast != detailed) FAIL(Json::diff(fast, detailed).dump(1).substr(0, 2000));
    const Json& layer = fast["layers"][0];
    const OpFacts f = facts(workload.ops[0]);
    CHECK(layer["macs"].get<Count>() == f.macs);
    if (is_split(layer)) ++split;
    if (!layer.contains("values")) continue;
    check_product(layer);
    if (is_split(layer)) ++products;
  }
  CHECK(simulated > kCases * 6 / 10);
  CHECK(split > kCases / 4);
  CHECK(products > kCases / 10);
}

TEST_CASE("parts of k on cores: every product once, and all sums written and read", "[split_k]") {
  constexpr int kCases = 600;
  int split = 0;
  for (int seed = 0; seed < kCases; ++seed) {
    RandomCases cases(static_cast<std::uint64_t>(80'000 + seed));
    Json machine = machine_of_cores(cases);
    machine["mapping"]["layout_lanes"] = machine["mapping"]["layout_sublanes"] = 1;
    machine["mapping"]["split_k"] = cases.pick(2, machine["cores"].get<Count>());
    const Op op = long_product(cases);
    const auto& gemm = std::get<Gemm>(op.shape);
    INFO("seed " << 80'000 + seed << " " << machine.dump() << to_json(of(op)).dump());
    Diagnostics diagnostics;
    const SystolicTarget target = resolve(machine).chip.target();
    const LoweredWorkload lowered = lower(of(op), target, "", diagnostics);
    if (!diagnostics.ok() || lowered.program.kernels.size() != 2) continue;
    const auto& [products, sum] = std::tie(lowered.program.kernels[0], lowered.program.kernels[1]);
    if (sum.name.find("sum of parts") == std::string::npos) continue;
    ++split;

    std::vector<int> times(gemm.batch * gemm.m * gemm.n * gemm.k);
    std::map<std::int64_t, int> parts;  // by where their sums go
    for (Count block = 0; block < products.blocks(); ++block) {
      for (program::Walker w(products, block); w.current() != nullptr; w.next()) {
        const auto& i = *w.current();
        const LoopIndex& at = w.index();
        if (i.unit == program::UnitKind::store && i.region.bytes_at(at) > 0) {
          ++parts[i.region.offset_bytes.at(at) /
                  static_cast<std::int64_t>(gemm.batch * gemm.m * gemm.n * 4)];
        }
        if (i.unit != program::UnitKind::matrix) continue;
        const auto start = [&](const program::Size& s) {
          return static_cast<Count>(s.factors[0].start_at(at));
        };
        const auto batch = static_cast<Count>(i.batch_index.at(at));
        for (Count m = 0; m < i.m.at(at); ++m) {
          for (Count n = 0; n < i.n.at(at); ++n) {
            for (Count k = 0; k < i.k.at(at); ++k) {
              const Count row = batch * gemm.m + start(i.m) + m, col = start(i.n) + n;
              ++times[(row * gemm.n + col) * gemm.k + start(i.k) + k];
            }
          }
        }
      }
    }
    CHECK(std::ranges::all_of(times, [](int t) { return t == 1; }));

    const Count results = gemm.batch * gemm.m * gemm.n, count = parts.size();
    CHECK(count > 1);
    CHECK(count <= target.split_k);
    const auto made = program::count_work(products), added = program::count_work(sum);
    CHECK(made.dram_write_bytes == count * results * 4);
    const bool residual = has_epilogue(gemm.epilogue, Epilogue::residual);
    const Bytes bias =
        has_epilogue(gemm.epilogue, Epilogue::bias)
            ? bytes_for(gemm.batch * gemm.n, is_integer(op.dtype) ? 32 : activation_bits(op.dtype))
            : 0;
    const Bytes c = bytes_for(results, activation_bits(op.dtype));
    // Each core that adds up reads the bias.
    CHECK(added.dram_read_bytes == count * results * 4 + (residual ? c : 0) + sum.blocks() * bias);
    CHECK(added.dram_write_bytes == c);
    const auto casts = target.cast_operations.find(op.dtype);
    const Count converted =
        casts == target.cast_operations.end() ? 0 : casts->second * (residual ? 2 : 1);
    const Count epilogue = target.fused_epilogue ? 1 : 1 + gemm.epilogue.size();
    CHECK(added.vector_operations == results * (count - 1 + epilogue + converted));
  }
  CHECK(split > kCases / 5);
}

TEST_CASE("parts of k on cores that share an L2: each byte is answered, every time", "[split_k]") {
  constexpr int kCases = 150;
  int split = 0;
  for (int seed = 0; seed < kCases; ++seed) {
    RandomCases cases(static_cast<std::uint64_t>(95'000 + seed));
    Json machine = with_l2(machine_of_cores(cases), cases.one_of<Bytes>({4096, 65536}));
    machine["memory"].erase("host");
    machine["memory"]["dram"] = {
        {"kind", "ddr4"}, {"bandwidth_gb_per_s", 2.0}, {"latency_ns", 50.0}};
    machine["mapping"]["split_k"] = cases.pick(2, machine["cores"].get<Count>());
    const Workload workload = of(long_product(cases));
    INFO("seed " << 95'000 + seed << " " << machine.dump() << to_json(workload).dump());
    const auto ran = run_unless_too_small(machine, workload);
    if (!ran) continue;
    const Json& layer = (*ran)["layers"][0];
    if (!is_split(layer)) continue;
    ++split;
    CHECK(layer["traffic"]["l2"]["write_bytes"].get<Bytes>() >
          2 * facts(workload.ops[0]).output_bytes);
    if (layer.contains("values")) check_product(layer);
    CHECK(*ran == comparable(run(machine, workload, Fidelity::fast)));
  }
  CHECK(split > kCases / 4);
}

TEST_CASE("where the mapper deals k to cores, it is not slower for it", "[split_k]") {
  constexpr int kCases = 500;
  int split = 0, slower = 0;
  double with = 0, without = 0;
  for (int seed = 0; seed < kCases; ++seed) {
    RandomCases cases(static_cast<std::uint64_t>(90'000 + seed));
    Json machine = machine_of_cores(cases);
    Op op = long_product(cases);
    auto& gemm = std::get<Gemm>(op.shape);
    gemm.k *= cases.pick(1, 20);
    op.functional = false;
    INFO("seed " << 90'000 + seed << " " << machine.dump() << to_json(of(op)).dump());
    machine["mapping"]["split_k"] = 1;
    const auto whole = run_unless_too_small(machine, of(op));
    if (!whole) continue;
    machine["mapping"]["split_k"] = 0;
    const Json dealt = comparable(run(machine, of(op), Fidelity::fast));
    if (!is_split(dealt["layers"][0])) continue;
    ++split;
    const double one = (*whole)["total"]["cycles"].get<double>();
    const double other = dealt["total"]["cycles"].get<double>();
    with += other, without += one;
    CHECK(other < 1.15 * one);
    if (other > 1.03 * one) ++slower;
  }
  CAPTURE(split, slower, with, without);
  CHECK(split > kCases / 20);
  CHECK(slower * 20 <= split);
  CHECK(with < 0.7 * without);
}
