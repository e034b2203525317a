// SPDX-License-Identifier: Apache-2.0
#include "workloads/ops/reduce.hpp"

#include <nlohmann/json.hpp>

#include "workloads/ops/count_math.hpp"

namespace tilewave {

std::string_view to_string(ReduceKind kind) {
  switch (kind) {
    case ReduceKind::sum:
      return "sum";
    case ReduceKind::mean:
      return "mean";
    case ReduceKind::max:
      return "max";
  }
  return "";
}

OpFacts count_facts(const Reduce& v) {
  OpFacts facts;
  const Count elements = product({v.rows, v.cols});
  facts.flops = elements;
  facts.inputs = {InputFacts::whole(elements)};
  facts.output_elements = v.rows;
  return facts;
}

ShapeFaults find_faults(const Reduce& v) {
  ShapeFaults faults;
  check_size(v.rows, kDimension, "rows", faults);
  check_size(v.cols, kDimension, "cols", faults);
  return faults;
}

Reduce read_reduce(ObjectReader& reader) {
  using enum ReduceKind;
  Reduce v;
  v.kind = reader.optional_choice<ReduceKind>(
      "kind", sum, {{"sum", sum}, {"mean", mean}, {"max", max}}, "what a row becomes");
  v.rows = reader.count("rows", kDimension, "rows: results");
  v.cols = reader.count("cols", kDimension, "elements of a row");
  return v;
}

void write_shape(const Reduce& v, Json& json) {
  json["kind"] = to_string(v.kind);
  json["rows"] = v.rows;
  json["cols"] = v.cols;
}

}  // namespace tilewave
