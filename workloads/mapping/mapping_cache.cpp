// SPDX-License-Identifier: Apache-2.0
#include "workloads/mapping/mapping_cache.hpp"

namespace tilewave {

namespace {

bool same(const MatrixContext& a, const MatrixContext& b) {
  return a.activation_budget_bytes == b.activation_budget_bytes && a.a_resident == b.a_resident &&
         a.c_resident == b.c_resident && a.residual_fetched == b.residual_fetched &&
         a.a_from_host == b.a_from_host && a.b_from_host == b.b_from_host &&
         a.c_to_host == b.c_to_host && a.k_splits == b.k_splits;
}

}  // namespace

std::optional<MatrixMapping> MappingCache::choose(const Op& op, const MatrixProblem& problem,
                                                  const MatrixContext& context, Fault& why) {
  for (const Known& known : known_) {
    if (known.dtype == op.dtype && same(known.context, context) && known.shape == op.shape) {
      return known.mapping;
    }
  }
  auto mapping = choose_mapping(problem, context, why);
  if (mapping) known_.push_back({op.shape, op.dtype, context, *mapping});
  return mapping;
}

}  // namespace tilewave
