// SPDX-License-Identifier: Apache-2.0
#include "arch/program/data_type.hpp"

#include <array>
#include <cstddef>

namespace tilewave {
namespace {

constexpr BlockScale kNoScale{};
// DeepSeek-V3 (arXiv 2412.19437, section 3.3): an fp32 scale a 1 x 128 activations and a 128 x 128
// block of weights.
constexpr BlockScale kFp8ActivationScale{.bits = 32, .elements = 128};
constexpr BlockScale kFp8WeightScale{.bits = 32, .elements = 128 * 128};
// NVFP4 (NVIDIA Blackwell): an e4m3 scale a 16 elements; the one fp32 scale of a tensor is nothing.
constexpr BlockScale kNvfp4Scale{.bits = 8, .elements = 16};
// The usual group-wise 4-bit weights (GPTQ, AWQ): an fp16 scale a 128 weights.
constexpr BlockScale kInt4GroupScale{.bits = 16, .elements = 128};

struct Format {
  DataType type;
  std::string_view name;
  unsigned activation_bits;
  unsigned weight_bits;
  unsigned accumulator_bits;
  bool integer;
  BlockScale weight_scale = kNoScale;
  BlockScale activation_scale = kNoScale;
};

constexpr std::array kFormats{
    Format{DataType::int4, "int4", 4, 4, 32, true},
    Format{DataType::int8, "int8", 8, 8, 32, true},
    Format{DataType::int16, "int16", 16, 16, 32, true},
    Format{DataType::int32, "int32", 32, 32, 32, true},
    Format{DataType::fp4, "fp4", 4, 4, 32, false},
    Format{DataType::fp8, "fp8", 8, 8, 32, false},
    Format{DataType::fp8_block, "fp8_block", 8, 8, 32, false, kFp8WeightScale, kFp8ActivationScale},
    Format{DataType::fp16, "fp16", 16, 16, 32, false},
    Format{DataType::bf16, "bf16", 16, 16, 32, false},
    Format{DataType::tf32, "tf32", 32, 32, 32, false},
    Format{DataType::fp32, "fp32", 32, 32, 32, false},
    Format{DataType::fp64, "fp64", 64, 64, 64, false},
    Format{DataType::int8_weight_only, "int8_weight_only", 16, 8, 32, false},
    Format{DataType::int4_weight_only, "int4_weight_only", 16, 4, 32, false, kInt4GroupScale},
    Format{DataType::nvfp4, "nvfp4", 4, 4, 32, false, kNvfp4Scale, kNvfp4Scale},
    Format{DataType::int16xint8, "int16xint8", 16, 8, 32, true},
    Format{DataType::int8xint16, "int8xint16", 8, 16, 32, true},
};

constexpr auto kTypes = [] {
  std::array<DataType, kFormats.size()> types{};
  for (std::size_t i = 0; i < types.size(); ++i) types[i] = kFormats[i].type;
  return types;
}();

constexpr bool in_declaration_order() {
  for (std::size_t i = 0; i < kFormats.size(); ++i) {
    if (static_cast<std::size_t>(kFormats[i].type) != i) return false;
  }
  return true;
}
static_assert(in_declaration_order(), "kFormats is indexed by the enumerator's value");

constexpr const Format& format_of(DataType type) {
  return kFormats[static_cast<std::size_t>(type)];
}

}  // namespace

std::string_view to_string(DataType type) { return format_of(type).name; }

std::optional<DataType> data_type_from_string(std::string_view name) {
  for (const auto& format : kFormats) {
    if (format.name == name) return format.type;
  }
  return std::nullopt;
}

std::span<const DataType> all_data_types() { return kTypes; }

unsigned activation_bits(DataType type) { return format_of(type).activation_bits; }
unsigned weight_bits(DataType type) { return format_of(type).weight_bits; }
unsigned accumulator_bits(DataType type) { return format_of(type).accumulator_bits; }
bool is_integer(DataType type) { return format_of(type).integer; }
BlockScale weight_scale(DataType type) { return format_of(type).weight_scale; }
BlockScale activation_scale(DataType type) { return format_of(type).activation_scale; }

std::vector<std::string_view> data_type_names() {
  std::vector<std::string_view> names;
  for (const DataType type : all_data_types()) names.push_back(to_string(type));
  return names;
}

}  // namespace tilewave
