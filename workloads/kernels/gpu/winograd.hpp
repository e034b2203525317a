// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/kernels/gpu/conv_gemm.hpp"

namespace tilewave {

/// Winograd's minimal filtering F(m x m, 3 x 3) of Lavin and Gray ('Fast Algorithms for Convolutional
/// Neural Networks', CVPR 2016): tiles of m x m outputs from (m + 2)^2 products a channel and filter.
///   m = 2  one kernel that transforms inputs and filters on the way and results at the end. A CTA has 32
///          filters and 32 tiles, 4 x 8 of one image or 4 x 2 of four; what lies beyond the image's edge
///          is done in vain. It stands here as a product of 4 outputs a tile x 4 numbers a channel
///   m = 4  not fused: inputs and filters are transformed, 36 products of matrices, tiles x filters x
///          channels, transformed back
class Winograd {
 public:
  Winograd(Count m, const Conv2d& conv);
  [[nodiscard]] static bool fits(const Conv2d& conv);

  [[nodiscard]] Count m() const { return m_; }
  /// The product, its operands transformed (m = 4) or yet to be (m = 2).
  [[nodiscard]] ConvGemm product(DataType dtype) const;
  /// The product's kernels that libraries have.
  [[nodiscard]] std::vector<GemmTile> tiles(const GpuTarget& target) const;

  struct Passes {
    std::vector<program::GpuKernel> before, after;
    Placement a, b, c;  ///< of the product
  };
  [[nodiscard]] Passes passes(const KernelId& id, const Placement& input, const Placement& weights,
                              const Placement& output, const std::optional<Placement>& residual,
                              const std::function<Placement(Bytes)>& workspace,
                              const GpuTarget& target) const;

 private:
  [[nodiscard]] ConvGemm fused(DataType dtype) const;
  [[nodiscard]] Count points() const { return (m_ + 2) * (m_ + 2); }
  [[nodiscard]] Count stored_tiles() const;

  Count m_;
  Conv2d conv_;
  Count tiles_ = 0;  ///< of all images
};

}  // namespace tilewave
