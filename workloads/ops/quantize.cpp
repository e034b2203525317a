// SPDX-License-Identifier: Apache-2.0
#include "workloads/ops/quantize.hpp"

#include <nlohmann/json.hpp>

#include "workloads/ops/count_math.hpp"

namespace tilewave {

OpFacts count_facts(const Quantize& v) {
  OpFacts facts;
  const ElementBits other{.fixed = activation_bits(v.type), .data_type = false};
  InputFacts input = InputFacts::whole(v.elements);
  (v.back ? input.bits : facts.output_bits) = other;
  facts.inputs = {input};
  facts.flops = product({2, v.elements});
  facts.output_elements = v.elements;
  return facts;
}

ShapeFaults find_faults(const Quantize& v) {
  ShapeFaults faults;
  check_size(v.elements, kDimension, "elements", faults);
  return faults;
}

Quantize read_quantize(bool back, ObjectReader& reader) {
  Quantize v{.back = back};
  v.elements = reader.count("elements", kDimension, "elements");
  v.type = reader.optional_choice<DataType>(back ? "from" : "to", DataType::int8,
                                            named(all_data_types()),
                                            back ? "the input's type" : "the result's type");
  return v;
}

void write_shape(const Quantize& v, Json& json) {
  json["elements"] = v.elements;
  json[v.back ? "from" : "to"] = to_string(v.type);
}

}  // namespace tilewave
