// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <span>

#include "arch/chip/chip_params.hpp"
#include "arch/chip/l2_config.hpp"
#include "arch/chip/links_config.hpp"
#include "arch/chip/main_memory_config.hpp"
#include "arch/chip/mapping_config.hpp"
#include "arch/chip/matrix_unit_config.hpp"
#include "arch/memory/scratchpad/scratchpad_config.hpp"

namespace tilewave {

namespace {

constexpr Range kPortBytes{1, 1U << 20};
constexpr Range kBufferBytes{1, Count{1} << 50};

/// The weight buffer is filled by DMA only: it has no write port towards the core.
enum class WritePort { yes, no };

BufferParams read_buffer(ObjectReader buffer, WritePort write_port = WritePort::yes) {
  BufferParams b;
  b.unlimited = buffer.optional_flag("unlimited", false, "an ideal buffer without limit");
  if (b.unlimited) {
    if (buffer.maybe_capacity("capacity", kBufferBytes, "size of the buffer")) {
      buffer.error("unlimited", "true contradicts a capacity");
    }
  } else {
    b.capacity_bytes = buffer.capacity("capacity", kBufferBytes, "size of the buffer");
  }
  b.banks = buffer.optional_count("banks", 1, {1, 65536},
                                  "banks; sets the size of one and so the energy of an access");
  if (auto banking = buffer.maybe_object(
          "banking", "banks side by side, with their conflicts; else only the ports count")) {
    if (buffer.has("banks")) buffer.error("banks", "give banks or banking, not both");
    if (b.unlimited) buffer.error("banking", "an unlimited buffer has no banks");
    b.banking = read_scratchpad(*banking, b.capacity_bytes);
    banking->finish();
    b.banks = b.banking->banks;
  }
  b.read_bytes_per_cycle = buffer.optional_count("read_bytes_per_cycle", 0, {0, kPortBytes.max},
                                                 "read port; 0: as wide as asked");
  if (write_port == WritePort::yes) {
    b.write_bytes_per_cycle = buffer.optional_count("write_bytes_per_cycle", 0, {0, kPortBytes.max},
                                                    "write port; 0: as wide as asked");
  }
  if (!b.unlimited && b.banks > b.capacity_bytes) {
    buffer.error("banks", "more banks than bytes");
  }
  buffer.finish();
  return b;
}

WeightParams read_weights(ObjectReader& buffers, Dataflow dataflow) {
  WeightParams w;
  auto fifo = buffers.maybe_object("weight_fifo", "a queue of array tiles of weights");
  const bool has_buffer = buffers.has("weight");
  if (fifo) {
    w.store = WeightStore::fifo;
    w.fifo_tiles = fifo->count("tiles", {1, 65536}, "array tiles the queue holds");
    fifo->finish();
  }
  if (auto buffer = buffers.maybe_object("weight", "an SRAM for weights")) {
    if (fifo) buffers.error("weight", "give weight or weight_fifo, not both");
    if (buffer->has("shared_with")) {
      w.store = WeightStore::shared;
      buffer->choice<int>("shared_with", {{"activation", 0}}, "the buffer that holds weights too");
      buffer->finish();
    } else {
      w.store = WeightStore::buffer;
      if (dataflow == Dataflow::weight_stationary) {
        buffer->no_effect("read_bytes_per_cycle",
                          "weights reach the array by weight_load_bytes_per_cycle");
      }
      w.buffer = read_buffer(std::move(*buffer), WritePort::no);
    }
  }
  if (!fifo && !has_buffer && buffers.ok()) {
    buffers.error("", "one of weight, weight_fifo is missing: where weights wait on chip");
  }
  return w;
}

SystolicCoreParams read_core(ObjectReader core) {
  SystolicCoreParams c;
  core.choice<int>("type", {{"systolic", 0}}, "kind of core");
  c.matrix = read_matrix_unit(core.object("matrix_unit", "systolic arrays, or cubes"));
  if (auto vector = core.maybe_object("vector_unit", "SIMD unit")) {
    c.vector = VectorUnitParams{};
    c.vector->lanes = vector->count("lanes", {1, 1U << 20}, "elements a cycle");
    c.vector->latency_cycles =
        vector->optional_count("latency_cycles", 0, {0, 100000}, "from issue to result");
    c.vector->cycles_per_operation =
        vector->optional_count("cycles_per_operation", 1, {1, 1024},
                               "that an operation occupies a lane: loads, stores and conversions "
                               "that go with it included");
    c.vector->fused_epilogue = vector->optional_flag(
        "fused_epilogue", true, "a whole epilogue takes one pass, else one a step");
    c.vector->overlaps_products = vector->optional_flag(
        "overlaps_products", true, "it works while the arrays do, else they take turns");
    vector->finish();
  }
  auto buffers = core.object("buffers", "on-chip memories");
  c.activation = read_buffer(buffers.object("activation", "inputs and results"));
  c.accumulator = read_buffer(buffers.object("accumulator", "partial sums"));
  c.weight = read_weights(buffers, c.matrix.array.dataflow);
  buffers.finish();
  auto dma = core.optional_object("dma", "engines that move tiles");
  c.dma.queue_depth = dma.optional_count("queue_depth", c.dma.queue_depth, {2, 4096},
                                         "instructions each queue of the core holds");
  c.dma.request_bytes = dma.optional_count("request_bytes", c.dma.request_bytes,
                                           {16, Count{1} << 30}, "largest memory request");
  c.dma.outstanding = dma.optional_count("outstanding", c.dma.outstanding, {1, 65536},
                                         "requests in flight, of each engine");
  c.dma.read_bytes_per_cycle =
      dma.optional_count("read_bytes_per_cycle", 0, {0, kPortBytes.max},
                         "path into the core, of all engines together; 0: as wide as asked");
  c.dma.write_bytes_per_cycle = dma.optional_count("write_bytes_per_cycle", 0, {0, kPortBytes.max},
                                                   "path out of it; 0: as wide as asked");
  dma.finish();
  c.read_after_write_cycles = core.optional_count(
      "read_after_write_cycles", 0, {0, 1'000'000},
      "at least, from the last operands that the arrays (in an op without products: the vector "
      "unit) take in to the first work of an op that reads the results");
  c.wire_length_mm = core.optional_number(
      "wire_length_mm", 0, RealRange::non_negative(1000),
      "mean distance between buffers and units, for the energy of wires; 0: not counted");
  const auto& array = c.matrix.array;
  if (core.ok()) {
    if (c.weight.store == WeightStore::fifo && array.dataflow != Dataflow::weight_stationary) {
      core.error("buffers.weight_fifo",
                 "holds stationary weights: dataflow must be weight_stationary, or give weight");
    }
    unsigned widest_bits = 0;
    for (const auto& [type, passes] : c.matrix.passes) {
      widest_bits = std::max(widest_bits, accumulator_bits(type));
    }
    const Bytes row = bytes_for(array.cols, widest_bits);
    const Count rows = std::min(array.hops_per_cycle, array.rows);  // that leave in a cycle
    if (!array.cube && array.dataflow == Dataflow::output_stationary &&
        array.output_drain == OutputDrain::shift && c.accumulator.write_bytes_per_cycle > 0 &&
        c.accumulator.write_bytes_per_cycle / c.matrix.count < rows * row) {
      core.error("buffers.accumulator.write_bytes_per_cycle",
                 fmt::format("an output-stationary array drains {} of {} bytes a cycle, the port "
                             "must take it",
                             rows == 1 ? "a row" : fmt::format("{} rows", rows), row));
    }
  }
  core.finish();
  return c;
}

}  // namespace

ChipParams read_chip(ObjectReader& reader) {
  ChipParams chip;
  chip.name = reader.text("name", "name of the machine");
  chip.clock_ghz = reader.number("clock_ghz", {.min = 1e-6, .max = 100}, "core clock");
  chip.cores =
      reader.optional_count("cores", 1, {1, kMostCores}, "cores; they share the L2 and the memory");
  chip.chips = read_chips(reader);
  chip.links = read_links(reader, chip.chips);
  chip.core = read_core(reader.object("core", "what a core is made of"));
  chip.l2 = read_l2(reader, chip.cores);
  auto memory = reader.object("memory", "off-chip memory and links");
  chip.dram = read_main_memory(memory.object("dram", "off-chip memory"));
  if (auto host = memory.maybe_object("host", "link to the host")) {
    chip.host = HostParams{};
    chip.host->type =
        host->optional_text("type", "pcie", "kind of link, an entry of the energy table");
    chip.host->bandwidth = Bandwidth::from_gb_per_s(
        host->number("bandwidth_gb_per_s", {.min = 1e-6, .max = 1e6}, "in each direction"));
    chip.host->latency_ns = host->optional_number("latency_ns", 0, RealRange::non_negative(1e9),
                                                  "from the end of a transfer to its response");
    host->finish();
  }
  if (chip.dram.weights_only && !chip.host && memory.ok()) {
    memory.error("host", "is missing: dram.holds is \"weights\", so activations need a host link");
  }
  if (chip.dram.weights_only && chip.chips > 1) {
    memory.error("dram", "holds is \"weights\": what several chips exchange must lie there");
  }
  memory.finish();
  auto launch = reader.optional_object("launch", "what starting an op costs");
  chip.launch_overhead_us =
      launch.optional_number("overhead_us", 0, RealRange::non_negative(1e6),
                             "before an op's first instruction; nothing else runs meanwhile");
  chip.transfers_in_launch =
      launch.optional_flag("overlaps_transfers", false,
                           "operands may come in meanwhile, results of the op before leave");
  launch.finish();
  chip.energy = reader.text("energy", "technology: a file of configs/energy");
  read_mapping(reader, chip);
  reader.finish();
  return chip;
}

namespace {

Json to_json(const BufferParams& b, WritePort write_port = WritePort::yes) {
  Json json;
  if (b.unlimited) {
    json["unlimited"] = true;
  } else {
    json["capacity_bytes"] = b.capacity_bytes;
  }
  if (b.banking) {
    json["banking"] = to_json(*b.banking);
  } else {
    json["banks"] = b.banks;
  }
  json["read_bytes_per_cycle"] = b.read_bytes_per_cycle;
  if (write_port == WritePort::yes) json["write_bytes_per_cycle"] = b.write_bytes_per_cycle;
  return json;
}

Json to_json(const SystolicCoreParams& c) {
  Json json = {{"type", "systolic"}, {"matrix_unit", to_json(c.matrix)}};
  if (c.vector) {
    json["vector_unit"] = {{"lanes", c.vector->lanes},
                           {"latency_cycles", c.vector->latency_cycles},
                           {"cycles_per_operation", c.vector->cycles_per_operation},
                           {"fused_epilogue", c.vector->fused_epilogue}};
    if (!c.vector->overlaps_products) json["vector_unit"]["overlaps_products"] = false;
  }
  auto& buffers = json["buffers"];
  buffers["activation"] = to_json(c.activation);
  buffers["accumulator"] = to_json(c.accumulator);
  switch (c.weight.store) {
    case WeightStore::fifo:
      buffers["weight_fifo"] = {{"tiles", c.weight.fifo_tiles}};
      break;
    case WeightStore::buffer:
      buffers["weight"] = to_json(c.weight.buffer, WritePort::no);
      break;
    case WeightStore::shared:
      buffers["weight"] = {{"shared_with", "activation"}};
      break;
  }
  json["dma"] = {{"queue_depth", c.dma.queue_depth},
                 {"request_bytes", c.dma.request_bytes},
                 {"outstanding", c.dma.outstanding},
                 {"read_bytes_per_cycle", c.dma.read_bytes_per_cycle},
                 {"write_bytes_per_cycle", c.dma.write_bytes_per_cycle}};
  json["read_after_write_cycles"] = c.read_after_write_cycles;
  json["wire_length_mm"] = c.wire_length_mm;
  return json;
}

}  // namespace

Json to_json(const ChipParams& chip) {
  Json dram = to_json(chip.dram);
  dram["holds"] = chip.dram.weights_only ? "weights" : "all";
  Json json = {{"name", chip.name},
               {"clock_ghz", chip.clock_ghz},
               {"cores", chip.cores},
               {"core", to_json(chip.core)}};
  if (chip.chips > 1) json["chips"] = chip.chips;
  if (chip.links) write_links(*chip.links, json);
  if (chip.l2) write_l2(*chip.l2, json);
  json["memory"] = {{"dram", dram}};
  if (chip.host) {
    json["memory"]["host"] = {{"type", chip.host->type},
                              {"bandwidth_gb_per_s", chip.host->bandwidth.gb_per_s()},
                              {"latency_ns", chip.host->latency_ns}};
  }
  json["launch"] = {{"overhead_us", chip.launch_overhead_us},
                    {"overlaps_transfers", chip.transfers_in_launch}};
  json["energy"] = chip.energy;
  write_mapping(chip, json);
  return json;
}

}  // namespace tilewave
