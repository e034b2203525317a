// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "arch/program/gpu_target.hpp"
#include "workloads/mapping/kernel_id.hpp"
#include "workloads/mapping/tensor_plan.hpp"
#include "workloads/op_shapes.hpp"

namespace tilewave {

/// A kernel of attention whose scores stay in registers (or tensor memory).
///   mma, lanes  FlashAttention-2 (T. Dao, arXiv 2307.08691): scores, softmax, values one after another;
///   wgmma       FlashAttention-3 (J. Shah et al., arXiv 2407.08608): a warp fetches, groups of warps with
///               64 rows each take turns, one multiplies while another is at its softmax;
///   tcgen05     as wgmma with 128 rows a group, sums in tensor memory.
struct AttentionTile {
  program::MmaUnit unit = program::MmaUnit::mma;
  Count queries = 128, keys = 64;  ///< of a tile
  Count heads = 1;                 ///< of a tile: query heads that share K and V
  Count warps = 4;                 ///< of 4 a group for wgmma and tcgen05; that fetch not counted
  Count teams = 1;
  Count stages = 2;
  Count splits = 1;  ///< of the keys, over CTAs
  [[nodiscard]] Count rows() const { return queries * heads; }
};
[[nodiscard]] std::string in_words(const AttentionTile& tile);

/// Where its tensors lie; workspace: where splits put their sums.
struct AttentionPlaces {
  Placement q, k, v, out;
  std::function<Placement(Bytes)> workspace;
};

/// The kernels of an attention: one, or with the keys split a second one that adds up.
[[nodiscard]] std::vector<program::GpuKernel> build_attention_kernels(const KernelId& id,
                                                                      const Attention& attention,
                                                                      const AttentionTile& tile,
                                                                      const AttentionPlaces& places,
                                                                      const GpuTarget& target);

/// Takes the tile of the machine's generation, and tries how many CTAs should share a sequence where
/// there are fewer of them than the machine holds. Attentions of equal shape are tried once.
class AttentionChooser {
 public:
  using TimeProgram = std::function<Cycle(const program::GpuProgram&)>;
  AttentionChooser(const GpuTarget& target, TimeProgram time_of)
      : target_(target), time_of_(std::move(time_of)) {}

  /// None if the machine does not multiply this type, or no tile fits.
  [[nodiscard]] std::optional<AttentionTile> choose(const Attention& attention, DataType dtype);

 private:
  struct Known {
    Attention attention;
    DataType dtype;
    AttentionTile tile;
  };
  [[nodiscard]] Count best_splits(const Attention& attention, DataType dtype,
                                  const AttentionTile& tile) const;

  const GpuTarget& target_;
  TimeProgram time_of_;
  std::vector<Known> known_;
};

}  // namespace tilewave
