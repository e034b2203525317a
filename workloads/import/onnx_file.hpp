// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "sim/config/json.hpp"
#include "sim/diagnostics.hpp"
#include "sim/units.hpp"

namespace tilewave {

/// An ONNX file as a workload's JSON. It is read by the Python package: `python3 -m
/// tilewave.onnx_import`, or the Python that the environment's TILEWAVE_PYTHON names. `dims`: the
/// graph's symbolic dimensions by name, as an object of numbers. Its warnings and errors become ours;
/// where there is no such package, an error says what to install.
[[nodiscard]] std::optional<Json> import_onnx(const std::string& file, const Json& dims,
                                              std::optional<Count> batch, Diagnostics& diagnostics);

}  // namespace tilewave
