// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/sweep/parameter_reader.hpp"
#include "app/sweep/sweep.hpp"
#include "sim/config/json_file.hpp"
#include "sim/config/json_path.hpp"
#include "sim/config/nearest.hpp"
#include "sim/config/reader.hpp"

namespace tilewave {
namespace {

namespace fs = std::filesystem;

constexpr Count kMaxSamples = 1'000'000;
constexpr const char* kDefaultObjective = "total.cycles";
/// Fields of a report of which more is better; of all others less.
constexpr std::array<std::string_view, 6> kMoreIsBetter{"utilization",        "achieved_tflops",
                                                        "mapping_efficiency", "row_hit_rate",
                                                        "l2_hit_rate",        "flops_per_byte"};

bool more_is_better(const Expression& value) {
  const std::string& text = value.text();
  const std::string_view last = std::string_view(text).substr(text.rfind('.') + 1);
  return value.names().size() == 1 && value.names().front() == text &&
         std::ranges::find(kMoreIsBetter, last) != kMoreIsBetter.end();
}

class SweepReader {
 public:
  SweepReader(const Json& json, const std::string& file, Diagnostics& diagnostics, KeyDocs* docs)
      : file_(file),
        diagnostics_(diagnostics),
        docs_(docs),
        top_(json, file, "", diagnostics, docs),
        report_([this](const std::string& path, std::string message) {
          diagnostics_.error(file_, path, std::move(message));
        }) {}
  SweepReader(const SweepReader&) = delete;
  SweepReader& operator=(const SweepReader&) = delete;

  void read(Sweep& sweep) {
    sweep.name =
        top_.optional_text("name", fs::path(file_).stem().string(), "shown; default: the file's");
    sweep.arch = read_input("arch", "a preset or file, or the content of an architecture file");
    sweep.workload =
        read_input("workload", "a network, preset or file, or the content of a workload file");
    sweep.fidelity = top_.optional_choice<std::string_view>(
        "fidelity", "fast", {{"fast", "fast"}, {"detailed", "detailed"}}, "of every point");
    sweep.mode = top_.optional_choice<SweepMode>("mode", SweepMode::grid,
                                                 {{"grid", SweepMode::grid},
                                                  {"zip", SweepMode::zip},
                                                  {"random", SweepMode::random},
                                                  {"latin_hypercube", SweepMode::latin_hypercube}},
                                                 "how values are combined into points");
    const bool draws = sweep.mode == SweepMode::random || sweep.mode == SweepMode::latin_hypercube;
    const auto samples = top_.maybe_count("samples", {.min = 1, .max = kMaxSamples},
                                          "points to draw, of random and latin_hypercube");
    if (draws && !top_.has("samples")) {
      top_.error("samples", "is missing: how many points are drawn");
    }
    if (!draws && samples) top_.error("samples", "is for the modes random and latin_hypercube");
    sweep.samples = samples.value_or(0);
    sweep.seed = top_.optional_count("seed", 1, Range{}, "of what is drawn");
    sweep.parameters = read_parameters(top_, sweep.mode, diagnostics_, docs_);
    sweep.reports = top_.optional_flag("reports", false, "keep the whole report of each point");
    for (const std::string& text :
         top_.optional_texts("constraints", "conditions; a point that breaks one is left out")) {
      const std::string key = join_index("constraints", sweep.constraints.size());
      if (text.empty()) continue;  // reported
      auto constraint = read_expression(text, key, report_);
      sweep.constraints.push_back(constraint ? std::move(*constraint) : Expression("true"));
    }
    read_objectives(sweep);
    top_.finish();
    if (top_.ok()) check(sweep);
  }

  [[nodiscard]] bool ok() const { return top_.ok(); }

 private:
  Json read_input(const char* key, std::string_view meaning) {
    const Json* input = top_.maybe_any(key, meaning);
    if (input == nullptr) return {};
    const bool is_name = input->is_string() && !input->get_ref<const std::string&>().empty();
    if (is_name || input->is_object()) return *input;
    top_.error(key,
               fmt::format("must be a name, a file or an object, is {}", shown_with_type(*input)));
    return {};
  }

  void read_objectives(Sweep& sweep) {
    const Json* list = top_.maybe_any(
        "objectives", "what points are judged by: paths of the report or expressions");
    if (list == nullptr) {
      sweep.objectives.push_back(
          {.name = kDefaultObjective, .value = Expression(kDefaultObjective)});
      return;
    }
    if (!list->is_array() || list->empty()) {
      top_.error("objectives", "must be an array of at least 1 path, expression or object");
      return;
    }
    for (std::size_t i = 0; i < list->size(); ++i) {
      if (auto objective = read_objective((*list)[i], join_index("objectives", i))) {
        sweep.objectives.push_back(std::move(*objective));
      }
    }
  }

  std::optional<SweepObjective> read_objective(const Json& json, const std::string& key) {
    if (json.is_string()) {
      auto value = read_expression(json.get<std::string>(), key, report_);
      if (!value) return std::nullopt;
      const bool more = more_is_better(*value);
      return SweepObjective{
          .name = value->text(), .value = std::move(*value), .more_is_better = more};
    }
    ObjectReader reader(json, file_, key, diagnostics_, docs_);
    const std::string text = reader.text("value", "a path of the report, or an expression");
    const std::string name =
        reader.optional_text("name", "", "shown; default: the value as written");
    auto value =
        reader.ok() ? read_expression(text, reader.path_of("value"), report_) : std::nullopt;
    const bool more = value && more_is_better(*value);
    const bool goal =
        reader.optional_choice<bool>("goal", more, {{"min", false}, {"max", true}},
                                     "what is better; default: by the report's field");
    reader.finish();
    if (!value) return std::nullopt;
    return SweepObjective{
        .name = name.empty() ? text : name, .value = std::move(*value), .more_is_better = goal};
  }

  void check(Sweep& sweep) {
    const auto has = [&](const char* path) {
      return std::ranges::find(sweep.parameters, path, &SweepParameter::path) !=
             sweep.parameters.end();
    };
    const auto need_one = [&](const char* path, bool given) {
      if (given && has(path)) top_.error(path, "stands among the parameters too");
      if (!given && !has(path)) top_.error(path, "is missing, and it is no parameter");
    };
    need_one("arch", !sweep.arch.is_null());
    need_one("workload", !sweep.workload.is_null());
    for (const SweepParameter& parameter : sweep.parameters) {
      if (const Expression* value = parameter.expression()) {
        check_names(*value, join_key("parameters", parameter.path), sweep.parameters, report_);
      }
    }
    for (std::size_t i = 0; i < sweep.constraints.size(); ++i) {
      check_names(sweep.constraints[i], join_index("constraints", i), sweep.parameters, report_);
    }
    sweep.evaluation_order = evaluation_order(sweep.parameters, report_);
    check_zip(sweep);
    for (std::size_t i = 0; i < sweep.objectives.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        if (sweep.objectives[i].name == sweep.objectives[k].name) {
          report_(join_index("objectives", i), "is there twice");
        }
      }
    }
  }

  void check_zip(const Sweep& sweep) {
    if (sweep.mode != SweepMode::zip) return;
    const SweepParameter* longest = nullptr;
    for (const SweepParameter& parameter : sweep.parameters) {
      const auto* list = parameter.list();
      if (list == nullptr || list->size() == 1) continue;
      if (longest != nullptr && list->size() != longest->list()->size()) {
        report_(join_key("parameters", parameter.path),
                fmt::format("has {} values, {} has {}: in mode zip they go side by side",
                            list->size(), longest->path, longest->list()->size()));
        return;
      }
      longest = &parameter;
    }
  }

  std::string file_;
  Diagnostics& diagnostics_;
  KeyDocs* docs_;
  ObjectReader top_;
  ReportFault report_;
};

fs::path preset_file(const std::string& name, const fs::path& config_dir) {
  return config_dir / "sweeps" / (name + ".json");
}

}  // namespace

std::optional<Sweep> read_sweep(const Json& json, const std::string& file, const fs::path& folder,
                                Diagnostics& diagnostics, KeyDocs* docs) {
  if (!json.is_object()) {
    diagnostics.error(file, "",
                      fmt::format("a sweep is a JSON object, this is {}", shown_with_type(json)));
    return std::nullopt;
  }
  Sweep sweep;
  sweep.file = file;
  sweep.folder = folder;
  sweep.definition = json;
  SweepReader reader(sweep.definition, file, diagnostics, docs);
  reader.read(sweep);
  if (!reader.ok()) return std::nullopt;
  return sweep;
}

std::optional<Sweep> load_sweep(const std::string& name_or_file, const fs::path& config_dir,
                                Diagnostics& diagnostics) {
  const bool is_file =
      name_or_file.find('/') != std::string::npos || fs::path(name_or_file).extension() == ".json";
  const fs::path file = is_file ? fs::path(name_or_file) : preset_file(name_or_file, config_dir);
  std::error_code ignored;
  if (!is_file && !fs::exists(file, ignored)) {
    const auto names = sweep_names(config_dir);
    const std::vector<std::string_view> views(names.begin(), names.end());
    diagnostics.error(
        "", "",
        fmt::format("there is no sweep {} among the presets (tilewave list sweeps) and "
                    "files (with a slash or the ending .json){}",
                    in_quotes(name_or_file), suggestion(name_or_file, views)));
    return std::nullopt;
  }
  const std::size_t errors_before = diagnostics.error_calls();
  const auto json = load_json_file(file, diagnostics);
  if (!json || diagnostics.error_calls() != errors_before) return std::nullopt;
  return read_sweep(*json, file.string(), fs::absolute(file).lexically_normal().parent_path(),
                    diagnostics);
}

std::vector<std::string> sweep_names(const fs::path& config_dir) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& file : fs::directory_iterator(config_dir / "sweeps", error)) {
    if (file.path().extension() == ".json") names.push_back(file.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

std::string sweep_note(const std::string& name, const fs::path& config_dir) {
  Diagnostics ignored;
  const auto json = load_json_file(preset_file(name, config_dir), ignored);
  const Json* note = json ? find_value(*json, "note") : nullptr;
  return note != nullptr && note->is_string() ? note->get<std::string>() : std::string();
}

}  // namespace tilewave
