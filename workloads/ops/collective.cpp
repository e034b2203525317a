// SPDX-License-Identifier: Apache-2.0
#include "workloads/ops/collective.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "workloads/ops/count_math.hpp"

namespace tilewave {
namespace {

constexpr Range kChips{.min = 0, .max = 65536};

Count chips_of(const Collective& v) { return std::max<Count>(1, v.chips); }

}  // namespace

std::string_view to_string(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::all_reduce:
      return "all_reduce";
    case CollectiveKind::all_gather:
      return "all_gather";
    case CollectiveKind::reduce_scatter:
      return "reduce_scatter";
  }
  return "";
}

Count part_elements(const Collective& v) { return ceil_div(v.elements, chips_of(v)); }

Count ring_steps(const Collective& v) {
  return (chips_of(v) - 1) * (v.kind == CollectiveKind::all_reduce ? 2 : 1);
}

OpFacts count_facts(const Collective& v) {
  using enum CollectiveKind;
  OpFacts facts;
  const Count part = part_elements(v);
  facts.inputs = {InputFacts::whole(v.kind == all_gather ? part : v.elements)};
  facts.output_elements = v.kind == reduce_scatter ? part : v.elements;
  if (v.kind != all_gather) facts.flops = product({chips_of(v) - 1, part});
  return facts;
}

ShapeFaults find_faults(const Collective& v) {
  ShapeFaults faults;
  check_size(v.elements, kDimension, "elements", faults);
  check_size(v.chips, kChips, "chips", faults);
  return faults;
}

Collective read_collective(CollectiveKind kind, ObjectReader& reader) {
  Collective v{.kind = kind};
  v.elements = reader.count("elements", kDimension, "of the whole tensor");
  v.chips = reader.optional_count("chips", 0, kChips, "that take part; 0: all of the machine");
  return v;
}

void write_shape(const Collective& v, Json& json) {
  json["elements"] = v.elements;
  json["chips"] = v.chips;
}

}  // namespace tilewave
