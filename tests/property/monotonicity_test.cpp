// SPDX-License-Identifier: Apache-2.0
// A better machine is not slower.
#include <fmt/format.h>

#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "support/catch.hpp"

#include "support/random_cases.hpp"

using namespace tilewave;
using namespace tilewave::test;

TEST_CASE("explore") {
  struct Better { const char* name; std::function<void(Json&)> apply; };
  const std::vector<Better> betters{
      {"dram bandwidth x2", [](Json& m) { auto& d = m["memory"]["dram"]; if (d.contains("bandwidth_gb_per_s")) d["bandwidth_gb_per_s"] = d["bandwidth_gb_per_s"].get<double>() * 2; }},
      {"latency 0", [](Json& m) { auto& d = m["memory"]["dram"]; if (d.contains("latency_ns")) d["latency_ns"] = 0.0; }},
      {"activation x2", [](Json& m) { auto& d = m["core"]["buffers"]["activation"]["capacity_bytes"]; d = d.get<Count>() * 2; }},
      {"accumulator x2", [](Json& m) { auto& d = m["core"]["buffers"]["accumulator"]["capacity_bytes"]; d = d.get<Count>() * 2; }},
      {"overlap", [](Json& m) { m["core"]["matrix_unit"]["fold_overlap"] = true; }},
      {"double buffer", [](Json& m) { m["core"]["matrix_unit"]["weight_double_buffer"] = true; }},
      {"lanes x2", [](Json& m) { auto& d = m["core"]["vector_unit"]["lanes"]; d = d.get<Count>() * 2; }},
      {"outstanding x2", [](Json& m) { auto& d = m["core"]["dma"]["outstanding"]; d = d.get<Count>() * 2; }},
      {"queue x2", [](Json& m) { auto& d = m["core"]["dma"]["queue_depth"]; d = d.get<Count>() * 2; }},
  };
  std::map<std::string, std::vector<double>> worse;
  std::map<std::string, int> n;
  for (int seed = 0; seed < 400; ++seed) {
    RandomCases cases(static_cast<std::uint64_t>(seed));
    const Json machine = cases.machine();
    Workload workload = cases.workload();
    for (auto& op : workload.ops) op.functional = false;
    Cycle base = 0;
    try { base = cycles(machine, workload); } catch (const ConfigError&) { continue; }
    for (const auto& b : betters) {
      Json m = machine; b.apply(m);
      const Cycle now = cycles(m, workload);
      ++n[b.name];
      if (now > base) worse[b.name].push_back(100.0 * (double(now) / double(base) - 1));
    }
  }
  for (auto& [name, v] : worse) { std::sort(v.begin(), v.end()); fmt::print("{}: worse in {} of {}, median {:.2f} % max {:.2f} %\n", name, v.size(), n[name], v[v.size()/2], v.back()); }
  SUCCEED();
}
