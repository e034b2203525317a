// SPDX-License-Identifier: Apache-2.0
// Workloads as they are written: for `tilewave show` and in reports.
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/workload_texts.hpp"

#include "workloads/models/registry.hpp"

using namespace tilewave;
using namespace tilewave::test;

TEST_CASE("What is written reads as the same workload", "[workload]") {
  SECTION("every member away from its default") {
    Workload w{.name = "all", .ops = {}};
    w.ops.push_back({.name = "a",
                     .dtype = DataType::bf16,
                     .shape = Gemm{.m = 2,
                                   .n = 3,
                                   .k = 4,
                                   .batch = 5,
                                   .transpose_a = true,
                                   .transpose_b = true,
                                   .epilogue = {Epilogue::bias, Epilogue::requantize}},
                     .inputs = {"input"},
                     .functional = true,
                     .values_seed = 99});
    w.ops.push_back({.name = "b",
                     .dtype = DataType::int4,
                     .shape = Conv2d{.n = 2,
                                     .c = 4,
                                     .h = 9,
                                     .w = 8,
                                     .k = 6,
                                     .r = 3,
                                     .s = 2,
                                     .stride = {2, 3},
                                     .padding = {1, 2},
                                     .dilation = {2, 1},
                                     .groups = 2,
                                     .layout = Layout::nchw,
                                     .ceil_output = true,
                                     .epilogue = {Epilogue::residual}},
                     .inputs = {"input", "input"}});
    w.ops.push_back({.name = "c",
                     .dtype = DataType::nvfp4,
                     .shape = Pool{.kind = PoolKind::average,
                                   .n = 2,
                                   .c = 3,
                                   .h = 5,
                                   .w = 6,
                                   .r = 3,
                                   .s = 2,
                                   .stride = {2, 1},
                                   .padding = {1, 1},
                                   .layout = Layout::nchw}});
    w.ops.push_back({.name = "d",
                     .dtype = DataType::fp8_block,
                     .shape = Elementwise{ElementwiseKind::mul, 45, 2, 15},
                     .inputs = {"b", "input"},
                     .partial_inputs = true});
    const auto add = [&](OpShape shape) {
      w.ops.push_back({.name = "e" + std::to_string(w.ops.size()), .shape = std::move(shape)});
    };
    add(Gemm{.m = 1, .n = 2, .k = 3, .b_is_activation = true});
    w.ops.push_back({.name = "tied", .shape = Gemm{.m = 5, .n = 3, .k = 20}, .weights_of = "a"});
    add(Conv2d{.c = 4, .h = 9, .w = 8, .k = 6, .r = 3, .s = 2, .padding_end = {{2, 1}}});
    add(Conv2d{.c = 4,
               .h = 9,
               .w = 8,
               .k = 6,
               .r = 3,
               .s = 3,
               .stride = {2, 2},
               .padding = {1, 2},
               .transposed = true,
               .output_padding = {1, 0}});
    add(Conv2d{.c = 4, .h = 9, .w = 8, .k = 6, .weight_gradient = true});
    add(Conv1d{.n = 2,
               .c = 4,
               .w = 9,
               .k = 6,
               .s = 2,
               .stride = 2,
               .padding = {2, 1},
               .dilation = 3,
               .groups = 2,
               .epilogue = {Epilogue::hard_swish}});
    add(Conv3d{.n = 2,
               .c = 4,
               .d = 7,
               .h = 8,
               .w = 9,
               .k = 6,
               .t = 2,
               .r = 3,
               .s = 1,
               .stride = {1, 2, 3},
               .padding = {1, 0, 2},
               .dilation = {3, 2, 1},
               .groups = 2,
               .epilogue = {Epilogue::hard_sigmoid}});
    add(Attention{.batch = 2,
                  .heads = 8,
                  .kv_heads = 2,
                  .q_len = 3,
                  .kv_len = 9,
                  .head_dim = 4,
                  .v_head_dim = 5,
                  .causal = true,
                  .window = 7,
                  .algorithm = Attention::Algorithm::unfused,
                  .backward = true});
    for (const auto kind : {NormalizationKind::softmax, NormalizationKind::layernorm,
                            NormalizationKind::rmsnorm, NormalizationKind::batchnorm}) {
      add(Normalization{.kind = kind, .rows = 3, .cols = 4, .backward = true});
    }
    add(Normalization{NormalizationKind::batchnorm, 3, 4, true});
    add(Pool{.c = 3, .h = 5, .w = 6, .r = 3, .s = 2, .backward = true});
    for (const auto kind : {RecurrentKind::lstm, RecurrentKind::gru, RecurrentKind::rnn}) {
      add(Recurrent{kind, 2, 3, 4, 5});
    }
    add(Rotary{3, 4});
    add(Reduce{ReduceKind::max, 3, 4});
    add(Embedding{.rows = 3, .width = 4, .table_rows = 50, .pooled = 6});
    add(Transpose{{2, 3, 4}, {2, 0, 1}});
    add(Concat{{3, 4, 5}});
    add(Moe{.tokens = 3,
            .hidden = 4,
            .ffn = 5,
            .experts = 2,
            .top_k = 2,
            .gated = false,
            .tokens_per_expert = {3, 3}});
    add(Quantize{9, DataType::fp8, true});
    add(Quantize{9, DataType::int4, false});
    add(Optimizer{OptimizerKind::momentum, 9});
    add(Collective{CollectiveKind::all_reduce, 9});
    add(Collective{CollectiveKind::all_gather, 9, 4});
    add(Collective{CollectiveKind::reduce_scatter, 9, 2});
    CHECK(read_good(to_json(w).dump()) == w);
  }
  SECTION("every network") {
    for (const Model& model : models()) {
      const Workload w = read_good(R"({"model": ")" + std::string(model.name) +
                                   R"(", "batch": 3, "dtype": "fp16"})");
      CAPTURE(model.name);
      CHECK(read_good(to_json(w).dump()) == w);
    }
  }
}

TEST_CASE("The shape of an op for the report", "[workload]") {
  const Json json = to_json(OpShape(Gemm{.m = 1, .n = 2, .k = 3, .epilogue = {Epilogue::relu}}));
  CHECK(json == Json::parse(R"({"m": 1, "n": 2, "k": 3, "batch": 1, "transpose_a": false,
                                "transpose_b": false, "epilogue": ["relu"]})"));
}
