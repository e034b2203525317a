// SPDX-License-Identifier: Apache-2.0
#include "workloads/ops/gemm.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "workloads/ops/count_math.hpp"
#include "workloads/ops/epilogue.hpp"

namespace tilewave {

namespace {

Count row_of_a(const Gemm& g) { return g.transpose_a ? g.m : g.k; }
Count row_of_b(const Gemm& g) { return g.transpose_b ? g.k : g.n; }

void check_pitch(Count pitch, Count row, const char* key, ShapeFaults& faults) {
  if (pitch == 0) return;
  check_size(pitch, kDimension, key, faults);
  if (pitch < row) {
    faults.push_back(
        {key, fmt::format("must be at least a stored row's {} elements, is {}", row, pitch)});
  }
}

}  // namespace

Count pitch_a(const Gemm& g) { return g.lda > 0 ? g.lda : row_of_a(g); }
Count pitch_b(const Gemm& g) { return g.ldb > 0 ? g.ldb : row_of_b(g); }
Count pitch_c(const Gemm& g) { return g.ldc > 0 ? g.ldc : g.n; }

OpFacts count_facts(const Gemm& g) {
  OpFacts facts;
  facts.macs = product({g.batch, g.m, g.n, g.k});
  facts.flops = product({2, facts.macs});
  facts.inputs = {InputFacts::whole(product({g.batch, g.m, g.k}))};
  facts.inputs[0].stored_elements = product({g.batch, g.transpose_a ? g.k : g.m, pitch_a(g)});
  const Count b_elements = product({g.batch, g.k, g.n});
  if (g.b_is_activation) {
    facts.inputs.push_back(InputFacts::whole(b_elements));
    facts.inputs[1].stored_elements = product({g.batch, g.transpose_b ? g.n : g.k, pitch_b(g)});
  } else {
    facts.weight_elements = b_elements;
  }
  facts.output_elements = product({g.batch, g.m, g.n});
  facts.stored_output_elements = product({g.batch, g.m, pitch_c(g)});
  add_epilogue_facts(g.epilogue, product({g.batch, g.n}), facts);
  return facts;
}

ShapeFaults find_faults(const Gemm& g) {
  ShapeFaults faults;
  check_size(g.m, kDimension, "m", faults);
  check_size(g.n, kDimension, "n", faults);
  check_size(g.k, kDimension, "k", faults);
  check_size(g.batch, kDimension, "batch", faults);
  check_pitch(g.lda, row_of_a(g), "lda", faults);
  check_pitch(g.ldb, row_of_b(g), "ldb", faults);
  check_pitch(g.ldc, g.n, "ldc", faults);
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
  const Range pitch{.min = 0, .max = kDimension.max};
  g.lda = reader.optional_count("lda", 0, pitch,
                                "elements from one stored row of A to the next; 0: a row's length");
  g.ldb = reader.optional_count("ldb", 0, pitch, "of B");
  g.ldc = reader.optional_count("ldc", 0, pitch, "of C and of a residual");
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
  if (g.lda > 0) json["lda"] = g.lda;
  if (g.ldb > 0) json["ldb"] = g.ldb;
  if (g.ldc > 0) json["ldc"] = g.ldc;
  if (g.b_is_activation) json["b_is_activation"] = true;
  write_epilogue(g.epilogue, json);
}

}  // namespace tilewave
