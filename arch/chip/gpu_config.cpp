// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "arch/chip/gpu_params.hpp"
#include "arch/chip/main_memory_config.hpp"

namespace tilewave {

namespace {

constexpr Range kCycles{0, 100'000};
constexpr Range kPortBytes{1, 1U << 20};
constexpr Range kLanes{0, 4096};
constexpr Range kOnChip{1, Count{1} << 40};
constexpr RealRange kShare{.min = 0, .max = 1, .open_min = true};
constexpr Count kMostWarpLanes = 128;

/// Multiplies with more sets or steps than any known.
constexpr Range kParts{1, 64};
constexpr Range kShapeExtent{1, 1024};

MmaShape read_shape(ObjectReader unit) {
  MmaShape s;
  s.type = unit.choice<DataType>("type", named<DataType>(all_data_types()), "of the operands");
  s.sums = unit.optional_choice<DataType>("sums", DataType::fp32, named<DataType>(all_data_types()),
                                          "of the sums");
  s.m = unit.count("m", kShapeExtent, "rows of the sums");
  s.n = unit.count("n", kShapeExtent, "columns of the sums");
  s.k = unit.count("k", kShapeExtent, "products of a sum");
  s.sets = unit.optional_count("sets", 1, kParts, "parts of k, one after another");
  s.steps = unit.optional_count("steps", 1, kParts, "instructions of a set");
  s.set_cycles =
      unit.optional_count("set_cycles", 0, kCycles, "from a set to the next of the same sums");
  s.latency_cycles =
      unit.count("latency_cycles", kCycles, "from the first step to the result, alone");
  s.rate_share = unit.optional_number("rate_share", 1.0, kShare, "of fma_per_cycle that it gets");
  unit.finish();
  return s;
}

Json to_json(const MmaShape& s) {
  return {{"type", to_string(s.type)},
          {"sums", to_string(s.sums)},
          {"m", s.m},
          {"n", s.n},
          {"k", s.k},
          {"sets", s.sets},
          {"steps", s.steps},
          {"set_cycles", s.set_cycles},
          {"latency_cycles", s.latency_cycles},
          {"rate_share", s.rate_share}};
}

TensorCoreParams read_tensor_core(ObjectReader unit) {
  TensorCoreParams t;
  t.kind = unit.choice<MmaKind>(
      "instruction",
      {{"mma", MmaKind::mma}, {"wgmma", MmaKind::wgmma}, {"tcgen05", MmaKind::tcgen05}},
      "mma: a warp, operands in registers; wgmma: four warps, operands in shared memory; tcgen05: "
      "one thread, sums in tensor memory");
  const auto names = data_type_names();
  for (const auto& [name, rate] :
       unit.number_map("fma_per_cycle", names, {.min = 1, .max = 1 << 20},
                       "multiply-adds a cycle and sub-core, dense, by data type")) {
    if (rate != std::round(rate)) unit.error("fma_per_cycle", name + " must be a whole number");
    t.fma_per_cycle[*data_type_from_string(name)] = static_cast<Count>(rate);
  }
  t.structured_sparsity =
      unit.optional_flag("structured_sparsity", false, "2:4 of the weights doubles the rate");
  t.latency_cycles = unit.optional_count("latency_cycles", 32, kCycles,
                                         "from the issue of an instruction to a dependent one");
  for (auto& shape : unit.optional_objects(
           "shapes",
           "multiplies of a warp that detailed takes one by one; a type's first is its kernels'")) {
    t.shapes.push_back(read_shape(std::move(shape)));
  }
  t.sustained_share = unit.optional_number("sustained_share", 1.0, kShare,
                                           "of the peak rate that products keep up (power limit)");
  unit.no_effect("structured_sparsity", "no workload is 2:4 on GPUs yet");
  unit.finish();
  return t;
}

VectorLanes read_lanes(ObjectReader unit) {
  VectorLanes lanes;
  lanes.fp32 = unit.count("fp32_lanes", kLanes, "fp32 multiply-adds a cycle and sub-core");
  lanes.fp16 = unit.optional_count("fp16_lanes", 0, kLanes, "fp16 multiply-adds (packed); 0: none");
  lanes.integer = unit.optional_count("int_lanes", lanes.fp32, kLanes, "integer operations");
  lanes.fp64 = unit.optional_count("fp64_lanes", 0, kLanes, "fp64 multiply-adds");
  lanes.special =
      unit.optional_count("sfu_lanes", 4, {1, 4096},
                          "special functions a cycle and sub-core: exponentials, reciprocals");
  lanes.latency_cycles = unit.optional_count("latency_cycles", 4, kCycles,
                                             "from an instruction to one that needs its result");
  lanes.sustained_share = unit.optional_number(
      "sustained_share", 1.0, kShare, "of the peak rate that products on the lanes keep up");
  unit.finish();
  return lanes;
}

LoadStoreParams read_load_store(ObjectReader unit) {
  LoadStoreParams p;
  p.shared_bytes_per_cycle =
      unit.optional_count("shared_bytes_per_cycle", 128, kPortBytes, "shared memory, 32 banks");
  p.shared_latency_cycles =
      unit.count("shared_latency_cycles", kCycles, "of a load from shared memory");
  p.shared_banks = unit.optional_count("shared_banks", 32, {1, 1024},
                                       "of shared memory, a word of 4 bytes each a cycle");
  p.queue_instructions = unit.optional_count("queue_instructions", 8, {1, 1024},
                                             "that a sub-core may have before the load-store unit");
  p.l1_latency_cycles = unit.count("l1_latency_cycles", kCycles, "of a load that hits in L1");
  p.l2_read_bytes_per_cycle =
      unit.optional_count("l2_read_bytes_per_cycle", 64, kPortBytes, "port from the interconnect");
  p.l2_write_bytes_per_cycle =
      unit.optional_count("l2_write_bytes_per_cycle", 64, kPortBytes, "port to the interconnect");
  p.outstanding_bytes = unit.optional_capacity("outstanding", 1U << 16, {1024, 1U << 24},
                                               "reads from beyond the SM in flight at most");
  p.copy = unit.optional_choice<CopyKind>(
      "async_copy", CopyKind::registers,
      {{"none", CopyKind::registers}, {"cp_async", CopyKind::cp_async}, {"tma", CopyKind::tma}},
      "how tiles come to shared memory");
  p.copy_latency_cycles = unit.optional_count("copy_latency_cycles", 0, kCycles,
                                              "of an asynchronous copy, on top of a load's");
  unit.no_effect("l1_latency_cycles", "kernels load past the L1 so far");
  unit.finish();
  return p;
}

SmParams read_sm(ObjectReader core) {
  SmParams sm;
  core.choice<int>("type", {{"sm", 0}}, "kind of core");
  sm.sub_cores = core.optional_count("sub_cores", 4, {1, 16}, "each with a scheduler");
  sm.warp_order = core.optional_choice<WarpOrder>(
      "warp_order", WarpOrder::gto, {{"gto", WarpOrder::gto}, {"lrr", WarpOrder::lrr}},
      "gto: the warp that issued last as long as it can, then the oldest; lrr: in turn");
  sm.warp_lanes = core.optional_count("warp_lanes", 32, {8, kMostWarpLanes}, "threads of a warp");
  sm.registers_bytes = core.capacity("registers", kOnChip, "register file of the SM");
  sm.max_warps = core.count("max_warps", {1, 1024}, "resident on an SM");
  sm.max_ctas = core.count("max_ctas", {1, 256}, "resident on an SM");
  sm.l1_shared_bytes = core.capacity("l1_shared", kOnChip, "L1 and shared memory together");
  sm.max_shared_bytes =
      core.capacity("max_shared", kOnChip, "of these, what shared memory can be at most");
  sm.reserved_shared_bytes = core.optional_capacity("reserved_shared", 0, {0, 1U << 20},
                                                    "that a CTA takes beside what it asks for");
  sm.max_cluster = core.optional_count("max_cluster", 1, {1, 64}, "CTAs of a cluster; 1: none");
  if (auto tensor = core.maybe_object("matrix_unit", "tensor core of a sub-core")) {
    sm.tensor = read_tensor_core(std::move(*tensor));
  }
  sm.lanes = read_lanes(core.object("vector_unit", "lanes of a sub-core"));
  sm.load_store = read_load_store(core.object("load_store", "L1, shared memory, ports"));
  sm.cta_launch_cycles =
      core.count("cta_launch_cycles", kCycles, "from a CTA's dispatch to its first load");
  sm.barrier_cycles =
      core.count("barrier_cycles", kCycles, "from the last arrival to what follows");
  if (sm.max_shared_bytes > sm.l1_shared_bytes) {
    core.error("max_shared_bytes", "more than l1_shared");
  }
  core.finish();
  return sm;
}

SharedL2Params read_shared_l2(ObjectReader l2) {
  SharedL2Params p;
  p.capacity_bytes = l2.capacity("capacity", kOnChip, "of all slices");
  p.slices = l2.count("slices", {1, 4096}, "that serve requests side by side");
  p.sector_bytes = l2.optional_count("sector_bytes", 32, {16, 256}, "fetched from DRAM at least");
  p.bytes_per_cycle_per_slice =
      l2.count("bytes_per_cycle_per_slice", kPortBytes, "read or written");
  p.latency_cycles = l2.count("latency_cycles", kCycles, "of a load that hits, to its data");
  p.partitions = l2.optional_count("partitions", 1, {1, 2},
                                   "halves of the chip; each keeps copies of what its SMs read");
  p.far_latency_cycles = l2.optional_count("far_latency_cycles", 0, kCycles,
                                           "more, for data whose home is the other partition");
  p.partition_link_bytes_per_cycle = l2.optional_count(
      "partition_link_bytes_per_cycle", 0, {0, kPortBytes.max}, "each way; 0: without limit");
  l2.no_effect("sector_bytes", "the L2 keeps pieces of 8 rows of 32 bytes");
  l2.finish();
  return p;
}

template <typename Kind>
Json rates_json(const std::map<Kind, Count>& rates) {
  Json json = Json::object();
  for (const auto& [type, rate] : rates) json[std::string(to_string(type))] = rate;
  return json;
}

Json to_json(const SmParams& sm) {
  Json json = {{"type", "sm"},
               {"sub_cores", sm.sub_cores},
               {"warp_order", to_string(sm.warp_order)},
               {"warp_lanes", sm.warp_lanes},
               {"registers_bytes", sm.registers_bytes},
               {"max_warps", sm.max_warps},
               {"max_ctas", sm.max_ctas},
               {"l1_shared_bytes", sm.l1_shared_bytes},
               {"max_shared_bytes", sm.max_shared_bytes},
               {"reserved_shared_bytes", sm.reserved_shared_bytes},
               {"max_cluster", sm.max_cluster}};
  if (sm.tensor) {
    json["matrix_unit"] = {{"instruction", to_string(sm.tensor->kind)},
                           {"fma_per_cycle", rates_json(sm.tensor->fma_per_cycle)},
                           {"structured_sparsity", sm.tensor->structured_sparsity},
                           {"latency_cycles", sm.tensor->latency_cycles},
                           {"sustained_share", sm.tensor->sustained_share}};
    auto& shapes = json["matrix_unit"]["shapes"] = Json::array();
    for (const MmaShape& shape : sm.tensor->shapes) shapes.push_back(to_json(shape));
  }
  json["vector_unit"] = {{"fp32_lanes", sm.lanes.fp32},
                         {"fp16_lanes", sm.lanes.fp16},
                         {"int_lanes", sm.lanes.integer},
                         {"fp64_lanes", sm.lanes.fp64},
                         {"sfu_lanes", sm.lanes.special},
                         {"latency_cycles", sm.lanes.latency_cycles},
                         {"sustained_share", sm.lanes.sustained_share}};
  const LoadStoreParams& ls = sm.load_store;
  json["load_store"] = {
      {"shared_bytes_per_cycle", ls.shared_bytes_per_cycle},
      {"shared_latency_cycles", ls.shared_latency_cycles},
      {"shared_banks", ls.shared_banks},
      {"queue_instructions", ls.queue_instructions},
      {"l1_latency_cycles", ls.l1_latency_cycles},
      {"l2_read_bytes_per_cycle", ls.l2_read_bytes_per_cycle},
      {"l2_write_bytes_per_cycle", ls.l2_write_bytes_per_cycle},
      {"outstanding_bytes", ls.outstanding_bytes},
      {"async_copy", ls.copy == CopyKind::registers ? "none" : to_string(ls.copy)},
      {"copy_latency_cycles", ls.copy_latency_cycles}};
  json["cta_launch_cycles"] = sm.cta_launch_cycles;
  json["barrier_cycles"] = sm.barrier_cycles;
  return json;
}

Json to_json(const SharedL2Params& l2) {
  return {{"capacity_bytes", l2.capacity_bytes},
          {"slices", l2.slices},
          {"sector_bytes", l2.sector_bytes},
          {"bytes_per_cycle_per_slice", l2.bytes_per_cycle_per_slice},
          {"latency_cycles", l2.latency_cycles},
          {"partitions", l2.partitions},
          {"far_latency_cycles", l2.far_latency_cycles},
          {"partition_link_bytes_per_cycle", l2.partition_link_bytes_per_cycle}};
}

}  // namespace

bool is_gpu(const Json& machine) {
  const auto core = machine.find("core");
  if (core == machine.end() || !core->is_object()) return false;
  const auto type = core->find("type");
  return type != core->end() && *type == "sm";
}

GpuParams read_gpu(ObjectReader& reader) {
  GpuParams gpu;
  gpu.name = reader.text("name", "name of the machine");
  gpu.clock_ghz =
      reader.number("clock_ghz", {.min = 1e-3, .max = 100}, "clock of the SMs and the L2");
  gpu.cores = reader.count("cores", {1, 4096}, "SMs");
  gpu.chips = read_chips(reader);
  gpu.links = read_links(reader, gpu.chips);
  gpu.sm = read_sm(reader.object("core", "what an SM is made of"));
  gpu.l2 = read_shared_l2(reader.object("l2", "cache that all SMs share"));
  auto memory = reader.object("memory", "off-chip memory");
  gpu.dram = read_main_memory(memory.object("dram", "off-chip memory"));
  gpu.dram_sustained_share = memory.optional_number("sustained_share", 1.0, kShare,
                                                    "of the DRAM's peak that long streams get");
  memory.finish();
  if (gpu.dram.ideal && memory.ok()) memory.error("dram", "model ideal: a GPU's memory has a rate");
  auto launch = reader.optional_object("launch", "what starting kernels costs");
  gpu.launch_mode = launch.optional_choice<LaunchMode>(
      "mode", LaunchMode::stream, {{"graph", LaunchMode::graph}, {"stream", LaunchMode::stream}},
      "stream: op by op; graph: all ops captured and launched once");
  gpu.launch_overhead_us =
      launch.optional_number("overhead_us", 0, RealRange::non_negative(1e6),
                             "before the first CTA of an op; of a graph, once");
  gpu.kernel_gap_us = launch.optional_number("kernel_gap_us", 0, RealRange::non_negative(1e6),
                                             "between two kernels of an op; of a graph");
  launch.finish();
  auto mapping = reader.optional_object("mapping", "how work is put on the machine");
  gpu.gemm_kernel = mapping.optional_text(
      "gemm_kernel", "", "of all products, in the report's words; default: the fastest of each");
  gpu.shares = read_chip_shares(mapping);
  mapping.finish();
  gpu.energy = reader.text("energy", "technology: a file of configs/energy");
  reader.finish();
  return gpu;
}

Json to_json(const GpuParams& gpu) {
  Json json = {
      {"name", gpu.name},
      {"clock_ghz", gpu.clock_ghz},
      {"cores", gpu.cores},
      {"core", to_json(gpu.sm)},
      {"l2", to_json(gpu.l2)},
      {"memory", {{"dram", to_json(gpu.dram)}, {"sustained_share", gpu.dram_sustained_share}}},
      {"launch",
       {{"mode", gpu.launch_mode == LaunchMode::graph ? "graph" : "stream"},
        {"overhead_us", gpu.launch_overhead_us},
        {"kernel_gap_us", gpu.kernel_gap_us}}},
      {"mapping", {{"gemm_kernel", gpu.gemm_kernel}}},
      {"energy", gpu.energy}};
  if (gpu.chips > 1) {
    json["chips"] = gpu.chips;
    write_chip_shares(gpu.shares, json["mapping"]);
  }
  if (gpu.links) write_links(*gpu.links, json);
  return json;
}

}  // namespace tilewave
