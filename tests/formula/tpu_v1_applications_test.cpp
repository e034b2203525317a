// SPDX-License-Identifier: Apache-2.0
// The six applications of TPU v1's paper (N. Jouppi et al., ISCA 2017) as rebuilt, against its table
// 1: layers of each kind, weights, batch, MACs a weight byte; and what else it says of them.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "support/catch.hpp"

#include "workloads/models/registry.hpp"
#include "workloads/ops/facts.hpp"

using namespace tilewave;

namespace {

Workload build(const std::string& name) {
  const Json json = Json::object();
  Diagnostics diagnostics;
  ObjectReader reader(json, "test", "", diagnostics);
  Workload workload = build_model(name, reader, diagnostics);
  diagnostics.throw_if_errors();
  return workload;
}

template <typename Shape>
Count layers_of(const Workload& workload) {
  return static_cast<Count>(std::ranges::count_if(
      workload.ops, [](const Op& op) { return std::holds_alternative<Shape>(op.shape); }));
}

struct Totals {
  double macs = 0, weights = 0;
};
Totals totals_of(const Workload& workload) {
  Totals totals;
  for (const Op& op : workload.ops) {
    const OpFacts f = facts(op);
    totals.macs += static_cast<double>(f.macs);
    totals.weights += static_cast<double>(f.weight_bytes);
  }
  return totals;
}

bool has_step(const Workload& workload, Epilogue step) {
  return std::ranges::any_of(workload.ops, [&](const Op& op) {
    const auto* gemm = std::get_if<Gemm>(&op.shape);
    const auto* conv = std::get_if<Conv2d>(&op.shape);
    const auto steps = gemm != nullptr   ? gemm->epilogue
                       : conv != nullptr ? conv->epilogue
                                         : std::vector<Epilogue>{};
    return std::ranges::find(steps, step) != steps.end();
  });
}

}  // namespace

TEST_CASE("TPU v1's applications have the layers and weights of table 1", "[models][tpu_v1]") {
  struct Application {
    const char* name;
    Count dense, convolutions, vectors, pools;
    double million_weights;
    double macs_per_weight_byte;  ///< 0: contradicts the rest (workloads/models/tpu_v1_cnn1.cpp)
    Count batch;
  };
  const auto a = GENERATE(
      Application{"mlp0", 5, 0, 0, 0, 20, 200, 200}, Application{"mlp1", 4, 0, 0, 0, 5, 168, 168},
      Application{"lstm0", 24, 0, 34, 0, 52, 64, 64},
      Application{"lstm1", 37, 0, 19, 0, 34, 96, 96}, Application{"cnn0", 0, 16, 0, 0, 8, 2888, 8},
      Application{"cnn1", 4, 72, 0, 13, 100, 0, 32});
  INFO(a.name);
  const Workload workload = build(std::string("tpu_v1_") + a.name);
  CHECK(layers_of<Gemm>(workload) == a.dense);
  CHECK(layers_of<Conv2d>(workload) == a.convolutions);
  CHECK(layers_of<Elementwise>(workload) == a.vectors);
  // The last pool, over the whole image, is a mean.
  CHECK(layers_of<Pool>(workload) + layers_of<Reduce>(workload) == a.pools);
  // Nothing else but the putting side by side of vectors and channels.
  CHECK(workload.ops.size() ==
        a.dense + a.convolutions + a.vectors + a.pools + layers_of<Concat>(workload));

  const Totals totals = totals_of(workload);
  CHECK(std::abs(totals.weights * 1e-6 / a.million_weights - 1) < 0.012);
  if (a.macs_per_weight_byte > 0) {
    CHECK(std::abs(totals.macs / totals.weights - a.macs_per_weight_byte) < 1e-6);
  }
  for (const Op& op : workload.ops) {
    if (const auto* gemm = std::get_if<Gemm>(&op.shape)) CHECK(gemm->m == a.batch);
    if (const auto* conv = std::get_if<Conv2d>(&op.shape)) CHECK(conv->n == a.batch);
  }
}

TEST_CASE("TPU v1's applications have the paper's other traits", "[models][tpu_v1]") {
  for (const char* name : {"tpu_v1_lstm0", "tpu_v1_lstm1"}) {
    CHECK(has_step(build(name), Epilogue::sigmoid));
    CHECK(has_step(build(name), Epilogue::tanh));
  }
  for (const char* name : {"tpu_v1_mlp0", "tpu_v1_mlp1", "tpu_v1_cnn0", "tpu_v1_cnn1"}) {
    CHECK(has_step(build(name), Epilogue::relu));
  }
  const Workload lstm1 = build("tpu_v1_lstm1");
  CHECK(std::ranges::any_of(lstm1.ops, [](const Op& op) {
    const auto* gemm = std::get_if<Gemm>(&op.shape);
    return gemm != nullptr && gemm->n == 600 && gemm->k == 600;
  }));
  for (const Op& op : build("tpu_v1_cnn0").ops) {
    CHECK(std::get<Conv2d>(op.shape).h == 19);
    CHECK(std::get<Conv2d>(op.shape).w == 19);
  }
}

// The facts of table 1 for CNN1 against one another; the test says how far apart they are, so that
// the choice of the reconstruction stays visible.
TEST_CASE("CNN1 has a third of table 1's ops a weight byte", "[models][tpu_v1]") {
  const Totals totals = totals_of(build("tpu_v1_cnn1"));
  const double published = 1750;
  CHECK(totals.macs / totals.weights > published / 3.5);
  CHECK(totals.macs / totals.weights < published / 3);
  // As published they would need 3.6 times the rate that was measured (14.1 TOPS, 4700 images/s).
  const double tops = 2 * published * 100e6 / 32 * 4700 * 1e-12;
  CHECK(tops > 3.5 * 14.1);
}
