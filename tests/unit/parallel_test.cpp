// SPDX-License-Identifier: Apache-2.0
// What one of several chips does of a workload: shares, and the collectives between them.
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/machines.hpp"

#include "workloads/load.hpp"
#include "workloads/ops/facts.hpp"
#include "workloads/parallel/place_on_chips.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

Workload network(const std::string& name) {
  Diagnostics diagnostics;
  Workload w = load_workload(
      name, {.config_dir = std::filesystem::path(TILEWAVE_TEST_DIR) / ".." / "configs"},
      diagnostics);
  diagnostics.throw_if_errors();
  return w;
}

Workload placed(const Workload& workload, Count chips, Parallelism parallel) {
  Diagnostics diagnostics;
  Workload w = place_on_chips(workload, chips, parallel, diagnostics);
  diagnostics.throw_if_errors();
  return w;
}

Count reduced_elements(const Workload& workload) {
  Count elements = 0;
  for (const Op& op : workload.ops) {
    if (const auto* c = std::get_if<Collective>(&op.shape)) elements += c->elements;
  }
  return elements;
}

/// What an op reads by name is there, and has as many elements.
void check_chain(const Workload& workload) {
  std::map<std::string, Count> made;
  for (const Op& op : workload.ops) {
    INFO(op.name);
    const OpFacts f = facts(op);
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      if (op.inputs[i] == "input") continue;
      REQUIRE(made.count(op.inputs[i]) == 1);
      if (!op.partial_inputs) CHECK(made[op.inputs[i]] == f.inputs.at(i).elements);
    }
    CHECK(made.emplace(op.name, f.output_elements).second);
  }
}

}  // namespace

TEST_CASE("collectives get the machine's chips", "[parallel]") {
  const Workload w =
      workload_of(Json::parse(R"({"ops": [{"op": "all_reduce", "elements": 9}, {"op": "all_gather",
                      "elements": 9, "chips": 4}]})"));
  CHECK(std::get<Collective>(placed(w, 4, Parallelism::none).ops[0].shape).chips == 4);
  CHECK_THROWS_WITH(placed(w, 2, Parallelism::none),
                    contains("all_gather is of 4 chips, the machine has 2"));
}

TEST_CASE("data parallelism sums every gradient before its update", "[parallel]") {
  const std::string name =
      GENERATE("resnet50:phase=training,batch=2", "bert_base:phase=training,layers=2,seq_len=32");
  const Workload whole = network(name), one = placed(whole, 4, Parallelism::data);
  check_chain(one);
  CHECK(totals(one).macs == totals(whole).macs);
  Count updated = 0;
  for (const Op& op : whole.ops) {
    if (const auto* update = std::get_if<Optimizer>(&op.shape)) updated += update->parameters;
  }
  CHECK(updated == totals(whole).parameters);
  CHECK(reduced_elements(one) == updated);
  CHECK(placed(whole, 1, Parallelism::data) == whole);
}

TEST_CASE("chips may share a network's batch", "[parallel]") {
  const auto load = [](const std::string& name, Count shares, Diagnostics& diagnostics) {
    return load_workload(name,
                         {.config_dir = std::filesystem::path(TILEWAVE_TEST_DIR) / ".." / "configs",
                          .batch_shares = shares},
                         diagnostics);
  };
  Diagnostics diagnostics;
  const std::string rest = ":phase=training,batch=";
  for (const std::string name : {"resnet50", "bert_base"}) {
    const std::string sizes = name == "bert_base" ? ",layers=1,seq_len=32" : "";
    Workload share = load(name + rest + "8" + sizes, 4, diagnostics);
    CHECK(share == load(name + rest + "2" + sizes, 1, diagnostics));
    CHECK(diagnostics.ok());
    // Gradients are of all weights, however small a chip's batch is.
    CHECK(reduced_elements(placed(share, 4, Parallelism::data)) == totals(share).parameters);
  }
  (void)load("resnet50:batch=6", 4, diagnostics);
  (void)load("tiny_cnn", 2, diagnostics);
  REQUIRE(diagnostics.errors().size() == 2);
  CHECK(diagnostics.errors()[0].path == "batch");
  CHECK_THAT(diagnostics.errors()[0].message, contains("must be a multiple of the 4 chips"));
  CHECK_THAT(diagnostics.errors()[1].message, contains("is for networks"));
}

TEST_CASE("tensor parallelism splits the products of a block, with two sums", "[parallel]") {
  const Count chips = GENERATE(2U, 4U);
  // Width, layers; the share of a block's products that is split is all of them.
  const auto [name, layers, tokens, width] = GENERATE(
      std::tuple<std::string, Count, Count, Count>{"gpt2:layers=3,seq_len=64", 3, 64, 768},
      std::tuple<std::string, Count, Count, Count>{"llama3_8b:layers=2,seq_len=32", 2, 32, 4096},
      std::tuple<std::string, Count, Count, Count>{"bert_base:layers=2,seq_len=32", 2, 32, 768});
  CAPTURE(name, chips);
  const Workload whole = network(name), one = placed(whole, chips, Parallelism::tensor);
  check_chain(one);
  // What comes before and after the blocks is done on every chip.
  Count outside = 0;
  for (const Op& op : whole.ops) {
    const bool of_block = op.name.starts_with("layer") || op.name.starts_with("h0.") ||
                          op.name.starts_with("h1.") || op.name.starts_with("h2.");
    if (!of_block) outside += facts(op).macs;
  }
  CHECK(chips * totals(one).macs == totals(whole).macs + (chips - 1) * outside);
  CHECK(reduced_elements(one) == 2 * layers * tokens * width);
}

TEST_CASE("tensor parallelism leaves whole what the chips do not divide", "[parallel]") {
  const Workload w = workload_of(Json::parse(R"({"ops": [
      {"op": "gemm", "name": "up", "m": 4, "n": 10, "k": 8, "epilogue": ["relu"]},
      {"op": "gemm", "name": "down", "m": 4, "n": 8, "k": 10, "epilogue": ["bias"]}]})"));
  CHECK(placed(w, 4, Parallelism::tensor) == w);
  const Workload one = placed(w, 5, Parallelism::tensor);
  REQUIRE(one.ops.size() == 4);
  CHECK(std::get<Gemm>(one.ops[0].shape).n == 2);
  CHECK(std::get<Gemm>(one.ops[1].shape).k == 2);
  CHECK(std::get<Collective>(one.ops[2].shape) == Collective{CollectiveKind::all_reduce, 32, 5});
  CHECK(std::get<Elementwise>(one.ops[3].shape).kind == ElementwiseKind::bias);
}
