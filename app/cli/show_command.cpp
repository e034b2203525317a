// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/commands.hpp"
#include "app/cli/inputs.hpp"
#include "app/cli/messages.hpp"
#include "app/cli/output_file.hpp"
#include "app/library/arch_library.hpp"
#include "app/library/config_dir.hpp"
#include "sim/config/json_path.hpp"
#include "sim/config/nearest.hpp"
#include "workloads/load.hpp"
#include "workloads/workload_json.hpp"

namespace tilewave {
namespace {

Json shown_arch(const std::string& name, const Overrides& overrides, Diagnostics& diagnostics) {
  for (const std::string& assignment : overrides.workload) {
    diagnostics.error(
        "--set", "",
        fmt::format("workload.{}: a machine is shown, there is no workload", assignment));
  }
  return to_json(resolve_arch(name, overrides.arch, config_dir(), diagnostics));
}

Json shown_workload(const std::string& name, const Overrides& overrides, Diagnostics& diagnostics) {
  for (const std::string& assignment : overrides.arch) {
    diagnostics.error("--set", "",
                      fmt::format("{}: of a workload, only workload.batch and workload.dtype can "
                                  "be set",
                                  assignment));
  }
  LoadOptions options;
  options.config_dir = config_dir();
  apply_workload_overrides(overrides.workload, options, diagnostics);
  return to_json(load_workload(name, options, diagnostics));
}

void show(const Arguments& arguments) {
  const std::string& kind = arguments.operands()[0];
  const std::string& name = arguments.operands()[1];
  const Overrides overrides = split_overrides(arguments.all("set"));
  Diagnostics diagnostics;
  Json json;
  if (kind == "arch") {
    json = shown_arch(name, overrides, diagnostics);
  } else if (kind == "workload") {
    json = shown_workload(name, overrides, diagnostics);
  } else {
    const std::vector<std::string_view> kinds{"arch", "workload"};
    diagnostics.error("", "",
                      fmt::format("can show arch or workload, not {}{}", in_quotes(kind),
                                  suggestion(kind, kinds)));
  }
  report(diagnostics);
  write_stdout(json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
}

}  // namespace

Command show_command() {
  return {.syntax = {.name = "show",
                     .summary = "a machine or workload as JSON, complete",
                     .operands = "arch|workload NAME|FILE",
                     .least_operands = 2,
                     .most_operands = 2,
                     .about = "Prints a machine or a workload as JSON with every default filled "
                              "in. The output can be read again as a file.",
                     .options = {{"set", "PATH=VALUE",
                                  "change a value first, as clock_ghz=1.0 of a machine or "
                                  "workload.batch=8 of a workload; may be given again",
                                  true}},
                     .examples = {"tilewave show arch tpu_v1 --set core.matrix_unit.rows=128",
                                  "tilewave show workload resnet50 --set workload.batch=8"}},
          .run = show};
}

}  // namespace tilewave
