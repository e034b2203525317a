// SPDX-License-Identifier: Apache-2.0
#include "arch/matrix/number_formats.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "sim/diagnostics.hpp"

namespace tilewave {
namespace {

struct FloatFormat {
  int mantissa_bits;      ///< without the hidden one
  int smallest_exponent;  ///< of normal numbers: 2^smallest_exponent is the smallest one
  double largest;
  bool has_infinity;
  bool has_nan;
};

constexpr FloatFormat kFp16{10, -14, 65504.0, true, true};
constexpr FloatFormat kBf16{7, -126, 0x1.fep127, true, true};
constexpr FloatFormat kTf32{10, -126, 0x1.ffcp127, true, true};
constexpr FloatFormat kFp32{23, -126, 0x1.fffffep127, true, true};
constexpr FloatFormat kE4m3{3, -6, 448.0, false, true};
constexpr FloatFormat kE2m1{1, 0, 6.0, false, false};

std::optional<FloatFormat> float_format(DataType type) {
  switch (type) {
    case DataType::fp16:
    case DataType::int8_weight_only:
    case DataType::int4_weight_only:
      return kFp16;
    case DataType::bf16:
      return kBf16;
    case DataType::tf32:
      return kTf32;
    case DataType::fp32:
      return kFp32;
    case DataType::fp8:
    case DataType::fp8_block:
      return kE4m3;
    case DataType::fp4:
    case DataType::nvfp4:
      return kE2m1;
    case DataType::int4:
    case DataType::int8:
    case DataType::int16:
    case DataType::int32:
    case DataType::int16xint8:
    case DataType::int8xint16:
    case DataType::fp64:
      break;
  }
  return std::nullopt;
}

/// Nearest integer, ties to even, whatever rounding mode the host program has set.
double round_to_even(double value) {
  const double below = std::floor(value);
  const double rest = value - below;  // exact
  const bool up = rest > 0.5 || (rest == 0.5 && std::fmod(below, 2.0) != 0.0);
  return up ? below + 1.0 : below;
}

[[noreturn]] void refuse(DataType type, const char* what) {
  throw SimulationError(std::string(to_string(type)) + what);
}

}  // namespace

float quantize(double value, DataType type) {
  const auto format = float_format(type);
  if (!format) refuse(type, " is no format whose numbers a float holds");
  if (std::isnan(value)) {
    return format->has_nan ? std::numeric_limits<float>::quiet_NaN()
                           : static_cast<float>(format->largest);
  }
  double magnitude = std::fabs(value);
  if (!std::isinf(magnitude) && magnitude != 0.0) {
    // Numbers of the format around `magnitude` are multiples of 2^spacing; below the smallest
    // normal number the spacing stays. Scaling by a power of two is exact.
    const int exponent = std::max(std::ilogb(magnitude), format->smallest_exponent);
    const int spacing = exponent - format->mantissa_bits;
    magnitude = std::ldexp(round_to_even(std::ldexp(magnitude, -spacing)), spacing);
  }
  if (magnitude > format->largest) {
    magnitude = format->has_infinity ? std::numeric_limits<double>::infinity() : format->largest;
  }
  return static_cast<float>(std::copysign(magnitude, value));
}

std::int32_t quantize_int(double value, DataType type) {
  if (!is_integer(type)) refuse(type, " is no integer format");
  if (std::isnan(value)) return 0;
  const double largest = std::ldexp(1.0, static_cast<int>(activation_bits(type)) - 1) - 1.0;
  return static_cast<std::int32_t>(std::clamp(round_to_even(value), -largest - 1.0, largest));
}

}  // namespace tilewave
