// SPDX-License-Identifier: Apache-2.0
#include "workloads/ops/moe.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "workloads/ops/count_math.hpp"

namespace tilewave {
namespace {

constexpr Range kExperts{.min = 1, .max = 100'000};

/// base^exponent by squaring: the same on every machine, unlike std::pow.
double power(double base, Count exponent) {
  double result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result *= base;
    base *= base;
  }
  return result;
}

Count assignments(const Moe& v) { return product({v.tokens, v.top_k}); }

}  // namespace

Count active_experts(const Moe& v) {
  if (!v.tokens_per_expert.empty()) {
    return static_cast<Count>(
        std::ranges::count_if(v.tokens_per_expert, [](Count t) { return t > 0; }));
  }
  const double experts = static_cast<double>(v.experts);
  const double missed = power(1 - static_cast<double>(v.top_k) / experts, v.tokens);
  const auto expected = static_cast<Count>(experts * (1 - missed) + 0.5);
  return std::clamp(expected, v.top_k, std::max(v.top_k, std::min(v.experts, assignments(v))));
}

std::vector<Count> expert_tokens(const Moe& v) {
  if (!v.tokens_per_expert.empty()) return v.tokens_per_expert;
  const Count active = active_experts(v);
  std::vector<Count> tokens(v.experts, 0);
  for (Count e = 0; e < active; ++e) {
    tokens[e] = assignments(v) / active + (e < assignments(v) % active ? 1 : 0);
  }
  return tokens;
}

OpFacts count_facts(const Moe& v) {
  OpFacts facts;
  const Count expert = product({v.gated ? Count{3} : Count{2}, v.hidden, v.ffn});
  facts.macs = product({assignments(v), expert});
  const Count vector_steps =
      sum({product({v.gated ? Count{2} : Count{1}, v.ffn}), product({2, v.hidden})});
  facts.flops = sum({product({2, facts.macs}), product({assignments(v), vector_steps})});
  facts.inputs = {InputFacts::whole(product({v.tokens, v.hidden}))};
  facts.weight_elements = product({v.experts, expert});
  facts.touched_weight_elements = product({active_experts(v), expert});
  facts.output_elements = product({v.tokens, v.hidden});
  return facts;
}

ShapeFaults find_faults(const Moe& v) {
  ShapeFaults faults;
  check_size(v.tokens, kDimension, "tokens", faults);
  check_size(v.hidden, kDimension, "hidden", faults);
  check_size(v.ffn, kDimension, "ffn", faults);
  check_size(v.experts, kExperts, "experts", faults);
  check_size(v.top_k, {.min = 1, .max = v.experts}, "top_k", faults);
  if (!faults.empty() || v.tokens_per_expert.empty()) return faults;
  if (v.tokens_per_expert.size() != v.experts) {
    faults.push_back({"tokens_per_expert", fmt::format("must have experts = {} numbers, has {}",
                                                       v.experts, v.tokens_per_expert.size())});
    return faults;
  }
  check_sizes(v.tokens_per_expert, {.min = 0, .max = v.tokens}, "tokens_per_expert", faults);
  Count total = 0;
  for (const Count tokens : v.tokens_per_expert) total = sum({total, tokens});
  if (total != assignments(v)) {
    faults.push_back({"tokens_per_expert", fmt::format("must add up to tokens x top_k = {}, is {}",
                                                       assignments(v), total)});
  }
  return faults;
}

Moe read_moe(ObjectReader& reader) {
  Moe v;
  v.tokens = reader.count("tokens", kDimension, "tokens, all sequences together");
  v.hidden = reader.count("hidden", kDimension, "elements of a token");
  v.ffn = reader.count("ffn", kDimension, "elements between an expert's matrices");
  v.experts = reader.count("experts", kExperts, "experts there are");
  v.top_k = reader.optional_count("top_k", 1, kExperts, "experts a token goes through");
  v.gated = reader.optional_flag("gated", true, "three matrices an expert, else two");
  v.tokens_per_expert = reader.optional_counts(
      "tokens_per_expert", {}, {.min = 0, .max = kExperts.max}, {.min = 0, .max = kDimension.max},
      "tokens of each expert; default: as expected of random routing");
  return v;
}

void write_shape(const Moe& v, Json& json) {
  json["tokens"] = v.tokens;
  json["hidden"] = v.hidden;
  json["ffn"] = v.ffn;
  json["experts"] = v.experts;
  json["top_k"] = v.top_k;
  json["gated"] = v.gated;
  if (!v.tokens_per_expert.empty()) json["tokens_per_expert"] = v.tokens_per_expert;
}

}  // namespace tilewave
