// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "arch/memory/shared_l2/gpu_memory.hpp"
#include "arch/program/window_taps.hpp"

namespace tilewave {

/// What an SM reads for the windows of a tile (the gather of an implicit GEMM), added to `out`: under each
/// tap the pixels of the tile's outputs, without padding, an access for as many rows of the image as lie
/// side by side. The bytes moved are those of the taps; an element under several taps counts for each.
///
/// How the L2 names them decides what is found there again. Channels last: rows of the matrix pixels x
/// channels, so that all taps of a filter touch the same blocks; with a stride the pixels that one tap
/// touches are rows at that distance. Pixels of less than a line, and channel planes: lines of the tensor.
/// Blocks are fetched in whole pieces, since the neighbours of a tile fetch the rest of them.
void append_window_accesses(const program::WindowTaps& windows, std::uint64_t address,
                            const LoopIndex& index, std::vector<MatrixAccess>& out);

}  // namespace tilewave
