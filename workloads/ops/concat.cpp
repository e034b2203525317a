// SPDX-License-Identifier: Apache-2.0
#include "workloads/ops/concat.hpp"

#include <nlohmann/json.hpp>

#include "workloads/ops/count_math.hpp"

namespace tilewave {
namespace {

constexpr Range kParts{.min = 2, .max = 100'000};

}  // namespace

OpFacts count_facts(const Concat& v) {
  OpFacts facts;
  for (const Count part : v.parts) {
    facts.inputs.push_back(InputFacts::whole(part));
    facts.output_elements = sum({facts.output_elements, part});
  }
  return facts;
}

ShapeFaults find_faults(const Concat& v) {
  ShapeFaults faults;
  check_size(v.parts.size(), kParts, "parts", faults);
  check_sizes(v.parts, kDimension, "parts", faults);
  return faults;
}

Concat read_concat(ObjectReader& reader) {
  return {reader.counts("parts", kParts, kDimension, "elements of each input")};
}

void write_shape(const Concat& v, Json& json) { json["parts"] = v.parts; }

}  // namespace tilewave
