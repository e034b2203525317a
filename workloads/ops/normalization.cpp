// SPDX-License-Identifier: Apache-2.0
#include "workloads/ops/normalization.hpp"

#include <nlohmann/json.hpp>

#include "workloads/ops/count_math.hpp"

namespace tilewave {

std::string_view to_string(NormalizationKind kind) {
  switch (kind) {
    case NormalizationKind::softmax:
      return "softmax";
    case NormalizationKind::layernorm:
      return "layernorm";
    case NormalizationKind::rmsnorm:
      return "rmsnorm";
    case NormalizationKind::batchnorm:
      return "batchnorm";
  }
  return "";
}

Count steps_per_element(NormalizationKind kind) {
  switch (kind) {
    case NormalizationKind::softmax:
      return 5;
    case NormalizationKind::layernorm:
      return 7;
    case NormalizationKind::rmsnorm:
      return 4;
    case NormalizationKind::batchnorm:
      return 2;
  }
  return 0;
}

OpFacts count_facts(const Normalization& v) {
  OpFacts facts;
  const Count elements = product({v.rows, v.cols});
  facts.flops = product({steps_per_element(v.kind), elements});
  facts.inputs = {InputFacts::whole(elements)};
  facts.output_elements = elements;
  if (v.kind == NormalizationKind::rmsnorm) {
    facts.bias_elements = v.cols;
  } else if (v.kind != NormalizationKind::softmax) {
    facts.bias_elements = product({2, v.cols});
  }
  return facts;
}

ShapeFaults find_faults(const Normalization& v) {
  ShapeFaults faults;
  check_size(v.rows, kDimension, "rows", faults);
  check_size(v.cols, kDimension, "cols", faults);
  return faults;
}

Normalization read_normalization(NormalizationKind kind, ObjectReader& reader) {
  const bool by_channel = kind == NormalizationKind::batchnorm;
  Normalization v{.kind = kind};
  v.rows =
      reader.count("rows", kDimension, by_channel ? "images x pixels" : "rows, each by itself");
  v.cols = reader.count("cols", kDimension, by_channel ? "channels" : "elements of a row");
  return v;
}

void write_shape(const Normalization& v, Json& json) {
  json["rows"] = v.rows;
  json["cols"] = v.cols;
}

}  // namespace tilewave
