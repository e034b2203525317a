// SPDX-License-Identifier: Apache-2.0
#include "workloads/ops/attention.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "workloads/ops/count_math.hpp"

namespace tilewave {
namespace {

constexpr Count kForwardSteps = 6;
constexpr Count kFlashBackwardSteps = 6;
constexpr Count kUnfusedBackwardSteps = 5;
/// Of sizes that have a meaning when 0.
constexpr Range kOrDefault{.min = 0, .max = kDimension.max};

/// Position of query 0. Without a mask that depends on positions there may be more queries than
/// keys (cross attention), and positions mean nothing.
Count first_position(const Attention& a) { return a.kv_len > a.q_len ? a.kv_len - a.q_len : 0; }

/// Sum over i in [first, first + count) of min(i + 1, cap).
Count capped_ramp(Count first, Count count, Count cap) {
  const Count rising = cap > first ? std::min(cap - first, count) : 0;
  const WideCount ramp = WideCount{rising} * first + WideCount{rising} * (rising + 1) / 2;
  return saturated(ramp + WideCount{count - rising} * cap);
}

/// How far back a query sees, itself included.
Count reach(const Attention& a) { return a.window == 0 ? a.kv_len : a.window; }

}  // namespace

SeenKeys seen_keys(const Attention& a, Count first_query, Count queries) {
  if (queries == 0) return {};
  const Count first = first_position(a) + first_query;
  const Count last = first + queries - 1;
  const Count low = a.window == 0 || first + 1 <= a.window ? 0 : first + 1 - a.window;
  Count high = a.kv_len;
  if (a.causal) {
    high = last + 1;
  } else if (a.window != 0) {
    high = std::min(a.kv_len, last + a.window);
  }
  return {low, high - low};
}

Count attention_pairs(const Attention& a, Count first_query, Count queries) {
  if (!a.causal && a.window == 0) return product({queries, a.kv_len});
  const Count first = first_position(a) + first_query;
  const Count back = capped_ramp(first, queries, reach(a));
  if (a.causal) return back;
  // The positions after the query are those before it, counted from the other end; the query itself
  // is in both.
  const Count from_end = a.kv_len - (first + queries);
  return saturated(WideCount{back} + capped_ramp(from_end, queries, reach(a)) - queries);
}

OpFacts count_facts(const Attention& a) {
  OpFacts facts;
  const Count heads = product({a.batch, a.heads});
  const Count pairs = product({heads, attention_pairs(a, 0, a.q_len)});
  const Count both_dims = sum({a.head_dim, a.v_head_dim});
  const Count seen = seen_keys(a, 0, a.q_len).count;
  const Count scores = product({heads, a.q_len, a.kv_len});
  const Count q = product({heads, a.q_len, a.head_dim});
  const Count output = product({heads, a.q_len, a.v_head_dim});
  const auto of_keys = [&](Count positions, Count dim) {
    return product({a.batch, a.kv_heads, positions, dim});
  };
  facts.inputs = {
      InputFacts::whole(q),
      {.elements = of_keys(a.kv_len, a.head_dim), .touched_elements = of_keys(seen, a.head_dim)}};
  if (!a.v_in_k) {
    facts.inputs.push_back({.elements = of_keys(a.kv_len, a.v_head_dim),
                            .touched_elements = of_keys(seen, a.v_head_dim)});
  }
  facts.output_elements = output;
  const bool unfused = a.algorithm == Attention::Algorithm::unfused;
  if (unfused) facts.intermediate_elements = product({2, scores});
  Count dims = both_dims;
  Count steps = kForwardSteps;
  if (a.backward) {
    dims = unfused ? product({2, both_dims}) : sum({product({2, both_dims}), a.head_dim});
    steps = unfused ? kUnfusedBackwardSteps : kFlashBackwardSteps;
    facts.inputs.push_back(InputFacts::whole(output));
    facts.inputs.push_back(InputFacts::whole(unfused ? scores : output));
    facts.output_elements =
        sum({q, of_keys(a.kv_len, a.head_dim), of_keys(a.kv_len, a.v_head_dim)});
  }
  facts.macs = product({pairs, dims});
  facts.flops = sum({product({2, facts.macs}), product({steps, pairs})});
  return facts;
}

ShapeFaults find_faults(const Attention& a) {
  ShapeFaults faults;
  check_size(a.batch, kDimension, "batch", faults);
  check_size(a.heads, kDimension, "heads", faults);
  check_size(a.kv_heads, kDimension, "kv_heads", faults);
  check_size(a.q_len, kDimension, "q_len", faults);
  check_size(a.kv_len, kDimension, "kv_len", faults);
  check_size(a.head_dim, kDimension, "head_dim", faults);
  check_size(a.v_head_dim, kDimension, "v_head_dim", faults);
  check_size(a.window, kOrDefault, "window", faults);
  if (!faults.empty()) return faults;
  if (a.heads % a.kv_heads != 0) {
    faults.push_back(
        {"kv_heads", fmt::format("must divide heads = {}, is {}", a.heads, a.kv_heads)});
  }
  if (a.window > a.kv_len) {
    faults.push_back({"window", fmt::format("must be at most the context, kv_len = {}, is {}",
                                            a.kv_len, a.window)});
  }
  if ((a.causal || a.window != 0) && a.q_len > a.kv_len) {
    faults.push_back(
        {"q_len", fmt::format("must be at most kv_len = {} (causal, or with a window: the queries "
                              "are the context's last positions), is {}",
                              a.kv_len, a.q_len)});
  }
  if (a.v_in_k && a.v_head_dim > a.head_dim) {
    faults.push_back({"v_head_dim", fmt::format("must be at most head_dim = {} with v_in_k, is {}",
                                                a.head_dim, a.v_head_dim)});
  }
  if (a.v_in_k && a.backward) {
    faults.push_back({"v_in_k", "cannot stand beside backward"});
  }
  return faults;
}

std::string_view to_string(Attention::Algorithm algorithm) {
  return algorithm == Attention::Algorithm::flash ? "flash" : "unfused";
}

Attention read_attention(ObjectReader& reader) {
  using enum Attention::Algorithm;
  Attention a;
  a.batch = reader.optional_count("batch", 1, kDimension, "sequences");
  a.heads = reader.count("heads", kDimension, "query heads");
  a.kv_heads = reader.optional_count("kv_heads", 0, kOrDefault,
                                     "heads of K and V, divides heads; 0: as many as heads");
  a.q_len = reader.count("q_len", kDimension, "queries a sequence");
  a.kv_len = reader.optional_count("kv_len", 0, kOrDefault,
                                   "keys a sequence, those of a cache included; 0: q_len");
  a.head_dim = reader.count("head_dim", kDimension, "length of a query and a key");
  a.v_head_dim =
      reader.optional_count("v_head_dim", 0, kOrDefault, "length of a value; 0: head_dim");
  if (a.kv_heads == 0) a.kv_heads = a.heads;
  if (a.kv_len == 0) a.kv_len = a.q_len;
  if (a.v_head_dim == 0) a.v_head_dim = a.head_dim;
  a.causal = reader.optional_flag("causal", false, "a query sees no position after its own");
  a.window = reader.optional_count("window", 0, kOrDefault,
                                   "positions a query sees, up to its own; 0: all");
  a.algorithm = reader.optional_choice<Attention::Algorithm>(
      "algorithm", flash, {{"flash", flash}, {"unfused", unfused}},
      "do scores stay on chip, or go to memory");
  a.v_in_k =
      reader.optional_flag("v_in_k", false, "a value is the first v_head_dim elements of its key");
  a.backward = reader.optional_flag("backward", false, "the gradients of Q, K and V instead");
  return a;
}

void write_shape(const Attention& a, Json& json) {
  json["batch"] = a.batch;
  json["heads"] = a.heads;
  json["kv_heads"] = a.kv_heads;
  json["q_len"] = a.q_len;
  json["kv_len"] = a.kv_len;
  json["head_dim"] = a.head_dim;
  json["v_head_dim"] = a.v_head_dim;
  json["causal"] = a.causal;
  json["window"] = a.window;
  json["algorithm"] = to_string(a.algorithm);
  if (a.v_in_k) json["v_in_k"] = true;
  if (a.backward) json["backward"] = true;
}

}  // namespace tilewave
