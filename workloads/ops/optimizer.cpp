// SPDX-License-Identifier: Apache-2.0
#include "workloads/ops/optimizer.hpp"

#include <nlohmann/json.hpp>

#include "workloads/ops/count_math.hpp"

namespace tilewave {
namespace {

constexpr unsigned kStateBits = 32;

struct Rule {
  std::string_view name;
  unsigned numbers;  ///< of state a parameter
  Count steps;       ///< FLOPs a parameter
};

Rule rule(OptimizerKind kind) {
  switch (kind) {
    case OptimizerKind::sgd:
      return {"sgd", 1, 2};
    case OptimizerKind::momentum:
      return {"momentum", 2, 4};
    case OptimizerKind::adam:
      return {"adam", 3, 12};
  }
  return {};
}

}  // namespace

std::string_view to_string(OptimizerKind kind) { return rule(kind).name; }

OpFacts count_facts(const Optimizer& v) {
  OpFacts facts;
  const unsigned state_bits = kStateBits * rule(v.kind).numbers;
  InputFacts state = InputFacts::whole(v.parameters);
  state.bits = {.fixed = state_bits, .data_type = false};
  facts.inputs = {InputFacts::whole(v.parameters), state};
  facts.flops = product({rule(v.kind).steps, v.parameters});
  facts.output_elements = v.parameters;
  facts.output_bits = {.fixed = state_bits, .data_type = true};
  return facts;
}

ShapeFaults find_faults(const Optimizer& v) {
  ShapeFaults faults;
  check_size(v.parameters, kDimension, "parameters", faults);
  return faults;
}

Optimizer read_optimizer(ObjectReader& reader) {
  using enum OptimizerKind;
  Optimizer v;
  v.kind = reader.optional_choice<OptimizerKind>(
      "kind", adam, {{"sgd", sgd}, {"momentum", momentum}, {"adam", adam}}, "the rule");
  v.parameters = reader.count("parameters", kDimension, "weights updated");
  return v;
}

void write_shape(const Optimizer& v, Json& json) {
  json["kind"] = to_string(v.kind);
  json["parameters"] = v.parameters;
}

}  // namespace tilewave
