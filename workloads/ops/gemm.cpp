// SPDX-License-Identifier: Apache-2.0
#include "workloads/ops/gemm.hpp"

#include <nlohmann/json.hpp>

#include "workloads/ops/count_math.hpp"
#include "workloads/ops/epilogue.hpp"

namespace tilewave {

OpFacts count_facts(const Gemm& g) {
  OpFacts facts;
  facts.macs = product({g.batch, g.m, g.n, g.k});
  facts.flops = product({2, facts.macs});
  facts.inputs = {InputFacts::whole(product({g.batch, g.m, g.k}))};
  const Count b_elements = product({g.batch, g.k, g.n});
  if (g.b_is_activation) {
    facts.inputs.push_back(InputFacts::whole(b_elements));
  } else {
    facts.weight_elements = b_elements;
  }
  facts.output_elements = product({g.batch, g.m, g.n});
  add_epilogue_facts(g.epilogue, product({g.batch, g.n}), facts);
  return facts;
}

ShapeFaults find_faults(const Gemm& g) {
  ShapeFaults faults;
  check_size(g.m, kDimension, "m", faults);
  check_size(g.n, kDimension, "n", faults);
  check_size(g.k, kDimension, "k", faults);
  check_size(g.batch, kDimension, "batch", faults);
  check_epilogue(g.epilogue, faults);
  return faults;
}

Gemm read_gemm(ObjectReader& reader) {
  Gemm g;
  g.m = reader.count("m", kDimension, "rows of A and C");
  g.n = reader.count("n", kDimension, "columns of B and C");
  g.k = reader.count("k", kDimension, "columns of A, rows of B: the length of the sums");
  g.batch = reader.optional_count("batch", 1, kDimension,
                                  "independent products of this size, each with a B of its own");
  g.transpose_a = reader.optional_flag("transpose_a", false, "A is stored k x m");
  g.transpose_b = reader.optional_flag("transpose_b", false, "B is stored n x k");
  g.b_is_activation = reader.optional_flag(
      "b_is_activation", false, "B is the second input, a result or from outside, not weights");
  g.epilogue = read_epilogue(reader);
  return g;
}

void write_shape(const Gemm& g, Json& json) {
  json["m"] = g.m;
  json["n"] = g.n;
  json["k"] = g.k;
  json["batch"] = g.batch;
  json["transpose_a"] = g.transpose_a;
  json["transpose_b"] = g.transpose_b;
  if (g.b_is_activation) json["b_is_activation"] = true;
  write_epilogue(g.epilogue, json);
}

}  // namespace tilewave
