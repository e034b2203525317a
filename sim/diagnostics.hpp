// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tilewave {

/// Label of values that the user set for a run, over what files say (see Diagnostics::set_origin).
inline constexpr const char* kOverrideLabel = "--set";

/// One thing wrong with what the user gave us.
struct Fault {
  std::string file;     ///< file, or where else the value came from ("--set"); may be empty
  std::string path;     ///< JSON path (`core.matrix_unit.rows`, `ops[3].m`); may be empty
  std::string message;  ///< what is wrong, what is allowed; starts in lower case, no final point
  int line = 0;         ///< 1-based; 0: not known
  int column = 0;       ///< 1-based, in characters; 0: not known

  friend bool operator==(const Fault&, const Fault&) = default;
};

/// One line: `configs/arch/x.json:12:5: core.matrix_unit.rows: must be at least 1, is 0`. Parts
/// that are not known are left out; control characters are escaped, so that it stays one line.
[[nodiscard]] std::string format(const Fault& fault);

/// The user's input is wrong (exit status 2). what() is all faults, one a line.
class ConfigError : public std::runtime_error {
 public:
  /// `not_kept` more faults were found and not stored.
  explicit ConfigError(std::vector<Fault> faults, std::size_t not_kept = 0);
  explicit ConfigError(Fault fault) : ConfigError(std::vector<Fault>{std::move(fault)}) {}

  [[nodiscard]] const std::vector<Fault>& faults() const noexcept { return faults_; }

 private:
  std::vector<Fault> faults_;
};

/// The run itself failed: a law violated, a deadlock, a limit reached (exit status 1).
class SimulationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Collects faults and warnings, so that one look at a file reports all that is wrong with it.
/// Keeps them in the order found, each once, and at most kMaxKept of each kind; more are counted.
class Diagnostics {
 public:
  static constexpr std::size_t kMaxKept = 1000;

  void error(std::string file, std::string path, std::string message, int line = 0, int column = 0);
  void error(Fault fault);
  void warning(std::string file, std::string path, std::string message, int line = 0,
               int column = 0);
  void warning(Fault fault);

  /// Takes back an error reported before, because a better explanation was found. False: not there.
  bool retract_error(Fault fault);

  /// Values at `path` of `file` and below were put there by `label` (as "--set"): faults about them
  /// name `label` instead of the file. The longest path counts.
  void set_origin(std::string file, std::string path, std::string label);
  /// The label of the value at `path` of `file`, empty if it has none.
  [[nodiscard]] std::string origin(const std::string& file, const std::string& path) const;

  [[nodiscard]] bool ok() const noexcept { return errors_.empty(); }
  [[nodiscard]] const std::vector<Fault>& errors() const noexcept { return errors_; }
  [[nodiscard]] const std::vector<Fault>& warnings() const noexcept { return warnings_; }
  /// Calls of error() so far: grows with each, also if the fault was known or not kept.
  [[nodiscard]] std::size_t error_calls() const noexcept { return error_calls_; }

  /// Throws a ConfigError with all errors, if there are any.
  void throw_if_errors() const;

 private:
  struct Origin {
    std::string file;
    std::string path;
    std::string label;
  };

  void relabel(Fault& fault) const;

  std::vector<Fault> errors_;
  std::vector<Fault> warnings_;
  std::size_t errors_dropped_ = 0;
  std::size_t error_calls_ = 0;
  std::vector<Origin> origins_;
};

}  // namespace tilewave
