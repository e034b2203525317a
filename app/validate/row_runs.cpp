// SPDX-License-Identifier: Apache-2.0
#include "app/validate/row_runs.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/library/arch_library.hpp"
#include "sim/config/json_path.hpp"
#include "workloads/load.hpp"
#include "workloads/op_list_reader.hpp"

namespace tilewave {
namespace {

/// Rows of one run: enough that setting up does not count, few enough for the mapper's memory.
constexpr std::size_t kRowsPerRun = 256;

/// Faults of the machine are the suite's: they name its file, and the row's line if there is one.
ResolvedArch machine(const Suite& suite, const std::string& arch,
                     const std::vector<std::string>& sets, const ValidationOptions& options) {
  Diagnostics diagnostics;
  ResolvedArch resolved = resolve_arch(arch, sets, options.config_dir, diagnostics);
  if (diagnostics.ok()) return resolved;
  std::vector<Fault> faults = diagnostics.errors();
  for (Fault& fault : faults) {
    if (!fault.file.empty() && fault.file != kOverrideLabel) continue;
    fault.path = fault.file.empty() ? "arch" : fmt::format("set: {}", fault.path);
    fault.file = suite.file;
  }
  throw ConfigError(std::move(faults));
}

RunResult simulate_with(const ResolvedArch& arch, Workload workload,
                        const ValidationOptions& options) {
  RunRequest request;
  request.arch = arch;
  request.workload = std::move(workload);
  request.stop = options.stop;
  return simulate(request);
}

}  // namespace

std::vector<std::string> filled_sets(const std::vector<std::string>& texts,
                                     const MeasuredRow& row) {
  std::vector<std::string> sets;
  for (const std::string& text : texts) {
    const std::string all = fill_text(text, row);
    for (std::size_t begin = 0; begin <= all.size();) {
      const std::size_t end = std::min(all.find(';', begin), all.size());
      const std::string set = all.substr(begin, end - begin);
      if (set.find_first_not_of(' ') != std::string::npos) sets.push_back(set);
      begin = end + 1;
    }
  }
  return sets;
}

RowRuns::RowRuns(const Suite& suite, const std::string& arch, const std::vector<std::string>& sets,
                 const ValidationOptions& options)
    : suite_(suite), options_(options), arch_(machine(suite, arch, sets, options)) {}

void RowRuns::each(const std::vector<const MeasuredRow*>& rows, const Done& done) {
  const std::size_t step = suite_.alone ? 1 : kRowsPerRun;
  for (std::size_t i = 0; i < rows.size(); i += step) {
    run(rows.data() + i, std::min(step, rows.size() - i), done);
  }
}

Json RowRuns::ops_of(const MeasuredRow& row) const {
  if (suite_.templates.is_null()) return fill_value(suite_.ops, row);
  return fill_value(suite_.templates.at(fill_text(suite_.template_name, row)), row);
}

void RowRuns::run(const MeasuredRow* const* rows, std::size_t count, const Done& done) {
  Diagnostics diagnostics;
  std::vector<Json> json;  // outlives the readers
  for (std::size_t i = 0; i < count; ++i) json.push_back(ops_of(*rows[i]));
  std::vector<ObjectReader> readers;
  std::vector<std::size_t> ops_before{0};
  for (std::size_t i = 0; i < count; ++i) {
    for (const Json& op : json[i]) {
      readers.emplace_back(op, suite_.table.file, fmt::format("line {}", rows[i]->line),
                           diagnostics);
    }
    ops_before.push_back(readers.size());
  }
  WorkloadReadOptions read;
  read.file = suite_.table.file;
  Workload workload{.name = suite_.name, .ops = {}};
  workload.ops = read_ops(std::move(readers), read, OpDefaults{.dtype = suite_.dtype}, diagnostics);
  diagnostics.throw_if_errors();

  const RunResult result = simulate_with(arch_, std::move(workload), options_);
  const Json& layers = result.report.at("layers");
  for (std::size_t i = 0; i < count; ++i) {
    Outcome outcome;
    for (std::size_t k = ops_before[i]; k < ops_before[i + 1]; ++k)
      outcome += outcome_of(layers[k]);
    done(*rows[i], outcome);
  }
}

const Outcome& WorkloadRuns::outcome(const std::string& arch, const std::vector<std::string>& sets,
                                     const std::string& workload, const MeasuredRow& row) {
  const Key key{arch, sets, workload};
  if (const auto found = outcomes_.find(key); found != outcomes_.end()) return found->second;
  const ResolvedArch resolved = machine(suite_, arch, sets, options_);
  LoadOptions load;
  load.config_dir = options_.config_dir;
  load.batch_shares = resolved.batch_shares();
  Diagnostics diagnostics;
  Workload ops = load_workload(workload, load, diagnostics);
  if (!diagnostics.ok()) {
    std::vector<Fault> faults = diagnostics.errors();
    for (Fault& fault : faults) {
      fault.file = suite_.table.file;
      fault.line = row.line;
    }
    throw ConfigError(std::move(faults));
  }
  const RunResult result = simulate_with(resolved, std::move(ops), options_);
  return outcomes_.emplace(key, outcome_of(result.report.at("total"))).first->second;
}

}  // namespace tilewave
