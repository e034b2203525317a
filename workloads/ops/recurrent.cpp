// SPDX-License-Identifier: Apache-2.0
#include "workloads/ops/recurrent.hpp"

#include <nlohmann/json.hpp>

#include "workloads/ops/count_math.hpp"

namespace tilewave {

std::string_view to_string(RecurrentKind kind) {
  switch (kind) {
    case RecurrentKind::lstm:
      return "lstm";
    case RecurrentKind::gru:
      return "gru";
    case RecurrentKind::rnn:
      return "rnn";
  }
  return "";
}

Count gates(RecurrentKind kind) {
  switch (kind) {
    case RecurrentKind::lstm:
      return 4;
    case RecurrentKind::gru:
      return 3;
    case RecurrentKind::rnn:
      return 1;
  }
  return 0;
}

Count steps_per_state_element(RecurrentKind kind) {
  switch (kind) {
    case RecurrentKind::lstm:
      return 13;
    case RecurrentKind::gru:
      return 11;
    case RecurrentKind::rnn:
      return 2;
  }
  return 0;
}

OpFacts count_facts(const Recurrent& v) {
  OpFacts facts;
  const Count vectors = product({v.steps, v.batch});
  facts.weight_elements = product({gates(v.kind), v.hidden, sum({v.input, v.hidden})});
  facts.bias_elements = product({gates(v.kind), v.hidden});
  facts.macs = product({vectors, facts.weight_elements});
  facts.inputs = {InputFacts::whole(product({vectors, v.input}))};
  facts.output_elements = product({vectors, v.hidden});
  facts.flops = sum({product({2, facts.macs}),
                     product({steps_per_state_element(v.kind), facts.output_elements})});
  return facts;
}

ShapeFaults find_faults(const Recurrent& v) {
  ShapeFaults faults;
  check_size(v.batch, kDimension, "batch", faults);
  check_size(v.input, kDimension, "input", faults);
  check_size(v.hidden, kDimension, "hidden", faults);
  check_size(v.steps, kDimension, "steps", faults);
  return faults;
}

Recurrent read_recurrent(RecurrentKind kind, ObjectReader& reader) {
  Recurrent v{.kind = kind};
  v.batch = reader.optional_count("batch", 1, kDimension, "sequences");
  v.input = reader.count("input", kDimension, "elements of a step's input");
  v.hidden = reader.count("hidden", kDimension, "elements of the state");
  v.steps = reader.optional_count("steps", 1, kDimension, "time steps, one after another");
  return v;
}

void write_shape(const Recurrent& v, Json& json) {
  json["batch"] = v.batch;
  json["input"] = v.input;
  json["hidden"] = v.hidden;
  json["steps"] = v.steps;
}

}  // namespace tilewave
