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

Count steps_per_element(const Normalization& v) {
  switch (v.kind) {
    case NormalizationKind::softmax:
      return v.backward ? 4 : 5;
    case NormalizationKind::layernorm:
      return v.backward ? 13 : 7;
    case NormalizationKind::rmsnorm:
      return v.backward ? 9 : 4;
    case NormalizationKind::batchnorm:
      if (v.backward) return 13;
      return v.batch_statistics ? 7 : 2;
  }
  return 0;
}

Count row_reductions(const Normalization& v) {
  switch (v.kind) {
    case NormalizationKind::softmax:
    case NormalizationKind::layernorm:
      return 2;
    case NormalizationKind::rmsnorm:
      return 1;
    case NormalizationKind::batchnorm:
      return v.batch_statistics ? 2 : 0;
  }
  return 0;
}

OpFacts count_facts(const Normalization& v) {
  OpFacts facts;
  const Count elements = product({v.rows, v.cols});
  facts.flops = product({steps_per_element(v), elements});
  facts.inputs = {InputFacts::whole(elements)};
  facts.output_elements = elements;
  if (v.backward) {
    // Scales and shifts are those of the forward op.
    facts.inputs.push_back(InputFacts::whole(elements));
    return facts;
  }
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
  if (v.batch_statistics && v.kind != NormalizationKind::batchnorm) {
    faults.push_back({"batch_statistics", "is for batchnorm only"});
  }
  return faults;
}

Normalization read_normalization(NormalizationKind kind, ObjectReader& reader) {
  const bool by_channel = kind == NormalizationKind::batchnorm;
  Normalization v{.kind = kind};
  v.rows =
      reader.count("rows", kDimension, by_channel ? "images x pixels" : "rows, each by itself");
  v.cols = reader.count("cols", kDimension, by_channel ? "channels" : "elements of a row");
  if (by_channel) {
    v.batch_statistics = reader.optional_flag(
        "batch_statistics", false, "mean and deviation are those of these rows (training)");
  }
  v.backward = reader.optional_flag("backward", false, "the gradient of the input instead");
  return v;
}

void write_shape(const Normalization& v, Json& json) {
  json["rows"] = v.rows;
  json["cols"] = v.cols;
  if (v.batch_statistics) json["batch_statistics"] = true;
  if (v.backward) json["backward"] = true;
}

}  // namespace tilewave
