// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <chrono>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <unistd.h>

#include "app/cli/commands.hpp"
#include "app/cli/dram_inputs.hpp"
#include "app/cli/interrupt.hpp"
#include "app/cli/messages.hpp"
#include "app/cli/output_file.hpp"
#include "app/cli/terminal.hpp"
#include "app/dram/dram_progress.hpp"
#include "app/dram/dram_report.hpp"

namespace tilewave {
namespace {

CommandSyntax syntax() {
  return {
      .name = "dram",
      .summary = "run a memory alone, under a pattern or a trace",
      .operands = "",
      .about =
          "Sends requests to a memory as fast as it takes them, a given number at a time, and "
          "prints bandwidth, latency, what the rows and commands did, and energy.",
      .options =
          {{"preset", "NAME|FILE", "the memory: a preset (tilewave list dram) or a JSON file"},
           {"pattern", "P",
            "sequential; strided; random, over 256 MiB; or mixed: two sequential reads, a "
            "sequential write and random reads at once"},
           {"trace", "FILE",
            "instead of a pattern: requests a line, as in LD 0x1A40 or 0x1A40 R (ST, W: a write)"},
           {"requests", "N",
            "how many: 1000000 of a pattern, all of a trace unless this says fewer"},
           {"stride", "BYTES", "between strided requests (4096)"},
           {"read-share", "F", "reads among the requests, from 0 to 1 (1); mixed has its own"},
           {"seed", "N", "of the random addresses (1)"},
           {"request-bytes", "N", "size of a request, a power of two (64)"},
           {"in-flight", "N",
            "requests at a time; 1 shows the unloaded latency (default: what fills all read queues "
            "twice)"},
           {"channels", "N", "change the number of channels"},
           {"set", "PATH=VALUE",
            "change a value of the memory, as timing_cycles.nCL=20 or "
            "controller.page_policy=closed; "
            "may be given again",
            true},
           {"fidelity", "fast|detailed",
            "fast (default): channel by channel, as far as it goes; detailed: all channels in "
            "step. "
            "The results are the same"},
           {"json", "", "print the results as JSON instead of the table"},
           {"quiet", "", "print no table and no progress; warnings and errors remain"}},
      .examples = {"tilewave dram --preset hbm3_5200 --pattern sequential",
                   "tilewave dram --preset ddr4_3200 --pattern random --in-flight 1 --json",
                   "tilewave dram --preset my_memory.json --trace requests.trace"}};
}

/// Of the requests that were asked for, or of the trace: whichever ends first.
std::optional<double> share_done(const DramInputs& inputs, Count done) {
  const auto of_trace = inputs.source->share_taken();
  if (inputs.run.requests == DramRunRequest::kAll) return of_trace;
  const double share = static_cast<double>(done) / static_cast<double>(inputs.run.requests);
  return std::max(share, of_trace.value_or(0));
}

/// Runs with Ctrl-C looked at, and a line on the terminal if there may be one.
DramRunResult run_watched(const DramInputs& inputs, bool with_progress) {
  const std::atomic<bool>& stop = stop_on_interrupt();
  std::optional<DramProgressLine> line;
  if (with_progress && is_terminal(STDERR_FILENO)) line.emplace(STDERR_FILENO);
  DramRunRequest request = inputs.run;
  request.progress = [&](Count done) {
    if (stop) throw Interrupted();
    if (line) line->update(done, share_done(inputs, done));
  };
  return run_dram(request, *inputs.source);
}

void run(const Arguments& arguments) {
  Diagnostics diagnostics;
  const DramInputs inputs = read_dram_inputs(arguments, diagnostics);
  report(diagnostics);

  const auto start = std::chrono::steady_clock::now();
  const bool is_quiet = arguments.has("quiet");
  const DramRunResult result = run_watched(inputs, !is_quiet);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  if (result.wrapped > 0) {
    print_warning(
        fmt::format("{}: {} of {} requests are beyond the memory's {} bytes; their "
                    "addresses wrap",
                    *arguments.maybe("trace"), result.wrapped, result.requests(),
                    inputs.run.dram.capacity_bytes()));
  }
  const Json report =
      dram_report(inputs.run, result, inputs.traffic,
                  {.fidelity = inputs.fidelity == Fidelity::fast ? "fast" : "detailed",
                   .wall_s = wall.count()});
  if (arguments.has("json")) {
    write_stdout(report.dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
  } else if (!is_quiet) {
    write_stdout(dram_table(report, terminal_columns(STDOUT_FILENO)));
  }
}

}  // namespace

Command dram_command() { return {.syntax = syntax(), .run = run}; }

}  // namespace tilewave
