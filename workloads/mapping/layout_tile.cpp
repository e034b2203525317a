// SPDX-License-Identifier: Apache-2.0
#include "workloads/mapping/layout_tile.hpp"

#include <algorithm>
#include <cmath>

#include "workloads/ops/conv2d.hpp"
#include "workloads/ops/gemm.hpp"
#include "workloads/ops/normalization.hpp"

namespace tilewave {

namespace {

double growth(Count padded, Count size) {
  return size == 0 ? 1.0 : static_cast<double>(padded) / static_cast<double>(size);
}

struct Growth {
  const LayoutTile& tile;
  unsigned bits;
  /// A matrix of rows x cols.
  [[nodiscard]] double of(Count rows, Count cols) const {
    return growth(tile.minor(cols), cols) * growth(tile.rows(rows, bits), rows);
  }
  double operator()(const Gemm& g) const {
    return std::max({of(g.m, g.k), of(g.k, g.m), of(g.k, g.n), of(g.n, g.k), of(g.m, g.n)});
  }
  double operator()(const Conv2d& c) const {
    return std::max(growth(tile.minor(c.c), c.c), growth(tile.minor(c.k), c.k));
  }
  double operator()(const Normalization& v) const { return of(v.rows, v.cols); }
  double operator()(const auto&) const { return 1.0; }
};

}  // namespace

Bytes padded_at_most(const Op& op, const LayoutTile& tile, Bytes stored_bytes) {
  if (tile.lanes == 1) return stored_bytes;
  const double factor = std::visit(Growth{tile, activation_bits(op.dtype)}, op.shape);
  return static_cast<Bytes>(std::ceil(static_cast<double>(stored_bytes) * factor));
}

}  // namespace tilewave
