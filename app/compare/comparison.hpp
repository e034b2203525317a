// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/json.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {

/// What is compared, of each layer and of the whole run, by the names of the comparison.
inline constexpr std::array<std::string_view, 5> kComparedQuantities{
    "cycles", "time_s", "utilization", "dram_bytes", "energy_j"};

/// A report that was read and where it came from, for messages.
struct ReportFile {
  std::string file;
  Json report;
};

/// Adds an error for each value that a comparison needs and the report has not, or not as a number.
void check_report(const ReportFile& report, Diagnostics& diagnostics);

/// Names of the runs: those given, or else what differs: the machines, the workloads, or both; equal ones are
/// numbered. Throws ConfigError under `option` if as many as reports are not given, or one twice.
[[nodiscard]] std::vector<std::string> run_labels(std::span<const ReportFile> reports,
                                                  const std::vector<std::string>& given,
                                                  const std::string& option);

/// Reports (each passed check_report) side by side:
///   runs: [{label, arch, workload, fidelity}]
///   layers: [{name, cycles: [...], time_s: [...], ..., speedup: [...]}], a value a run, null where a run has no
///     layer of that name, in the order of the first run that has it; of layers of one name in one report, the
///     second is "NAME (2)"
///   total: the same without a name
///   largest_differences: a list for each run after the first: names of the layers whose time differs most from
///     the first run's, at most kMostDifferences, the largest first
/// speedup: time of the first run over the run's; null for the first, and where there is none.
[[nodiscard]] Json compare_reports(std::span<const ReportFile> reports,
                                   std::span<const std::string> labels);

inline constexpr std::size_t kMostDifferences = 10;

/// As CSV: a row a layer and `total`; columns `QUANTITY.LABEL`.
[[nodiscard]] std::string comparison_csv(const Json& comparison);

/// What the page of viz/compare draws: the comparison and the reports.
[[nodiscard]] Json comparison_page_data(const Json& comparison,
                                        std::span<const ReportFile> reports);

}  // namespace tilewave
