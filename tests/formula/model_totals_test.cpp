// SPDX-License-Identifier: Apache-2.0
// MACs and parameters of the model zoo against published totals, and the networks' wiring.
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "support/catch.hpp"

#include "workloads/models/registry.hpp"
#include "workloads/ops/conv2d.hpp"
#include "workloads/ops/elementwise.hpp"
#include "workloads/ops/facts.hpp"
#include "workloads/ops/gemm.hpp"

using namespace tilewave;

namespace {

Workload build(const std::string& name, const std::string& parameters = "{}") {
  const Json json = Json::parse(parameters);
  Diagnostics diagnostics;
  ObjectReader reader(json, "test", "", diagnostics);
  Workload workload = build_model(name, reader, diagnostics);
  diagnostics.throw_if_errors();
  return workload;
}

/// Channels that a batch norm follows in the published network. It is folded into our convolutions:
/// its scale and shift are two parameters a channel, our bias is one.
Count normalized_channels(const Workload& workload) {
  Count channels = 0;
  for (const Op& op : workload.ops) {
    if (const auto* conv = std::get_if<Conv2d>(&op.shape)) channels += conv->k;
  }
  return channels;
}

}  // namespace

// MACs of convolutions and fully connected layers at batch 1 ("GFLOPS" of torchvision's weights
// table) and parameters: torchvision, models.AlexNet_Weights, VGG16_Weights, ….IMAGENET1K_V1.
TEST_CASE("Networks have the published MACs and parameters", "[models]") {
  struct Published {
    std::string name;
    double giga_macs, half_a_digit;
    Count parameters;
    bool batch_norm;
  };
  const auto p = GENERATE(Published{"alexnet", 0.714, 0.0005, 61'100'840, false},
                          Published{"vgg16", 15.47, 0.005, 138'357'544, false},
                          Published{"resnet18", 1.814, 0.0005, 11'689'512, true},
                          Published{"resnet50", 4.089, 0.0005, 25'557'032, true},
                          Published{"mobilenet_v2", 0.301, 0.0005, 3'504'872, true});
  const Workload workload = build(p.name);
  const WorkloadTotals t = totals(workload);
  CAPTURE(p.name, t.macs, t.parameters);
  CHECK(std::abs(static_cast<double>(t.macs) * 1e-9 - p.giga_macs) <= p.half_a_digit);
  const Count norm = p.batch_norm ? normalized_channels(workload) : 0;
  CHECK(t.parameters + norm == p.parameters);
  CHECK(workload.name == p.name);
}

TEST_CASE("MLP", "[models]") {
  const Workload plain = build("mlp");
  CHECK(plain.ops.size() == 3);
  CHECK(totals(plain).macs == 3 * 1024 * 1024);
  const Workload w = build("mlp", R"({"batch": 16, "layers": 5, "width": 100, "dtype": "fp16"})");
  CHECK(w.ops.size() == 5);
  CHECK(totals(w).macs == 16 * 5 * 100 * 100);
  CHECK(totals(w).parameters == 5 * (100 * 100 + 100));
  CHECK(w.ops[0].dtype == DataType::fp16);
  CHECK(std::get<Gemm>(w.ops[0].shape).epilogue ==
        std::vector<Epilogue>{Epilogue::bias, Epilogue::relu});
  CHECK(std::get<Gemm>(w.ops[4].shape).epilogue == std::vector<Epilogue>{Epilogue::bias});
}

TEST_CASE("Every network is sound and wired", "[models]") {
  for (const Model& model : models()) {
    const std::string name(model.name);
    CAPTURE(name);
    CHECK(!model.description.empty());
    const Workload one = build(name);
    const Workload eight = build(name, R"({"batch": 8})");
    // A result of the batch is eight of one image; the weights are the same.
    CHECK(totals(eight).macs == 8 * totals(one).macs);
    CHECK(totals(eight).parameters == totals(one).parameters);

    std::map<std::string, Count> produced;
    for (const Op& op : one.ops) {
      CAPTURE(op.name);
      CHECK(op.dtype == DataType::int8);
      const OpFacts f = facts(op);
      REQUIRE(op.inputs.size() == f.inputs.size());
      for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        if (op.inputs[i] == "input") {
          CHECK(&op == &one.ops.front());
        } else {
          REQUIRE(produced.contains(op.inputs[i]));
          CHECK(produced[op.inputs[i]] == f.inputs[i].elements);
        }
      }
      CHECK(produced.emplace(op.name, f.output_elements).second);
    }
  }
}

TEST_CASE("ResNet-50 in detail", "[models]") {
  const Workload w = build("resnet50");
  // conv1, maxpool, 16 blocks of 3 and 4 downsamples, avgpool, fc.
  CHECK(w.ops.size() == 2 + 16 * 3 + 4 + 2);
  std::map<std::string, Op> ops;
  for (const Op& op : w.ops) ops.emplace(op.name, op);
  // v1.5: the 3 x 3 has the stride.
  CHECK(std::get<Conv2d>(ops.at("layer2.0.conv1").shape).stride[0] == 1);
  CHECK(std::get<Conv2d>(ops.at("layer2.0.conv2").shape).stride[0] == 2);
  CHECK(ops.at("layer2.0.conv3").inputs ==
        std::vector<std::string>{"layer2.0.conv2", "layer2.0.downsample"});
  CHECK(ops.at("layer2.1.conv3").inputs ==
        std::vector<std::string>{"layer2.1.conv2", "layer2.0.conv3"});
  CHECK(std::get<Conv2d>(ops.at("layer2.1.conv3").shape).epilogue ==
        std::vector<Epilogue>{Epilogue::bias, Epilogue::residual, Epilogue::relu});
  const auto& fc = std::get<Gemm>(ops.at("fc").shape);
  CHECK(fc ==
        Gemm{.m = 1, .n = 1000, .k = 2048, .transpose_b = true, .epilogue = {Epilogue::bias}});
}

TEST_CASE("Parameters of networks at fault", "[models]") {
  struct Case {
    std::string model, parameters, path, part;
  };
  const auto [model, parameters, path, part] =
      GENERATE(Case{"resnet50", R"({"batch": 0})", "batch", "is 0"},
               Case{"resnet50", R"({"bach": 2})", "bach", "batch"},
               Case{"resnet50", R"({"layers": 2})", "layers", "unknown"},
               Case{"resnet50", R"({"batch": "many"})", "batch", "\"many\""},
               Case{"resnet50", R"({"dtype": "int9"})", "dtype", "int8"},
               Case{"resnet5", "{}", "model", "resnet50"},
               Case{"mlp", R"({"width": 1000000000})", "",
                    "op \"fc1\": the weight tensor has more than 2^56"});
  const Json json = Json::parse(parameters);
  Diagnostics diagnostics;
  ObjectReader reader(json, "test", "", diagnostics);
  (void)build_model(model, reader, diagnostics);
  CAPTURE(model, parameters);
  REQUIRE(diagnostics.errors().size() == 1);
  CHECK(diagnostics.errors()[0].path == path);
  CHECK_THAT(diagnostics.errors()[0].message, test::contains(part));
}
