// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <span>

#include "app/validate/suite.hpp"
#include "app/validate/suite_parts.hpp"
#include "sim/config/json_file.hpp"
#include "sim/config/json_path.hpp"
#include "sim/config/nearest.hpp"
#include "sim/config/reader.hpp"

namespace tilewave {
namespace {

namespace fs = std::filesystem;

class SuiteReader {
 public:
  SuiteReader(const Json& json, const fs::path& file, Diagnostics& diagnostics, KeyDocs* docs)
      : json_(json),
        file_(file),
        diagnostics_(diagnostics),
        top_(json, file.string(), "", diagnostics, docs) {}

  Suite read() {
    suite_.file = file_.string();
    suite_.name = top_.optional_text("name", "", "shown; default: the file's");
    if (suite_.name.empty()) suite_.name = file_.stem().string();
    if (const Json* note = find_value(json_, "note"); note != nullptr && note->is_string()) {
      suite_.note = note->get<std::string>();
    }
    if (const Json* source = find_value(json_, "source"); source != nullptr) {
      suite_.source = *source;
    } else {
      top_.error("source", "is missing: where the measurements are from");
    }
    const std::string data = top_.text("data", "the CSV table, beside this file");
    if (top_.ok())
      suite_.table = read_measured_table((file_.parent_path() / data).string(), diagnostics_);
    choose_rows();
    read_machine();
    read_work();
    read_groups();
    suite_.measurements = read_measurements(top_, check_);
    if (top_.maybe_object("baseline", "machine that a speed-up is over")) read_baseline();
    suite_.overheads = read_overheads(top_, check_);
    suite_.reasons = read_reasons(top_, check_);
    suite_.split_by = top_.optional_text("split_by", "", "column to show errors by");
    check_.column(top_, "split_by", suite_.split_by);
    top_.finish();
    return std::move(suite_);
  }

 private:
  void choose_rows() {
    const auto where = read_filters(top_, "where", check_);
    const auto skip = read_filters(top_, "skip", check_);
    std::vector<MeasuredRow> rows;
    for (MeasuredRow& row : suite_.table.rows) {
      if (!match_all(where, row)) continue;
      if (std::ranges::any_of(skip, [&](const RowFilter& f) { return f.matches(row); })) {
        ++suite_.rows_skipped;
        continue;
      }
      rows.push_back(std::move(row));
    }
    suite_.table.rows = std::move(rows);
    if (suite_.table.rows.empty() && top_.ok()) top_.error("data", "no row is left");
    map_cells();
  }

  /// Puts our names in the place of the table's.
  void map_cells() {
    const Json* maps = top_.maybe_any("map", "by column: our value for a value of the table");
    if (maps == nullptr) return;
    const bool sound = maps->is_object() && std::ranges::all_of(*maps, [](const Json& map) {
                         return map.is_object() && std::ranges::all_of(map, [](const Json& value) {
                                  return value.is_string();
                                });
                       });
    if (!sound) {
      top_.error("map",
                 "must be an object by column of objects with strings, as {\"dtype\": "
                 "{\"half\": \"fp16\"}}");
      return;
    }
    for (const auto& [column, map] : maps->items()) {
      check_.column(top_, "map", column);
      for (MeasuredRow& row : suite_.table.rows) {
        const auto found = map.find(row.at(column));
        if (found != map.end()) row.cells[column] = found->get<std::string>();
      }
    }
  }

  void read_machine() {
    suite_.arch = top_.text("arch", "the machine: a preset or file; may have $column in it");
    check_.text(top_, "arch", suite_.arch);
    suite_.sets = top_.optional_texts(
        "set", "PATH=VALUE changes of the machine; several in one text with ; between");
    for (const std::string& text : suite_.sets) check_.text(top_, "set", text);
    suite_.label = top_.optional_text("label", "", "names a row; may have $column in it");
    check_.text(top_, "label", suite_.label);
  }

  void read_work() {
    suite_.dtype = top_.optional_choice<DataType>("dtype", DataType::int8, named(all_data_types()),
                                                  "number format of ops that name none");
    suite_.alone = top_.optional_flag("alone", false, "a run for each row");
    suite_.sample_rows = top_.optional_count(
        "sample_rows", 0, Range{}, "of a long table, run so many, spread evenly over it; 0: all");
    suite_.workload =
        top_.optional_text("workload", "", "instead of ops: a workload; may have $column in it");
    check_.text(top_, "workload", suite_.workload);
    const Json* ops = top_.maybe_any("ops", "the ops of a row, with $column in their values");
    const Json* templates = top_.maybe_any("templates", "lists of ops by name");
    suite_.template_name = top_.optional_text("template", "", "of which list a row is: $column");
    check_.text(top_, "template", suite_.template_name);
    const int ways = (suite_.workload.empty() ? 0 : 1) + (ops != nullptr ? 1 : 0) +
                     (templates != nullptr ? 1 : 0);
    if (ways != 1) {
      top_.error("", fmt::format("needs one of \"workload\", \"ops\" and \"templates\", has {}",
                                 ways == 0 ? "none" : "more"));
      return;
    }
    if (ops != nullptr && check_ops("ops", *ops)) suite_.ops = *ops;
    if (templates != nullptr) read_templates(*templates);
  }

  void read_templates(const Json& templates) {
    if (!templates.is_object()) {
      top_.error("templates", fmt::format("must be an object of lists of ops, is {}",
                                          shown_with_type(templates)));
      return;
    }
    for (const auto& [name, ops] : templates.items()) check_ops(join_key("templates", name), ops);
    suite_.templates = templates;
    if (suite_.template_name.empty()) top_.error("template", "is missing: which list a row is of");
    for (const MeasuredRow& row : suite_.table.rows) {
      const std::string name = fill_text(suite_.template_name, row);
      if (templates.contains(name)) continue;
      diagnostics_.error(suite_.table.file, "",
                         fmt::format("there is no template {} in {}", in_quotes(name), suite_.file),
                         row.line);
      return;  // one says enough
    }
  }

  bool check_ops(const std::string& path, const Json& ops) {
    const bool sound = ops.is_array() && !ops.empty() &&
                       std::ranges::all_of(ops, [](const Json& op) { return op.is_object(); });
    if (!sound) {
      diagnostics_.error(suite_.file, path,
                         fmt::format("must be an array of ops, is {}", shown_with_type(ops)));
    } else {
      check_.value(diagnostics_, suite_.file, path, ops);
    }
    return sound;
  }

  void read_groups() {
    suite_.group_mean = top_.optional_choice<Mean>(
        "group_mean", Mean::geometric,
        {{"geometric", Mean::geometric}, {"arithmetic", Mean::arithmetic}},
        "of a group of workloads");
    for (auto& [name, reader] : top_.optional_object_map(
             "groups", "workloads that \"workload\" may stand for, with their weights")) {
      const auto weights =
          reader.number_map("weights", {}, RealRange::positive(), "by workload, of the mean");
      suite_.groups.emplace(name, WorkloadGroup(weights.begin(), weights.end()));
      reader.finish();
    }
    if (!suite_.groups.empty() && suite_.workload.empty()) {
      top_.error("groups", "is for suites with \"workload\"");
    }
  }

  void read_baseline() {
    auto baseline = top_.maybe_object("baseline", "machine that a speed-up is over");
    suite_.baseline_sets =
        baseline->optional_texts("set", "PATH=VALUE changes of the machine; none: as it is");
    for (const std::string& text : suite_.baseline_sets) check_.text(*baseline, "set", text);
    baseline->finish();
  }

  const Json& json_;
  fs::path file_;
  Diagnostics& diagnostics_;
  ObjectReader top_;
  Suite suite_;
  ColumnCheck check_{suite_.table};
};

/// Where a suite of this name is.
fs::path place_of(const std::string& name_or_file, const fs::path& config_dir,
                  Diagnostics& diagnostics) {
  const bool is_file =
      name_or_file.find('/') != std::string::npos || fs::path(name_or_file).extension() == ".json";
  if (is_file) return name_or_file;
  const auto names = suite_names(config_dir);
  if (std::ranges::find(names, name_or_file) == names.end()) {
    const std::vector<std::string_view> views(names.begin(), names.end());
    diagnostics.error("", "",
                      fmt::format("there is no suite {}; there are: {}{}", in_quotes(name_or_file),
                                  comma_list(std::span<const std::string>(names)),
                                  suggestion(name_or_file, views)));
    return {};
  }
  return config_dir / "validation" / (name_or_file + ".json");
}

}  // namespace

std::optional<Suite> load_suite(const std::string& name_or_file, const fs::path& config_dir,
                                Diagnostics& diagnostics, KeyDocs* docs) {
  const std::size_t errors_before = diagnostics.error_calls();
  const fs::path file = place_of(name_or_file, config_dir, diagnostics);
  if (file.empty()) return std::nullopt;
  const auto json = load_json_file(file, diagnostics);
  if (!json) return std::nullopt;
  if (!json->is_object()) {
    diagnostics.error(file.string(), "",
                      fmt::format("a suite is a JSON object, this is {}", shown_with_type(*json)));
    return std::nullopt;
  }
  Suite suite = SuiteReader(*json, file, diagnostics, docs).read();
  if (diagnostics.error_calls() != errors_before) return std::nullopt;
  return suite;
}

std::vector<std::string> suite_names(const fs::path& config_dir) {
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator entry(config_dir / "validation", failed), end;
       !failed && entry != end; entry.increment(failed)) {
    if (entry->path().extension() == ".json") names.push_back(entry->path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

std::string suite_note(const std::string& name, const fs::path& config_dir) {
  Diagnostics ignored;
  const auto json = load_json_file(config_dir / "validation" / (name + ".json"), ignored);
  const Json* note = json ? find_value(*json, "note") : nullptr;
  return note != nullptr && note->is_string() ? note->get<std::string>() : std::string();
}

}  // namespace tilewave
