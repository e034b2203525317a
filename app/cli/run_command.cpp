// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "app/cli/commands.hpp"
#include "app/cli/csv.hpp"
#include "app/cli/inputs.hpp"
#include "app/cli/interrupt.hpp"
#include "app/cli/messages.hpp"
#include "app/cli/output_file.hpp"
#include "app/cli/progress.hpp"
#include "app/cli/table.hpp"
#include "app/cli/terminal.hpp"
#include "app/library/arch_library.hpp"
#include "app/library/config_dir.hpp"
#include "app/report/html.hpp"
#include "app/simulate.hpp"
#include "app/trace/chrome_trace.hpp"
#include "sim/config/json_path.hpp"
#include "workloads/load.hpp"

namespace tilewave {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 4> kFileOptions{"out", "csv", "trace", "html"};

CommandSyntax syntax() {
  return {.name = "run",
          .summary = "simulate a workload on a machine",
          .operands = "",
          .about =
              "Simulates the workload on the machine and prints what came out, a row for each "
              "layer. On a terminal a line shows how far the run is; Ctrl-C stops it, and no "
              "file is written then.",
          .options =
              {{"arch", "NAME|FILE", "the machine: a preset (tilewave list arch) or a JSON file"},
               {"workload", "NAME|FILE",
                "the workload: a network (tilewave list models), also with parameters as in "
                "resnet50:batch=8; a preset (tilewave list workloads); a JSON file; a SCALE-Sim "
                "topology (CSV); or an ONNX graph (with the Python package), its symbolic "
                "dimensions as in model.onnx:seq_len=128"},
               {"set", "PATH=VALUE",
                "change a value of the machine, as core.matrix_unit.rows=128, or workload.batch or "
                "workload.dtype; may be given again",
                true},
               {"batch", "N", "batch size of a network, a SCALE-Sim topology or an ONNX graph"},
               {"dtype", "T", "data type of all ops (tilewave list dtypes)"},
               {"fidelity", "fast|detailed",
                "fast (default): whole tiles at a time; detailed: each PE in each cycle, on GPUs "
                "each warp instruction"},
               {"out", "FILE", "write the report as JSON"},
               {"csv", "FILE",
                "write a table with a row for each layer; its columns are named like the report's "
                "values, with their units"},
               {"trace", "FILE", "write what each unit did when, for ui.perfetto.dev"},
               {"html", "FILE", "write the report as a page with figures"},
               {"json", "", "print the report as JSON instead of the table"},
               {"quiet", "", "print no table and no progress; warnings and errors remain"},
               {"scale-sim-ceil", "",
                "round output sizes of a SCALE-Sim topology up, as SCALE-Sim does"},
               {"dump-program", "", "print what the machine would execute, and do not run it"}},
          .examples = {"tilewave run --arch tpu_v1 --workload resnet50 --batch 8",
                       "tilewave run --arch tpu_v1 --set core.matrix_unit.rows=128 \\",
                       "    --workload mobilenet_v2 --out report.json --quiet"}};
}

/// The names of what is needed and not given, in one message.
void require_inputs(const Arguments& arguments, Diagnostics& diagnostics) {
  std::string missing;
  for (const char* option : {"arch", "workload"}) {
    if (!arguments.has(option)) {
      missing += fmt::format("{}--{}", missing.empty() ? "" : " and ", option);
    }
  }
  if (!missing.empty()) {
    diagnostics.error("", "", fmt::format("{} must be given (see tilewave run --help)", missing));
  }
}

RunRequest read_request(const Arguments& arguments, Diagnostics& diagnostics) {
  RunRequest request;
  require_inputs(arguments, diagnostics);
  const Overrides overrides = split_overrides(arguments.all("set"));
  const fs::path configs = config_dir();
  if (const auto fidelity = arguments.maybe("fidelity")) {
    request.fidelity =
        parse_fidelity(*fidelity, "--fidelity", diagnostics).value_or(Fidelity::fast);
  }
  if (const auto arch = arguments.maybe("arch")) {
    request.arch = resolve_arch(*arch, overrides.arch, configs, diagnostics);
  }
  LoadOptions options;
  options.config_dir = configs;
  options.batch_shares = request.arch.batch_shares();
  options.scale_sim_ceil = arguments.has("scale-sim-ceil");
  if (const auto batch = arguments.maybe("batch")) {
    options.batch = parse_batch(*batch, "--batch", diagnostics);
  }
  if (const auto dtype = arguments.maybe("dtype")) {
    options.dtype = parse_dtype(*dtype, "--dtype", diagnostics);
  }
  apply_workload_overrides(overrides.workload, options, diagnostics);
  if (const auto workload = arguments.maybe("workload")) {
    request.workload = load_workload(*workload, options, diagnostics);
  }
  return request;
}

void check_not_an_input(const std::string& option, const std::string& target,
                        const std::vector<std::string>& inputs, Diagnostics& diagnostics) {
  for (const std::string& input : inputs) {
    std::error_code ignored;
    if (fs::is_regular_file(target, ignored) && fs::equivalent(target, input, ignored)) {
      diagnostics.error(option, "", fmt::format("{} is what this run reads", target));
    }
  }
}

OutputFiles open_outputs(const Arguments& arguments, const std::vector<std::string>& inputs,
                         Diagnostics& diagnostics) {
  OutputFiles files;
  for (const char* name : kFileOptions) {
    const std::string option = fmt::format("--{}", name);
    const auto target = arguments.maybe(name);
    if (!target) {
      continue;
    }
    try {
      files.add(option, *target);
      check_not_an_input(option, *target, inputs, diagnostics);
    } catch (const ConfigError& error) {
      for (const Fault& fault : error.faults()) {
        diagnostics.error(fault);
      }
    }
  }
  if (files.has("--html")) {
    (void)viz_dir();  // throws now, not after the run, if there is no page to fill in
  }
  return files;
}

/// The layers with the cycles they take at least: arrays and lanes at work all the time.
std::vector<ProgressLine::Layer> layers_of(const RunRequest& request) {
  const auto lanes = static_cast<double>(request.arch.vector_lanes());
  std::vector<ProgressLine::Layer> layers;
  for (const Op& op : request.workload.ops) {
    const OpFacts work = facts(op);
    const auto macs_per_cycle =
        static_cast<double>(std::max<Count>(1, request.arch.peak_macs_per_cycle(op.dtype)));
    const double vector_cycles = lanes > 0 ? static_cast<double>(work.output_elements) / lanes : 0;
    layers.push_back(
        {.name = op.name,
         .least_cycles = std::max(static_cast<double>(work.macs) / macs_per_cycle, vector_cycles)});
  }
  return layers;
}

void print_program(const Arguments& arguments, const RunRequest& request) {
  for (const char* option : {"out", "csv", "trace", "html", "json"}) {
    if (arguments.has(option)) {
      throw ConfigError(Fault{.file = "",
                              .path = "",
                              .message = fmt::format("--dump-program runs nothing: there is no "
                                                     "report for --{}",
                                                     option)});
    }
  }
  write_stdout(dump_program(request));
}

std::string as_text(const Json& report) {
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

void run_workload(const Arguments& arguments) {
  Diagnostics diagnostics;
  RunRequest request = read_request(arguments, diagnostics);
  const std::vector<std::string> inputs{request.arch.file,
                                        arguments.maybe("workload").value_or("")};
  OutputFiles files = open_outputs(arguments, inputs, diagnostics);
  report(diagnostics);
  if (arguments.has("dump-program")) {
    print_program(arguments, request);
    return;
  }

  const std::atomic<bool>& stop = stop_on_interrupt();
  request.stop = &stop;
  std::unique_ptr<ChromeTrace> trace;
  if (files.has("--trace")) {
    trace = std::make_unique<ChromeTrace>(request.arch.clock());
    request.listener = trace.get();
  }
  std::unique_ptr<ProgressLine> progress;
  if (!arguments.has("quiet") && is_terminal(STDERR_FILENO)) {
    progress = std::make_unique<ProgressLine>(STDERR_FILENO, layers_of(request));
    request.progress = [&](std::size_t done, std::size_t total, Cycle now) {
      progress->update(done, total, now);
    };
  }
  const RunResult result = simulate(request);
  progress.reset();
  for (const std::string& warning : result.warnings) {
    print_warning(warning);
  }

  // Text for all that was asked for, before the first of it is written.
  const std::string json = as_text(result.report);
  files.set("--out", json);
  if (files.has("--csv")) {
    files.set("--csv", layers_csv(result.report));
  }
  if (trace) {
    files.set("--trace", trace->to_json(result.report));
  }
  if (files.has("--html")) {
    files.set("--html", html_report(result.report));
  }
  if (stop) {
    throw Interrupted();
  }
  files.write();
  if (arguments.has("json")) {
    write_stdout(json);
  } else if (!arguments.has("quiet")) {
    write_stdout(report_table(result.report, terminal_columns(STDOUT_FILENO)));
  }
}

}  // namespace

Command run_command() { return {.syntax = syntax(), .run = run_workload}; }

}  // namespace tilewave
