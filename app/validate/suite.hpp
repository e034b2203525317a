// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/validate/measured_table.hpp"
#include "app/validate/outcome.hpp"
#include "arch/program/data_type.hpp"
#include "sim/config/json.hpp"
#include "sim/config/key_docs.hpp"

namespace tilewave {

/// Errors that a suite may have at most, in the unit of its errors (percent, or points of a share).
/// A suite that exceeds one fails.
struct ErrorLimits {
  std::optional<double> mean;    ///< of the absolute errors
  std::optional<double> median;  ///< of the absolute errors
  std::optional<double> each;    ///< of every row
  std::string each_column;       ///< column with a limit for the row; "": none
};

/// A measured column and what of ours it is compared with.
struct Measurement {
  std::string name;    ///< shown; default: the column
  std::string column;  ///< a row with nothing there is not compared
  Quantity quantity{};
  ErrorLimits limits;
};

/// Time that a measurement has in it and our run does not, as the launch by a framework.
struct Overhead {
  double us = 0;
  std::string reason;
  std::vector<RowFilter> where;  ///< all must match; none: every row
};

/// Why some rows differ, as far as it is known.
struct KnownReason {
  std::string reason;
  std::vector<RowFilter> where;
};

/// Workloads with weights that a row's "workload" may stand for.
using WorkloadGroup = std::map<std::string, double>;
enum class Mean { arithmetic, geometric };

/// Measurements of machines that we have models of: a JSON file, which says how rows become runs,
/// and a CSV table beside it. A row is either ops (all rows of a machine run one after another, as
/// layers of one workload) or a workload by name (a run of its own). docs/validation.md.
struct Suite {
  std::string name;
  std::string file;
  std::string note;
  Json source;  ///< as written
  MeasuredTable table;
  std::size_t rows_skipped = 0;  ///< by "skip"; those that "where" leaves out are not counted

  // Texts of these may have $column in them.
  std::string arch;
  std::vector<std::string> sets;
  std::string label;     ///< names a row in messages
  std::string workload;  ///< "": the rows are ops
  Json ops;              ///< templates of a row's ops; null: see template_name
  std::string template_name;
  Json templates;  ///< by name

  DataType dtype{};             ///< of ops that name none
  bool alone = false;           ///< a run for each row
  std::size_t sample_rows = 0;  ///< run no more of a long table, spread evenly over it; 0: all
  std::map<std::string, WorkloadGroup> groups;
  Mean group_mean{};
  std::vector<std::string> baseline_sets;  ///< of the run that a speed-up is over
  std::string split_by;                    ///< column; errors are shown for each value of it too

  std::vector<Measurement> measurements;
  std::vector<Overhead> overheads;
  std::vector<KnownReason> reasons;
};

/// Reads a suite by name (`config_dir`/validation/NAME.json) or file (a name with a slash or the
/// ending .json). Every fault goes to `diagnostics`; after one, nothing is returned. `docs` records
/// the keys asked for.
[[nodiscard]] std::optional<Suite> load_suite(const std::string& name_or_file,
                                              const std::filesystem::path& config_dir,
                                              Diagnostics& diagnostics, KeyDocs* docs = nullptr);

/// Names of the suites in `config_dir`, in order, and the note of one ("": faulty or none).
[[nodiscard]] std::vector<std::string> suite_names(const std::filesystem::path& config_dir);
[[nodiscard]] std::string suite_note(const std::string& name,
                                     const std::filesystem::path& config_dir);

}  // namespace tilewave
