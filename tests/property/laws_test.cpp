// SPDX-License-Identifier: Apache-2.0
// What holds for every report, checked from outside: the report against the program and against
// itself, on random machines and workloads.
#include <functional>
#include <numeric>
#include <string>

#include "support/catch.hpp"
#include "support/random_cases.hpp"

#include "workloads/mapping/lower.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

constexpr int kCases = 600;

struct Case {
  Json machine;
  Workload workload;
  Json report;
};

/// Calls `check` for each random case that the mapper can map; how many there were.
int for_each_case(const std::function<void(const Case&)>& check) {
  int simulated = 0;
  for (int seed = 0; seed < kCases; ++seed) {
    RandomCases cases(static_cast<std::uint64_t>(10'000 + seed));
    Case c{.machine = cases.machine(), .workload = cases.workload(), .report = {}};
    INFO("seed " << 10'000 + seed);
    try {
      c.report = run(c.machine, c.workload);
    } catch (const ConfigError&) {
      continue;  // a random machine may be too small for the workload
    }
    ++simulated;
    check(c);
  }
  return simulated;
}

Count count_at(const Json& json, const char* key) { return json.at(key).get<Count>(); }

/// Sum of all values of an object.
template <typename T>
T sum_of(const Json& object) {
  T sum{};
  for (const auto& [key, value] : object.items()) sum += value.template get<T>();
  return sum;
}

/// Sum over layers of what `get` takes from each.
template <typename Get>
auto sum_over(const Json& layers, Get&& get) {
  decltype(get(layers)) sum{};
  for (const Json& layer : layers) sum += get(layer);
  return sum;
}

/// Bytes of a layer over a link that not every machine has.
Count link_bytes(const Json& layer, const char* link, const char* direction) {
  const Json& traffic = layer.at("traffic");
  return traffic.contains(link) ? count_at(traffic.at(link), direction) : 0;
}

}  // namespace

TEST_CASE("a layer does and moves what its program says") {
  const int simulated = for_each_case([](const Case& c) {
    Diagnostics diagnostics;
    const LoweredWorkload lowered =
        lower(c.workload, resolve(c.machine).chip.target(), "test.json", diagnostics);
    REQUIRE(diagnostics.ok());
    const Json& layers = c.report["layers"];
    REQUIRE(layers.size() == lowered.program.kernels.size());
    for (std::size_t i = 0; i < layers.size(); ++i) {
      INFO("layer " << i << ": " << layers[i]["kernel"]);
      const program::Work work = program::count_work(lowered.program.kernels[i]);
      REQUIRE(count_at(layers[i], "macs") == work.macs);
      REQUIRE(link_bytes(layers[i], "dram", "read_bytes") == work.dram_read_bytes);
      REQUIRE(link_bytes(layers[i], "dram", "write_bytes") == work.dram_write_bytes);
      REQUIRE(link_bytes(layers[i], "host", "read_bytes") == work.host_read_bytes);
      REQUIRE(link_bytes(layers[i], "host", "write_bytes") == work.host_write_bytes);
    }
  });
  CHECK(simulated > kCases * 9 / 10);
}

TEST_CASE("every cycle of a layer is in one class, every cycle of the run in one layer") {
  const int simulated = for_each_case([](const Case& c) {
    Cycle start = 0;
    for (const Json& layer : c.report["layers"]) {
      REQUIRE(count_at(layer, "start_cycle") == start);
      REQUIRE(sum_of<Cycle>(layer["breakdown"]) == count_at(layer, "cycles"));
      start += count_at(layer, "cycles");
    }
    REQUIRE(count_at(c.report["total"], "cycles") == start);
    for (const auto& [name, cycles] : c.report["total"]["breakdown"].items()) {
      REQUIRE(cycles.get<Cycle>() == sum_over(c.report["layers"], [&key = name](const Json& layer) {
                return count_at(layer["breakdown"], key.c_str());
              }));
    }
  });
  CHECK(simulated > kCases * 9 / 10);
}

TEST_CASE("the total is the sum of the layers") {
  const int simulated = for_each_case([](const Case& c) {
    const Json& total = c.report["total"];
    const Json& layers = c.report["layers"];
    for (const char* key : {"cycles", "macs", "flops"}) {
      INFO(key);
      REQUIRE(count_at(total, key) ==
              sum_over(layers, [&](const Json& l) { return count_at(l, key); }));
    }
    for (const char* link : {"dram", "host"}) {
      for (const char* direction : {"read_bytes", "write_bytes"}) {
        INFO(link << ' ' << direction);
        REQUIRE(count_at(total, (std::string(link) + '_' + direction).c_str()) ==
                sum_over(layers, [&](const Json& l) { return link_bytes(l, link, direction); }));
      }
    }
    using Catch::Matchers::WithinRel;
    const auto energy = total["energy_j"].get<double>();
    REQUIRE(energy > 0);
    REQUIRE_THAT(energy, WithinRel(sum_of<double>(total["energy_by_component_j"]), 1e-9));
    REQUIRE_THAT(
        energy,
        WithinRel(sum_over(layers, [](const Json& l) { return sum_of<double>(l["energy_j"]); }),
                  1e-9));
    for (const auto& [name, joules] : total["energy_by_component_j"].items()) {
      INFO(name);
      REQUIRE(joules.get<double>() >= 0);
    }
  });
  CHECK(simulated > kCases * 9 / 10);
}

TEST_CASE("rates follow from counts and stay within their limits") {
  const int simulated = for_each_case([](const Case& c) {
    const ChipParams chip = resolve(c.machine).chip;
    const double peak = static_cast<double>(chip.peak_macs_per_cycle());
    const auto check = [&](const Json& of) {
      const double cycles = static_cast<double>(count_at(of, "cycles"));
      REQUIRE_THAT(of["time_s"].get<double>() * chip.clock().hz(),
                   Catch::Matchers::WithinAbs(cycles, 1e-6 * cycles + 1e-6));
      const auto utilization = of["utilization"].get<double>();
      REQUIRE(utilization <= 1.0);
      REQUIRE(utilization * peak * cycles >=
              static_cast<double>(count_at(of, "macs")) * (1 - 1e-9));
    };
    for (const Json& layer : c.report["layers"]) {
      check(layer);
      REQUIRE(layer["mapping_efficiency"].get<double>() <= 1.0);
    }
    check(c.report["total"]);
  });
  CHECK(simulated > kCases * 9 / 10);
}

TEST_CASE("links move all bytes, and none above their peak") {
  const int simulated = for_each_case([](const Case& c) {
    const ChipParams chip = resolve(c.machine).chip;
    const auto check = [&](const char* name, double peak_gb_per_s) {
      INFO(name);
      double moved = 0, expected = 0;
      for (const Json& layer : c.report["layers"]) {
        const Json& link = layer["traffic"][name];
        const double gb = link["gb_per_s"].get<double>() * layer["time_s"].get<double>();
        // Four bytes of rounding, as the audit allows.
        REQUIRE(gb * 1e9 <= peak_gb_per_s * layer["time_s"].get<double>() * 1e9 * (1 + 1e-9) + 4);
        moved += gb * 1e9;
        expected +=
            static_cast<double>(count_at(link, "read_bytes") + count_at(link, "write_bytes"));
      }
      REQUIRE_THAT(moved, Catch::Matchers::WithinAbs(expected, 1e-6 * expected + 1e-6));
    };
    if (!chip.dram.ideal) check("dram", chip.dram.bandwidth.gb_per_s());
    if (chip.host) check("host", 2 * chip.host->bandwidth.gb_per_s());
  });
  CHECK(simulated > kCases * 9 / 10);
}

TEST_CASE("the timeline adds up to the run") {
  const int simulated = for_each_case([](const Case& c) {
    const ChipParams chip = resolve(c.machine).chip;
    const Json& timeline = c.report["timeline"];
    const Json& total = c.report["total"];
    const Cycle width = count_at(timeline, "bin_cycles"), end = count_at(total, "cycles");
    REQUIRE(timeline["power_w"].size() == ceil_div(end, width));
    double macs = 0, bytes = 0, joules = 0;
    for (std::size_t i = 0; i < timeline["power_w"].size(); ++i) {
      const auto cycles = static_cast<double>(std::min(width, end - i * width));
      const double seconds = cycles / chip.clock().hz();
      macs += timeline["matrix_utilization"][i].get<double>() * cycles *
              static_cast<double>(chip.peak_macs_per_cycle());
      bytes += timeline["dram_gb_per_s"][i].get<double>() * 1e9 * seconds;
      joules += timeline["power_w"][i].get<double>() * seconds;
    }
    const auto near = [](double expected) {
      return Catch::Matchers::WithinAbs(expected, 1e-6 * expected + 1e-15);
    };
    REQUIRE_THAT(macs, near(static_cast<double>(count_at(total, "macs"))));
    REQUIRE_THAT(bytes, near(static_cast<double>(count_at(total, "dram_read_bytes") +
                                                 count_at(total, "dram_write_bytes"))));
    REQUIRE_THAT(joules, near(total["energy_j"].get<double>()));
  });
  CHECK(simulated > kCases * 9 / 10);
}
