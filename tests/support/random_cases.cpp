// SPDX-License-Identifier: Apache-2.0
#include "support/random_cases.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tilewave::test {

Json RandomCases::machine() {
  Json machine = small_machine();
  // small_machine() has every key that is set by reference below: nothing is appended.
  auto& core = machine["core"];
  auto& unit = core["matrix_unit"];
  const Count rows = pick(1, 12), cols = pick(1, 12), units = one_of<Count>({1, 1, 1, 2, 3});
  const auto dataflow = one_of<const char*>(
      {"weight_stationary", "weight_stationary", "input_stationary", "output_stationary"});
  unit["rows"] = rows;
  unit["cols"] = cols;
  unit["count"] = units;
  unit["dataflow"] = dataflow;
  unit["weight_double_buffer"] = pick(0, 1) == 1;
  unit["fold_overlap"] = pick(0, 1) == 1;
  unit["output_drain"] = one_of<const char*>({"shift", "direct"});
  unit["weight_load_bytes_per_cycle"] = one_of<Count>({0, 1, 3, 16});
  auto& buffers = core["buffers"];
  buffers["activation"]["capacity_bytes"] = one_of<Count>({8192, 20000, 65536});
  buffers["activation"]["read_bytes_per_cycle"] = one_of<Count>({0, 3, 8, 64});
  buffers["activation"]["write_bytes_per_cycle"] = one_of<Count>({0, 2, 16});
  buffers["accumulator"]["capacity_bytes"] = one_of<Count>({3500, 8192, 65536});
  // An output-stationary array must be able to drain a row a cycle.
  const bool os = std::string(dataflow) == "output_stationary";
  buffers["accumulator"]["write_bytes_per_cycle"] = os ? 0 : one_of<Count>({0, 8, 64});
  switch (pick(0, 2)) {
    case 0:
      buffers["weight"] = {{"shared_with", "activation"}};
      break;
    case 1:
      buffers["weight"] = {{"capacity_bytes", one_of<Count>({2048, 16384})}};
      break;
    default:
      if (std::string(dataflow) == "weight_stationary") {
        core["buffers"].erase("weight");
        core["buffers"]["weight_fifo"] = {{"tiles", units + pick(0, 3)}};
      } else {
        buffers["weight"] = {{"capacity_bytes", 4096}};
      }
  }
  core["vector_unit"]["lanes"] = pick(1, 16);
  core["vector_unit"]["latency_cycles"] = pick(0, 9);
  core["vector_unit"]["fused_epilogue"] = pick(0, 1) == 1;
  core["dma"] = {{"queue_depth", pick(2, 9)},
                 {"request_bytes", one_of<Count>({16, 64, 1000})},
                 {"outstanding", pick(1, 6)}};
  machine["clock_ghz"] = one_of<double>({0.7, 1.0, 1.41});
  auto& dram = machine["memory"]["dram"];
  if (pick(0, 4) == 0) {
    dram = {{"model", "ideal"}, {"kind", "ddr4"}};
  } else {
    dram["bandwidth_gb_per_s"] = one_of<double>({0.3, 2.0, 11.0, 100.0});
    dram["latency_ns"] = one_of<double>({0.0, 20.0, 150.0});
  }
  if (pick(0, 3) == 0) {
    dram["holds"] = "weights";
    // Appending to an object moves its members: `dram` is not used after this.
    machine["memory"]["host"] = {{"type", "pcie"},
                                 {"bandwidth_gb_per_s", one_of<double>({1.0, 14.0})},
                                 {"latency_ns", one_of<double>({0.0, 300.0})}};
  }
  machine["mapping"]["keep_results"] = pick(0, 2) != 0;
  return machine;
}

Json RandomCases::chip_of_cores() {
  Json machine = this->machine();
  machine["cores"] = pick(1, 5);
  machine["launch"] = {{"overhead_us", one_of<double>({0.0, 0.01, 0.3})},
                       {"overlaps_transfers", pick(0, 1) == 1}};
  auto& core = machine["core"];
  core["dma"]["read_bytes_per_cycle"] = one_of<Count>({0, 3, 16});
  core["dma"]["write_bytes_per_cycle"] = one_of<Count>({0, 5, 64});
  core["vector_unit"]["cycles_per_operation"] = pick(1, 3);
  if (pick(0, 1) == 1) core["matrix_unit"]["cast_operations"] = {{"fp16", pick(1, 3)}};
  auto& mapping = machine["mapping"];
  mapping["transfers"] = one_of<const char*>({"streamed", "windows"});
  mapping["layout_lanes"] = one_of<Count>({1, 1, 4, 16});
  mapping["layout_sublanes"] = one_of<Count>({1, 2});
  mapping["filter_taps"] = one_of<const char*>({"packed", "separate"});
  mapping["row_reductions"] = one_of<const char*>({"fused", "separate"});
  mapping["core_split_macs"] = one_of<Count>({0, 0, 5000});
  return machine;
}

Op RandomCases::gemm(const std::string& name) {
  Gemm g;
  g.m = pick(1, 40), g.n = pick(1, 30), g.k = pick(1, 40);
  g.batch = one_of<Count>({1, 1, 1, 2, 3});
  g.transpose_a = pick(0, 1) == 1;
  g.transpose_b = pick(0, 1) == 1;
  if (pick(0, 2) == 0) g.epilogue = {Epilogue::bias, Epilogue::relu};
  Op op;
  op.name = name;
  op.dtype = one_of<DataType>(
      {DataType::int8, DataType::int8, DataType::int16, DataType::fp16, DataType::bf16});
  op.shape = g;
  op.functional = pick(0, 1) == 1;
  op.values_seed = pick(0, 1000);
  return op;
}

Op RandomCases::conv(const std::string& name) {
  Conv2d c;
  c.n = pick(1, 3);
  c.groups = one_of<Count>({1, 1, 1, 2, 5});
  c.c = c.groups * pick(1, 4);
  c.k = c.groups * pick(1, 5);
  c.r = pick(1, 3), c.s = pick(1, 3);
  c.dilation = {pick(1, 2), pick(1, 2)};
  c.padding = {pick(0, 2), pick(0, 2)};
  c.stride = {pick(1, 4), pick(1, 4)};
  c.h = pick(5, 12), c.w = pick(5, 12);
  c.layout = one_of<Layout>({Layout::nhwc, Layout::nchw});
  if (pick(0, 2) == 0) c.epilogue = {Epilogue::bias};
  Op op;
  op.name = name;
  op.shape = c;
  return op;
}

Workload RandomCases::workload() {
  Workload w{.name = "random", .ops = {}};
  const Count ops = pick(1, 4);
  for (Count i = 0; i < ops; ++i) {
    const std::string name = fmt::format("op{}", i);
    switch (pick(0, 3)) {
      case 0:
        w.ops.push_back(conv(name));
        break;
      case 1: {
        Op op;
        op.name = name;
        if (pick(0, 1) == 0) {
          op.shape = Pool{.kind = PoolKind::max,
                          .n = pick(1, 2),
                          .c = pick(1, 5),
                          .h = pick(3, 11),
                          .w = pick(3, 11),
                          .r = pick(1, 3),
                          .s = pick(1, 3),
                          .stride = {pick(1, 4), pick(1, 4)}};
        } else {
          op.shape = Elementwise{
              .kind = ElementwiseKind::add, .elements = pick(1, 3000), .operands = pick(1, 2)};
        }
        w.ops.push_back(op);
        break;
      }
      default:
        w.ops.push_back(gemm(name));
    }
  }
  return w;
}

}  // namespace tilewave::test
