// SPDX-License-Identifier: Apache-2.0
#include "workloads/mapping/transposition.hpp"

#include <algorithm>

namespace tilewave {

std::optional<AxisExchange> as_exchange(const Transpose& transpose) {
  const auto& [dims, order] = transpose;
  const std::size_t rank = dims.size();
  std::size_t first = 0, last = rank;  // axes that stay at both ends
  while (first < rank && order[first] == first) ++first;
  while (last > first && order[last - 1] == last - 1) --last;
  AxisExchange e;
  for (std::size_t i = 0; i < first; ++i) e.outer *= dims[i];
  for (std::size_t i = last; i < rank; ++i) e.inner *= dims[i];
  if (first == last) return e;
  // In between, the result must begin with the second block and end with the first.
  const std::size_t cut = order[first];
  for (std::size_t i = first; i < last; ++i) {
    const std::size_t expected = first + (i - first + cut - first) % (last - first);
    if (order[i] != expected) return std::nullopt;
  }
  for (std::size_t i = first; i < cut; ++i) e.a *= dims[i];
  for (std::size_t i = cut; i < last; ++i) e.b *= dims[i];
  return e;
}

}  // namespace tilewave
