// SPDX-License-Identifier: Apache-2.0
// The arithmetic of ops against numbers worked out by hand, and of windows against enumeration.
#include <algorithm>
#include <random>
#include <set>
#include <string>

#include "support/catch.hpp"

#include "workloads/op.hpp"
#include "workloads/ops/conv2d.hpp"
#include "workloads/ops/facts.hpp"
#include "workloads/ops/pool.hpp"
#include "workloads/ops/window.hpp"

using namespace tilewave;

namespace {

Op op_of(OpShape shape, DataType dtype = DataType::int8) {
  return {.name = "op", .dtype = dtype, .shape = std::move(shape), .inputs = {}};
}

}  // namespace

TEST_CASE("GEMM facts", "[ops]") {
  Gemm g{.m = 2, .n = 3, .k = 5, .batch = 7};
  SECTION("batch of products") {
    const OpFacts f = facts(op_of(g));
    CHECK(f.macs == 210);
    CHECK(f.flops == 420);
    CHECK(f.inputs[0].elements == 70);
    CHECK(f.weight_elements == 105);
    CHECK(f.output_elements == 42);
    CHECK(f.inputs.size() == 1);
    CHECK(f.bias_elements == 0);
    CHECK(f.compulsory_bytes() == 70 + 105 + 42);
  }
  SECTION("transposes change no count") {
    const OpFacts plain = facts(op_of(g));
    g.transpose_a = g.transpose_b = true;
    CHECK(facts(op_of(g)) == plain);
  }
  SECTION("an epilogue step is a FLOP a result, a residual a second input, a bias n parameters") {
    g.epilogue = {Epilogue::bias, Epilogue::residual, Epilogue::gelu};
    const OpFacts f = facts(op_of(g));
    CHECK(f.flops == 420 + 3 * 42);
    CHECK(f.inputs.at(1).elements == 42);
    CHECK(f.bias_elements == 21);
    CHECK(f.compulsory_bytes() == 70 + 105 + 42 + 42);
  }
  SECTION("65536 cubed") {
    const OpFacts f = facts(op_of(Gemm{.m = 65536, .n = 65536, .k = 65536}, DataType::fp32));
    CHECK(f.macs == 281474976710656);      // 2^48
    CHECK(f.flops == 562949953421312);     // 2^49
    CHECK(f.output_bytes == 17179869184);  // 2^34
    CHECK(check_shape(Gemm{.m = 65536, .n = 65536, .k = 65536}).empty());
  }
}

TEST_CASE("Bytes follow the data type", "[ops]") {
  struct Case {
    DataType dtype;
    Bytes input, weights, output;
  };
  // 3 x 5 times 5 x 7: 15, 35 and 21 elements.
  const auto [dtype, input, weights, output] = GENERATE(
      Case{DataType::int4, 8, 18, 11}, Case{DataType::int8, 15, 35, 21},
      Case{DataType::int16, 30, 70, 42}, Case{DataType::bf16, 30, 70, 42},
      Case{DataType::tf32, 60, 140, 84}, Case{DataType::fp64, 120, 280, 168},
      Case{DataType::int8_weight_only, 30, 35, 42}, Case{DataType::int4_weight_only, 30, 18, 42});
  const OpFacts f = facts(op_of(Gemm{.m = 3, .n = 7, .k = 5}, dtype));
  CAPTURE(to_string(dtype));
  CHECK(f.inputs[0].bytes == input);
  CHECK(f.weight_bytes == weights);
  CHECK(f.output_bytes == output);
}

TEST_CASE("Convolution facts", "[ops]") {
  struct Case {
    std::string about;
    Conv2d conv;
    Count oh, ow, macs, touched, weights;
  };
  const auto [about, conv, oh, ow, macs, touched, weights] = GENERATE(
      Case{"1 x 1", {.c = 8, .h = 5, .w = 7, .k = 4}, 5, 7, 35 * 4 * 8, 8 * 35, 32},
      Case{"3 x 3, padded to the same size",
           {.c = 2, .h = 6, .w = 6, .k = 3, .r = 3, .s = 3, .padding = {1, 1}},
           6,
           6,
           36 * 3 * 18,
           72,
           54},
      Case{"batch",
           {.n = 3, .c = 2, .h = 6, .w = 6, .k = 3, .r = 3, .s = 3},
           4,
           4,
           3 * 16 * 3 * 18,
           3 * 72,
           54},
      Case{"unequal strides: every row, every second column from 0 to 8",
           {.c = 1, .h = 4, .w = 9, .k = 1, .stride = {1, 2}},
           4,
           5,
           20,
           20,
           1},
      Case{"1 x 1 at stride 2 reads a quarter",
           {.c = 16, .h = 8, .w = 8, .k = 1, .stride = {2, 2}},
           4,
           4,
           256,
           256,
           16},
      Case{"unequal padding and filter",
           {.c = 1, .h = 5, .w = 5, .k = 1, .r = 1, .s = 5, .padding = {0, 2}},
           5,
           5,
           125,
           25,
           5},
      // Rows under the taps: 0, 2, 4 at window 0 up to 2, 4, 6 at window 2.
      Case{"dilation spans 5 rows",
           {.c = 1, .h = 7, .w = 7, .k = 1, .r = 3, .s = 3, .dilation = {2, 2}},
           3,
           3,
           81,
           49,
           9},
      // Even rows only: windows at 0, 2, 4, taps 2 apart.
      Case{"dilation and stride 2 skip every second row and column",
           {.c = 1, .h = 9, .w = 9, .k = 1, .r = 3, .s = 3, .stride = {2, 2}, .dilation = {2, 2}},
           3,
           3,
           81,
           25,
           9},
      Case{"rounded down: the last column is not read",
           {.c = 1, .h = 6, .w = 6, .k = 1, .r = 3, .s = 3, .stride = {2, 2}},
           2,
           2,
           36,
           25,
           9},
      Case{"rounded up as SCALE-Sim: it is",
           {.c = 1, .h = 6, .w = 6, .k = 1, .r = 3, .s = 3, .stride = {2, 2}, .ceil_output = true},
           3,
           3,
           81,
           36,
           9},
      Case{"groups",
           {.c = 8, .h = 4, .w = 4, .k = 12, .r = 3, .s = 3, .groups = 4},
           2,
           2,
           4 * 12 * 2 * 9,
           128,
           12 * 2 * 9},
      Case{"depthwise",
           {.c = 8, .h = 4, .w = 4, .k = 8, .r = 3, .s = 3, .groups = 8},
           2,
           2,
           4 * 8 * 9,
           128,
           72},
      Case{"filter as large as the input",
           {.c = 3, .h = 5, .w = 4, .k = 2, .r = 5, .s = 4},
           1,
           1,
           120,
           60,
           120},
      Case{"a stride larger than the filter leaves gaps",
           {.c = 1, .h = 1, .w = 11, .k = 1, .r = 1, .s = 2, .stride = {1, 3}},
           1,
           4,
           8,
           8,
           2});
  CAPTURE(about);
  REQUIRE(check_shape(conv).empty());
  const OutputSize out = conv_output(conv);
  CHECK(out.n == conv.n);
  CHECK(out.c == conv.k);
  CHECK(out.h == oh);
  CHECK(out.w == ow);
  const OpFacts f = facts(op_of(conv));
  CHECK(f.macs == macs);
  CHECK(f.flops == 2 * macs);
  CHECK(f.inputs[0].elements == conv.n * conv.c * conv.h * conv.w);
  CHECK(f.inputs[0].touched_elements == touched);
  CHECK(f.inputs[0].bytes == touched);
  CHECK(f.weight_elements == weights);
  CHECK(f.output_elements == conv.n * conv.k * oh * ow);
  CHECK(f.compulsory_bytes() == touched + weights + f.output_elements);
}

TEST_CASE("A convolution's epilogue", "[ops]") {
  Conv2d conv{.n = 2, .c = 3, .h = 4, .w = 4, .k = 5};
  conv.epilogue = {Epilogue::bias, Epilogue::residual, Epilogue::relu};
  const OpFacts f = facts(op_of(conv));
  CHECK(f.macs == 2 * 16 * 15);
  CHECK(f.flops == 2 * f.macs + 3 * 160);
  CHECK(f.inputs.at(1).elements == 160);
  CHECK(f.bias_elements == 5);
}

TEST_CASE("Pool facts", "[ops]") {
  const Pool max{.n = 2, .c = 3, .h = 7, .w = 7, .r = 3, .s = 3, .stride = {2, 2}};
  const OpFacts f = facts(op_of(max));
  CHECK(pool_output(max).h == 3);
  CHECK(f.macs == 0);
  CHECK(f.weight_elements == 0);
  CHECK(f.output_elements == 2 * 3 * 9);
  CHECK(f.flops == 2 * 3 * 9 * 9);
  CHECK(f.inputs[0].touched_elements == 2 * 3 * 49);

  const Pool global{.kind = PoolKind::average, .n = 1, .c = 2048, .h = 7, .w = 7, .r = 7, .s = 7};
  CHECK(facts(op_of(global)).output_elements == 2048);
  CHECK(facts(op_of(global)).flops == 2048 * 49);

  const Pool gaps{.c = 1, .h = 6, .w = 6, .r = 2, .s = 2, .stride = {3, 3}};
  CHECK(facts(op_of(gaps)).inputs[0].touched_elements == 16);
}

TEST_CASE("Elementwise facts", "[ops]") {
  const OpFacts one = facts(op_of(Elementwise{ElementwiseKind::gelu, 1000, 1}, DataType::fp16));
  CHECK(one.flops == 1000);
  CHECK(one.inputs.size() == 1);
  CHECK(one.compulsory_bytes() == 4000);
  const OpFacts two = facts(op_of(Elementwise{ElementwiseKind::add, 1000, 2}, DataType::fp16));
  CHECK(two.flops == 1000);
  CHECK(two.compulsory_bytes() == 6000);
  CHECK(facts(op_of(Elementwise{ElementwiseKind::copy, 1000, 1})).flops == 0);
  CHECK(facts(op_of(Elementwise{ElementwiseKind::cast, 1000, 1})).flops == 0);
}

TEST_CASE("Windows agree with enumeration", "[ops]") {
  std::mt19937 random(20240607);
  const auto pick = [&](Count low, Count high) {
    return std::uniform_int_distribution<Count>(low, high)(random);
  };
  int fitting = 0;
  for (int i = 0; i < 20'000; ++i) {
    const WindowAxis axis{.input = pick(1, 40),
                          .filter = pick(1, 7),
                          .stride = pick(1, 9),
                          .padding = pick(0, 8),
                          .dilation = pick(1, 6),
                          .ceil_output = pick(0, 1) == 1};
    // Windows by trying positions one after another.
    const Count padded = axis.input + 2 * axis.padding;
    const Count span = (axis.filter - 1) * axis.dilation + 1;
    Count windows = 0;
    std::set<Count> touched;
    if (span <= padded) {
      ++fitting;
      for (Count start = 0; start + span <= padded; start += axis.stride) ++windows;
      const bool divides = (windows - 1) * axis.stride + span == padded;
      if (axis.ceil_output && !divides) ++windows;
    }
    for (Count o = 0; o < windows; ++o) {
      for (Count t = 0; t < axis.filter; ++t) {
        const Count at = o * axis.stride + t * axis.dilation;
        if (at >= axis.padding && at < axis.padding + axis.input) touched.insert(at);
      }
    }
    INFO("input " << axis.input << " filter " << axis.filter << " stride " << axis.stride
                  << " padding " << axis.padding << " dilation " << axis.dilation << " ceil "
                  << axis.ceil_output);
    REQUIRE(axis.outputs() == windows);
    REQUIRE(axis.touched() == touched.size());
  }
  CHECK(fitting > 10'000);
}

TEST_CASE("Sizes at fault", "[ops]") {
  struct Case {
    OpShape shape;
    std::string key, part;
  };
  const auto [shape, key, part] = GENERATE(
      Case{Gemm{.m = 0, .n = 1, .k = 1}, "m", "is 0"},
      Case{Gemm{.m = 1, .n = 1, .k = 2'000'000'000'000}, "k", "is 2000000000000"},
      Case{Gemm{.m = 1 << 21, .n = 1 << 21, .k = 1 << 21}, "", "more than 2^62"},
      Case{Gemm{.m = 1'000'000'000, .n = 1, .k = 1'000'000'000}, "", "2^56 elements"},
      Case{Gemm{.m = 1, .n = 1, .k = 1, .epilogue = {Epilogue::relu, Epilogue::relu}},
           "epilogue[1]", "\"relu\" is there already"},
      Case{Conv2d{.c = 6, .h = 4, .w = 4, .k = 6, .groups = 4}, "groups",
           "must divide c = 6, is 4"},
      Case{Conv2d{.c = 8, .h = 4, .w = 4, .k = 6, .groups = 4}, "groups",
           "must divide k = 6, is 4"},
      Case{Conv2d{.c = 1, .h = 4, .w = 4, .k = 1, .r = 5}, "r", "larger than the padded input's 4"},
      Case{Conv2d{.c = 1, .h = 4, .w = 4, .k = 1, .s = 7, .padding = {0, 1}}, "s",
           "larger than the padded input's 6"},
      Case{Conv2d{.c = 1, .h = 4, .w = 4, .k = 1, .r = 3, .s = 1, .dilation = {2, 1}}, "r",
           "spans 5 with dilation"},
      Case{Conv2d{.c = 1, .h = 4, .w = 4, .k = 1, .stride = {1, 0}}, "stride[1]", "is 0"},
      Case{Pool{.c = 1, .h = 4, .w = 4, .r = 2, .s = 2, .padding = {0, 2}}, "padding[1]",
           "smaller than the window (2), is 2"},
      Case{Pool{.c = 1, .h = 4, .w = 4, .r = 5, .s = 2}, "r", "larger than the padded input's 4"},
      Case{Elementwise{ElementwiseKind::add, 0, 2}, "elements", "is 0"},
      Case{Elementwise{ElementwiseKind::add, 5, 3}, "operands", "from 1 to 2, is 3"});
  const ShapeFaults faults = check_shape(shape);
  REQUIRE(!faults.empty());
  CHECK(faults.front().key == key);
  CHECK_THAT(faults.front().message, test::contains(part));
}

TEST_CASE("All faults of an op are found at once", "[ops]") {
  const ShapeFaults faults = check_shape(Conv2d{.n = 0, .c = 0, .h = 4, .w = 4, .k = 0});
  CHECK(faults.size() == 3);
}
