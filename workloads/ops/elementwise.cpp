// SPDX-License-Identifier: Apache-2.0
#include "workloads/ops/elementwise.hpp"

#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "workloads/ops/count_math.hpp"

namespace tilewave {
namespace {

constexpr Range kOperands{.min = 1, .max = 2};
constexpr Range kSecondElements{.min = 0, .max = kDimension.max};

struct Name {
  ElementwiseKind kind;
  std::string_view name;
};
constexpr std::array kNames{
    Name{ElementwiseKind::add, "add"},
    Name{ElementwiseKind::sub, "sub"},
    Name{ElementwiseKind::mul, "mul"},
    Name{ElementwiseKind::div, "div"},
    Name{ElementwiseKind::pow, "pow"},
    Name{ElementwiseKind::relu, "relu"},
    Name{ElementwiseKind::gelu, "gelu"},
    Name{ElementwiseKind::silu, "silu"},
    Name{ElementwiseKind::tanh, "tanh"},
    Name{ElementwiseKind::sigmoid, "sigmoid"},
    Name{ElementwiseKind::exp, "exp"},
    Name{ElementwiseKind::bias, "bias"},
    Name{ElementwiseKind::residual, "residual"},
    Name{ElementwiseKind::scale, "scale"},
    Name{ElementwiseKind::cast, "cast"},
    Name{ElementwiseKind::copy, "copy"},
    Name{ElementwiseKind::hard_swish, "hard_swish"},
    Name{ElementwiseKind::hard_sigmoid, "hard_sigmoid"},
};

constexpr auto kKinds = [] {
  std::array<ElementwiseKind, kNames.size()> kinds{};
  for (std::size_t i = 0; i < kinds.size(); ++i) kinds[i] = kNames[i].kind;
  return kinds;
}();

bool is_arithmetic(ElementwiseKind kind) {
  return kind != ElementwiseKind::copy && kind != ElementwiseKind::cast;
}

}  // namespace

OpFacts count_facts(const Elementwise& e) {
  OpFacts facts;
  facts.flops = is_arithmetic(e.kind) ? e.elements : 0;
  facts.inputs = {InputFacts::whole(e.elements)};
  if (e.operands == 2) {
    facts.inputs.push_back(
        InputFacts::whole(e.second_elements == 0 ? e.elements : e.second_elements));
  }
  facts.output_elements = e.elements;
  return facts;
}

ShapeFaults find_faults(const Elementwise& e) {
  ShapeFaults faults;
  check_size(e.elements, kDimension, "elements", faults);
  check_size(e.operands, kOperands, "operands", faults);
  if (e.second_elements == 0 || !faults.empty()) return faults;
  if (e.operands != 2) {
    faults.push_back({"second_elements", "needs operands = 2: there is no second tensor"});
  } else if (e.second_elements > e.elements || e.elements % e.second_elements != 0) {
    faults.push_back({"second_elements", fmt::format("must divide elements = {}, is {}", e.elements,
                                                     e.second_elements)});
  }
  return faults;
}

std::string_view to_string(ElementwiseKind kind) {
  for (const auto& entry : kNames) {
    if (entry.kind == kind) return entry.name;
  }
  return "";
}

std::span<const ElementwiseKind> all_elementwise_kinds() { return kKinds; }

Elementwise read_elementwise(ObjectReader& reader) {
  Elementwise e;
  e.kind = reader.choice<ElementwiseKind>("kind", named(all_elementwise_kinds()), "the function");
  e.elements = reader.count("elements", kDimension, "results");
  e.operands = reader.optional_count("operands", 1, kOperands,
                                     "tensors read; with 1 the other operand is a scalar or none");
  e.second_elements = reader.optional_count(
      "second_elements", 0, kSecondElements,
      "of the second operand if each serves several results; 0: as many as results");
  return e;
}

void write_shape(const Elementwise& e, Json& json) {
  json["kind"] = to_string(e.kind);
  json["elements"] = e.elements;
  json["operands"] = e.operands;
  if (e.second_elements != 0) json["second_elements"] = e.second_elements;
}

}  // namespace tilewave
