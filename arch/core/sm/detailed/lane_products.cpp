// SPDX-License-Identifier: Apache-2.0
#include "arch/core/sm/detailed/lane_products.hpp"

#include <algorithm>
#include <vector>

#include "arch/core/sm/detailed/shared_memory.hpp"

namespace tilewave {

namespace {

constexpr Bytes kLoadBytes = 16;

struct Unit {
  WarpPipe pipe;
  Count lanes;
  Count pack;           ///< products of a lane and instruction
  Count k;              ///< of these, along k
  Bytes operand_bytes;  ///< of a row or column and step
};

Unit unit_of(const VectorLanes& lanes, DataType type) {
  switch (multiplied_as(type)) {
    case DataType::fp16:
    case DataType::bf16:
      return {WarpPipe::fp16, lanes.fp16 / 2, 2, 1, 2};  // pairs
    case DataType::fp64:
      return {WarpPipe::fp64, lanes.fp64, 1, 1, 8};
    case DataType::int32:
      return {WarpPipe::integer, lanes.integer, 1, 1, 4};
    case DataType::int8:
      return {WarpPipe::integer, lanes.integer, 4, 4, 4};  // dp4a
    default:
      return {WarpPipe::fp32, lanes.fp32, 1, 1, 4};
  }
}

}  // namespace

LaneProduct lane_product(const SmParams& sm, DataType type, Count rows, Count columns) {
  const Unit unit = unit_of(sm.lanes, type);
  LaneProduct p;
  p.pipe = unit.pipe;
  p.lanes = std::max<Count>(1, unit.lanes);
  p.k = unit.k;
  p.macs_each = sm.warp_lanes * unit.pack;
  p.instructions = ceil_div(rows * columns * unit.k, p.macs_each);
  // The lanes stand so that each has the fewest rows and columns together.
  Count down = 1;
  const auto operands = [&](Count d) {
    return ceil_div(rows, d) + ceil_div(columns, sm.warp_lanes / d);
  };
  for (Count d = 1; d <= sm.warp_lanes; d *= 2) {
    if (operands(d) < operands(down)) down = d;
  }
  const Count across = sm.warp_lanes / down;
  const auto loads_of = [&](Count extent, Count by) {
    return ceil_div(ceil_div(extent, by) * unit.operand_bytes, kLoadBytes);
  };
  p.loads = loads_of(rows, down) + loads_of(columns, across);
  // The worse of the two: lanes of a row read the same, or those of a column.
  const SharedBanks banks{.banks = sm.load_store.shared_banks};
  for (const bool by_row : {true, false}) {
    std::vector<std::uint64_t> addresses;
    for (Count lane = 0; lane < sm.warp_lanes; ++lane) {
      addresses.push_back((by_row ? lane / across : lane % across) * kLoadBytes);
    }
    p.load_wavefronts = std::max(p.load_wavefronts, banks.wavefronts(addresses, kLoadBytes));
  }
  p.load_bytes = ceil_div((rows + columns) * unit.operand_bytes, p.loads);
  return p;
}

}  // namespace tilewave
