// SPDX-License-Identifier: Apache-2.0
#include "workloads/ops/embedding.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "workloads/ops/count_math.hpp"

namespace tilewave {
namespace {

constexpr unsigned kIndexBits = 32;

}  // namespace

OpFacts count_facts(const Embedding& v) {
  OpFacts facts;
  const Count gathered = product({v.rows, v.pooled});
  facts.flops = product({v.rows, v.pooled - 1, v.width});
  InputFacts indices = InputFacts::whole(gathered);
  indices.bits = {.fixed = kIndexBits, .data_type = false};
  facts.inputs = {indices};
  facts.weight_elements = product({v.table_rows, v.width});
  facts.touched_weight_elements = product({std::min(gathered, v.table_rows), v.width});
  facts.output_elements = product({v.rows, v.width});
  return facts;
}

ShapeFaults find_faults(const Embedding& v) {
  ShapeFaults faults;
  check_size(v.rows, kDimension, "rows", faults);
  check_size(v.width, kDimension, "width", faults);
  check_size(v.table_rows, kDimension, "table_rows", faults);
  check_size(v.pooled, kDimension, "pooled", faults);
  return faults;
}

Embedding read_embedding(ObjectReader& reader) {
  Embedding v;
  v.rows = reader.count("rows", kDimension, "results: tokens");
  v.width = reader.count("width", kDimension, "elements of a row");
  v.table_rows = reader.count("table_rows", kDimension, "rows of the table: the vocabulary");
  v.pooled = reader.optional_count("pooled", 1, kDimension, "rows added up for a result");
  return v;
}

void write_shape(const Embedding& v, Json& json) {
  json["rows"] = v.rows;
  json["width"] = v.width;
  json["table_rows"] = v.table_rows;
  json["pooled"] = v.pooled;
}

}  // namespace tilewave
