// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "arch/program/program.hpp"

namespace tilewave {

/// A loop whose iterations are dealt out to the blocks of a kernel, `iterations` to each: the loop
/// of a block has that many, and a block further in dimension `dim` of the grid goes on from there.
struct DealtLoop {
  int loop = 0;
  Count iterations = 1;
  int dim = 0;
};

/// Moves what the instructions of `body` work on to each block's share. Slots stay as they are: a
/// block has its own.
void deal_to_blocks(std::vector<program::Node>& body, const std::vector<DealtLoop>& loops);

}  // namespace tilewave
