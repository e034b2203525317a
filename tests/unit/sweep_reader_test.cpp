// SPDX-License-Identifier: Apache-2.0
// The sweep file: values, ranges, and every fault at its place; docs/sweep_file.md has every key.
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/doc_tables.hpp"
#include "support/temporary_folder.hpp"

#include "app/sweep/sweep.hpp"
#include "app/sweep/sweep_plan.hpp"
#include "sim/config/json_file.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

std::optional<Sweep> read(const std::string& text, Diagnostics& diagnostics) {
  const auto json = parse_json(text, "s.json", diagnostics);
  return json ? read_sweep(*json, "s.json", "/tmp", diagnostics) : std::nullopt;
}

std::string faults(const std::string& text) {
  Diagnostics diagnostics;
  const auto sweep = read(text, diagnostics);
  CHECK(sweep.has_value() == diagnostics.ok());
  std::string all;
  for (const Fault& fault : diagnostics.errors()) all += format(fault) + "\n";
  return all;
}

/// Faults of a sweep with this text in it.
std::string faults_with(const std::string& part) {
  return faults(R"({"arch": "a", "workload": "w", )" + part + "}");
}

/// The values of a parameter as JSON.
std::string values(const std::string& parameter, const std::string& mode = "grid") {
  Diagnostics diagnostics;
  const auto sweep = read(R"({"arch": "a", "workload": "w", "parameters": {"p": )" + parameter +
                              R"(}, "mode": ")" + mode + "\"}",
                          diagnostics);
  if (!sweep) return format(diagnostics.errors().front());
  return Json(*sweep->parameters.front().list()).dump();
}

}  // namespace

TEST_CASE("a parameter's values") {
  CHECK(values("[1, 2.5, \"x\", true, null]") == "[1,2.5,\"x\",true,null]");
  CHECK(values("7") == "[7]");
  CHECK(values("\"ws\"") == "[\"ws\"]");
  CHECK(values(R"({"range": [1, 4]})") == "[1,2,3,4]");
  CHECK(values(R"({"range": [1, 10], "step": 4})") == "[1,5,9]");
  CHECK(values(R"({"range": [0.1, 0.5], "step": 0.1})") == "[0.1,0.2,0.3,0.4,0.5]");
  CHECK(values(R"({"range": [0, 1], "step": 0.25})") == "[0.0,0.25,0.5,0.75,1.0]");
  CHECK(values(R"({"range": [1, 64], "scale": "log2"})") == "[1,2,4,8,16,32,64]");
  CHECK(values(R"({"range": [3, 20], "scale": "log2"})") == "[3,6,12]");
  CHECK(values(R"({"range": [0.1, 10.0], "scale": "log10"})") == "[0.1,1.0,10.0]");
  CHECK(values(R"({"range": [1.0, 2.0], "values": 3})") == "[1.0,1.5,2.0]");
  CHECK(values(R"({"range": [1, 100], "scale": "log10", "values": 5})") == "[1,3,10,32,100]");
  CHECK(values(R"({"range": [1, 3], "values": 9})") == "[1,2,3]");
  CHECK(values(R"({"range": [5, 5]})") == "[5]");
}

TEST_CASE("what is wrong with a range") {
  CHECK_THAT(values(R"({"range": [4, 1]})"), contains("s.json: parameters.p.range: must go up"));
  CHECK_THAT(values(R"({"range": [0, 4], "scale": "log2"})"), contains("more than 0"));
  CHECK_THAT(values(R"({"range": [0.5, 4]})"), contains("needs \"step\" or \"values\""));
  CHECK_THAT(values(R"({"range": [1, 4], "step": 0})"), contains("step: must be"));
  CHECK_THAT(values(R"({"range": [1, 4], "scale": "log2", "step": 2})"), contains("linear scale"));
  CHECK_THAT(values(R"({"range": [1, 4, 9]})"), contains("must be two numbers"));
  CHECK_THAT(values(R"({"range": [1, "x"]})"), contains("must be two numbers"));
  CHECK_THAT(values(R"({"range": [1, 4], "stepp": 2})"), contains("did you mean \"step\"?"));
  CHECK_THAT(values(R"({"range": [1, 4], "scale": "log"})"), contains("scale: must be one of"));
  CHECK_THAT(values(R"({"range": [1, 1000000000]})"), contains("more than 1000000 values"));
  CHECK_THAT(values(R"({"range": [1, 4], "continuous": true})"), contains("random"));
  CHECK_THAT(values("[]"), contains("has no values"));
  CHECK_THAT(values("\"= 1 +\""), contains("is no expression: at its end"));
}

TEST_CASE("what is wrong with a sweep") {
  CHECK(faults_with(R"("parameters": {"cores": [1]})").empty());
  CHECK_THAT(faults("[]"), contains("a sweep is a JSON object"));
  CHECK_THAT(faults(R"({"workload": "w", "parameters": {}})"),
             contains("s.json: arch: is missing"));
  CHECK_THAT(faults(R"({"arch": "a", "parameters": {}})"),
             contains("s.json: workload: is missing"));
  CHECK(faults(R"({"parameters": {"arch": ["a"], "workload": ["w"]}})").empty());
  CHECK_THAT(faults_with(R"("parameters": {"arch": ["b"]})"), contains("among the parameters too"));
  CHECK_THAT(faults(R"({"workload": "w", "parameters": {"arch": [1]}})"),
             contains("must be a name"));
  CHECK_THAT(faults_with(R"("parameters": {"fidelity": ["slow"]})"),
             contains("one of fast, detailed"));
  CHECK_THAT(faults_with(R"("parameters": {"a..b": [1]})"), contains("is no path"));
  CHECK_THAT(faults_with(R"("parameters": [1])"), contains("must be an object"));
  CHECK_THAT(faults_with(R"("parameter": {})"), contains("did you mean \"parameters\"?"));
  CHECK_THAT(faults_with(R"("mode": "random")"), contains("samples: is missing"));
  CHECK_THAT(faults_with(R"("samples": 3)"), contains("samples: is for the modes"));
  CHECK_THAT(faults_with(R"("mode": "gird")"), contains("did you mean \"grid\"?"));
  CHECK_THAT(
      faults_with(R"("parameters": {"rows": [1]}, "constraints": ["row < 2"])"),
      contains("constraints[0]: \"row\" is no parameter of this sweep; did you mean \"rows\"?"));
  CHECK_THAT(faults_with(R"("constraints": ["1 <"])"),
             contains("constraints[0]: \"1 <\" is no expression"));
  CHECK_THAT(faults_with(R"("parameters": {"a": "=b", "b": "=a"})"), contains("in a circle"));
  CHECK_THAT(faults_with(R"("parameters": {"a": "=a"})"), contains("in a circle"));
  CHECK_THAT(faults_with(R"("objectives": [])"), contains("objectives: must be an array"));
  CHECK_THAT(faults_with(R"("objectives": ["a b"])"),
             contains("objectives[0]: \"a b\" is no expression"));
  CHECK_THAT(faults_with(R"("objectives": ["x", "x"])"), contains("objectives[1]: is there twice"));
  CHECK_THAT(faults_with(R"("objectives": [{"value": "x", "goal": "most"}])"),
             contains("objectives[0].goal: must be one of min, max"));
  CHECK_THAT(faults_with(R"("mode": "zip", "parameters": {"a": [1, 2], "b": [1, 2, 3]})"),
             contains("parameters.b: has 3 values, a has 2"));
  CHECK(faults_with(R"("mode": "zip", "parameters": {"a": [1, 2], "b": [1], "c": "=a"})").empty());
}

TEST_CASE("whether more of an objective is better") {
  Diagnostics diagnostics;
  const auto sweep = read(R"({"arch": "a", "workload": "w", "objectives": ["total.cycles",
      "total.utilization", "1 / total.utilization", {"value": "total.macs", "goal": "max"},
      {"value": "total.achieved_tflops", "name": "speed"}]})",
                          diagnostics);
  diagnostics.throw_if_errors();
  std::vector<bool> more;
  for (const SweepObjective& objective : sweep->objectives)
    more.push_back(objective.more_is_better);
  CHECK(more == std::vector<bool>{false, true, false, true, true});
  CHECK(sweep->objectives[4].name == "speed");
}

TEST_CASE("every key of a sweep is documented", "[docs]") {
  const auto json = Json::parse(R"({"arch": "a", "workload": "w",
      "parameters": {"p": {"range": [1, 2]}}, "objectives": [{"value": "x"}]})");
  KeyDocs keys;
  Diagnostics ignored;
  (void)read_sweep(json, "s.json", "", ignored, &keys);
  KeyDocs merged;
  for (KeyDoc key : keys.all()) {
    key.path = replaced(key.path, "parameters.p.", "parameters.PATH.");
    if (key.path == "name") key.default_value = "\"\"";
    merged.add(std::move(key));
  }
  CHECK(merged.all().size() > 15);
  CHECK(doc_faults("sweep_file.md", "sweep", merged.all()) == "");
}
