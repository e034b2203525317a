// SPDX-License-Identifier: Apache-2.0
#include "sim/config/values.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numeric>

#include "sim/config/json_path.hpp"
#include "sim/config/nearest.hpp"

namespace tilewave {
namespace {

/// Bytes of a text of a file: names, paths (Linux has them up to 4096 bytes), a sentence or two.
constexpr std::size_t kLongestText = 4096;

/// The first double that is too large for a Count of at most kMaxCount.
constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr std::string_view kAnySize = "of any size";

/// A non-negative JSON number as an integer, if it is one.
std::optional<Count> to_integer(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    return number <= kMaxCount ? std::optional<Count>(number) : std::nullopt;
  }
  if (value.is_number_integer()) {
    const auto number = value.get<std::int64_t>();
    return number >= 0 ? std::optional<Count>(static_cast<Count>(number)) : std::nullopt;
  }
  if (value.is_number_float()) {
    const auto number = value.get<double>();
    if (number >= 0 && number < kTwoTo63 && std::floor(number) == number) {
      return static_cast<Count>(number);
    }
  }
  return std::nullopt;
}

bool is_whole_number(const Json& value) {
  return value.is_number_integer() ||
         (value.is_number_float() && std::floor(value.get<double>()) == value.get<double>());
}

/// "an integer from 1 to 8", "a number of at least 1".
std::string with_range(std::string_view noun, const std::string& range) {
  if (range == kAnySize) {
    return std::string(noun);
  }
  return fmt::format("{} {}{}", noun, range.starts_with("from") ? "" : "of ", range);
}

// Not fmt::join: GCC 12 at -O2 and above warns about an overflow in it that is none.
template <typename T>
std::string joined(std::span<const T> items) {
  std::string out;
  for (const T& item : items) {
    out += fmt::format("{}{}", out.empty() ? "" : ", ", item);
  }
  return out;
}

}  // namespace

std::string comma_list(std::span<const std::string_view> names) { return joined(names); }
std::string comma_list(std::span<const std::string> names) { return joined(names); }
std::string comma_list(std::span<const Count> numbers) { return joined(numbers); }

std::string Range::text() const {
  if (min == max) {
    return fmt::format("{}", min);
  }
  return max == kMaxCount ? fmt::format("at least {}", min)
                          : fmt::format("from {} to {}", min, max);
}

std::string RealRange::text() const {
  const bool has_min = std::isfinite(min);
  const bool has_max = std::isfinite(max);
  if (has_min && has_max && !open_min && !open_max) {
    return min == max ? fmt::format("{}", min) : fmt::format("from {} to {}", min, max);
  }
  const std::string low =
      has_min ? fmt::format("{} {}", open_min ? "more than" : "at least", min) : std::string();
  const std::string high =
      has_max ? fmt::format("{} {}", open_max ? "less than" : "at most", max) : std::string();
  if (!has_min && !has_max) {
    return std::string(kAnySize);
  }
  return low + (has_min && has_max ? " and " : "") + high;
}

double RealRange::some_value() const noexcept {
  if (contains(1.0)) {
    return 1.0;
  }
  if (std::isfinite(min) && std::isfinite(max)) {
    return open_min ? std::midpoint(min, max) : min;
  }
  if (std::isfinite(min)) {
    return open_min ? min * 2 : min;  // here min >= 1, as 1 is not contained
  }
  return open_max ? max - 1 - std::fabs(max) : max;
}

std::string integer_in(const Range& range) { return with_range("an integer", range.text()); }

std::string number_in(const RealRange& range) { return with_range("a number", range.text()); }

Checked<Count> check_count(const Json& value, const Range& range) {
  const auto number = to_integer(value);
  if (number && range.contains(*number)) {
    return {number, {}};
  }
  if (is_whole_number(value)) {
    const bool too_large = !number && value.get<double>() > 0;
    return {std::nullopt,
            fmt::format("must be {}{}, is {}", range.text(),
                        too_large && range.max == kMaxCount ? " and less than 2^63" : "",
                        shown(value))};
  }
  return {std::nullopt,
          fmt::format("must be {}, is {}", integer_in(range), shown_with_type(value))};
}

Checked<double> check_number(const Json& value, const RealRange& range) {
  if (!value.is_number()) {
    return {std::nullopt,
            fmt::format("must be {}, is {}", number_in(range), shown_with_type(value))};
  }
  const auto number = value.get<double>();
  if (!std::isfinite(number)) {
    return {std::nullopt, fmt::format("must be a finite number, is {}", shown(value))};
  }
  if (!range.contains(number)) {
    return {std::nullopt, fmt::format("must be {}, is {}", range.text(), shown(value))};
  }
  return {number, {}};
}

Checked<bool> check_flag(const Json& value) {
  if (!value.is_boolean()) {
    return {std::nullopt, fmt::format("must be true or false, is {}", shown_with_type(value))};
  }
  return {value.get<bool>(), {}};
}

Checked<std::string> check_text(const Json& value) {
  if (!value.is_string()) {
    return {std::nullopt, fmt::format("must be a string, is {}", shown_with_type(value))};
  }
  const auto& text = value.get_ref<const std::string&>();
  if (text.empty()) {
    return {std::nullopt, "must not be an empty string"};
  }
  if (text.size() > kLongestText) {
    return {std::nullopt,
            fmt::format("is longer than {} bytes: {}", kLongestText, in_quotes(text))};
  }
  return {text, {}};
}

Checked<std::size_t> check_choice(const Json& value, std::span<const std::string_view> names) {
  if (!value.is_string()) {
    return {std::nullopt,
            fmt::format("must be one of {}, is {}", comma_list(names), shown_with_type(value))};
  }
  const auto& text = value.get_ref<const std::string&>();
  const auto it = std::find(names.begin(), names.end(), text);
  if (it == names.end()) {
    return {std::nullopt, fmt::format("must be one of {}, is {}{}", comma_list(names),
                                      in_quotes(text), suggestion(text, names))};
  }
  return {static_cast<std::size_t>(it - names.begin()), {}};
}

Checked<Bytes> check_size(const Json& value, const SizeUnit& unit, const Range& range) {
  if (unit.bytes == 1.0) {
    return check_count(value, range);
  }
  if (!value.is_number()) {
    return {std::nullopt, fmt::format("must be a number, is {}", shown_with_type(value))};
  }
  // Exact: the factor is a power of two. Integers over 2^53 are far over the limit anyway.
  const double bytes = value.get<double>() * unit.bytes;
  if (!(bytes >= 0 && bytes < kTwoTo63)) {
    return {std::nullopt, fmt::format("must be {} bytes{}, is {}", range.text(),
                                      bytes > 0 ? " and less than 2^63" : "", shown(value))};
  }
  if (std::floor(bytes) != bytes) {
    return {std::nullopt, fmt::format("must come to a whole number of bytes, is {} ({} bytes)",
                                      shown(value), bytes)};
  }
  const auto whole = static_cast<Bytes>(bytes);
  if (!range.contains(whole)) {
    return {std::nullopt,
            fmt::format("must be {} bytes, is {} ({} bytes)", range.text(), shown(value), whole)};
  }
  return {whole, {}};
}

}  // namespace tilewave
