// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/sweep/sweep.hpp"
#include "sim/config/reader.hpp"

namespace tilewave {

/// Values that one parameter may list.
inline constexpr std::size_t kMaxListedValues = 1'000'000;

/// Takes what is wrong with the value at a path of the sweep file.
using ReportFault = std::function<void(const std::string& path, std::string message)>;

/// Reads "parameters" of a sweep: by path a list, a single value, "=expression" or a range.
[[nodiscard]] std::vector<SweepParameter> read_parameters(ObjectReader& top, SweepMode mode,
                                                          Diagnostics& diagnostics, KeyDocs* docs);

/// The parameters that are expressions, each after those it names. Reports a circle.
[[nodiscard]] std::vector<std::size_t> evaluation_order(
    const std::vector<SweepParameter>& parameters, const ReportFault& report);

/// Reads the expression at `path`, or reports what is wrong with it.
[[nodiscard]] std::optional<Expression> read_expression(const std::string& text,
                                                        const std::string& path,
                                                        const ReportFault& report);

/// Reports each name that is no parameter, with the nearest.
void check_names(const Expression& expression, const std::string& path,
                 const std::vector<SweepParameter>& parameters, const ReportFault& report);

}  // namespace tilewave
