// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "app/cli/commands.hpp"
#include "app/cli/compare_table.hpp"
#include "app/cli/messages.hpp"
#include "app/cli/output_file.hpp"
#include "app/cli/terminal.hpp"
#include "app/compare/comparison.hpp"
#include "app/library/config_dir.hpp"
#include "app/report/html.hpp"
#include "sim/config/json_file.hpp"

namespace tilewave {
namespace {

namespace fs = std::filesystem;

CommandSyntax syntax() {
  return {
      .name = "compare",
      .summary = "put reports of several runs side by side",
      .operands = "REPORT...",
      .least_operands = 2,
      .most_operands = CommandSyntax::kAnyNumber,
      .about =
          "Reads reports that tilewave run --out wrote and prints their totals, their layers, "
          "matched "
          "by name, and how many times as fast as in the first run each is. Nothing is simulated.",
      .options = {{"label", "NAME",
                   "name of a run, once for each report in their order (default: what differs, the "
                   "machine, the workload, or both)",
                   true},
                  {"csv", "FILE", "write a table with a row for each layer"},
                  {"html", "FILE", "write the comparison as a page with figures"},
                  {"json", "", "print the comparison as JSON instead of the tables"},
                  {"quiet", "", "print no tables; warnings and errors remain"}},
      .examples = {"tilewave compare ddr3.json gddr5.json --html compare.html"}};
}

OutputFiles open_outputs(const Arguments& arguments) {
  OutputFiles files;
  for (const char* option : {"csv", "html"}) {
    const auto target = arguments.maybe(option);
    if (!target) continue;
    const std::string name = fmt::format("--{}", option);
    for (const std::string& input : arguments.operands()) {
      std::error_code ignored;
      if (fs::is_regular_file(*target, ignored) && fs::equivalent(*target, input, ignored)) {
        throw ConfigError(Fault{
            .file = name, .path = "", .message = fmt::format("{} is one of the reports", *target)});
      }
    }
    files.add(name, *target);
  }
  return files;
}

std::vector<ReportFile> read_reports(const std::vector<std::string>& names,
                                     Diagnostics& diagnostics) {
  std::vector<ReportFile> reports;
  for (const std::string& name : names) {
    if (auto json = load_json_file(name, diagnostics)) {
      reports.push_back({.file = name, .report = *std::move(json)});
      check_report(reports.back(), diagnostics);
    }
  }
  return reports;
}

void run(const Arguments& arguments) {
  Diagnostics diagnostics;
  const std::vector<ReportFile> reports = read_reports(arguments.operands(), diagnostics);
  report(diagnostics);
  const auto labels = run_labels(reports, arguments.all("label"), "--label");
  OutputFiles files = open_outputs(arguments);
  const Json comparison = compare_reports(reports, labels);
  if (files.has("--csv")) files.set("--csv", comparison_csv(comparison));
  if (files.has("--html")) {
    files.set("--html",
              html_page(comparison_page_data(comparison, reports), viz_dir() / "compare"));
  }
  files.write();
  if (arguments.has("json")) {
    write_stdout(comparison.dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
  } else if (!arguments.has("quiet")) {
    write_stdout(comparison_table(comparison, terminal_columns(STDOUT_FILENO)));
  }
}

}  // namespace

Command compare_command() { return {.syntax = syntax(), .run = run}; }

}  // namespace tilewave
