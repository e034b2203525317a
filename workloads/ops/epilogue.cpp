// SPDX-License-Identifier: Apache-2.0
#include "workloads/ops/epilogue.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "workloads/ops/count_math.hpp"

namespace tilewave {
namespace {

constexpr std::array kEpilogues{
    Epilogue::bias,       Epilogue::relu,       Epilogue::gelu,         Epilogue::silu,
    Epilogue::tanh,       Epilogue::sigmoid,    Epilogue::residual,     Epilogue::scale,
    Epilogue::requantize, Epilogue::hard_swish, Epilogue::hard_sigmoid,
};

}  // namespace

std::string_view to_string(Epilogue epilogue) {
  switch (epilogue) {
    case Epilogue::bias:
      return "bias";
    case Epilogue::relu:
      return "relu";
    case Epilogue::gelu:
      return "gelu";
    case Epilogue::silu:
      return "silu";
    case Epilogue::tanh:
      return "tanh";
    case Epilogue::sigmoid:
      return "sigmoid";
    case Epilogue::residual:
      return "residual";
    case Epilogue::scale:
      return "scale";
    case Epilogue::requantize:
      return "requantize";
    case Epilogue::hard_swish:
      return "hard_swish";
    case Epilogue::hard_sigmoid:
      return "hard_sigmoid";
  }
  return "";
}

std::optional<Epilogue> epilogue_from_string(std::string_view name) {
  for (const Epilogue e : kEpilogues) {
    if (to_string(e) == name) return e;
  }
  return std::nullopt;
}

std::span<const Epilogue> all_epilogues() { return kEpilogues; }

bool has_epilogue(const std::vector<Epilogue>& list, Epilogue wanted) {
  return std::ranges::find(list, wanted) != list.end();
}

void check_epilogue(const std::vector<Epilogue>& list, ShapeFaults& faults) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (std::find(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(i), list[i]) !=
        list.begin() + static_cast<std::ptrdiff_t>(i)) {
      faults.push_back({fmt::format("epilogue[{}]", i),
                        fmt::format("\"{}\" is there already", to_string(list[i]))});
    }
  }
}

std::vector<Epilogue> read_epilogue(ObjectReader& reader) {
  return reader.optional_choices<Epilogue>("epilogue", named(all_epilogues()),
                                           "steps on each result before it is stored, in order");
}

void write_epilogue(const std::vector<Epilogue>& list, Json& json) {
  Json names = Json::array();
  for (const Epilogue e : list) names.push_back(to_string(e));
  json["epilogue"] = std::move(names);
}

void add_epilogue_facts(const std::vector<Epilogue>& list, Count channels, OpFacts& facts) {
  facts.flops = sum({facts.flops, product({list.size(), facts.output_elements})});
  if (has_epilogue(list, Epilogue::residual)) {
    auto residual = InputFacts::whole(facts.output_elements);
    residual.stored_elements = std::max(facts.output_elements, facts.stored_output_elements);
    facts.inputs.push_back(residual);
  }
  if (has_epilogue(list, Epilogue::bias)) facts.bias_elements = channels;
}

}  // namespace tilewave
