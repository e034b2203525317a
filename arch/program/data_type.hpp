// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sim/units.hpp"

namespace tilewave {

/// Number formats a workload may name (design section 10). The name on disk is to_string().
enum class DataType {
  int4,
  int8,
  int16,
  int32,
  fp4,
  fp8,
  fp8_block,
  fp16,
  bf16,
  tf32,
  fp32,
  fp64,
  int8_weight_only,
  int4_weight_only,
  nvfp4,
  int16xint8,  ///< activations of 16 bits, weights of 8
  int8xint16,  ///< activations of 8 bits, weights of 16
};

[[nodiscard]] std::string_view to_string(DataType type);
[[nodiscard]] std::optional<DataType> data_type_from_string(std::string_view name);
/// All types in declaration order.
[[nodiscard]] std::span<const DataType> all_data_types();
[[nodiscard]] std::vector<std::string_view> data_type_names();

/// Bits of one stored activation (or result) element, without block scales. Weight-only types keep
/// 16-bit activations; tf32 is stored as fp32.
[[nodiscard]] unsigned activation_bits(DataType type);
/// Bits of one stored weight element, without block scales.
[[nodiscard]] unsigned weight_bits(DataType type);
/// Bits of the accumulator: 32 for the integer and short float formats, 64 for fp64.
[[nodiscard]] unsigned accumulator_bits(DataType type);
/// Integer arithmetic: int4 to int32, and the mixed ones. Weight-only types multiply in 16-bit float.
[[nodiscard]] bool is_integer(DataType type);

/// A scale factor shared by a block of neighbouring elements. In memory the scales are a tensor of
/// their own, loaded by loads of their own, so they are not in the bits of an element (which stay
/// whole) and not in bytes_for(). facts() does not count them yet: 1/32 of fp8_block's
/// activations, 1/8 of nvfp4's tensors, 1/32 of int4_weight_only's weights.
struct BlockScale {
  unsigned bits = 0;   ///< 0: the format has no scales
  Count elements = 1;  ///< elements that share one
};
[[nodiscard]] BlockScale weight_scale(DataType type);
[[nodiscard]] BlockScale activation_scale(DataType type);

/// Storage of `elements` of `bits` each, rounded up to whole bytes.
[[nodiscard]] constexpr Bytes bytes_for(Count elements, unsigned bits) noexcept {
  return (elements * bits + 7) / 8;
}

}  // namespace tilewave
