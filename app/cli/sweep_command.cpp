// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <sched.h>
#include <unistd.h>

#include "app/cli/commands.hpp"
#include "app/cli/inputs.hpp"
#include "app/cli/interrupt.hpp"
#include "app/cli/messages.hpp"
#include "app/cli/output_file.hpp"
#include "app/cli/sweep_csv.hpp"
#include "app/cli/sweep_progress.hpp"
#include "app/cli/sweep_table.hpp"
#include "app/cli/terminal.hpp"
#include "app/library/config_dir.hpp"
#include "app/report/html.hpp"
#include "app/sweep/run_sweep.hpp"
#include "app/sweep/sweep_page.hpp"
#include "app/sweep/sweep_summary.hpp"
#include "app/sweep/worker.hpp"
#include "arch/chip/run_hooks.hpp"

namespace tilewave {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRowsShown = 5;
constexpr Count kMostJobs = 1024;
constexpr const char* kPageFile = "sweep.html";

CommandSyntax syntax() {
  return {
      .name = "sweep",
      .summary = "simulate many points, as a file describes them",
      .operands = "NAME|FILE",
      .least_operands = 1,
      .most_operands = 1,
      .about =
          "Runs every point of a sweep (tilewave list sweeps, or a JSON file of your own) in "
          "worker processes and keeps each result in DIR as it ends: sweep.sqlite, which may be "
          "read at any time. Then prints the best points, the Pareto front, and what each "
          "parameter does, and writes sweep.html, a page with charts. Ctrl-C stops; --resume goes "
          "on with what is missing. A point that "
          "fails is kept with its error; the exit status is 1 if every point failed.",
      .options =
          {{"out", "DIR", "the folder for the results; made if it is not there"},
           {"jobs", "N", "worker processes; default: one a processor"},
           {"resume", "",
            "go on in a folder that has results: runs what is missing, and nothing whose input "
            "had a result"},
           {"csv", "FILE", "write a table with a row for each point"},
           {"quiet", "", "print no tables and no progress; warnings and errors remain"}},
      .examples = {"tilewave sweep array_size --out sizes --csv sizes.csv"}};
}

/// Processors that we may run on.
std::size_t processors() {
  cpu_set_t set{};
  const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return static_cast<std::size_t>(std::max(1, count));
}

std::size_t jobs_of(const Arguments& arguments, Diagnostics& diagnostics) {
  const auto text = arguments.maybe("jobs");
  if (!text) return processors();
  const Count jobs = parse_batch(*text, "--jobs", diagnostics).value_or(1);
  if (jobs > kMostJobs) {
    diagnostics.error("--jobs", "", fmt::format("must be at most {}, is {}", kMostJobs, jobs));
  }
  return static_cast<std::size_t>(std::min(jobs, kMostJobs));
}

std::string need_out(const Arguments& arguments, Diagnostics& diagnostics) {
  const std::string out = arguments.maybe("out").value_or("");
  if (out.empty()) {
    diagnostics.error(
        "", "", "--out must be given: the folder for the results (see tilewave sweep --help)");
  }
  return out;
}

void warn_of(const SweepSummary& summary) {
  if (summary.with_warnings > 0) {
    print_warning(fmt::format("{} point{} with warnings, as: {}", summary.with_warnings,
                              summary.with_warnings == 1 ? "" : "s", summary.first_warning));
  }
  for (const SweepSummary::Failure& failure : summary.failures) {
    const std::size_t line = failure.error.find('\n');
    print_warning(fmt::format("point {} failed: {}{}", failure.point, failure.error.substr(0, line),
                              line == std::string::npos ? "" : " ..."));
  }
  if (summary.failed > summary.failures.size()) {
    print_warning(fmt::format("{} more points failed; their errors are in the store",
                              summary.failed - summary.failures.size()));
  }
}

void write_csv(OutputFile& file, const SweepPlan& plan, SweepStore& store) {
  file.stage_parts([&](const OutputFile::TakePart& take) { write_sweep_csv(plan, store, take); });
  file.commit();
}

/// Runs and shows. Throws StoreError for a store that cannot be written.
void run_into(const Arguments& arguments, const SweepPlan& plan, const fs::path& folder,
              std::size_t jobs, std::optional<OutputFile>& csv) {
  SweepStore store(folder, identity_of(plan), arguments.has("resume"));
  OutputFile page("--out", folder / kPageFile);
  SweepOptions options{.jobs = jobs,
                       .worker_command = {"/proc/self/exe", std::string(kWorkerWord)},
                       .stop = &stop_on_interrupt()};
  SweepCounts counts;
  {
    SweepProgressLine progress(!arguments.has("quiet") && is_terminal(STDERR_FILENO));
    options.progress = [&](const SweepCounts& now) {
      counts = now;
      progress.update(now);
    };
    try {
      counts = run_sweep(plan, store, options);
    } catch (const Interrupted&) {
      progress.erase();
      print_warning(
          fmt::format("{} of {} points are done; --resume goes on", counts.done(), counts.points));
      throw;
    }
  }
  const SweepSummary summary = summarize(plan, store, kRowsShown);
  warn_of(summary);
  page.stage(html_page(sweep_page_data(plan, store, summary), viz_dir() / "sweep"));
  page.commit();
  if (csv) write_csv(*csv, plan, store);
  if (!arguments.has("quiet")) {
    write_stdout(sweep_table(plan.sweep(), counts, summary, terminal_columns(STDOUT_FILENO)));
  }
  if (summary.points == 0) throw SimulationError("every point of the sweep failed");
}

void run(const Arguments& arguments) {
  Diagnostics diagnostics;
  const std::string out = need_out(arguments, diagnostics);
  const std::size_t jobs = jobs_of(arguments, diagnostics);
  auto sweep = load_sweep(arguments.operands().front(), config_dir(), diagnostics);
  std::optional<OutputFile> csv;
  if (const auto target = arguments.maybe("csv")) {
    try {
      csv.emplace("--csv", *target);
    } catch (const ConfigError& error) {
      for (const Fault& fault : error.faults()) diagnostics.error(fault);
    }
  }
  report(diagnostics);
  const SweepPlan plan(std::move(*sweep));
  check_points(plan);
  try {
    run_into(arguments, plan, out, jobs, csv);
  } catch (const StoreError& error) {
    throw OutputError(fmt::format("{}; what was there before is kept", error.what()));
  }
}

}  // namespace

Command sweep_command() { return {.syntax = syntax(), .run = run}; }

}  // namespace tilewave
