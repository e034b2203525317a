// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/kernels/gpu/flash_attention.hpp"

namespace tilewave {

/// Few queries (decoding): the heads that share K and V are rows of one tile, and the keys may be split.
[[nodiscard]] bool is_packed(const Attention& attention);
/// Rows that a tile takes in its units: whole instructions.
[[nodiscard]] Count attention_rows(const AttentionTile& tile);
[[nodiscard]] program::Cta attention_cta(const Attention& attention, DataType dtype,
                                         const AttentionTile& tile, const GpuTarget& target);
[[nodiscard]] program::ScoreMask attention_mask(const Attention& attention,
                                                const AttentionTile& tile);
/// The tile that the library of the machine's generation has for these sizes; none fits: none.
[[nodiscard]] std::optional<AttentionTile> attention_tile(const Attention& attention,
                                                          DataType dtype, const GpuTarget& target);

}  // namespace tilewave
