// SPDX-License-Identifier: Apache-2.0
#include "arch/core/sm/sm_params.hpp"

namespace tilewave {

std::string_view to_string(MmaKind kind) {
  switch (kind) {
    case MmaKind::mma:
      return "mma";
    case MmaKind::wgmma:
      return "wgmma";
    case MmaKind::tcgen05:
      return "tcgen05";
  }
  return "?";
}

std::string_view to_string(CopyKind kind) {
  switch (kind) {
    case CopyKind::registers:
      return "registers";
    case CopyKind::cp_async:
      return "cp_async";
    case CopyKind::tma:
      return "tma";
  }
  return "?";
}

std::string_view to_string(WarpOrder order) { return order == WarpOrder::gto ? "gto" : "lrr"; }

DataType multiplied_as(DataType type) {
  switch (type) {
    case DataType::int8_weight_only:
    case DataType::int4_weight_only:
      return DataType::fp16;
    case DataType::fp8_block:
      return DataType::fp8;
    case DataType::nvfp4:
      return DataType::fp4;
    default:
      return type;
  }
}

std::optional<Count> SmParams::tensor_fma_per_cycle(DataType type) const {
  if (!tensor) return std::nullopt;
  const auto found = tensor->fma_per_cycle.find(multiplied_as(type));
  if (found == tensor->fma_per_cycle.end()) return std::nullopt;
  return found->second * sub_cores;
}

std::optional<Count> SmParams::lane_fma_per_cycle(DataType type) const {
  const auto lanes_of = [&](Count n) -> std::optional<Count> {
    return n > 0 ? std::optional(n * sub_cores) : std::nullopt;
  };
  switch (multiplied_as(type)) {
    case DataType::fp32:
    case DataType::tf32:
      return lanes_of(lanes.fp32);
    case DataType::fp16:
    case DataType::bf16:
      return lanes_of(lanes.fp16);
    case DataType::fp64:
      return lanes_of(lanes.fp64);
    case DataType::int32:
      return lanes_of(lanes.integer);
    case DataType::int8:
      return lanes_of(4 * lanes.integer);  // dp4a: four products an instruction
    default:
      return std::nullopt;
  }
}

Count SmParams::peak_fma_per_cycle(DataType type) const {
  return std::max(tensor_fma_per_cycle(type).value_or(0), lane_fma_per_cycle(type).value_or(0));
}

}  // namespace tilewave
