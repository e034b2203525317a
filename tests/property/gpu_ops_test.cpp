// SPDX-License-Identifier: Apache-2.0
// Ops of every kind on GPUs: an op without a kernel of its own runs with a general one, keeps the laws
// (simulate() audits each run), takes time, and comes out the same twice.
#include "support/catch.hpp"
#include "support/random_ops.hpp"

#include "workloads/ops/facts.hpp"
#include "workloads/workload_json.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

constexpr std::uint64_t kSeeds = 3;
const std::vector<std::string> kMachines{"v100_sxm2_16gb", "a100_sxm_80gb", "p100_sxm"};

Conv2d random_conv(RandomCases& c) {
  Conv2d v;
  v.n = c.pick(1, 9);
  v.groups = c.one_of<Count>({1, 1, 1, 2});
  v.c = v.groups * c.one_of<Count>({3, 8, 64, 100});
  v.k = v.groups * c.one_of<Count>({5, 32, 130});
  v.r = c.pick(1, 3), v.s = c.pick(1, 3);
  v.h = c.pick(4, 30), v.w = c.pick(4, 30);
  v.stride = {c.pick(1, 2), c.pick(1, 2)};
  v.padding = {c.pick(0, v.r - 1), c.pick(0, v.s - 1)};
  v.dilation = {c.pick(1, 2), 1};
  v.layout = c.one_of({Layout::nhwc, Layout::nchw});
  switch (c.pick(0, 4)) {
    case 0:
      v.weight_gradient = true;
      break;
    case 1:
      v.transposed = true;
      break;
    case 2:
      v.groups = v.k = v.c;
      break;
    case 3:
      v.r = v.s = 3, v.stride = {1, 1}, v.dilation = {1, 1};
      break;
    default:
      v.epilogue = {Epilogue::bias, Epilogue::residual, Epilogue::relu};
  }
  return v;
}

}  // namespace

TEST_CASE("ops of every kind run on GPUs, keep the laws and take time", "[gpu]") {
  for (Count kind = 0; kind < kRandomOpKinds; ++kind) {
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      RandomCases cases(seed * kRandomOpKinds + kind);
      Op op = random_op(cases, kind, "op");
      op.dtype = seed == 1 ? DataType::fp32 : DataType::fp16;
      op.functional = false;
      INFO("kind " << kind << ", seed " << seed << ": " << kind_name(op.shape));
      if (!check_shape(op.shape).empty()) continue;
      const Json report =
          simulate(on_preset(kMachines[seed], {}, {.name = "one", .ops = {op}})).report;
      CHECK(report["layers"][0]["cycles"].get<Cycle>() > 0);
      CHECK(report["layers"][0]["kernels"].get<Count>() > 0);
      RunRequest in_detail = on_preset(kMachines[seed], {}, {.name = "one", .ops = {op}});
      in_detail.fidelity = Fidelity::detailed;
      CHECK(simulate(in_detail).report["fidelity"] == "detailed");
    }
  }
}

TEST_CASE("random convolutions keep the laws and come out the same twice", "[gpu]") {
  Count tried = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    RandomCases cases(1000 + seed);
    const Op op{.name = "conv",
                .dtype = cases.one_of({DataType::fp16, DataType::fp16, DataType::fp32}),
                .shape = random_conv(cases)};
    if (!check_shape(op.shape).empty()) continue;
    const std::string& machine = kMachines[seed % kMachines.size()];
    INFO(machine << ", seed " << seed << ": " << to_json(op.shape).dump());
    ++tried;
    const Workload workload{.name = "one", .ops = {op}};
    const Json once = comparable(simulate(on_preset(machine, {}, workload)).report);
    CHECK(once["layers"][0]["macs"].get<Count>() > 0);
    RunRequest in_detail = on_preset(machine, {}, workload);
    in_detail.fidelity = Fidelity::detailed;
    const Json detailed = simulate(in_detail).report;
    CHECK(detailed["layers"][0]["macs"] == once["layers"][0]["macs"]);
    CHECK(detailed["layers"][0]["traffic"]["l2"]["read_bytes"] ==
          once["layers"][0]["traffic"]["l2"]["read_bytes"]);
    if (seed % 4 == 0) CHECK(once == comparable(simulate(on_preset(machine, {}, workload)).report));
  }
  CHECK(tried > 25);
}

TEST_CASE("skipped waves of a convolution change half a percent at most", "[gpu]") {
  Conv2d v{.n = 64, .c = 32, .h = 56, .w = 56, .k = 64, .r = 3, .s = 3};
  v.padding = {1, 1};
  RunRequest request =
      on_preset("v100_sxm2_16gb", {},
                {.name = "one", .ops = {{.name = "conv", .dtype = DataType::fp16, .shape = v}}});
  const double skipped = simulate(request).report["total"]["cycles"].get<double>();
  request.skip_repeats = false;
  const double all = simulate(request).report["total"]["cycles"].get<double>();
  CHECK(skipped == Approx(all).epsilon(0.005));
}
