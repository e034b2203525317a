// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/validate/score.hpp"
#include "app/validate/suite.hpp"

namespace tilewave {

/// A row's number beside ours.
struct ValidationCase {
  int line = 0;             ///< of the table
  std::string label;        ///< of the row
  std::string split;        ///< value of the column that errors are split by
  std::size_t measurement;  ///< index into the suite's
  Comparison comparison;
  std::optional<double> limit;  ///< of its error
  std::string reason;           ///< why it differs, if known
};

struct ValidationRun {
  std::vector<ValidationCase> cases;
  std::size_t rows = 0;
  std::vector<std::string> machines;  ///< that were run, without changes, in order
};

struct ValidationOptions {
  std::filesystem::path config_dir;
  /// Of the suite, spread evenly over the table; 0: as many as the suite says.
  std::size_t most_rows = 0;
  const std::atomic<bool>* stop = nullptr;
  std::function<void(std::size_t done, std::size_t rows)> progress{};
};

/// Runs what the suite's rows say, in `fast`. Throws ConfigError for a row that is no op, a machine
/// that is not there and the like, naming its line; SimulationError and Interrupted as simulate().
[[nodiscard]] ValidationRun run_suite(const Suite& suite, const ValidationOptions& options);

}  // namespace tilewave
