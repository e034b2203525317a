// SPDX-License-Identifier: Apache-2.0
#include "app/trace/chrome_trace.hpp"

#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "support/catch.hpp"

namespace tilewave {
namespace {

const Json kReport = Json::parse(
    R"({"layers": [{"name": "conv", "start_cycle": 0, "cycles": 100},
                   {"name": "fc", "start_cycle": 100, "cycles": 50}]})");

Json trace_of(const ChromeTrace& trace) { return Json::parse(trace.to_json(kReport)); }

/// Slices of tracks whose name begins so.
std::vector<Json> slices_of(const Json& trace, const std::string& track) {
  std::vector<Json> slices;
  for (const Json& meta : trace["traceEvents"]) {
    const bool is_track =
        meta["name"] == "thread_name" && meta["args"]["name"].get<std::string>().starts_with(track);
    for (const Json& event : trace["traceEvents"]) {
      if (is_track && event["ph"] == "X" && event["tid"] == meta["tid"]) slices.push_back(event);
    }
  }
  return slices;
}

TEST_CASE("slices have names, layers and microseconds", "[trace]") {
  ChromeTrace trace(Frequency::from_ghz(2));
  trace.slice("core0.matrix0", "fold \"x\"", 0, 10, 30);
  trace.slice("core0.vector", "relu", 1, 100, 101);
  const Json json = trace_of(trace);
  const auto matrix = slices_of(json, "core0.matrix0");
  REQUIRE(matrix.size() == 1);
  CHECK(matrix[0]["name"] == "fold \"x\"");
  CHECK(matrix[0]["ts"] == Approx(0.005));
  CHECK(matrix[0]["dur"] == Approx(0.010));
  CHECK(matrix[0]["args"] == Json{{"begin_cycle", 10}, {"cycles", 20}, {"layer", "conv"}});
  CHECK(slices_of(json, "core0.vector")[0]["args"]["layer"] == "fc");
  const auto layers = slices_of(json, "layers");
  REQUIRE(layers.size() == 2);
  CHECK(layers[1]["ts"] == Approx(0.050));
  CHECK(json["otherData"]["resolution_cycles"] == 0);
}

TEST_CASE("activities that overlap lie on tracks of their own", "[trace]") {
  ChromeTrace trace(Frequency::from_ghz(1));
  trace.slice("dma", "a", 0, 0, 20);
  trace.slice("dma", "b", 0, 10, 30);
  trace.slice("dma", "c", 0, 20, 40);
  const Json json = trace_of(trace);
  CHECK(slices_of(json, "dma").size() == 3);
  CHECK(slices_of(json, "dma (2)").size() == 1);
  CHECK(slices_of(json, "dma (2)")[0]["name"] == "b");
}

TEST_CASE("the report's timeline becomes counters that end with the run", "[trace]") {
  Json report = kReport;
  report["total"] = {{"cycles", 150}};
  report["timeline"] = {{"bin_cycles", 100}, {"dram_gb_per_s", {2.5, 1}}, {"power_w", {75, 40.5}}};
  const Json json = Json::parse(ChromeTrace(Frequency::from_ghz(1)).to_json(report));
  std::vector<Json> samples;
  for (const Json& event : json["traceEvents"]) {
    if (event["ph"] == "C" && event["name"] == "DRAM bandwidth") samples.push_back(event);
    CHECK(event["name"] != "L2 bandwidth");  // the report has none
  }
  REQUIRE(samples.size() == 3);
  CHECK(samples[0]["args"] == Json{{"GB/s", 2.5}});
  CHECK(samples[1]["ts"] == Approx(0.1));
  CHECK(samples[1]["args"] == Json{{"GB/s", 1}});
  CHECK(samples[2]["ts"] == Approx(0.15));
  CHECK(samples[2]["args"] == Json{{"GB/s", 0}});
}

TEST_CASE("a long run stays bounded, and loses no slice and no busy cycle", "[trace]") {
  constexpr std::size_t kLimit = 100;
  ChromeTrace trace(Frequency::from_ghz(1), kLimit);
  std::mt19937 random(7);
  Cycle now = 0;
  Cycle busy = 0;
  constexpr Count kSlices = 20000;
  for (Count i = 0; i < kSlices; ++i) {
    const Cycle length = 1 + random() % 50;
    trace.slice(i % 3 == 0 ? "a" : "b", i % 5 == 0 ? "x" : "y", static_cast<int>(i / 10000), now,
                now + length);
    now += length + random() % 3;
    busy += length;
    REQUIRE(trace.slices() <= kLimit);
  }
  trace.slice("a", "long", 1, now, now + 1000000);
  CHECK(trace.resolution_cycles() > 0);
  const Json json = trace_of(trace);
  CHECK(json["otherData"]["resolution_cycles"] == trace.resolution_cycles());
  Count slices = 0;
  Cycle busy_cycles = 0;
  Cycle end = 0;
  bool has_long = false;
  for (const std::string track : {"a", "b"}) {
    double last = 0;
    for (const Json& slice : slices_of(json, track)) {
      const Json& args = slice["args"];
      slices += args.value("slices", Count{1});
      busy_cycles += args.value("busy_cycles", args["cycles"].get<Cycle>());
      end = std::max(end, args["begin_cycle"].get<Cycle>() + args["cycles"].get<Cycle>());
      CHECK(slice["ts"].get<double>() >= last - 1e-6);
      last = slice["ts"].get<double>() + slice["dur"].get<double>();
      has_long = has_long || slice["name"] == "long";
    }
  }
  CHECK(slices == kSlices + 1);
  CHECK(busy_cycles == busy + 1000000);
  CHECK(end == now + 1000000);
  CHECK(has_long);  // what is long keeps its name
}

}  // namespace
}  // namespace tilewave
