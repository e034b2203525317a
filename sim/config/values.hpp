// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/config/json.hpp"
#include "sim/units.hpp"

namespace tilewave {

/// Largest integer a file may hold: sums and differences of two stay within 64 bits.
inline constexpr Count kMaxCount = std::numeric_limits<std::int64_t>::max();

/// Integers allowed, both ends included.
struct Range {
  Count min = 0;
  Count max = kMaxCount;

  [[nodiscard]] constexpr bool contains(Count value) const noexcept {
    return value >= min && value <= max;
  }
  /// "at least 1", "from 1 to 65536".
  [[nodiscard]] std::string text() const;
};

/// Real numbers allowed. Ends are included unless open.
struct RealRange {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool open_min = false;
  bool open_max = false;

  [[nodiscard]] static constexpr RealRange any() noexcept { return {}; }
  [[nodiscard]] static constexpr RealRange positive(
      double max = std::numeric_limits<double>::infinity()) noexcept {
    return {.min = 0, .max = max, .open_min = true, .open_max = false};
  }
  [[nodiscard]] static constexpr RealRange non_negative(
      double max = std::numeric_limits<double>::infinity()) noexcept {
    return {.min = 0, .max = max, .open_min = false, .open_max = false};
  }
  /// 0 to 1, both included.
  [[nodiscard]] static constexpr RealRange share() noexcept { return non_negative(1); }

  [[nodiscard]] constexpr bool contains(double value) const noexcept {
    return (open_min ? value > min : value >= min) && (open_max ? value < max : value <= max);
  }
  /// "more than 0", "from 0 to 1", "of any size".
  [[nodiscard]] std::string text() const;
  /// Some number within, to go on with after a fault.
  [[nodiscard]] double some_value() const noexcept;
};

/// What a key takes, for references and messages: "an integer from 1 to 8", "a number".
[[nodiscard]] std::string integer_in(const Range& range);
[[nodiscard]] std::string number_in(const RealRange& range);

/// "a, b, c".
[[nodiscard]] std::string comma_list(std::span<const std::string_view> names);
[[nodiscard]] std::string comma_list(std::span<const std::string> names);
[[nodiscard]] std::string comma_list(std::span<const Count> numbers);

/// A value read, or the words for what is wrong with it.
template <typename T>
struct Checked {
  std::optional<T> value;
  std::string fault;  ///< as "must be at least 1, is 0"; empty if there is a value
};

/// 2.0 and 1e6 are integers too; 2.5 and what is over kMaxCount are not.
[[nodiscard]] Checked<Count> check_count(const Json& value, const Range& range);
[[nodiscard]] Checked<double> check_number(const Json& value, const RealRange& range);
[[nodiscard]] Checked<bool> check_flag(const Json& value);
/// Text that is not empty.
[[nodiscard]] Checked<std::string> check_text(const Json& value);
/// Index into `names`.
[[nodiscard]] Checked<std::size_t> check_choice(const Json& value,
                                                std::span<const std::string_view> names);

/// A unit of storage as the end of a key's name. 1 KiB is 1024 bytes.
struct SizeUnit {
  std::string_view suffix;
  double bytes;
};
inline constexpr std::array<SizeUnit, 4> kSizeUnits{{
    {"_bytes", 1.0},
    {"_kib", 1024.0},
    {"_mib", 1024.0 * 1024.0},
    {"_gib", 1024.0 * 1024.0 * 1024.0},
}};
/// A number of `unit`s that is a whole number of bytes within `range` (in bytes).
[[nodiscard]] Checked<Bytes> check_size(const Json& value, const SizeUnit& unit,
                                        const Range& range);

}  // namespace tilewave
