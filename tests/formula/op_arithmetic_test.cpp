// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the ops beyond gemm, conv2d, pool and elementwise, worked out by hand, and
// attention's closed forms against enumeration.
#include <random>
#include <string>

#include "support/catch.hpp"

#include "workloads/ops/all.hpp"
#include "workloads/ops/facts.hpp"

using namespace tilewave;

namespace {

OpFacts facts_of(OpShape shape, DataType dtype = DataType::int8) {
  REQUIRE(check_shape(shape).empty());
  return facts({.name = "op", .dtype = dtype, .shape = std::move(shape)});
}

Attention attention(Count q_len, Count kv_len, bool causal, Count window = 0) {
  return {.batch = 1,
          .heads = 1,
          .kv_heads = 1,
          .q_len = q_len,
          .kv_len = kv_len,
          .head_dim = 64,
          .v_head_dim = 64,
          .causal = causal,
          .window = window};
}

/// Does query i see key j?
bool sees(const Attention& a, Count i, Count j) {
  const Count p = a.kv_len - a.q_len + i;
  if (a.causal && j > p) return false;
  return a.window == 0 || (j > p ? j - p : p - j) < a.window;
}

}  // namespace

TEST_CASE("Attention facts", "[ops]") {
  SECTION("causal attention of length 197") {
    CHECK(attention_pairs(attention(197, 197, true), 0, 197) == 19'503);
    CHECK(facts_of(attention(197, 197, true)).macs == 19'503 * 128);
  }
  SECTION("a decode step of Llama-3-8B, batch 16, 8192 tokens, reads 512 MiB of keys and values") {
    const Attention decode{.batch = 16,
                           .heads = 32,
                           .kv_heads = 8,
                           .q_len = 1,
                           .kv_len = 8192,
                           .head_dim = 128,
                           .v_head_dim = 128,
                           .causal = true};
    const OpFacts f = facts_of(decode, DataType::fp16);
    CHECK(f.inputs.at(1).bytes + f.inputs.at(2).bytes == 536'870'912);
    CHECK(f.macs == Count{16} * 32 * 8192 * 256);
    CHECK(f.inputs[0].bytes == 16 * 32 * 128 * 2);
    CHECK(f.output_bytes == 16 * 32 * 128 * 2);
    CHECK(f.weight_elements == 0);
    // Flash moves these four and nothing else.
    CHECK(f.compulsory_bytes() == 536'870'912 + 2 * 131'072);
  }
  SECTION("unfused: scores and probabilities go out and come back") {
    Attention a = attention(8, 8, true);
    a.batch = 2, a.heads = 4, a.kv_heads = 2;
    const Bytes flash = facts_of(a, DataType::fp16).compulsory_bytes();
    a.algorithm = Attention::Algorithm::unfused;
    const OpFacts f = facts_of(a, DataType::fp16);
    CHECK(f.intermediate_elements == 2 * (2 * 4 * 64));
    CHECK(f.compulsory_bytes() == flash + 4 * (2 * 4 * 64) * 2);
    CHECK(f.macs == 2 * 4 * 36 * 128);
    CHECK(f.flops == 2 * f.macs + 6 * (2 * 4 * 36));
  }
  SECTION("keys that no query sees are not read") {
    const OpFacts f = facts_of(attention(1, 100, true, 30));
    CHECK(f.macs == 30 * 128);
    CHECK(f.inputs[1].elements == 6400);
    CHECK(f.inputs[1].touched_elements == 1920);
    // Ten queries in a chunk: the first sees 61 to 90, the last 70 to 99.
    CHECK(facts_of(attention(10, 100, true, 30)).inputs[2].touched_elements == 39 * 64);
  }
  SECTION("cross attention: any number of queries") {
    CHECK(facts_of(attention(20, 7, false)).macs == 140 * 128);
  }
  SECTION("values of another length") {
    Attention a = attention(2, 2, false);
    a.head_dim = 192, a.v_head_dim = 128;
    const OpFacts f = facts_of(a);
    CHECK(f.macs == 4 * 320);
    CHECK(f.inputs[1].elements == 384);
    CHECK(f.inputs[2].elements == 256);
    CHECK(f.output_elements == 256);
  }
  SECTION("values within the keys are not read twice") {
    Attention a = attention(1, 100, true);
    a.head_dim = 576, a.v_head_dim = 512, a.v_in_k = true;
    const OpFacts f = facts_of(a);
    CHECK(f.inputs.size() == 2);
    CHECK(f.compulsory_bytes() == 576 + 100 * 576 + 512);
    CHECK(f.macs == 100 * (576 + 512));
  }
  SECTION("backward") {
    Attention a = attention(2, 2, false);
    a.backward = true;
    OpFacts f = facts_of(a);
    CHECK(f.macs == 4 * 5 * 64);
    CHECK(f.inputs.size() == 5);
    CHECK(f.output_elements == 3 * 128);
    CHECK(f.intermediate_elements == 0);
    a.algorithm = Attention::Algorithm::unfused;
    f = facts_of(a);
    CHECK(f.macs == 4 * 4 * 64);
    CHECK(f.inputs[4].elements == 4);
    CHECK(f.intermediate_elements == 8);
  }
}

TEST_CASE("Attention's closed forms agree with enumeration", "[ops]") {
  std::mt19937 random(4);
  const auto pick = [&](Count low, Count high) {
    return std::uniform_int_distribution<Count>(low, high)(random);
  };
  for (int i = 0; i < 3000; ++i) {
    const Count kv_len = pick(1, 24);
    const Attention a =
        attention(pick(1, kv_len), kv_len, pick(0, 1) == 1, pick(0, 1) * pick(1, kv_len));
    const Count first = pick(0, a.q_len - 1), queries = pick(1, a.q_len - first);
    Count pairs = 0, low = kv_len, end = 0;
    for (Count q = first; q < first + queries; ++q) {
      for (Count k = 0; k < kv_len; ++k) {
        if (!sees(a, q, k)) continue;
        ++pairs;
        low = std::min(low, k), end = std::max(end, k + 1);
      }
    }
    INFO("q " << a.q_len << " kv " << kv_len << " causal " << a.causal << " window " << a.window
              << " queries " << first << " + " << queries);
    REQUIRE(attention_pairs(a, first, queries) == pairs);
    REQUIRE(seen_keys(a, first, queries).first == low);
    REQUIRE(seen_keys(a, first, queries).count == end - low);
  }
}

TEST_CASE("Convolutions along one and three axes, transposed, and their gradient", "[ops]") {
  SECTION("1-D, causal") {
    // 16 positions, taps 4 apart, zeros before only: as many results.
    const OpFacts f =
        facts_of(Conv1d{.n = 2, .c = 3, .w = 16, .k = 5, .s = 2, .padding = {4, 0}, .dilation = 4});
    CHECK(f.output_elements == 2 * 5 * 16);
    CHECK(f.macs == 2 * 16 * 5 * 3 * 2);
    CHECK(f.weight_elements == 30);
    CHECK(f.inputs[0].touched_elements == 2 * 3 * 16);
    // Zeros after only: the first tap of the last windows still reads all.
    const Conv1d after{.c = 1, .w = 5, .k = 1, .s = 3, .stride = 2, .padding = {0, 2}};
    CHECK(facts_of(after).output_elements == 3);
  }
  SECTION("3-D") {
    // The first layer of C3D: 3 x 16 x 112 x 112, 64 filters of 3 x 3 x 3, same size.
    const OpFacts f = facts_of(Conv3d{.c = 3,
                                      .d = 16,
                                      .h = 112,
                                      .w = 112,
                                      .k = 64,
                                      .t = 3,
                                      .r = 3,
                                      .s = 3,
                                      .padding = {1, 1, 1},
                                      .epilogue = {Epilogue::bias}});
    CHECK(f.output_elements == 64 * 16 * 112 * 112);
    CHECK(f.macs == Count{64} * 16 * 112 * 112 * 81);
    CHECK(f.flops == 2 * f.macs + f.output_elements);
    CHECK(f.weight_elements == 64 * 81);
    const OpFacts strided = facts_of(Conv3d{.c = 4,
                                            .d = 5,
                                            .h = 6,
                                            .w = 7,
                                            .k = 4,
                                            .t = 1,
                                            .r = 2,
                                            .s = 3,
                                            .stride = {2, 2, 2},
                                            .groups = 4});
    CHECK(strided.output_elements == 4 * 3 * 3 * 3);
    CHECK(strided.macs == 4 * 27 * 6);
    CHECK(strided.inputs[0].touched_elements == 4 * 3 * 6 * 7);
  }
  SECTION("transposed doubles a map") {
    // U-Net's up-convolution: 2 x 2 filters at stride 2, no two overlap.
    Conv2d up{.n = 1, .c = 8, .h = 5, .w = 7, .k = 4, .r = 2, .s = 2, .stride = {2, 2}};
    up.transposed = true;
    const OpFacts f = facts_of(up);
    CHECK(conv_output(up).h == 10);
    CHECK(conv_output(up).w == 14);
    CHECK(f.macs == 35 * 8 * 4 * 4);
    CHECK(f.weight_elements == 8 * 4 * 4);
    CHECK(f.output_elements == 4 * 140);
    CHECK(f.inputs[0].touched_elements == 8 * 35);
    // The adjoint of 3 x 3 at stride 2 and padding 1 from 8 to 4: with a row more below, 4 to 8.
    Conv2d adjoint{.c = 4, .h = 4, .w = 4, .k = 2, .r = 3, .s = 3, .stride = {2, 2}};
    adjoint.padding = {1, 1}, adjoint.output_padding = {1, 1}, adjoint.transposed = true;
    const Conv2d forward{
        .c = 2, .h = 8, .w = 8, .k = 4, .r = 3, .s = 3, .stride = {2, 2}, .padding = {1, 1}};
    CHECK(conv_output(adjoint).h == 8);
    CHECK(facts_of(adjoint).macs == facts_of(forward).macs);
    CHECK(facts_of(adjoint).weight_elements == facts_of(forward).weight_elements);
  }
  SECTION("the gradient of the filters") {
    Conv2d conv{.n = 3, .c = 2, .h = 6, .w = 6, .k = 5, .r = 3, .s = 3};
    const OpFacts forward = facts_of(conv);
    conv.weight_gradient = true;
    const OpFacts f = facts_of(conv);
    CHECK(f.macs == forward.macs);
    CHECK(f.inputs.at(0) == forward.inputs.at(0));
    CHECK(f.inputs.at(1).elements == forward.output_elements);
    CHECK(f.weight_elements == 0);
    CHECK(f.output_elements == forward.weight_elements);
  }
  SECTION("more zeros on one side") {
    const Conv2d conv{
        .c = 1, .h = 4, .w = 4, .k = 1, .r = 3, .s = 3, .stride = {2, 2}, .padding_end = {{1, 1}}};
    CHECK(conv_output(conv).h == 2);
    CHECK(facts_of(conv).inputs[0].touched_elements == 16);
  }
}

TEST_CASE("A gemm of two activations has no weights", "[ops]") {
  const OpFacts f = facts_of(Gemm{.m = 2, .n = 3, .k = 5, .batch = 7, .b_is_activation = true});
  CHECK(f.macs == 210);
  CHECK(f.inputs.at(1).elements == 105);
  CHECK(f.weight_elements == 0);
  CHECK(f.compulsory_bytes() == 70 + 105 + 42);
}

TEST_CASE("Normalization facts", "[ops]") {
  struct Case {
    NormalizationKind kind;
    Count flops, parameters;
  };
  const auto [kind, flops, parameters] = GENERATE(
      Case{NormalizationKind::softmax, 500, 0}, Case{NormalizationKind::layernorm, 700, 40},
      Case{NormalizationKind::rmsnorm, 400, 20}, Case{NormalizationKind::batchnorm, 200, 40});
  const OpFacts f = facts_of(Normalization{kind, 5, 20}, DataType::fp16);
  CAPTURE(to_string(kind));
  CHECK(f.macs == 0);
  CHECK(f.flops == flops);
  CHECK(f.bias_elements == parameters);
  CHECK(f.compulsory_bytes() == 400);
}

TEST_CASE("Gradients of normalization and pooling", "[ops]") {
  struct Case {
    NormalizationKind kind;
    Count flops;
  };
  const auto [kind, flops] =
      GENERATE(Case{NormalizationKind::softmax, 400}, Case{NormalizationKind::layernorm, 1300},
               Case{NormalizationKind::rmsnorm, 900}, Case{NormalizationKind::batchnorm, 1300});
  CAPTURE(to_string(kind));
  const OpFacts f = facts_of(Normalization{.kind = kind, .rows = 5, .cols = 20, .backward = true});
  CHECK(f.flops == flops);
  CHECK(f.bias_elements == 0);
  CHECK(f.compulsory_bytes() == 300);
  const Normalization training{
      .kind = NormalizationKind::batchnorm, .rows = 5, .cols = 20, .batch_statistics = true};
  CHECK(facts_of(training).flops == 700);
  CHECK(!check_shape(Normalization{.rows = 5, .cols = 20, .batch_statistics = true}).empty());

  Pool pool{.c = 3, .h = 8, .w = 8, .r = 2, .s = 2, .stride = {2, 2}, .backward = true};
  CHECK(facts_of(pool).compulsory_bytes() == 3 * (16 + 64 + 64));
  CHECK(facts_of(pool).flops == 3 * 64);
  pool.kind = PoolKind::average;
  CHECK(facts_of(pool).compulsory_bytes() == 3 * (16 + 64));
}

TEST_CASE("Facts of rotary, reduce, embedding, transpose and concat", "[ops]") {
  CHECK(facts_of(Rotary{6, 8}).flops == 24 * 6);
  CHECK(facts_of(Rotary{6, 8}).compulsory_bytes() == 96);
  CHECK(facts_of(Reduce{ReduceKind::mean, 6, 8}).flops == 48);
  CHECK(facts_of(Reduce{ReduceKind::mean, 6, 8}).compulsory_bytes() == 54);
  SECTION("of a table only the gathered rows are read") {
    const OpFacts f =
        facts_of(Embedding{.rows = 10, .width = 64, .table_rows = 30'522}, DataType::fp16);
    CHECK(f.weight_elements == 30'522 * 64);
    CHECK(f.weight_bytes == 10 * 64 * 2);
    CHECK(f.output_bytes == 10 * 64 * 2);
    CHECK(f.inputs.at(0).bytes == 40);
    CHECK(f.flops == 0);
  }
  SECTION("a bag of rows is added up; never more than the table is read") {
    const OpFacts f = facts_of(Embedding{.rows = 10, .width = 4, .table_rows = 25, .pooled = 3});
    CHECK(f.flops == 10 * 2 * 4);
    CHECK(f.weight_bytes == 100);
    CHECK(f.output_bytes == 40);
    CHECK(f.inputs.at(0).bytes == 120);
  }
  const OpFacts turned = facts_of(Transpose{{2, 3, 4}, {2, 0, 1}}, DataType::fp32);
  CHECK(turned.compulsory_bytes() == 2 * 96);
  CHECK(turned.flops == 0);
  const OpFacts joined = facts_of(Concat{{3, 4, 5}});
  CHECK(joined.inputs.size() == 3);
  CHECK(joined.inputs[2].elements == 5);
  CHECK(joined.output_elements == 12);
}

TEST_CASE("A broadcast operand is as large as it is", "[ops]") {
  const OpFacts f = facts_of(Elementwise{ElementwiseKind::mul, 490, 2, 10});
  CHECK(f.flops == 490);
  CHECK(f.inputs.at(1).elements == 10);
  CHECK(f.compulsory_bytes() == 490 + 10 + 490);
}

TEST_CASE("Recurrent facts", "[ops]") {
  struct Case {
    RecurrentKind kind;
    Count gates, steps;
  };
  const auto [kind, gates, steps] =
      GENERATE(Case{RecurrentKind::lstm, 4, 13}, Case{RecurrentKind::gru, 3, 11},
               Case{RecurrentKind::rnn, 1, 2});
  const OpFacts f = facts_of(Recurrent{kind, 2, 3, 5, 7});
  CAPTURE(to_string(kind));
  CHECK(f.weight_elements == gates * 5 * 8);
  CHECK(f.bias_elements == gates * 5);
  CHECK(f.macs == 7 * 2 * gates * 5 * 8);
  CHECK(f.flops == 2 * f.macs + steps * 7 * 2 * 5);
  CHECK(f.inputs.at(0).elements == 42);
  CHECK(f.output_elements == 70);
}

TEST_CASE("Mixture of experts", "[ops]") {
  SECTION("one token wakes top_k experts") {
    const Moe one{.tokens = 1, .hidden = 4, .ffn = 6, .experts = 8, .top_k = 2};
    CHECK(active_experts(one) == 2);
    const OpFacts f = facts_of(one);
    CHECK(f.macs == 2 * 3 * 24);
    CHECK(f.flops == 2 * f.macs + 2 * (2 * 6 + 2 * 4));
    CHECK(f.weight_elements == 8 * 72);
    CHECK(f.weight_bytes == 2 * 72);
  }
  SECTION("expected distinct experts") {
    // 8 (1 - 0.75^4) = 5.47; 8 (1 - 0.75^16) = 7.92; 256 (1 - (248/256)^32) = 163.3.
    CHECK(active_experts({.tokens = 4, .hidden = 1, .ffn = 1, .experts = 8, .top_k = 2}) == 5);
    CHECK(active_experts({.tokens = 16, .hidden = 1, .ffn = 1, .experts = 8, .top_k = 2}) == 8);
    CHECK(active_experts({.tokens = 32, .hidden = 1, .ffn = 1, .experts = 256, .top_k = 8}) == 163);
    CHECK(active_experts({.tokens = 9, .hidden = 1, .ffn = 1, .experts = 4, .top_k = 4}) == 4);
    const auto tokens =
        expert_tokens({.tokens = 4, .hidden = 1, .ffn = 1, .experts = 8, .top_k = 2});
    CHECK(tokens == std::vector<Count>{2, 2, 2, 1, 1, 0, 0, 0});
  }
  SECTION("given tokens; none is no work") {
    const Moe given{.tokens = 3,
                    .hidden = 4,
                    .ffn = 6,
                    .experts = 4,
                    .top_k = 1,
                    .gated = false,
                    .tokens_per_expert = {0, 3, 0, 0}};
    const OpFacts f = facts_of(given);
    CHECK(f.macs == 3 * 2 * 24);
    CHECK(f.weight_bytes == 48);
    CHECK(f.weight_elements == 4 * 48);
  }
}

TEST_CASE("Quantize, dequantize and optimizer facts", "[ops]") {
  const OpFacts to = facts_of(Quantize{100, DataType::int8, false}, DataType::fp16);
  CHECK(to.inputs.at(0).bytes == 200);
  CHECK(to.output_bytes == 100);
  const OpFacts from = facts_of(Quantize{100, DataType::int4, true}, DataType::fp16);
  CHECK(from.inputs.at(0).bytes == 50);
  CHECK(from.output_bytes == 200);
  CHECK(from.flops == 200);
  // Adam in fp16: reads a gradient and 12 bytes of state, writes the state and an fp16 weight.
  const OpFacts adam = facts_of(Optimizer{OptimizerKind::adam, 10}, DataType::fp16);
  CHECK(adam.input_bytes() == 10 * (2 + 12));
  CHECK(adam.output_bytes == 10 * (12 + 2));
  CHECK(adam.weight_elements == 0);
  CHECK(facts_of(Optimizer{OptimizerKind::sgd, 10}, DataType::fp32).compulsory_bytes() ==
        10 * (4 + 4 + 4 + 4));
}

TEST_CASE("Counts that do not fit stop", "[ops]") {
  constexpr Count kHuge = 1'000'000'000'000;
  const Attention a{.batch = kHuge,
                    .heads = kHuge,
                    .kv_heads = kHuge,
                    .q_len = kHuge,
                    .kv_len = kHuge,
                    .head_dim = kHuge,
                    .v_head_dim = kHuge,
                    .causal = true};
  CHECK(count_facts(a).macs == kMaxCount);
  CHECK(!check_shape(a).empty());
  CHECK(!check_shape(Moe{.tokens = kHuge, .hidden = kHuge, .ffn = kHuge, .experts = 4}).empty());
  CHECK(!check_shape(Recurrent{RecurrentKind::lstm, kHuge, kHuge, kHuge, kHuge}).empty());
}
