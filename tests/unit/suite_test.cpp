// SPDX-License-Identifier: Apache-2.0
// Suites of measurements: reading them, and what becomes of their rows.
#include "app/validate/suite.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/dram_files.hpp"
#include "support/temporary_folder.hpp"

#include "app/library/arch_library.hpp"
#include "app/simulate.hpp"
#include "app/validate/run_suite.hpp"
#include "app/validate/validation_json.hpp"
#include "workloads/workload_json.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

const char* const kTable =
    "m,n,k,us,share,flag,kind\n"
    "64,64,64,10,50,,small\n"
    "256,256,256,20,,,large\n"
    "64,128,64,30,10,odd,small\n";

Json gemm_suite() {
  return Json::parse(R"({"source": "made up", "data": "t.csv", "arch": "gemmini_16x16",
      "label": "$m x $n x $k", "ops": [{"op": "gemm", "m": "$m", "n": "$n", "k": "$k"}],
      "measured": [{"column": "us", "quantity": "time_us"}]})");
}

class SuiteFolder {
 public:
  explicit SuiteFolder(const Json& suite, const std::string& table = kTable) {
    folder_.write("s.json", suite.dump());
    folder_.write("t.csv", table);
  }
  [[nodiscard]] Suite load() const {
    Diagnostics diagnostics;
    auto suite = load_suite(folder_.file("s.json"), source_configs(), diagnostics);
    diagnostics.throw_if_errors();
    return std::move(suite.value());
  }
  /// "PATH: MESSAGE" of each fault.
  [[nodiscard]] std::vector<std::string> faults() const {
    Diagnostics diagnostics;
    CHECK_FALSE(load_suite(folder_.file("s.json"), source_configs(), diagnostics).has_value());
    std::vector<std::string> lines;
    for (const Fault& fault : diagnostics.errors()) {
      std::string message = fault.message;
      const auto at = message.find(folder_.file(""));
      if (at != std::string::npos) message.erase(at, folder_.file("").size());
      lines.push_back(fault.path + ": " + message);
    }
    return lines;
  }
  [[nodiscard]] ValidationRun run(std::size_t most_rows = 0) const {
    return run_suite(
        load(),
        {.config_dir = source_configs(), .most_rows = most_rows, .stop = nullptr, .progress = {}});
  }
  [[nodiscard]] std::string run_fault() const {
    try {
      (void)run();
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  }

 private:
  TemporaryFolder folder_{"suite"};
};

/// Layer times of a list of ops, simulated directly.
std::vector<double> layer_times(const Json& ops, const std::vector<std::string>& sets = {}) {
  Diagnostics diagnostics;
  RunRequest request;
  request.arch = resolve_arch("gemmini_16x16", sets, source_configs(), diagnostics);
  request.workload = read_workload(
      {{"ops", ops}}, {.file = "", .default_name = "", .dtype = {}, .batch = {}, .docs = nullptr},
      diagnostics);
  diagnostics.throw_if_errors();
  std::vector<double> times;
  const RunResult result = simulate(request);
  for (const Json& layer : result.report.at("layers")) {
    times.push_back(layer.at("time_s").get<double>() * 1e6);
  }
  return times;
}

Json gemm(int m, int n, int k) { return {{"op", "gemm"}, {"m", m}, {"n", n}, {"k", k}}; }

}  // namespace

TEST_CASE("rows are layers of one run", "[validate]") {
  const ValidationRun run = SuiteFolder(gemm_suite()).run();
  const auto times = layer_times({gemm(64, 64, 64), gemm(256, 256, 256), gemm(64, 128, 64)});
  REQUIRE(run.cases.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK(run.cases[i].comparison.simulated == times[i]);
  CHECK(run.cases[1].comparison.measured == 20);
  CHECK(run.cases[1].label == "256 x 256 x 256");
  CHECK(run.cases[1].line == 3);
  CHECK(run.machines == std::vector<std::string>{"gemmini_16x16"});
}

TEST_CASE("rows may have runs of their own", "[validate]") {
  Json suite = gemm_suite();
  suite["alone"] = true;
  const ValidationRun run = SuiteFolder(suite).run();
  CHECK(run.cases[2].comparison.simulated == layer_times(Json::array({gemm(64, 128, 64)})).front());
}

TEST_CASE("a row of several ops is their sum", "[validate]") {
  Json suite = gemm_suite();
  suite["ops"].push_back({{"op", "softmax"}, {"rows", "$m"}, {"cols", "$n"}});
  const ValidationRun run = SuiteFolder(suite, "m,n,k,us\n64,64,64,10\n").run();
  const auto times =
      layer_times({gemm(64, 64, 64), {{"op", "softmax"}, {"rows", 64}, {"cols", 64}}});
  CHECK(std::abs(run.cases.at(0).comparison.simulated - times[0] - times[1]) < 1e-9);
}

TEST_CASE("a column chooses the template", "[validate]") {
  Json suite = gemm_suite();
  suite.erase("ops");
  suite["template"] = "$kind";
  suite["templates"] = {{"small", Json::array({gemm(16, 16, 16)})},
                        {"large", Json::array({gemm(32, 32, 32)})}};
  const ValidationRun run = SuiteFolder(suite).run();
  const auto times = layer_times({gemm(16, 16, 16), gemm(32, 32, 32), gemm(16, 16, 16)});
  CHECK(run.cases.at(1).comparison.simulated == times[1]);
  suite["templates"].erase("large");
  CHECK(SuiteFolder(suite).faults() ==
        std::vector<std::string>{": there is no template \"large\" in s.json"});
}

TEST_CASE("machines may change from row to row", "[validate]") {
  Json suite = gemm_suite();
  suite["arch"] = "$arch";
  suite["set"] = {"$change"};
  const ValidationRun run =
      SuiteFolder(suite,
                  "m,n,k,us,arch,change\n64,64,64,10,gemmini_16x16,clock_ghz=2\n"
                  "64,64,64,10,gemmini_16x16,\n64,64,64,10,gemmini_16x16,clock_ghz=2;"
                  "core.vector_unit.lanes=4\n")
          .run();
  REQUIRE(run.cases.size() == 3);
  CHECK(run.cases[0].comparison.simulated ==
        layer_times(Json::array({gemm(64, 64, 64)}), {"clock_ghz=2"}).front());
  CHECK(run.cases[1].comparison.simulated == layer_times(Json::array({gemm(64, 64, 64)})).front());
  CHECK(run.machines.size() == 1);
}

TEST_CASE("rows are left out, with our names for what is in them", "[validate]") {
  Json suite = gemm_suite();
  suite["skip"] = {{{"column", "flag"}, {"reason", "odd"}}};
  suite["where"] = {{{"column", "kind"}, {"values", {"small"}}}};
  suite["map"] = {{"m", {{"64", "32"}}}};
  const Suite read = SuiteFolder(suite).load();
  REQUIRE(read.table.rows.size() == 1);
  CHECK(read.rows_skipped == 1);
  CHECK(read.table.rows[0].at("m") == "32");
}

TEST_CASE("a sample is spread over the table", "[validate]") {
  const ValidationRun run = SuiteFolder(gemm_suite()).run(2);
  REQUIRE(run.cases.size() == 2);
  CHECK(run.cases[0].line == 2);
  CHECK(run.cases[1].line == 3);
  Json suite = gemm_suite();
  suite["sample_rows"] = 1;
  CHECK(SuiteFolder(suite).run().cases.size() == 1);
  CHECK(SuiteFolder(suite).run(3).cases.size() == 3);  // --rows counts more
}

TEST_CASE("overheads and reasons go to the rows they are for", "[validate]") {
  Json suite = gemm_suite();
  suite["overhead"] = {{{"us", 100}, {"reason", "launch"}, {"where", {{{"column", "flag"}}}}}};
  suite["reasons"] = {
      {{"reason", "known"}, {"where", {{{"column", "share"}, {"values", {"50"}}}}}}};
  const ValidationRun run = SuiteFolder(suite).run();
  const ValidationRun plain = SuiteFolder(gemm_suite()).run();
  CHECK(run.cases[0].comparison.simulated == plain.cases[0].comparison.simulated);
  CHECK(run.cases[2].comparison.simulated == plain.cases[2].comparison.simulated + 100);
  CHECK(run.cases[0].reason == "known");
  CHECK(run.cases[2].reason.empty());
}

TEST_CASE("a cell that is empty is not compared", "[validate]") {
  Json suite = gemm_suite();
  suite["measured"].push_back(
      {{"column", "share"}, {"quantity", "cycle_share_pct"}, {"classes", {"matrix_busy"}}});
  const ValidationRun run = SuiteFolder(suite).run();
  CHECK(run.cases.size() == 5);
  CHECK(std::ranges::count(run.cases, 1U, &ValidationCase::measurement) == 2);
}

TEST_CASE("workloads run by name, in groups, against a baseline", "[validate]") {
  const Json suite = Json::parse(R"({"source": "made up", "data": "t.csv", "arch": "tpu_v1",
      "workload": "$app", "set": ["$change"], "baseline": {},
      "groups": {"two": {"weights": {"mlp": 1, "mlp:batch=8": 3}}},
      "measured": [{"column": "x", "quantity": "speedup"}]})");
  const std::string table =
      "app,change,x\nmlp,clock_ghz=1.4,2\nmlp:batch=8,clock_ghz=1.4,2\ntwo,clock_ghz=1.4,2\n"
      "mlp,,1\n";
  const auto simulated = [](const ValidationRun& run) {
    std::vector<double> values;
    for (const ValidationCase& c : run.cases) values.push_back(c.comparison.simulated);
    return values;
  };
  const auto geometric = simulated(SuiteFolder(suite, table).run());
  REQUIRE(geometric.size() == 4);
  CHECK(geometric[0] > 1);
  CHECK(geometric[3] == 1);
  CHECK(std::abs(geometric[2] - std::pow(geometric[0] * std::pow(geometric[1], 3), 0.25)) < 1e-12);
  Json other = suite;
  other["group_mean"] = "arithmetic";
  const auto arithmetic = simulated(SuiteFolder(other, table).run());
  CHECK(std::abs(arithmetic[2] - (geometric[0] + 3 * geometric[1]) / 4) < 1e-12);
}

TEST_CASE("limits are kept or not", "[validate]") {
  const auto within = [](const Json& limit) {
    Json suite = gemm_suite();
    suite["measured"][0]["limit"] = limit;
    const SuiteFolder folder(suite, "m,n,k,us,most\n64,64,64,1000,99\n64,64,64,1000,1000\n");
    const Suite read = folder.load();
    return validation_json(read, folder.run()).at("within_limits").get<bool>();
  };
  // We say about 5 us for what the table says took a millisecond: 99.5 % off.
  CHECK(within(Json::object()));
  CHECK(within({{"mean", 100}, {"median", 100}, {"each", 100}}));
  CHECK_FALSE(within({{"mean", 90}}));
  CHECK_FALSE(within({{"median", 90}}));
  CHECK_FALSE(within({{"each", 90}}));
  CHECK_FALSE(within({{"each_column", "most"}}));  // the first row's
}

TEST_CASE("scores are shown for each value of a column, too", "[validate]") {
  Json suite = gemm_suite();
  suite["split_by"] = "kind";
  const SuiteFolder folder(suite);
  const Json json = validation_json(folder.load(), folder.run());
  REQUIRE(json.at("scores").size() == 3);
  CHECK(json.at("scores")[0].at("rows") == 3);
  CHECK(json.at("scores")[1].at("split") == "large");
  CHECK(json.at("scores")[2].at("rows") == 2);
  CHECK(json.at("cases").size() == 3);
}

TEST_CASE("faults of a suite's file", "[validate]") {
  const auto faults = [](const char* key, const Json& value) {
    Json suite = gemm_suite();
    suite[key] = value;
    return SuiteFolder(suite).faults();
  };
  using Lines = std::vector<std::string>;
  CHECK(faults("label", "$mm") == Lines{"label: t.csv has no column \"mm\""});
  CHECK(faults("ops", {gemm(1, 1, 1), {{"op", "gemm"}, {"m", "$x"}}}) ==
        Lines{"ops[1].m: t.csv has no column \"x\""});
  CHECK(faults("ops", 3) == Lines{"ops: must be an array of ops, is 3"});
  CHECK(faults("workload", "mlp") ==
        Lines{": needs one of \"workload\", \"ops\" and \"templates\", has more"});
  CHECK(faults("skp", Json::array()) == Lines{"skp: unknown key; did you mean \"skip\"?"});
  CHECK(faults("where", {{{"column", "kind"}, {"values", {"none"}}}}) ==
        Lines{"data: no row is left"});
  CHECK(faults("map", {{"m", 3}}).size() == 1);
  CHECK(faults("overhead", {{{"us", 3}}}) ==
        Lines{"overhead[0].reason: is missing: a string (what it is and where the figure is "
              "from)"});
  CHECK(faults("measured", {{{"column", "us"}, {"quantity", "time"}}}).size() == 1);
  CHECK(faults("measured", {{{"column", "us"}, {"quantity", "cycle_share_pct"}}}) ==
        Lines{"measured[0].classes: are missing: cycle_share_pct is a share of some"});
  CHECK(faults("measured", {{{"column", "us"}, {"quantity", "tops"}, {"classes", {"idle"}}}}) ==
        Lines{"measured[0].classes: are for cycle_share_pct only"});
  Json suite = gemm_suite();
  suite.erase("source");
  CHECK(SuiteFolder(suite).faults() ==
        Lines{"source: is missing: where the measurements are from"});
}

TEST_CASE("faults of rows name their lines", "[validate]") {
  const Json suite = gemm_suite();
  CHECK_THAT(SuiteFolder(suite, "m,n,k,us\n1,1,1,1\n0,1,1,1\n").run_fault(),
             contains("t.csv: line 3.m: must be"));
  CHECK_THAT(SuiteFolder(suite, "m,n,k,us\n1,1,1,slow\n").run_fault(),
             contains("t.csv:2: us: must be a number more than 0, is \"slow\""));
  Json machine = suite;
  machine["arch"] = "gemini";
  CHECK_THAT(SuiteFolder(machine).run_fault(), contains("s.json: arch: "));
  machine["arch"] = "gemmini_16x16";
  machine["set"] = {"core.rows=2"};
  CHECK_THAT(SuiteFolder(machine).run_fault(), contains("s.json: set: core.rows: unknown key"));
}

TEST_CASE("a suite that is not there", "[validate]") {
  Diagnostics diagnostics;
  CHECK_FALSE(load_suite("no_such_suite", source_configs(), diagnostics).has_value());
  REQUIRE(diagnostics.errors().size() == 1);
  CHECK_THAT(diagnostics.errors()[0].message, contains("there is no suite \"no_such_suite\""));
}
