// SPDX-License-Identifier: Apache-2.0
#include "arch/chip/matrix_unit_config.hpp"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tilewave {

namespace {

constexpr Range kPes{1, 65536};
constexpr Range kPathBytes{0, 1U << 20};
/// Of both halves.
constexpr Range kL0Bytes{2, Count{1} << 30};

/// Rates: 1 / passes of a vector or a block, or (cube) so many times the depth of a block.
void read_throughput(ObjectReader& unit, MatrixUnitParams& m) {
  const auto names = data_type_names();
  for (const auto& [name, rate] : unit.number_map(
           "throughput", names, {.min = 0, .max = 64, .open_min = true},
           "vectors a cycle at full rate is 1, by data type: 1, 0.5, 0.25 … for 1, 2, 4 passes; a "
           "cube also takes 2, 4 … times as many products a cycle")) {
    const DataType type = *data_type_from_string(name);
    const bool faster = rate > 1;
    const double count = std::round(faster ? rate : 1.0 / rate);
    if (faster && !m.array.cube) {
      unit.error("throughput." + name, "must be at most 1: an array takes a vector a cycle");
    }
    if (std::abs(faster ? count - rate : count * rate - 1.0) > 1e-6) {
      const char* rule = m.array.cube ? "must be a whole number, or 1 divided by one"
                                      : "must be 1 divided by a whole number of passes";
      unit.error("throughput." + name, fmt::format("{}, is {}", rule, rate));
    }
    m.passes[type] = faster ? 1 : static_cast<Cycle>(count);
    if (faster) m.speed[type] = static_cast<Count>(count);
  }
}

std::map<DataType, Count> read_casts(ObjectReader& unit) {
  const auto names = data_type_names();
  std::map<DataType, Count> casts;
  for (const auto& [name, operations] : unit.optional_number_map(
           "cast_operations", names, {.min = 1, .max = 1000},
           "lane operations with which the vector unit converts a number of a type that the unit "
           "does not take as it is, and results back")) {
    if (operations != std::round(operations)) {
      unit.error("cast_operations." + name,
                 fmt::format("must be a whole number, is {}", operations));
    }
    casts[*data_type_from_string(name)] = static_cast<Count>(operations);
  }
  return casts;
}

void read_array(ObjectReader& unit, ArrayParams& array) {
  array.dataflow =
      unit.optional_choice<Dataflow>("dataflow", Dataflow::weight_stationary,
                                     {{"weight_stationary", Dataflow::weight_stationary},
                                      {"output_stationary", Dataflow::output_stationary},
                                      {"input_stationary", Dataflow::input_stationary}},
                                     "which operand the array holds still");
  array.weight_double_buffer = unit.optional_flag(
      "weight_double_buffer", true, "a second stationary register, loaded while the first works");
  array.fold_overlap = unit.optional_flag(
      "fold_overlap", true, "a fold may enter the array before the last one has drained");
  array.output_drain = unit.optional_choice<OutputDrain>(
      "output_drain", OutputDrain::shift,
      {{"shift", OutputDrain::shift}, {"direct", OutputDrain::direct}},
      "how results leave an output-stationary array");
}

CubeParams read_cube(ObjectReader& unit) {
  CubeParams cube;
  cube.depth = unit.count("depth", kPes, "cube: products that it adds for each sum in a cycle");
  cube.l0a_bytes = unit.capacity("l0a", kL0Bytes, "cube: operands of A next to it, two halves");
  cube.l0b_bytes = unit.capacity("l0b", kL0Bytes, "cube: operands of B next to it, two halves");
  cube.l0a_fill_bytes_per_cycle = unit.count("l0a_fill_bytes_per_cycle", {1, kPathBytes.max},
                                             "cube: path from the activation buffer into L0A");
  cube.l0b_fill_bytes_per_cycle = unit.count(
      "l0b_fill_bytes_per_cycle", {1, kPathBytes.max},
      "cube: path from the weights' buffer into L0B; one of the two paths is used at a time");
  cube.latency_cycles =
      unit.optional_count("latency_cycles", 1, {1, 1024}, "cube: from a block's entry to its sums");
  return cube;
}

}  // namespace

MatrixUnitParams read_matrix_unit(ObjectReader unit) {
  MatrixUnitParams m;
  const bool is_cube = unit.optional_choice<bool>(
      "kind", false, {{"systolic", false}, {"cube", true}},
      "systolic: vectors that move through PEs; cube: a block of products a cycle");
  m.array.rows = unit.count("rows", kPes, "PEs along the reduction (WS, IS) or along M (OS, cube)");
  m.array.cols = unit.count("cols", kPes, "PEs along the other dimension");
  m.count = unit.optional_count("count", 1, {1, 64}, "arrays of this kind in a core");
  if (is_cube) {
    m.array.dataflow = Dataflow::output_stationary;
    m.array.cube = read_cube(unit);
  } else {
    read_array(unit, m.array);
  }
  read_throughput(unit, m);
  m.cast_operations = read_casts(unit);
  if (is_cube) {
    unit.finish();
    return m;
  }
  m.stationary_bytes_per_cycle =
      unit.optional_count("weight_load_bytes_per_cycle", 0, kPathBytes,
                          "width of the path of the stationary operand into an array; 0: "
                          "weight_rows_per_cycle");
  m.array.hops_per_cycle = unit.optional_count(
      "hops_per_cycle", 1, {1, kPes.max},
      "PEs that operands and sums pass in a cycle: pipeline registers stand so far apart");
  m.stationary_rows_per_cycle = unit.optional_count(
      "weight_rows_per_cycle", 1, {1, kPes.max},
      "rows of the stationary operand that enter an array together, if their path is as wide");
  m.result_latency_cycles = unit.optional_count(
      "result_latency_cycles", 0, {0, 1024},
      "on the way of results from the array into the accumulators, whatever its size");
  if (m.stationary_rows_per_cycle > m.array.hops_per_cycle) {
    unit.error("weight_rows_per_cycle",
               fmt::format("{} rows enter in a cycle, but move on only {} in it (hops_per_cycle)",
                           m.stationary_rows_per_cycle, m.array.hops_per_cycle));
  }
  if (m.array.dataflow == Dataflow::output_stationary) {
    for (const char* key :
         {"weight_double_buffer", "weight_load_bytes_per_cycle", "weight_rows_per_cycle"}) {
      unit.no_effect(key, "an output-stationary array loads no operand");
    }
  } else {
    unit.no_effect("output_drain", "it is about output-stationary arrays");
  }
  unit.finish();
  return m;
}

Json to_json(const MatrixUnitParams& unit) {
  const ArrayParams& array = unit.array;
  Json json;
  if (array.cube) json["kind"] = "cube";
  json["rows"] = array.rows;
  json["cols"] = array.cols;
  if (array.cube) {
    json["depth"] = array.cube->depth;
    json["l0a_bytes"] = array.cube->l0a_bytes;
    json["l0b_bytes"] = array.cube->l0b_bytes;
    json["l0a_fill_bytes_per_cycle"] = array.cube->l0a_fill_bytes_per_cycle;
    json["l0b_fill_bytes_per_cycle"] = array.cube->l0b_fill_bytes_per_cycle;
    json["latency_cycles"] = array.cube->latency_cycles;
  }
  json["count"] = unit.count;
  if (!array.cube) {
    json["dataflow"] = to_string(array.dataflow);
    json["weight_double_buffer"] = array.weight_double_buffer;
    json["fold_overlap"] = array.fold_overlap;
    json["output_drain"] = to_string(array.output_drain);
  }
  auto& throughput = json["throughput"] = Json::object();
  for (const auto& [type, passes] : unit.passes) {
    const auto speed = unit.speed.find(type);
    throughput[std::string(to_string(type))] = speed == unit.speed.end()
                                                   ? 1.0 / static_cast<double>(passes)
                                                   : static_cast<double>(speed->second);
  }
  if (!array.cube) json["weight_load_bytes_per_cycle"] = unit.stationary_bytes_per_cycle;
  if (array.hops_per_cycle > 1) json["hops_per_cycle"] = array.hops_per_cycle;
  if (unit.stationary_rows_per_cycle > 1) {
    json["weight_rows_per_cycle"] = unit.stationary_rows_per_cycle;
  }
  if (unit.result_latency_cycles > 0) json["result_latency_cycles"] = unit.result_latency_cycles;
  for (const auto& [type, operations] : unit.cast_operations) {
    json["cast_operations"][std::string(to_string(type))] = operations;
  }
  return json;
}

}  // namespace tilewave
