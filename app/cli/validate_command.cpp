// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <chrono>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <unistd.h>

#include "app/cli/commands.hpp"
#include "app/cli/inputs.hpp"
#include "app/cli/interrupt.hpp"
#include "app/cli/messages.hpp"
#include "app/cli/output_file.hpp"
#include "app/cli/progress_parts.hpp"
#include "app/cli/terminal.hpp"
#include "app/cli/text.hpp"
#include "app/cli/validation_table.hpp"
#include "app/library/config_dir.hpp"
#include "app/validate/run_suite.hpp"
#include "app/validate/validation_json.hpp"
#include "tilewave/version.hpp"

namespace tilewave {
namespace {

CommandSyntax syntax() {
  return {.name = "validate",
          .summary = "our error against published measurements",
          .operands = "[SUITE]...",
          .least_operands = 0,
          .most_operands = CommandSyntax::kAnyNumber,
          .about =
              "Runs what was measured on real machines and prints how far the results are off: for "
              "each suite the mean and median of the absolute errors, the share of rows within 10 "
              "and 20 (percent, or points of a share), the bias, and the worst rows. A suite is a "
              "name (tilewave list suites) or a JSON file of your own; without one, all are run. "
              "The exit status is 1 if a suite exceeds the errors it allows.",
          .options =
              {{"rows", "N",
                "of a suite, run at most so many, spread over its table, whatever the suite says"},
               {"json", "", "print the results, with every row, as JSON"},
               {"quiet", "", "print no tables and no progress; warnings and errors remain"}},
          .examples = {"tilewave validate tpu_v1_table3", "tilewave validate my_chip.json --json"}};
}

/// "tpu_v4_gemm  256 of 1017 rows", redrawn as the rows get done.
class SuiteProgress {
 public:
  SuiteProgress(std::string name, bool wanted)
      : name_(std::move(name)), drawn_(wanted && is_terminal(STDERR_FILENO)) {}
  ~SuiteProgress() {
    if (drawn_) send_to_terminal(STDERR_FILENO, kEraseLine);
  }
  SuiteProgress(const SuiteProgress&) = delete;
  SuiteProgress& operator=(const SuiteProgress&) = delete;

  void update(std::size_t done, std::size_t rows) {
    const auto now = std::chrono::steady_clock::now();
    if (!drawn_ || now < next_) return;
    constexpr std::chrono::milliseconds kBetweenDraws{100};
    next_ = now + kBetweenDraws;
    const std::string text = fmt::format("{}  {} of {} rows", name_, done, rows);
    send_to_terminal(STDERR_FILENO,
                     std::string(kEraseLine) + fitted(text, terminal_columns(STDERR_FILENO) - 1));
  }

 private:
  std::string name_;
  bool drawn_;
  std::chrono::steady_clock::time_point next_;
};

std::size_t most_rows(const Arguments& arguments, Diagnostics& diagnostics) {
  const auto text = arguments.maybe("rows");
  return text ? parse_batch(*text, "--rows", diagnostics).value_or(0) : 0;
}

void run(const Arguments& arguments) {
  Diagnostics diagnostics;
  ValidationOptions options{.config_dir = config_dir(),
                            .most_rows = most_rows(arguments, diagnostics),
                            .stop = &stop_on_interrupt(),
                            .progress = {}};
  std::vector<std::string> names = arguments.operands();
  if (names.empty()) names = suite_names(options.config_dir);
  std::vector<Suite> suites;
  for (const std::string& name : names) {
    if (auto suite = load_suite(name, options.config_dir, diagnostics)) {
      suites.push_back(std::move(*suite));
    }
  }
  report(diagnostics);

  const bool as_json = arguments.has("json");
  const bool quiet = arguments.has("quiet");
  Json all = {{"tilewave", {{"version", kVersion}}}, {"suites", Json::array()}};
  std::string exceeded;
  for (const Suite& suite : suites) {
    SuiteProgress progress(suite.name, !quiet);
    options.progress = [&](std::size_t done, std::size_t rows) { progress.update(done, rows); };
    Json result = validation_json(suite, run_suite(suite, options));
    if (!result.at("within_limits").get<bool>()) {
      exceeded += (exceeded.empty() ? "" : ", ") + suite.name;
    }
    if (as_json) {
      all["suites"].push_back(std::move(result));
    } else if (!quiet) {
      const std::string gap = &suite == &suites.front() ? "" : "\n";
      write_stdout(gap + validation_table(result, terminal_columns(STDOUT_FILENO)));
    }
  }
  if (as_json) write_stdout(all.dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
  if (!exceeded.empty()) {
    throw SimulationError(fmt::format("errors exceed the limits of {}", exceeded));
  }
}

}  // namespace

Command validate_command() { return {.syntax = syntax(), .run = run}; }

}  // namespace tilewave
