// SPDX-License-Identifier: Apache-2.0
// The cube fold by fold does what the cube block by block does: every answer in every cycle, and the
// numbers; and whole machines with cubes give the same report.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <random>

#include "support/catch.hpp"
#include "support/cube_machine.hpp"
#include "support/products.hpp"
#include "support/random_cases.hpp"

#include "arch/matrix/array_model.hpp"
#include "arch/matrix/cube/cube_timing.hpp"
#include "workloads/workload_json.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

struct Random {
  explicit Random(unsigned seed) : engine(seed) {}
  Count pick(Count least, Count most) { return least + engine() % (most - least + 1); }
  std::mt19937 engine;
};

struct CubeCase {
  ArrayParams params;
  std::vector<FoldShape> folds;
  std::vector<FoldValues> values;
};

CubeCase random_case(unsigned seed) {
  Random r(seed);
  CubeCase c;
  ArrayParams& p = c.params;
  p.rows = r.pick(1, 4), p.cols = r.pick(1, 4);
  p.dataflow = Dataflow::output_stationary;
  p.cube = CubeParams{.depth = r.pick(1, 4),
                      .l0a_bytes = r.pick(200, 800),
                      .l0b_bytes = r.pick(200, 800),
                      .l0a_fill_bytes_per_cycle = r.pick(1, 64),
                      .l0b_fill_bytes_per_cycle = r.pick(1, 64),
                      .latency_cycles = r.pick(1, 9)};
  const Count chains = r.pick(1, 4);
  for (Count chain = 0; chain < chains; ++chain) {
    const Count m = r.pick(1, 9), n = r.pick(1, 9), length = r.pick(1, 3);
    const bool integer = r.pick(0, 1) == 1;
    const CubeOperands operands{.a_bits = 8,
                                .b_bits = 8,
                                .block_depth = p.cube->depth * r.pick(1, 2),
                                .passes = r.pick(1, 3),
                                .l1_bytes_per_cycle = r.pick(0, 1) * r.pick(1, 32)};
    for (Count i = 0; i < length; ++i) {
      const Count k = r.pick(1, 40);
      FoldShape fold{.rows_used = m, .cols_used = n, .stream = k, .interval = operands.passes};
      fold.first = i == 0, fold.last = i + 1 == length;
      fold.cube = cut_fold(p, operands, m, n, k);
      c.folds.push_back(fold);
      const auto fill = [&](auto numbers) {
        numbers.stream.resize(m * k), numbers.stream_top.resize(n * k);
        for (auto* side : {&numbers.stream, &numbers.stream_top}) {
          for (auto& x : *side) {
            x = static_cast<std::decay_t<decltype(x)>>(static_cast<int>(r.pick(0, 255)) - 128);
          }
        }
        c.values.emplace_back(std::move(numbers));
      };
      if (integer) {
        fill(FoldNumbers<std::int32_t, std::int32_t>{});
      } else {
        fill(FoldNumbers<float, float>{});
      }
    }
  }
  return c;
}

/// What a cube answers in each cycle, and its results at the end.
std::string history(ArrayModel& cube, CubeCase c, unsigned seed) {
  Random r(seed + 1);
  std::string text;
  std::size_t begun = 0;
  Cycle held_until = 0;
  for (Cycle now = 0; cube.folds_done() < c.folds.size(); ++now) {
    if (now > 100'000) return "it does not end";
    cube.advance(now);
    if (begun < c.folds.size() && now >= held_until && cube.can_stream(now, c.folds[begun])) {
      cube.start_stream(now, c.folds[begun], &c.values[begun]);
      ++begun;
      // Operands come late, now and then.
      held_until = now + r.pick(0, 1) * r.pick(0, 60);
    }
    text += fmt::format("{}{}{}{}:{},{},{} ",
                        begun < c.folds.size() && cube.can_stream(now, c.folds[begun]) ? 1 : 0,
                        cube.streaming(now) ? 1 : 0, cube.loading(now) ? 1 : 0,
                        cube.in_flight(now) ? 1 : 0, cube.streams_done(), cube.folds_done(),
                        cube.macs_done());
  }
  for (const auto& values : c.values) {
    std::visit(
        [&](const auto& numbers) { text += fmt::format("{} ", fmt::join(numbers.result, ",")); },
        values);
  }
  return text;
}

}  // namespace

TEST_CASE("a cube by closed forms answers as one block by block", "[cube]") {
  constexpr unsigned kCases = 4000;
  for (unsigned seed = 0; seed < kCases; ++seed) {
    const CubeCase c = random_case(seed);
    const std::string fast = history(*make_fold_array(c.params), c, seed);
    const std::string detailed = history(*make_pe_array(c.params), c, seed);
    if (fast != detailed) FAIL("seed " << seed << "\n" << fast << "\n" << detailed);
    CHECK(fast.find("it does not end") == std::string::npos);
  }
}

TEST_CASE("fast and detailed agree on machines with cubes, and the product is right", "[cube]") {
  constexpr int kCases = 300;
  int products = 0, simulated = 0;
  for (int seed = 0; seed < kCases; ++seed) {
    RandomCases cases(static_cast<std::uint64_t>(seed));
    const Json machine = cube_machine(cases);
    const Workload workload = cases.workload();
    INFO("seed " << seed << " " << machine.dump() << to_json(workload).dump());
    const auto ran = run_unless_too_small(machine, workload);
    if (!ran) continue;
    Json fast = *ran;
    ++simulated;
    Json detailed = comparable(run(machine, workload, Fidelity::detailed));
    for (const char* key : {"fidelity", "timeline"}) {
      fast.erase(key);
      detailed.erase(key);
    }
    if (fast != detailed) FAIL(Json::diff(fast, detailed).dump(1).substr(0, 2000));
    for (const Json& layer : fast["layers"]) {
      if (!layer.contains("values")) continue;
      check_product(layer);
      ++products;
    }
  }
  CHECK(simulated > kCases * 7 / 10);
  CHECK(products > kCases / 4);
}

TEST_CASE("several cores share an L2, and each byte is answered", "[cube][l2]") {
  constexpr int kCases = 120;
  int simulated = 0;
  for (int seed = 0; seed < kCases; ++seed) {
    RandomCases cases(static_cast<std::uint64_t>(5000 + seed));
    Json machine = with_l2(cube_machine(cases), cases.one_of<Bytes>({4096, 65536}));
    machine["memory"].erase("host");
    machine["memory"]["dram"] = {
        {"kind", "ddr4"}, {"bandwidth_gb_per_s", 2.0}, {"latency_ns", 50.0}};
    const Workload workload = cases.workload();
    INFO("seed " << seed << " " << machine.dump() << to_json(workload).dump());
    const auto ran = run_unless_too_small(machine, workload);
    if (!ran) continue;
    ++simulated;
    CHECK((*ran)["total"]["l2_read_bytes"].get<Bytes>() > 0);
  }
  CHECK(simulated > kCases * 6 / 10);
}
