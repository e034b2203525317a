// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/sweep/expression.hpp"
#include "sim/config/json.hpp"
#include "sim/config/key_docs.hpp"
#include "sim/diagnostics.hpp"
#include "sim/units.hpp"

namespace tilewave {

enum class RangeScale { linear, log2, log10 };

/// Any real number between two ends, drawn evenly on a scale.
struct ContinuousRange {
  double from = 0;
  double to = 0;
  RangeScale scale = RangeScale::linear;

  /// At `share` (0 to 1) of the way.
  [[nodiscard]] double at(double share) const;
};

/// What a parameter of a sweep may be: listed values, a range to draw from, or what follows from others.
struct SweepParameter {
  std::string path;  ///< "core.matrix_unit.rows", "workload.batch", "fidelity", "arch", "workload"
  std::variant<std::vector<Json>, ContinuousRange, Expression> values;

  [[nodiscard]] const std::vector<Json>* list() const {
    return std::get_if<std::vector<Json>>(&values);
  }
  [[nodiscard]] const Expression* expression() const { return std::get_if<Expression>(&values); }
  [[nodiscard]] const ContinuousRange* range() const {
    return std::get_if<ContinuousRange>(&values);
  }
};

/// A number that a point is judged by: a path of the report, or an expression of paths and parameters.
struct SweepObjective {
  std::string name;  ///< default: the expression as written
  Expression value;
  bool more_is_better = false;
};

enum class SweepMode { grid, zip, random, latin_hypercube };

/// A sweep file, read: docs/sweep_file.md.
struct Sweep {
  std::string name;
  std::string file;              ///< in messages
  std::filesystem::path folder;  ///< that paths in it are relative to
  Json definition;               ///< the file itself
  /// Each a name or file, an object (what a file would have), or null: a parameter.
  Json arch, workload;
  std::string fidelity = "fast";
  std::vector<SweepParameter> parameters;
  std::vector<std::size_t> evaluation_order;  ///< of the parameters that are expressions
  SweepMode mode = SweepMode::grid;
  std::uint64_t samples = 0;  ///< of random and latin_hypercube
  std::uint64_t seed = 1;
  std::vector<Expression> constraints;
  std::vector<SweepObjective> objectives;
  bool reports = false;  ///< keep each point's whole report
};

/// Reads a sweep. Every fault goes to `diagnostics`; after one, nothing is returned. `file` stands in
/// messages and names the sweep if it has no name; `docs` records the keys asked for.
[[nodiscard]] std::optional<Sweep> read_sweep(const Json& json, const std::string& file,
                                              const std::filesystem::path& folder,
                                              Diagnostics& diagnostics, KeyDocs* docs = nullptr);

/// A sweep by name (`config_dir`/sweeps/NAME.json) or file (a name with a slash or the ending .json).
[[nodiscard]] std::optional<Sweep> load_sweep(const std::string& name_or_file,
                                              const std::filesystem::path& config_dir,
                                              Diagnostics& diagnostics);

/// Names of the sweeps in `config_dir`, in order, and the note of one ("": faulty or none).
[[nodiscard]] std::vector<std::string> sweep_names(const std::filesystem::path& config_dir);
[[nodiscard]] std::string sweep_note(const std::string& name,
                                     const std::filesystem::path& config_dir);

}  // namespace tilewave
