// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewave {

/// Edits that turn `a` into `b`: insert, delete, replace one character, or swap two neighbours
/// (optimal string alignment: no part is edited twice). Upper and lower case are equal, and so are
/// '_', '-' and ' '.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `name`, if one is near: at most a third of the longer name edited, or
/// the candidate is `name` with a part added or left off (`clock` for `clock_ghz`). Of equally near
/// ones the first. Names over 200 characters have no neighbours.
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view name,
                                                      std::span<const std::string_view> candidates);
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view name,
                                                      std::span<const std::string> candidates);

/// End of a message: `; did you mean "rows"?`, or nothing if no candidate is near.
[[nodiscard]] std::string suggestion(std::string_view name,
                                     std::span<const std::string_view> candidates);

}  // namespace tilewave
