// SPDX-License-Identifier: Apache-2.0
#include "workloads/ops/rotary.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "workloads/ops/count_math.hpp"

namespace tilewave {

OpFacts count_facts(const Rotary& v) {
  OpFacts facts;
  const Count elements = product({v.rows, v.cols});
  facts.flops = product({3, elements});
  facts.inputs = {InputFacts::whole(elements)};
  facts.output_elements = elements;
  return facts;
}

ShapeFaults find_faults(const Rotary& v) {
  ShapeFaults faults;
  check_size(v.rows, kDimension, "rows", faults);
  check_size(v.cols, kDimension, "cols", faults);
  if (v.cols % 2 != 0) {
    faults.push_back({"cols", fmt::format("must be even (pairs are turned), is {}", v.cols)});
  }
  return faults;
}

Rotary read_rotary(ObjectReader& reader) {
  Rotary v;
  v.rows = reader.count("rows", kDimension, "vectors: tokens x heads");
  v.cols = reader.count("cols", kDimension, "elements of a vector that are turned, even");
  return v;
}

void write_shape(const Rotary& v, Json& json) {
  json["rows"] = v.rows;
  json["cols"] = v.cols;
}

}  // namespace tilewave
