// SPDX-License-Identifier: Apache-2.0
// Random attentions and vector ops on GPUs: they end, keep the laws (simulate() audits each run), come out
// the same twice; masks and more bandwidth do not cost time.
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/random_cases.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

Attention random_attention(RandomCases& cases) {
  Attention a;
  a.batch = cases.pick(1, 3);
  a.kv_heads = cases.one_of<Count>({1, 2, 3});
  a.heads = a.kv_heads * cases.one_of<Count>({1, 2, 6, 40});
  a.kv_len = cases.pick(1, cases.one_of<Count>({20, 300, 3000}));
  a.q_len = cases.one_of<Count>({1, cases.pick(1, a.kv_len), a.kv_len});
  a.head_dim = cases.one_of<Count>({40, 64, 128, 192, 256, 512});
  a.v_head_dim = cases.one_of<Count>({a.head_dim, 64});
  a.causal = cases.pick(0, 1) == 1;
  if (cases.pick(0, 3) == 0) a.window = cases.pick(1, a.kv_len);
  return a;
}

OpShape random_vector(RandomCases& cases) {
  const Count rows = cases.pick(1, cases.one_of<Count>({20, 3000}));
  const Count cols = cases.pick(1, cases.one_of<Count>({20, 1100, 20000}));
  switch (cases.pick(0, 3)) {
    case 0:
      return Normalization{.kind = NormalizationKind::softmax, .rows = rows, .cols = cols};
    case 1:
      return Normalization{.kind = NormalizationKind::layernorm, .rows = rows, .cols = cols};
    case 2:
      return Normalization{.kind = NormalizationKind::rmsnorm, .rows = rows, .cols = cols};
    default:
      return Elementwise{.kind = cases.one_of<ElementwiseKind>(
                             {ElementwiseKind::add, ElementwiseKind::gelu, ElementwiseKind::pow}),
                         .elements = rows * cols,
                         .operands = cases.pick(1, 2)};
  }
}

double cycles(const Json& report) { return report["total"]["cycles"].get<double>(); }

Workload one(OpShape shape, DataType type = DataType::fp16) {
  return {.name = "one", .ops = {{.name = "op", .dtype = type, .shape = std::move(shape)}}};
}

const std::vector<std::string> kMachines{"a100_sxm_80gb", "h100_sxm", "v100_sxm2_16gb",
                                         "b200_sxm",      "mi210",    "p100_sxm"};

}  // namespace

TEST_CASE("random attentions end, keep the laws, and come out the same twice", "[gpu_attention]") {
  int runs = 0;
  for (unsigned seed = 0; seed < 36; ++seed) {
    RandomCases cases(seed);
    const std::string& machine = kMachines[seed % kMachines.size()];
    const Workload workload = one(random_attention(cases));
    INFO(machine << ", seed " << seed);
    const Json once = comparable(simulate(on_preset(machine, {}, workload)).report);
    CHECK(once == comparable(simulate(on_preset(machine, {}, workload)).report));
    CHECK(cycles(once) > 0);
    ++runs;
  }
  CHECK(runs == 36);
}

TEST_CASE("attention in detail does the same work, mask by mask", "[gpu_attention]") {
  for (unsigned seed = 0; seed < 24; ++seed) {
    RandomCases cases(seed);
    const std::string& machine = kMachines[seed % kMachines.size()];
    const Workload workload = one(random_attention(cases));
    INFO(machine << ", seed " << seed);
    RunRequest request = on_preset(machine, {}, workload);
    const Json fast = simulate(request).report;
    request.fidelity = Fidelity::detailed;
    const RunResult detailed = simulate(request);
    const Json& layer = detailed.report["layers"][0];
    CHECK(layer["macs"] == fast["layers"][0]["macs"]);
    CHECK(layer["traffic"]["l2"]["read_bytes"] == fast["layers"][0]["traffic"]["l2"]["read_bytes"]);
    // Blackwell's own form is not there yet: that is said, and the report does not call it detailed.
    const bool covered = detailed.report["fidelity"] == "detailed";
    CHECK(covered == detailed.warnings.empty());
    if (machine != "b200_sxm") CHECK(covered);
  }
}

TEST_CASE("random vector ops end and keep the laws", "[gpu_attention]") {
  int runs = 0;
  for (unsigned seed = 0; seed < 36; ++seed) {
    RandomCases cases(seed);
    const std::string& machine = kMachines[seed % kMachines.size()];
    INFO(machine << ", seed " << seed);
    const Json report = simulate(on_preset(machine, {}, one(random_vector(cases)))).report;
    const auto& dram = report["layers"][0]["traffic"]["dram"];
    CHECK(dram["utilization"].get<double>() <= 1.0);
    CHECK(cycles(report) > 0);
    ++runs;
  }
  CHECK(runs == 36);
}

TEST_CASE("a causal mask saves close to half of a long prefill, a window more", "[gpu_attention]") {
  for (const char* machine : {"a100_sxm_80gb", "h100_sxm"}) {
    INFO(machine);
    Attention a;
    a.heads = a.kv_heads = 16;
    a.q_len = a.kv_len = 8192;
    a.head_dim = a.v_head_dim = 128;
    const double all = cycles(simulate(on_preset(machine, {}, one(a))).report);
    a.causal = true;
    const double causal = cycles(simulate(on_preset(machine, {}, one(a))).report);
    CHECK(causal > 0.45 * all);
    CHECK(causal < 0.65 * all);
    a.window = 1024;
    CHECK(cycles(simulate(on_preset(machine, {}, one(a))).report) < 0.5 * causal);
  }
}

TEST_CASE("skipped waves of attention change half a percent at most, whatever the mask and teams",
          "[gpu_attention]") {
  for (const char* machine : {"a100_sxm_80gb", "h100_sxm", "b200_sxm", "v100_sxm2_16gb"}) {
    for (const auto& [head_dim, batch] : {std::pair<Count, Count>{64, 16}, {128, 16}, {128, 48}}) {
      for (const auto& [causal, window] :
           {std::pair<bool, Count>{false, 0}, {true, 0}, {true, 700}}) {
        INFO(machine << ", " << batch << " sequences, heads of " << head_dim << ", causal "
                     << causal << ", window " << window);
        Attention a;
        a.batch = batch;
        a.heads = 32, a.kv_heads = 8;
        a.q_len = a.kv_len = 1536;
        a.head_dim = a.v_head_dim = head_dim;
        a.causal = causal, a.window = window;
        RunRequest request = on_preset(machine, {}, one(a));
        request.skip_repeats = false;
        const double all = cycles(simulate(request).report);
        request.skip_repeats = true;
        CHECK(cycles(simulate(request).report) == Approx(all).epsilon(0.005));
      }
    }
  }
}

TEST_CASE("exponentials compete: fewer special function units, slower attention",
          "[gpu_attention]") {
  Attention a;
  a.heads = a.kv_heads = 16;
  a.q_len = a.kv_len = 4096;
  a.head_dim = a.v_head_dim = 64;
  const double base = cycles(simulate(on_preset("h100_sxm", {}, one(a))).report);
  const double fewer =
      cycles(simulate(on_preset("h100_sxm", {"core.vector_unit.sfu_lanes=1"}, one(a))).report);
  CHECK(fewer > 1.5 * base);
}

TEST_CASE("a captured graph is launched once", "[gpu_attention]") {
  Workload workload{.name = "chain", .ops = {}};
  for (int i = 0; i < 10; ++i) {
    workload.ops.push_back({.name = "add" + std::to_string(i),
                            .dtype = DataType::fp16,
                            .shape = Elementwise{.elements = 1000}});
  }
  const auto run = [&](const std::string& mode) {
    const Json report = simulate(on_preset("a100_sxm_80gb",
                                           {"launch.mode=" + mode, "launch.overhead_us=10",
                                            "launch.kernel_gap_us=1"},
                                           workload))
                            .report;
    return report["total"]["time_s"].get<double>() * 1e6;
  };
  // Nine of ten launches become gaps.
  CHECK(run("stream") - run("graph") == Approx(9 * (10 - 1)).epsilon(0.01));
}
