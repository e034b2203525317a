// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "arch/program/systolic_target.hpp"
#include "workloads/mapping/nest.hpp"
#include "workloads/op.hpp"

namespace tilewave {

/// How the moving operand A is fetched.
enum class AFetch {
  matrix,  ///< tiles of a stored matrix (GEMM)
  window,  ///< implicit im2col: the input rows under the tile's output pixels, all channels
  im2col,  ///< the windows of the tile themselves, gathered; only if no row fits the buffer
};

/// GEMM and convolution as one contraction: C[g][m x n] = A[g][m x k] B[g][k x n], with the regions
/// of memory that each tile of A, B and C is.
class MatrixProblem {
 public:
  explicit MatrixProblem(const Op& op, const LayoutTile& tile = {});

  /// B is an activation, not weights that are ready before.
  bool b_is_activation = false;
  /// Elements from one group's B to the next, where it is not as many as B takes; 0: it is.
  void set_b_group_pitch(Count elements) { b_group_pitch_ = elements; }

  /// Weights come in whole tiles of these sizes, those of the edges with padding. Tiles of n that
  /// units fetch side by side, `abreast` of them, lie one after another, so that their loads are one
  /// stream.
  struct WeightTiles {
    Count tn = 0, tk = 0, abreast = 1;
  };
  void pad_weights(const WeightTiles& tiles) { padded_ = tiles; }

  /// The same product for a part of k (parts/split_k.hpp): C is the sums as they are, as wide as the
  /// accumulators, row after row, without epilogue and bias.
  [[nodiscard]] MatrixProblem with_sums_out() const;
  [[nodiscard]] bool sums_out() const { return sums_out_; }
  /// Bits of a number of C.
  [[nodiscard]] unsigned result_bits() const;

  Count groups = 1, m = 0, n = 0, k = 0;
  bool convolution = false;
  DataType type;
  std::vector<Epilogue> epilogue;
  Bytes bias_bytes = 0;

  /// Loops each operand depends on.
  [[nodiscard]] LoopSet a_depends(AFetch fetch) const;
  [[nodiscard]] static LoopSet b_depends() { return {LoopId::group, LoopId::n, LoopId::k}; }

  /// Largest bytes of a tile.
  [[nodiscard]] Bytes a_tile_bytes(AFetch fetch, Count tm, Count tk) const;
  [[nodiscard]] Bytes b_tile_bytes(Count tn, Count tk) const;
  /// Bytes of all tiles, each fetched once (halos of windows count in each tile they lie in).
  [[nodiscard]] Bytes a_bytes_once(AFetch fetch, Count tm) const;
  [[nodiscard]] Bytes b_bytes_once() const;

  /// Bytes the weights take in memory: as they are, or as the machine's compiler lays them out, tile
  /// after tile, those of the edges in the place of a whole one.
  [[nodiscard]] Bytes b_stored_bytes(const std::optional<WeightTiles>& tiles) const;

  /// Regions of tiles; `m_span`, `n_span`, `k_span` as the instruction has them.
  [[nodiscard]] program::Region a_region(AFetch fetch, const Nest& nest, const Span& m_span,
                                         const Span& k_span, int tensor) const;
  /// Without tiles the weights lie as the op says: n rows of k, or k of n.
  [[nodiscard]] program::Region b_region(const Nest& nest, const Span& n_span, const Span& k_span,
                                         const std::optional<WeightTiles>& tiles, int tensor) const;
  [[nodiscard]] Bytes c_tile_bytes(Count tm, Count tn) const;
  /// The largest tile of k up to `rows` that holds whole parts of the channels of one filter tap;
  /// `rows` if there is none, or few channels.
  [[nodiscard]] Count k_of_one_tap(Count rows) const;
  /// Of the result and of a residual of the same shape.
  [[nodiscard]] program::Region c_region(const Nest& nest, const Span& m_span, const Span& n_span,
                                         int tensor) const;
  /// Output pixels of an image row: tiles of m that are whole rows fetch no row twice.
  [[nodiscard]] Count row_pixels() const { return convolution ? out_w_ : 1; }
  [[nodiscard]] Count image_pixels() const { return convolution ? out_w_ * out_h_ : 1; }

  // Of a product's C in memory.
  [[nodiscard]] Bytes c_pitch_bytes() const { return bytes_for(pitch_c_, result_bits()); }
  /// Bytes of a row that move, padding included.
  [[nodiscard]] Bytes c_row_bytes() const { return bytes_for(tile_.minor(n), result_bits()); }
  [[nodiscard]] Bytes c_stored_bytes() const {
    return groups * tile_.rows(m, result_bits()) * c_pitch_bytes();
  }
  /// Rows of all groups are at the same distance: no padding between groups.
  [[nodiscard]] bool c_rows_follow() const {
    return groups == 1 || tile_.rows(m, result_bits()) == m;
  }

 private:
  [[nodiscard]] program::WindowRows window_rows(const Span& m_span) const;
  [[nodiscard]] program::WindowTaps window_taps(const Span& m_span, const Span& k_span) const;
  [[nodiscard]] unsigned b_bits() const;
  /// Rows of elements that are `pitch` elements apart, padded.
  [[nodiscard]] program::StridedRows matrix_rows(const Span& rows, Count pitch,
                                                 const Span& elements, unsigned bits) const;
  /// Bytes of a tile of a stored matrix, padded where it reaches the matrix's edges.
  [[nodiscard]] Bytes matrix_bytes(Count rows, Count most_rows, Count cols, Count most_cols,
                                   unsigned bits) const;
  [[nodiscard]] Count weight_tile_count(const WeightTiles& tiles) const;

  LayoutTile tile_;
  bool sums_out_ = false;
  Count b_group_pitch_ = 0;
  std::optional<WeightTiles> padded_;
  bool transpose_a_ = false, transpose_b_ = false;
  Count pitch_a_ = 0, pitch_b_ = 0, pitch_c_ = 0;  ///< elements from one stored row to the next
  Conv2d conv_;
  Count out_h_ = 1, out_w_ = 1;
  program::WindowRows input_;  ///< of a convolution
};

}  // namespace tilewave
