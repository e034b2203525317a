// SPDX-License-Identifier: Apache-2.0
// One point: from a task to its result, the key of its input, errors in the result.
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include "app/sweep/run_point.hpp"
#include "app/sweep/run_sweep.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

Json task(const std::string& parameters, const std::string& more = "") {
  return Json::parse(R"({"point": 5, "arch": "gemmini_16x16",
      "workload": {"ops": [{"op": "gemm", "m": 32, "n": 32, "k": 32}]}, "fidelity": "fast",
      "folder": "/tmp", "objectives": [{"name": "total.cycles", "value": "total.cycles"}],
      "parameters": )" +
                     parameters + more + "}");
}

PointResult run(const Json& json) { return result_from_line(run_point(json.dump())); }

std::string key(const Json& json) { return key_of(resolve_task(json).request); }

}  // namespace

TEST_CASE("a point's result is that of the run, whenever it is run") {
  const Json one = task(R"({"core.matrix_unit.rows": 8})");
  const std::string line = run_point(one.dump());
  CHECK(line == run_point(one.dump()));
  const PointResult result = result_from_line(line);
  CHECK(result.error.empty());
  CHECK(result.number == 5);
  CHECK(result.parameters == one.at("parameters"));
  CHECK(result.key == key(one));
  CHECK(result.key.size() == 64);
  CHECK(result.report.is_null());
  const RunResult alone = simulate(resolve_task(one).request);
  CHECK(result.total == alone.report.at("total"));
  CHECK(result.objectives.at("total.cycles") == alone.report.at("total").at("cycles"));
}

TEST_CASE("the report is kept if it is asked for, without what differs from run to run") {
  const PointResult result = run(task("{}", R"(, "reports": true)"));
  CHECK(result.report.contains("layers"));
  CHECK(result.report.at("total") == result.total);
  CHECK_FALSE(result.report.contains("host"));
}

TEST_CASE("parameters reach machine, workload and fidelity") {
  const RunRequest request =
      resolve_task(task(R"({"core.matrix_unit.rows": 4, "workload.ops[0].m": 48, "workload.dtype":
      "int8", "fidelity": "detailed", "core.matrix_unit.dataflow": "output_stationary"})"))
          .request;
  CHECK(request.arch.chip.core.matrix.array.rows == 4);
  CHECK(std::get<Gemm>(request.workload.ops.front().shape).m == 48);
  CHECK(request.fidelity == Fidelity::detailed);

  Json network = task(R"({"arch": "tpu_v1", "workload": "bert_base", "workload.seq_len": 32,
      "workload.batch": 2})");
  const RunRequest bert = resolve_task(network).request;
  CHECK(bert.arch.name() == "tpu_v1");
  CHECK(bert.workload.name == "bert_base");
  network["parameters"]["workload.seq_len"] = 64;
  CHECK(key(network) != key_of(bert));
}

TEST_CASE("files are found from the sweep's folder") {
  const TemporaryFolder folder("sweep_point");
  folder.write("chip.json", R"({"extends": "gemmini_16x16", "clock_ghz": 2})");
  folder.write("work.json", R"({"ops": [{"op": "gemm", "m": 8, "n": 8, "k": 8}]})");
  folder.write("net.json", R"({"model": "mlp"})");
  Json files = task("{}");
  files["folder"] = folder.file("");
  files["arch"] = "chip.json";
  files["workload"] = "work.json";
  CHECK(resolve_task(files).request.arch.name() == "chip");
  CHECK(resolve_task(files).request.workload.name == "work");
  files["workload"] = "net.json";
  files["parameters"] = {{"workload.batch", 3}};
  CHECK(resolve_task(files).request.workload.name == "net");
}

TEST_CASE("the key is of what is run") {
  const std::string plain = key(task("{}"));
  CHECK(plain == key(task(R"({"core.matrix_unit.rows": 16})")));
  CHECK(plain == key(task("{}", R"(, "reports": true)")));
  CHECK(key(task(R"({"core.buffers.accumulator.capacity_kib": 64})")) ==
        key(task(R"({"core.buffers.accumulator.capacity_bytes": 65536})")));
  CHECK(plain != key(task(R"({"core.matrix_unit.rows": 8})")));
  CHECK(plain != key(task(R"({"workload.ops[0].k": 33})")));
  CHECK(plain != key(task(R"({"fidelity": "detailed"})")));
  CHECK(plain != key(task(R"({"energy": "45nm"})")));
  const TemporaryFolder folder("sweep_point");
  folder.write("a.json", R"({"extends": "22nm", "node_nm": 21})");
  CHECK(key(task(R"({"energy": "22nm"})")) !=
        key(task("{\"energy\": \"" + folder.file("a.json") + "\"}")));
}

TEST_CASE("what is wrong with a point is in its result, by the parameter's name") {
  const auto error = [](const std::string& parameters) {
    const PointResult result = run(task(parameters));
    CHECK(result.total.is_null());
    CHECK(result.objectives.is_null());
    return result.error;
  };
  CHECK_THAT(error(R"({"core.matrix_unit.rows": 0})"),
             Catch::Matchers::StartsWith("core.matrix_unit.rows: must be"));
  CHECK_THAT(error(R"({"core.matrix_unit.rowz": 4})"), contains("did you mean \"rows\"?"));
  CHECK_THAT(error(R"({"arch": "gemini"})"), contains("arch: no machine \"gemini\""));
  CHECK_THAT(error(R"({"workload": "resnet5"})"), contains("did you mean \"resnet50\"?"));
  CHECK_THAT(error(R"({"workload.batch": 2})"), contains("workload.batch: "));
  CHECK_THAT(error(R"({"workload.batch": "x"})"), contains("workload.batch: must be"));
  CHECK_THAT(error(R"({"workload.dtype": "int7"})"), contains("workload.dtype: must be one of"));
  CHECK_THAT(error(R"({"workload.ops[3].m": 4})"), contains("ops has 1 elements"));
  CHECK_THAT(error(R"({"workload.ops[0].m": 0})"), contains("ops[0].m: must be"));
  CHECK_THAT(error(R"({"workload": "mlp", "workload.batch": 0})"),
             contains("workload.batch: must be"));

  Json lost = task("{}");
  lost["objectives"] = Json::parse(R"([{"name": "x", "value": "total.cycle * 2"}])");
  CHECK(run(lost).error == "objective x: there is no total.cycle");
  lost["objectives"] = Json::parse(R"([{"name": "x", "value": "arch.name"}])");
  CHECK_THAT(run(lost).error, contains("is no number"));
}

TEST_CASE("objectives see the report and the parameters") {
  Json two = task(R"({"workload.ops[0].m": 16})");
  two["objectives"] =
      Json::parse(R"([{"name": "per row", "value": "total.macs / workload.ops[0].m"},
      {"name": "first", "value": "layers[0].cycles"}])");
  const PointResult result = run(two);
  CHECK(result.objectives.at("per row") == 32 * 32);
  CHECK(result.objectives.at("first").get<int>() > 0);
}

TEST_CASE("a stored result serves where it has all that is asked for") {
  const Json first = task("{}");
  const PointResult stored = run(first);
  Json other = first;
  other["objectives"] = Json::parse(R"([{"name": "x", "value": "2 * total.cycles"}])");
  PointResult result;
  REQUIRE(reuse(other, stored, result));
  CHECK(result.objectives.at("x") == 2 * stored.total.at("cycles").get<int>());
  CHECK(result.total == stored.total);
  other["objectives"] = Json::parse(R"([{"name": "x", "value": "layers[0].cycles"}])");
  CHECK_FALSE(reuse(other, stored, result));
  other = first;
  other["reports"] = true;
  CHECK_FALSE(reuse(other, stored, result));
}
