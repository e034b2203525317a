// SPDX-License-Identifier: Apache-2.0
// MACs and parameters of the model zoo against published totals, and the networks' wiring.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "support/catch.hpp"

#include "workloads/models/registry.hpp"
#include "workloads/ops/conv2d.hpp"
#include "workloads/ops/elementwise.hpp"
#include "workloads/ops/facts.hpp"
#include "workloads/ops/gemm.hpp"
#include "workloads/workload_json.hpp"

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

// MACs of convolutions and fully connected layers at batch 1 and parameters: "_ops" (the GFLOPS of
// the documentation's table of weights) and "num_params" of the IMAGENET1K_V1 weights in
// pytorch/vision, torchvision/models/: alexnet.py, vgg.py, resnet.py, inception.py, mobilenetv2.py,
// mobilenetv3.py, efficientnet.py, vision_transformer.py.
TEST_CASE("Networks have the published MACs and parameters", "[models]") {
  struct Published {
    std::string name;
    double giga_macs, half_a_digit;
    Count parameters;
    bool batch_norm;
  };
  // Inception's auxiliary classifier, which only training has (InceptionAux in inception.py): 1 x 1
  // to 128 channels, 5 x 5 to 768, each with a batch norm, then 1000 classes.
  constexpr Count kAuxiliary = 768 * 128 + 2 * 128 + 25 * 128 * 768 + 2 * 768 + 768 * 1000 + 1000;
  const auto p =
      GENERATE_COPY(Published{"alexnet", 0.714, 0.0005, 61'100'840, false},
                    Published{"vgg16", 15.47, 0.005, 138'357'544, false},
                    Published{"resnet18", 1.814, 0.0005, 11'689'512, true},
                    Published{"resnet50", 4.089, 0.0005, 25'557'032, true},
                    Published{"inception_v3", 5.713, 0.0005, 27'161'264 - kAuxiliary, true},
                    Published{"mobilenet_v2", 0.301, 0.0005, 3'504'872, true},
                    Published{"mobilenet_v3_large", 0.217, 0.0005, 5'483'032, true},
                    Published{"efficientnet_b0", 0.386, 0.0005, 5'288'548, true},
                    Published{"vit_b16", 17.564, 0.0005, 86'567'656, false});
  const Workload workload = build(p.name);
  const WorkloadTotals t = totals(workload);
  CAPTURE(p.name, t.macs, t.parameters);
  CHECK(std::abs(static_cast<double>(t.macs) * 1e-9 - p.giga_macs) <= p.half_a_digit);
  const Count norm = p.batch_norm ? normalized_channels(workload) : 0;
  CHECK(t.parameters + norm == p.parameters);
  CHECK(workload.name == p.name);
}

// Parameters: counts of the released weights as others publish them, each looked up there, and the
// papers' tables where no weights are public. Totals that are published rounded count to half a
// digit. GPT-3's table was not read again: its total is from memory. KerasHub: keras-team/keras-hub,
// keras_hub/src/models/<model>/<model>_presets.py, "params".
TEST_CASE("Transformers have the published parameters", "[models]") {
  struct Published {
    std::string name, source;
    double parameters, half_a_digit;
  };
  const auto p = GENERATE(
      Published{"bert_base", "KerasHub, bert_base_en_uncased", 109'482'240, 0},
      Published{"bert_large", "KerasHub, bert_large_en_uncased", 335'141'888, 0},
      Published{"gpt2", "KerasHub, gpt2_base_en", 124'439'808, 0},
      Published{"gpt2_medium", "KerasHub, gpt2_medium_en", 354'823'168, 0},
      Published{"gpt2_large", "KerasHub, gpt2_large_en", 774'030'080, 0},
      Published{"gpt2_xl", "KerasHub, gpt2_extra_large_en", 1'557'611'200, 0},
      Published{"gpt3_175b", "T. Brown et al., arXiv 2005.14165, table D.1", 174'600e6, 50e6},
      // Ours leaves out the position biases: 32 buckets x 12 heads, in the encoder and the decoder.
      Published{"t5_base", "KerasNLP, keras_nlp/models/t5/t5_presets.py, t5_base",
                222'903'552 - 2 * 32 * 12, 0},
      Published{"llama2_7b", "KerasHub, llama2_7b_en", 6'738'415'616, 0},
      Published{"llama2_13b", "Hugging Face, open-llm-leaderboard/requests, Llama-2-13b-hf",
                13.016e9, 0.5e6},
      Published{"llama2_70b", "Hugging Face, cot-leaderboard-requests, Llama-2-70b-hf", 68.977e9,
                0.5e6},
      Published{"llama3_8b", "KerasHub, llama3_8b_en", 8'030'261'248, 0},
      Published{"llama3_70b", "Hugging Face, OALL/requests, Meta-Llama-3-70B", 70.554e9, 0.5e6},
      Published{"mixtral_8x7b", "KerasHub, mixtral_8_7b_en", 46'702'792'704, 0},
      Published{"deepseek_v3", "deepseek-ai/DeepSeek-V3, README_WEIGHTS.md: main model", 671e9,
                0.5e9});
  const Workload workload = build(p.name, R"({"seq_len": 128})");
  const auto parameters = static_cast<double>(totals(workload).parameters);
  CAPTURE(p.name, p.source, totals(workload).parameters);
  CHECK(std::abs(parameters - p.parameters) <= p.half_a_digit);
  CHECK(workload.name == p.name);
}

// D. Narayanan et al., arXiv 2104.04473, equation 3, a quarter of it (a step is four forward passes
// there) and without the output layer: l layers of width h over a batch B of sequences of s tokens takes 24 B s l h^2 (1 + s / (6 h))
// FLOPs, two a MAC, with attention over all pairs.
TEST_CASE("Transformers have the published MACs", "[models]") {
  struct Case {
    std::string name;
    double layers, width, batch, tokens;
  };
  const auto c = GENERATE(Case{"bert_base", 12, 768, 1, 128}, Case{"bert_large", 24, 1024, 8, 512});
  const Workload w =
      build(c.name, "{\"batch\": " + std::to_string(static_cast<int>(c.batch)) +
                        ", \"seq_len\": " + std::to_string(static_cast<int>(c.tokens)) + "}");
  const double expected =
      12 * c.batch * c.tokens * c.layers * c.width * c.width * (1 + c.tokens / (6 * c.width)) +
      c.batch * c.width * c.width;  // the pooler
  CHECK(static_cast<double>(totals(w).macs) == Approx(expected).epsilon(1e-12));
}

// One token of a decoder multiplies with every weight but the embedding's once.
TEST_CASE("Decoding takes a MAC a weight and two a key and value element", "[models]") {
  struct Case {
    std::string name;
    Count layers, query_width, weights;  ///< weights: without the embedding and the norms' scales
  };
  const auto c =
      GENERATE(Case{"llama2_7b", 32, 4096, 6'738'415'616 - 32'000 * 4096 - 65 * 4096},
               Case{"llama2_70b", 80, 8192, 68'976'648'192 - Count{32'000} * 8192 - 161 * 8192},
               Case{"llama3_8b", 32, 4096, 8'030'261'248 - Count{128'256} * 4096 - 65 * 4096});
  const Workload w = build(c.name, R"({"phase": "decode", "kv_len": 2048, "batch": 3})");
  CHECK(totals(w).macs == 3 * (c.weights + c.layers * 2 * 2048 * c.query_width));
  // Mixtral takes 2 of 8 experts: 12.9 G of 46.7 G parameters a token (arXiv 2401.04088).
  const Count mixtral = totals(build("mixtral_8x7b", R"({"phase": "decode", "kv_len": 1})")).macs;
  CHECK(static_cast<double>(mixtral) == Approx(12.88e9 - 32'000.0 * 4096).epsilon(0.001));
  // DeepSeek-V3: 37 G of 671 G (arXiv 2412.19437), 36.7 G in README_WEIGHTS.md of
  // deepseek-ai/DeepSeek-V3. That file counts the embedding's 0.9 G in, but the network's sizes give
  // 36.63 G without and 37.55 G with it.
  const Count deepseek = totals(build("deepseek_v3", R"({"seq_len": 1})")).macs;
  CHECK(std::abs(static_cast<double>(deepseek) - 36.7e9) < 0.1e9);
}

TEST_CASE("Phases of a decoder", "[models]") {
  const auto attention = [](const Workload& w) {
    for (const Op& op : w.ops) {
      if (const auto* a = std::get_if<Attention>(&op.shape)) return std::pair{*a, op.inputs};
    }
    throw SimulationError("no attention");
  };
  const auto [prefill, from] = attention(build("llama3_8b", R"({"seq_len": 100})"));
  CHECK(prefill.q_len == 100);
  CHECK(prefill.kv_len == 100);
  CHECK(from[1] == "layer0.attention.rotary_k");
  const auto [chunk, chunk_from] =
      attention(build("llama3_8b", R"({"seq_len": 10, "kv_len": 90})"));
  CHECK(chunk.q_len == 10);
  CHECK(chunk.kv_len == 90);
  CHECK(chunk_from[1] == "input");  // the cache
  const auto [decode, cache] = attention(
      build("llama3_8b", R"({"phase": "decode", "kv_len": 8192, "batch": 16, "dtype": "fp16"})"));
  CHECK(decode.q_len == 1);
  const OpFacts f = facts({.name = "a", .dtype = DataType::fp16, .shape = decode});
  CHECK(f.inputs.at(1).bytes + f.inputs.at(2).bytes == 536'870'912);
  const Workload two = build("llama3_8b", R"({"layers": 2})");
  CHECK(two.ops.back().name == "lm_head");
  CHECK(std::ranges::count_if(two.ops, [](const Op& op) {
          return std::holds_alternative<Attention>(op.shape);
        }) == 2);
  // A context shorter than what is read now is refused, with the op.
  Diagnostics diagnostics;
  const Json json = Json::parse(R"({"seq_len": 100, "kv_len": 90})");
  ObjectReader reader(json, "test", "", diagnostics);
  (void)build_model("llama3_8b", reader, diagnostics);
  REQUIRE(diagnostics.errors().size() == 1);
  CHECK_THAT(diagnostics.errors()[0].message, test::contains("q_len must be at most kv_len = 90"));
}

// Sizes: MLPerf's command line in facebookresearch/dlrm, bench/run_and_time.sh (bottom
// 13-512-256-128, top 1024-1024-512-256-1, rows of 128, at most 40 million a table); the tables in
// NVIDIA-Merlin/HugeCTR, samples/dlrm/dgx_a100.py, slot_size_array: 187,767,399 rows together. The top
// begins with 479 = 128 + 27 x 26 / 2. No total is published.
TEST_CASE("DLRM", "[models]") {
  const Workload w = build("dlrm");
  constexpr Count kBottom = 13 * 512 + 512 * 256 + 256 * 128;
  constexpr Count kTop = 479 * 1024 + 1024 * 1024 + 1024 * 512 + 512 * 256 + 256;
  constexpr Count kBiases = 512 + 256 + 128 + 1024 + 1024 + 512 + 256 + 1;
  CHECK(totals(w).parameters == Count{187'767'399} * 128 + kBottom + kTop + kBiases);
  CHECK(totals(w).macs == kBottom + kTop + 27 * 27 * 128);
}

// No total is published: the paper gives no widths. 64 residual and 256 skip channels are Deep Voice's
// (arXiv 1702.07825), and one of the sizes that NVIDIA/nv-wavenet's README names. By hand.
TEST_CASE("WaveNet", "[models]") {
  const Workload w = build("wavenet", R"({"seq_len": 1000})");
  constexpr Count kLayer = 2 * (2 * 64 * 64) + 64 * 64 + 64 * 256;
  constexpr Count kWeights = 2 * 256 * 64 + 30 * kLayer + 2 * 256 * 256;
  CHECK(totals(w).macs == 1000 * kWeights);
  CHECK(totals(w).parameters == kWeights + 64 + 30 * (3 * 64 + 256) + 2 * 256);
}

// Channels and sizes of maps: figure 1 of arXiv 1505.04597, worked out level by level. The paper has
// no totals; 31,030,658 parameters of this very network: G. Chlebus, "Looking under the hood of
// tensorflow models", 2018, gchlebus/gchlebus.github.io, code/profiling-tf-models/parameter_count.py.
// MACs by hand.
TEST_CASE("U-Net", "[models]") {
  const Workload w = build("unet");
  CHECK(conv_output(std::get<Conv2d>(w.ops.back().shape)).h == 388);
  // Filters of 3 x 3: down (64 to 1024), up again, then 2 x 2 to go up, 1 x 1 for two classes.
  Count weights = 9 * (1 * 64 + 64 * 64), biases = 2 * 64, macs = 0;
  const auto twice = [&](Count pixels1, Count pixels2, Count from, Count to) {
    macs += 9 * (pixels1 * pixels1 * from * to + pixels2 * pixels2 * to * to);
  };
  for (Count c = 64; c < 1024; c *= 2) {
    weights += 9 * (c * 2 * c + 4 * c * c);  // down to 2 c channels
    weights += 9 * (2 * c * c + c * c);      // up: c from below beside c skipped
    weights += 4 * (2 * c * c);              // the up-convolution
    biases += 2 * (2 * c) + 2 * c + c;
  }
  weights += 64 * 2, biases += 2;
  CHECK(totals(w).parameters == weights + biases);
  CHECK(totals(w).parameters == 31'030'658);
  twice(570, 568, 1, 64), twice(282, 280, 64, 128), twice(138, 136, 128, 256);
  twice(66, 64, 256, 512), twice(30, 28, 512, 1024), twice(54, 52, 1024, 512);
  twice(102, 100, 512, 256), twice(198, 196, 256, 128), twice(390, 388, 128, 64);
  for (const auto& [pixels, c] :
       {std::pair<Count, Count>{28, 1024}, {52, 512}, {100, 256}, {196, 128}}) {
    macs += pixels * pixels * c * (c / 2) * 4;
  }
  macs += Count{388} * 388 * 64 * 2;
  CHECK(totals(w).macs == macs);
}

// Three products where inference has one, but for the gradient of the input that nobody needs.
TEST_CASE("Training steps", "[models]") {
  SECTION("ResNet-50") {
    const Workload forward = build("resnet50", R"({"batch": 4})");
    const Workload step = build("resnet50", R"({"batch": 4, "phase": "training"})");
    const Count first = facts(forward.ops.front()).macs;
    CHECK(totals(step).macs == 3 * totals(forward).macs - first);
    // With the batch norms as ops of their own the parameters are torchvision's.
    CHECK(totals(step).parameters == 25'557'032);
    Count updated = 0;
    for (const Op& op : step.ops) {
      if (const auto* update = std::get_if<Optimizer>(&op.shape)) updated += update->parameters;
    }
    CHECK(updated == 25'557'032);
  }
  SECTION("BERT") {
    const std::string sizes = R"({"batch": 2, "seq_len": 128, "layers": 3)";
    const Workload forward = build("bert_base", sizes + "}");
    const Workload step = build("bert_base", sizes + R"(, "phase": "training"})");
    // The backward pass of flash attention computes the scores once more.
    const Count scores = Count{3} * 2 * 12 * 128 * 128 * 64;
    CHECK(totals(step).macs == 3 * totals(forward).macs + scores);
    CHECK(totals(step).parameters == totals(forward).parameters);
    Count updated = 0;
    for (const Op& op : step.ops) {
      if (const auto* update = std::get_if<Optimizer>(&op.shape)) updated += update->parameters;
    }
    CHECK(updated == totals(forward).parameters);
  }
  // A file says the same, and everything in it chains.
  for (const std::string name : {"resnet50", "bert_base"}) {
    const Workload step = build(name, R"({"batch": 2, "phase": "training"})");
    Diagnostics diagnostics;
    WorkloadReadOptions options;
    options.file = "step.json";
    const Workload again = read_workload(to_json(step), options, diagnostics);
    diagnostics.throw_if_errors();
    CHECK(again == step);
  }
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
    const Workload one = build(name, R"({"batch": 1})");
    const Workload eight = build(name, R"({"batch": 8})");
    // A result of the batch is eight of one image; the weights are the same.
    CHECK(totals(eight).macs == 8 * totals(one).macs);
    CHECK(totals(eight).parameters == totals(one).parameters);

    // One step of recurrent cells: their states of the step before come from outside, too.
    const bool has_states = name.starts_with("tpu_v1_lstm");
    std::map<std::string, Count> produced;
    for (const Op& op : one.ops) {
      CAPTURE(op.name);
      CHECK(op.dtype == DataType::int8);
      const OpFacts f = facts(op);
      REQUIRE(op.inputs.size() == f.inputs.size());
      for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        if (op.inputs[i] == "input") {
          CHECK((&op == &one.ops.front() || std::holds_alternative<Embedding>(op.shape) ||
                 has_states));
        } else {
          REQUIRE(produced.contains(op.inputs[i]));
          if (op.partial_inputs) {
            CHECK(produced[op.inputs[i]] >= f.inputs[i].elements);
          } else {
            CHECK(produced[op.inputs[i]] == f.inputs[i].elements);
          }
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
