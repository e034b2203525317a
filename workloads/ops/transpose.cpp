// SPDX-License-Identifier: Apache-2.0
#include "workloads/ops/transpose.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "workloads/ops/count_math.hpp"

namespace tilewave {
namespace {

constexpr Range kAxes{.min = 2, .max = 8};

Count elements_of(const Transpose& v) {
  Count elements = 1;
  for (const Count d : v.dims) elements = product({elements, d});
  return elements;
}

}  // namespace

OpFacts count_facts(const Transpose& v) {
  OpFacts facts;
  facts.output_elements = elements_of(v);
  facts.inputs = {InputFacts::whole(facts.output_elements)};
  return facts;
}

ShapeFaults find_faults(const Transpose& v) {
  ShapeFaults faults;
  check_size(v.dims.size(), kAxes, "dims", faults);
  check_sizes(v.dims, kDimension, "dims", faults);
  if (!faults.empty()) return faults;
  std::vector<Count> sorted = v.permutation;
  std::ranges::sort(sorted);
  bool complete = sorted.size() == v.dims.size();
  for (std::size_t i = 0; complete && i < sorted.size(); ++i) complete = sorted[i] == i;
  if (!complete) {
    faults.push_back({"permutation", fmt::format("must have each of 0 to {} once, is [{}]",
                                                 v.dims.size() - 1, comma_list(v.permutation))});
  }
  return faults;
}

Transpose read_transpose(ObjectReader& reader) {
  Transpose v;
  v.dims = reader.counts("dims", kAxes, kDimension, "sizes of the input's axes, slowest first");
  v.permutation = reader.counts("permutation", kAxes, {.min = 0, .max = kAxes.max - 1},
                                "which axis of the input each axis of the result is");
  return v;
}

void write_shape(const Transpose& v, Json& json) {
  json["dims"] = v.dims;
  json["permutation"] = v.permutation;
}

}  // namespace tilewave
