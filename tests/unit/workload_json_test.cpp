// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/workload_texts.hpp"

#include "workloads/models/registry.hpp"
#include "workloads/ops/elementwise.hpp"
#include "workloads/ops/epilogue.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

/// A workload of these ops.
std::string ops(const std::string& list) { return R"({"ops": [)" + list + "]}"; }

}  // namespace

TEST_CASE("A workload file", "[workload]") {
  const Workload w = read_good(R"({
    "name": "mini", "dtype": "fp16", "note": "free text", "ops": [
      { "op": "gemm", "name": "ffn1", "m": 2048, "n": 4096, "k": 1024, "batch": 2,
        "transpose_a": true, "transpose_b": true, "epilogue": ["bias", "gelu"] },
      { "op": "conv2d", "name": "conv", "n": 2, "c": 64, "h": 56, "w": 57, "k": 32, "r": 3, "s": 5,
        "stride": [1, 2], "padding": [1, 2], "dilation": [2, 1], "groups": 4, "layout": "nchw",
        "transposed": false, "dtype": "int8" },
      { "op": "pool", "name": "pool", "kind": "average", "n": 2, "c": 8, "h": 6, "w": 7, "r": 2,
        "s": 3, "stride": [2, 3], "padding": [0, 1] },
      { "op": "elementwise", "name": "sum", "kind": "add", "elements": 144, "operands": 2,
        "inputs": ["pool", "input"] } ] })");
  CHECK(w.name == "mini");
  REQUIRE(w.ops.size() == 4);
  CHECK(std::get<Gemm>(w.ops[0].shape) == Gemm{.m = 2048,
                                               .n = 4096,
                                               .k = 1024,
                                               .batch = 2,
                                               .transpose_a = true,
                                               .transpose_b = true,
                                               .epilogue = {Epilogue::bias, Epilogue::gelu}});
  CHECK(w.ops[0].dtype == DataType::fp16);
  CHECK(std::get<Conv2d>(w.ops[1].shape) == Conv2d{.n = 2,
                                                   .c = 64,
                                                   .h = 56,
                                                   .w = 57,
                                                   .k = 32,
                                                   .r = 3,
                                                   .s = 5,
                                                   .stride = {1, 2},
                                                   .padding = {1, 2},
                                                   .dilation = {2, 1},
                                                   .groups = 4,
                                                   .layout = Layout::nchw});
  CHECK(w.ops[1].dtype == DataType::int8);
  CHECK(std::get<Pool>(w.ops[2].shape) == Pool{.kind = PoolKind::average,
                                               .n = 2,
                                               .c = 8,
                                               .h = 6,
                                               .w = 7,
                                               .r = 2,
                                               .s = 3,
                                               .stride = {2, 3},
                                               .padding = {0, 1}});
  CHECK(std::get<Elementwise>(w.ops[3].shape) == Elementwise{ElementwiseKind::add, 144, 2});
  CHECK(w.ops[3].inputs == std::vector<std::string>{"pool", "input"});
}

TEST_CASE("Defaults", "[workload]") {
  const Workload w = read_good(ops(R"(
      {"op": "gemm", "m": 1, "n": 2, "k": 3}, {"op": "conv2d", "c": 1, "h": 2, "w": 3, "k": 4},
      {"op": "gemm", "name": "gemm_3", "m": 1, "n": 2, "k": 3},
      {"op": "gemm", "m": 1, "n": 2, "k": 3}, {"op": "pool", "c": 1, "h": 3, "w": 3, "r": 2, "s": 2})"));
  CHECK(w.name == "w");
  // Kind and position, unless someone else has that name.
  std::vector<std::string> names;
  for (const Op& op : w.ops) names.push_back(op.name);
  CHECK(names == std::vector<std::string>{"gemm_0", "conv2d_1", "gemm_3", "gemm_3_2", "pool_4"});
  CHECK(w.ops[0].dtype == DataType::int8);
  CHECK(std::get<Gemm>(w.ops[0].shape) == Gemm{.m = 1, .n = 2, .k = 3});
  CHECK(std::get<Conv2d>(w.ops[1].shape) == Conv2d{.c = 1, .h = 2, .w = 3, .k = 4});
  CHECK(std::get<Pool>(w.ops[4].shape).kind == PoolKind::max);
}

TEST_CASE("Every name of an epilogue, a kind and a type is read", "[workload]") {
  for (const Epilogue e : all_epilogues()) {
    const Workload w = read_good(ops(R"({"op": "gemm", "m": 1, "n": 2, "k": 3, "epilogue": [")" +
                                     std::string(to_string(e)) + R"("]})"));
    CHECK(std::get<Gemm>(w.ops[0].shape).epilogue == std::vector<Epilogue>{e});
  }
  for (const ElementwiseKind kind : all_elementwise_kinds()) {
    const Workload w = read_good(ops(R"({"op": "elementwise", "elements": 4, "kind": ")" +
                                     std::string(to_string(kind)) + R"("})"));
    CHECK(std::get<Elementwise>(w.ops[0].shape).kind == kind);
  }
  for (const DataType type : all_data_types()) {
    const Workload w = read_good(ops(R"({"op": "gemm", "m": 1, "n": 2, "k": 3, "dtype": ")" +
                                     std::string(to_string(type)) + R"("})"));
    CHECK(w.ops[0].dtype == type);
  }
}

TEST_CASE("Values", "[workload]") {
  const Workload w = read_good(R"({"functional": true, "values_seed": 7, "ops": [
      {"op": "gemm", "m": 1, "n": 2, "k": 3},
      {"op": "gemm", "m": 1, "n": 2, "k": 3, "functional": false, "values_seed": 8},
      {"op": "elementwise", "kind": "relu", "elements": 2}]})");
  CHECK(w.ops[0].functional);
  CHECK(w.ops[0].values_seed == 7);
  CHECK(!w.ops[1].functional);
  CHECK(w.ops[1].values_seed == 8);
  CHECK(!w.ops[2].functional);
}

TEST_CASE("A type from outside replaces all", "[workload]") {
  const Workload w =
      read_good(R"({"dtype": "fp16", "ops": [
      {"op": "gemm", "m": 1, "n": 2, "k": 3}, {"op": "gemm", "m": 1, "n": 2, "k": 3, "dtype": "int8"}]})",
                {.file = {}, .default_name = {}, .dtype = DataType::bf16, .batch = {}});
  CHECK(w.ops[0].dtype == DataType::bf16);
  CHECK(w.ops[1].dtype == DataType::bf16);
}

TEST_CASE("A network by name", "[workload]") {
  const Workload w = read_good(R"({"model": "resnet50", "batch": 8, "dtype": "fp16"})");
  CHECK(w.name == "w");
  CHECK(std::get<Conv2d>(w.ops[0].shape).n == 8);
  CHECK(w.ops[0].dtype == DataType::fp16);
  const WorkloadReadOptions given{
      .file = {}, .default_name = {}, .dtype = DataType::int8, .batch = 2};
  const Workload other = read_good(R"({"model": "resnet50", "batch": 8, "dtype": "fp16"})", given);
  CHECK(std::get<Conv2d>(other.ops[0].shape).n == 2);
  CHECK(other.ops[0].dtype == DataType::int8);
}

TEST_CASE("Faults", "[workload]") {
  struct Case {
    std::string text, path, part;
  };
  const std::string gemm = R"({"op": "gemm", "name": "g", "m": 1, "n": 2, "k": 3})";
  const std::string nchw = R"({"op": "conv2d", "name": "a", "c": 8, "h": 4, "w": 4, "k": 8,
                               "layout": "nchw"}, )";
  const std::string nhwc = R"({"op": "conv2d", "name": "b", "c": 8, "h": 4, "w": 4, "k": 8, )";
  const auto [text, path, part] = GENERATE_COPY(
      // Keys and kinds.
      Case{R"({"ops": [)" + gemm + R"(], "dtpye": "int8"})", "dtpye", "dtype"},
      Case{ops(R"({"op": "gemm", "m": 1, "n": 2, "k": 3, "transpose_c": true})"),
           "ops[0].transpose_c", "transpose_"},
      Case{ops(R"({"op": "gemm", "m": 1, "n": 2, "k": 3, "stride": [1, 1]})"), "ops[0].stride",
           "unknown key"},
      Case{ops(gemm + R"(, {"op": "convd2", "c": 1})"), "ops[1].op", "did you mean \"conv2d\"?"},
      Case{ops(R"({"m": 1})"), "ops[0].op", "missing"},
      Case{ops(R"({"op": "all_reduce", "elements": 0})"), "ops[0].elements", "from 1 to"},
      Case{ops(R"({"op": "all_redcue", "elements": 2})"), "ops[0].op",
           "did you mean \"all_reduce\"?"},
      Case{ops(R"({"op": "atention"})"), "ops[0].op", "did you mean \"attention\"?"},
      Case{ops(R"({"op": "softmax", "rows": 3, "colums": 4})"), "ops[0].colums",
           "did you mean \"cols\"?"},
      Case{ops(R"({"op": "attention", "heads": 32, "kv_heads": 6, "q_len": 4, "head_dim": 8})"),
           "ops[0].kv_heads", "must divide heads = 32, is 6"},
      Case{ops(R"({"op": "attention", "heads": 2, "q_len": 4, "kv_len": 8, "head_dim": 8,
                   "causal": true, "window": 9})"),
           "ops[0].window", "at most the context, kv_len = 8, is 9"},
      Case{ops(R"({"op": "attention", "heads": 2, "q_len": 9, "kv_len": 8, "head_dim": 8,
                   "causal": true})"),
           "ops[0].q_len", "at most kv_len = 8"},
      Case{ops(R"({"op": "attention", "heads": 2, "q_len": 9, "head_dim": 8,
                   "algorithm": "flsh"})"),
           "ops[0].algorithm", "\"flash\""},
      Case{ops(R"({"op": "moe", "tokens": 4, "hidden": 8, "ffn": 8, "experts": 2, "top_k": 3})"),
           "ops[0].top_k", "from 1 to 2, is 3"},
      Case{ops(R"({"op": "moe", "tokens": 4, "hidden": 8, "ffn": 8, "experts": 2,
                   "tokens_per_expert": [4, 1]})"),
           "ops[0].tokens_per_expert", "tokens x top_k = 4, is 5"},
      Case{ops(R"({"op": "moe", "tokens": 4, "hidden": 8, "ffn": 8, "experts": 3,
                   "tokens_per_expert": [4, 0]})"),
           "ops[0].tokens_per_expert", "experts = 3 numbers, has 2"},
      Case{ops(R"({"op": "transpose", "dims": [2, 3], "permutation": [0, 0]})"),
           "ops[0].permutation", "each of 0 to 1 once, is [0, 0]"},
      Case{ops(R"({"op": "rotary", "rows": 2, "cols": 3})"), "ops[0].cols", "even"},
      Case{ops(R"({"op": "conv2d", "c": 1, "h": 2, "w": 2, "k": 1, "r": 2, "transposed": true,
                   "padding": [2, 0]})"),
           "ops[0].padding[0]", "less than the filter's extent 2"},
      Case{ops(R"({"op": "conv2d", "c": 1, "h": 2, "w": 2, "k": 1, "transposed": true,
                   "stride": [2, 2], "output_padding": [0, 2]})"),
           "ops[0].output_padding[1]", "must be less than the larger of stride and dilation, 2"},
      Case{ops(R"({"op": "conv2d", "c": 1, "h": 2, "w": 2, "k": 1, "output_padding": [1, 0]})"),
           "ops[0].output_padding", "needs transposed"},
      Case{ops(R"({"op": "conv1d", "c": 1, "w": 2, "k": 1, "s": 4, "padding": [1, 0]})"),
           "ops[0].s", "larger than the padded input's 3"},
      Case{ops(R"({"op": "conv3d", "c": 1, "d": 2, "h": 2, "w": 2, "k": 1, "t": 3})"), "ops[0].t",
           "depth 3 is larger"},
      Case{ops(R"({"op": "elementwise", "kind": "mul", "elements": 6, "operands": 2,
                   "second_elements": 4})"),
           "ops[0].second_elements", "must divide elements = 6, is 4"},
      Case{ops(R"({"op": "elementwise", "kind": "mul", "elements": 6, "second_elements": 3})"),
           "ops[0].second_elements", "needs operands = 2"},
      Case{ops(R"({"op": "gemm", "m": 1, "n": 2, "k": 4, "sparsity": {"weights": "2:4"}})"),
           "ops[0].sparsity", "not supported yet"},
      // Types and ranges.
      Case{ops(R"({"op": "gemm", "m": "1", "n": 2, "k": 3})"), "ops[0].m", "string"},
      Case{ops(R"({"op": "gemm", "m": 0, "n": 2, "k": 3})"), "ops[0].m", "is 0"},
      Case{ops(R"({"op": "gemm", "m": -1, "n": 2, "k": 3})"), "ops[0].m", "-1"},
      Case{ops(R"({"op": "gemm", "m": 1.5, "n": 2, "k": 3})"), "ops[0].m", "1.5"},
      Case{ops(R"({"op": "gemm", "n": 2, "k": 3})"), "ops[0].m", "missing"},
      Case{ops(R"({"op": "gemm", "m": 1, "n": 2, "k": 3, "transpose_b": 1})"), "ops[0].transpose_b",
           "true or false"},
      Case{ops(R"({"op": "gemm", "m": 1, "n": 2, "k": 3, "epilogue": ["rleu"]})"),
           "ops[0].epilogue[0]", "\"relu\""},
      Case{ops(R"({"op": "gemm", "m": 1, "n": 2, "k": 3, "epilogue": ["relu", "relu"]})"),
           "ops[0].epilogue[1]", "there already"},
      Case{ops(R"({"op": "gemm", "m": 1, "n": 2, "k": 3, "dtype": "fp15"})"), "ops[0].dtype",
           "\"fp16\""},
      Case{ops(R"({"op": "conv2d", "c": 1, "h": 2, "w": 2, "k": 1, "stride": [1, 0]})"),
           "ops[0].stride[1]", "is 0"},
      Case{ops(R"({"op": "conv2d", "c": 1, "h": 2, "w": 2, "k": 1, "padding": 1})"),
           "ops[0].padding", "array of 2"},
      Case{ops(R"({"op": "conv2d", "c": 1, "h": 2, "w": 2, "k": 1, "layout": "chwn"})"),
           "ops[0].layout", "nhwc"},
      Case{ops(R"({"op": "elementwise", "kind": "ad", "elements": 1})"), "ops[0].kind", "\"add\""},
      Case{ops(R"({"op": "elementwise", "kind": "add", "elements": 1, "operands": 3})"),
           "ops[0].operands", "is 3"},
      // Sizes that do not go together.
      Case{ops(R"({"op": "conv2d", "c": 1, "h": 4, "w": 4, "k": 1, "r": 7, "padding": [1, 0]})"),
           "ops[0].r", "height 7 is larger than the padded input's 6"},
      Case{ops(R"({"op": "conv2d", "c": 6, "h": 4, "w": 4, "k": 8, "groups": 4})"), "ops[0].groups",
           "must divide c = 6, is 4"},
      Case{ops(R"({"op": "conv2d", "c": 8, "h": 4, "w": 4, "k": 6, "groups": 4})"), "ops[0].groups",
           "must divide k = 6, is 4"},
      Case{ops(R"({"op": "pool", "c": 1, "h": 4, "w": 4, "r": 2, "s": 5})"), "ops[0].s",
           "width 5 is larger"},
      Case{ops(R"({"op": "gemm", "m": 3000000, "n": 3000000, "k": 3000000})"), "ops[0]", "2^62"},
      // Names and wiring.
      Case{ops(gemm + R"(, {"op": "pool", "c": 1, "h": 2, "w": 2, "r": 1, "s": 1}, )" + gemm),
           "ops[2].name", "\"g\" is the name of ops[0] already"},
      Case{ops(R"({"op": "gemm", "name": "input", "m": 1, "n": 2, "k": 3})"), "ops[0].name",
           "cannot name an op"},
      Case{ops(gemm + R"(, {"op": "gemm", "m": 1, "n": 2, "k": 3, "inputs": ["gg"]})"),
           "ops[1].inputs[0]", "names no op"},
      Case{ops(gemm + R"(, {"op": "gemm", "m": 1, "n": 2, "k": 3, "inputs": ["g"]})"),
           "ops[1].inputs[0]", "\"g\" makes 2 elements, this input has 3"},
      Case{ops(gemm + R"(, {"op": "gemm", "m": 1, "n": 2, "k": 1, "inputs": ["g"]})"),
           "ops[1].inputs[0]", "this input has 1; if it is a part of them"},
      Case{ops(gemm + R"(, {"op": "gemm", "m": 1, "n": 2, "k": 3, "partial_inputs": true,
                          "inputs": ["g"]})"),
           "ops[1].inputs[0]", "\"g\" makes 2 elements, this input has 3"},
      Case{ops(gemm + R"(, {"op": "gemm", "m": 1, "n": 2, "k": 2, "inputs": ["g", "g"]})"),
           "ops[1].inputs", "names 2, but this gemm has 1 input"},
      Case{ops(gemm + R"(, {"op": "gemm", "m": 1, "n": 2, "k": 2, "weights_of": "h"})"),
           "ops[1].weights_of", "must name an earlier op, is \"h\""},
      Case{ops(gemm + R"(, {"op": "gemm", "m": 1, "n": 2, "k": 2, "weights_of": "g"})"),
           "ops[1].weights_of", "\"g\" has 6 weights, this gemm has 4"},
      Case{
          ops(R"({"op": "gemm", "name": "a", "m": 1, "n": 2, "k": 3, "inputs": ["input", "g"]}, )" +
              gemm),
          "ops[0].inputs[1]", "must name an earlier op, but \"g\" is ops[1]"},
      Case{ops(R"({"op": "gemm", "name": "a", "m": 1, "n": 2, "k": 3, "inputs": ["a"]})"),
           "ops[0].inputs[0]", "this op itself"},
      Case{ops(nchw + nhwc + R"("inputs": ["a"]})"), "ops[1].inputs[0]",
           "\"a\" makes nchw, but \"b\" reads nhwc; give both the same layout"},
      Case{ops(nchw + nhwc.substr(0, nhwc.size() - 2) + "}"), "ops[1]", "\"a\" makes nchw, but"},
      Case{ops(nchw + R"({"op": "elementwise", "name": "r", "kind": "relu", "elements": 128}, )" +
               nhwc + R"("inputs": ["r"]})"),
           "ops[2].inputs[0]", "\"r\" makes nchw (from \"a\"), but \"b\" reads nhwc"},
      Case{ops(nchw + nhwc +
               R"("inputs": ["input"]}, {"op": "elementwise", "name": "sum", "kind": "add",
               "elements": 128, "operands": 2, "inputs": ["a", "b"]})"),
           "ops[2].inputs[1]", "\"b\" makes nhwc, but \"sum\" also reads nchw of \"a\""},
      Case{ops(R"({"op": "elementwise", "kind": "add", "elements": 4, "functional": true})"),
           "ops[0].functional", "for gemm only"},
      // The file.
      Case{R"({"ops": []})", "ops", "array of 0"}, Case{R"({"name": "x"})", "ops", "missing"},
      Case{R"({"ops": {}})", "ops", "array"}, Case{"[1]", "", "must be an object"},
      Case{ops(gemm + ", 5"), "ops[1]", "must be an object"},
      Case{R"({"model": "resnet50", "ops": []})", "ops", "cannot stand beside"},
      Case{R"({"model": "resnet5O"})", "model", "\"resnet50\""},
      Case{R"({"model": "resnet50", "bacth": 8})", "bacth", "\"batch\""},
      Case{R"({"model": "resnet50", "batch": 0})", "batch", "is 0"},
      Case{R"({"model": 5})", "model", "5"});
  Diagnostics diagnostics;
  (void)read(text, diagnostics);
  CAPTURE(text);
  REQUIRE(diagnostics.errors().size() == 1);
  const Fault& fault = diagnostics.errors()[0];
  CAPTURE(format(fault));
  CHECK(fault.file == "w.json");
  CHECK(fault.path == path);
  CHECK_THAT(fault.message, contains(part));
}

TEST_CASE("Results lie as their readers want them", "[workload]") {
  const std::string rest = GENERATE(
      // The same layout; a change of layout between; a tensor from outside.
      R"("layout": "nchw", "inputs": ["a"]})", R"("layout": "nchw"})", R"("inputs": ["input"]})",
      R"("inputs": ["input"]}, {"op": "transpose", "name": "t", "dims": [8, 16], "permutation": [1, 0], "inputs": ["a"]},
         {"op": "conv2d", "c": 8, "h": 4, "w": 4, "k": 8})",
      // One pixel lies the same in both.
      R"("inputs": ["input"]}, {"op": "pool", "c": 8, "h": 4, "w": 4, "r": 4, "s": 4, "inputs": ["a"],
         "layout": "nchw"}, {"op": "conv2d", "c": 8, "h": 1, "w": 1, "k": 8})");
  CAPTURE(rest);
  Diagnostics diagnostics;
  const Workload w = read(ops(R"({"op": "conv2d", "name": "a", "c": 8, "h": 4, "w": 4, "k": 8,
                                  "layout": "nchw"},
                                 {"op": "conv2d", "name": "b", "c": 8, "h": 4, "w": 4, "k": 8, )" +
                              rest),
                          diagnostics);
  for (const Fault& fault : diagnostics.errors()) UNSCOPED_INFO(format(fault));
  CHECK(diagnostics.ok());
  CHECK(w.ops.size() >= 2);
}

TEST_CASE("All faults of a file are reported together", "[workload]") {
  Diagnostics diagnostics;
  (void)read(R"({"dtyp": "int8", "ops": [
      {"op": "gemm", "m": 0, "n": 2, "k": "x", "name": "a"},
      {"op": "grue"},
      {"op": "conv2d", "c": 6, "h": 2, "w": 2, "k": 6, "r": 3, "groups": 4, "name": "a"}]})",
             diagnostics);
  std::vector<std::string> paths;
  for (const Fault& fault : diagnostics.errors()) paths.push_back(fault.path);
  std::ranges::sort(paths);
  CHECK(paths == std::vector<std::string>{"dtyp", "ops[0].k", "ops[0].m", "ops[1].op",
                                          "ops[2].groups", "ops[2].groups", "ops[2].name",
                                          "ops[2].r"});
}

TEST_CASE("A batch for a list of ops is a fault", "[workload]") {
  Diagnostics diagnostics;
  (void)read(ops(R"({"op": "gemm", "m": 1, "n": 2, "k": 3})"), diagnostics,
             {.file = {}, .default_name = {}, .dtype = {}, .batch = 4});
  REQUIRE(diagnostics.errors().size() == 1);
  CHECK(diagnostics.errors()[0].file == "--batch");
  CHECK_THAT(diagnostics.errors()[0].message, contains("w.json lists its ops"));
}

TEST_CASE("A batch from outside that is wrong is not the file's fault", "[workload]") {
  Diagnostics diagnostics;
  (void)read(R"({"model": "resnet50"})", diagnostics,
             {.file = {}, .default_name = {}, .dtype = {}, .batch = 0});
  REQUIRE(diagnostics.errors().size() == 1);
  CHECK(diagnostics.errors()[0].file == "--batch");
}
