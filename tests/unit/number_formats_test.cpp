// SPDX-License-Identifier: Apache-2.0
#include "arch/matrix/number_formats.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

#include "support/catch.hpp"

#include "sim/diagnostics.hpp"

namespace tilewave {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

struct FloatCase {
  DataType type;
  double value;
  double expected;
};

TEST_CASE("rounding to short floating formats", "[numbers]") {
  using enum DataType;
  const FloatCase cases[] = {
      // Ties go to the even number, anything beyond a tie away from it.
      {fp16, 1.0 + 0x1p-11, 1.0},
      {fp16, 1.0 + 0x3p-11, 1.0 + 0x1p-9},
      {fp16, 1.0 + 0x1p-11 + 0x1p-40, 1.0 + 0x1p-10},
      {fp16, 2049.0, 2048.0},
      {fp16, -2051.0, -2052.0},
      {fp16, 0.1, 0.0999755859375},  // 0x2e66
      // Once, not by way of fp32, where this would become a tie.
      {fp16, 1.0 + 0x1p-11 + 0x1p-50, 1.0 + 0x1p-10},
      // Largest number; half a unit above it infinity begins.
      {fp16, 65504.0, 65504.0},
      {fp16, 65519.99, 65504.0},
      {fp16, 65520.0, kInfinity},
      {fp16, -kInfinity, -kInfinity},
      // Smallest normal, subnormals, and the tie below the smallest one.
      {fp16, 0x1p-14, 0x1p-14},
      {fp16, 0x1p-14 - 0x1p-25, 0x1p-14},
      {fp16, 0x1p-24, 0x1p-24},
      {fp16, 0x3p-25, 0x1p-23},
      {fp16, 0x1p-25, 0.0},
      {fp16, 0x1.000001p-25, 0x1p-24},
      {bf16, 1.0 + 0x1p-8, 1.0},
      {bf16, 1.0 + 0x3p-8, 1.0 + 0x1p-6},
      {bf16, 3.14159265358979, 3.140625},  // 0x4049
      {bf16, 0x1.fep127, 0x1.fep127},
      {bf16, 0x1.ffp127, kInfinity},
      {bf16, 0x1p-133, 0x1p-133},
      {bf16, 0x1p-134, 0.0},
      {tf32, 1.0 + 0x1p-11, 1.0},
      {tf32, 1.0 + 0x3p-11, 1.0 + 0x1p-9},
      {tf32, 1e30, 0x1.94p99},  // 1e30 / 2^99 = 1615.59 / 1024
      {tf32, 0x1p-136, 0x1p-136},
      {tf32, 0x1.ffep127, kInfinity},
      {fp32, 0.1, static_cast<double>(0.1F)},
      {fp32, 1e39, kInfinity},
      {fp32, 0x1p-149, 0x1p-149},
      {fp32, 1e-320, 0.0},
      {fp8, 1.0625, 1.0},
      {fp8, 1.1875, 1.25},
      {fp8, 17.0, 16.0},
      {fp8, 448.0, 448.0},
      {fp8, 449.0, 448.0},
      {fp8, 1e9, 448.0},
      {fp8, -kInfinity, -448.0},
      {fp8, 0x1p-9, 0x1p-9},
      {fp8, 0x1p-10, 0.0},
      {fp8, 0x3p-10, 0x1p-8},
      {fp8_block, 0x7p-9, 0x7p-9},
      {fp4, 0.25, 0.0},
      {fp4, 0.75, 1.0},
      {fp4, 2.5, 2.0},
      {fp4, 5.0, 4.0},
      {nvfp4, 5.1, 6.0},
      {nvfp4, -100.0, -6.0},
      {int8_weight_only, 2049.0, 2048.0},
  };
  for (const FloatCase& c : cases) {
    INFO(to_string(c.type) << " " << c.value);
    CHECK(static_cast<double>(quantize(c.value, c.type)) == c.expected);
    CHECK(static_cast<double>(quantize(-c.value, c.type)) == -c.expected);
  }
  CHECK(std::signbit(quantize(-0.0, fp16)));
  CHECK(std::signbit(quantize(-1e-30, fp8)));
  for (const DataType type : {fp16, bf16, tf32, fp32, fp8}) CHECK(std::isnan(quantize(kNan, type)));
  CHECK(quantize(kNan, fp4) == 6.0F);
  CHECK_THROWS_AS(quantize(1.0, int8), SimulationError);
  CHECK_THROWS_AS(quantize(1.0, fp64), SimulationError);
}

/// The number that a code of an e-m format stands for, by the definition of the format.
double decode(unsigned code, int exponent_bits, int mantissa_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(code >> mantissa_bits);
  const auto mantissa = static_cast<double>(code & ((1U << mantissa_bits) - 1));
  const double fraction = std::ldexp(mantissa, -mantissa_bits);
  return exponent == 0 ? std::ldexp(fraction, 1 - bias)
                       : std::ldexp(1.0 + fraction, exponent - bias);
}

TEST_CASE("every number of a format is itself, and midpoints go to the even code", "[numbers]") {
  struct Format {
    DataType type;
    int exponent_bits;
    int mantissa_bits;
    unsigned largest_code;
  };
  const Format formats[] = {{DataType::fp16, 5, 10, 0x7bff},
                            {DataType::bf16, 8, 7, 0x7f7f},
                            {DataType::fp8, 4, 3, 0x7e},
                            {DataType::fp4, 2, 1, 0x7}};
  for (const Format& format : formats) {
    unsigned wrong = 0;
    for (unsigned code = 0; code < format.largest_code; ++code) {
      const double here = decode(code, format.exponent_bits, format.mantissa_bits);
      const double next = decode(code + 1, format.exponent_bits, format.mantissa_bits);
      const double middle = here + (next - here) / 2;
      const auto rounded = [&](double value) {
        return static_cast<double>(quantize(value, format.type));
      };
      if (rounded(here) != here) ++wrong;
      if (rounded(middle) != (code % 2 == 0 ? here : next)) ++wrong;
      if (rounded(std::nextafter(middle, 0.0)) != here) ++wrong;
      if (rounded(std::nextafter(middle, kInfinity)) != next) ++wrong;
    }
    INFO(to_string(format.type));
    CHECK(wrong == 0);
    const double largest = decode(format.largest_code, format.exponent_bits, format.mantissa_bits);
    CHECK(static_cast<double>(quantize(largest, format.type)) == largest);
  }
}

TEST_CASE("rounding and saturation to integers", "[numbers]") {
  using enum DataType;
  struct {
    DataType type;
    double value;
    std::int32_t expected;
  } const cases[] = {
      {int8, 0.5, 0},           {int8, 1.5, 2},
      {int8, 2.5, 2},           {int8, -0.5, 0},
      {int8, -1.5, -2},         {int8, 126.5, 126},
      {int8, 127.4, 127},       {int8, 127.5, 127},
      {int8, 1e300, 127},       {int8, -128.5, -128},
      {int8, -129.0, -128},     {int8, kInfinity, 127},
      {int8, -kInfinity, -128}, {int8, kNan, 0},
      {int4, 7.6, 7},           {int4, -8.6, -8},
      {int16, 40000.0, 32767},  {int16, -32768.4, -32768},
      {int32, 3e9, 2147483647}, {int32, -3e9, -2147483647 - 1},
  };
  for (const auto& c : cases) {
    INFO(to_string(c.type) << " " << c.value);
    CHECK(quantize_int(c.value, c.type) == c.expected);
  }
  CHECK_THROWS_AS(quantize_int(1.0, fp16), SimulationError);
  CHECK_THROWS_AS(quantize_int(1.0, int8_weight_only), SimulationError);
}

}  // namespace
}  // namespace tilewave
