// SPDX-License-Identifier: Apache-2.0
#include "workloads/load.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <utility>

#include "sim/config/json_file.hpp"
#include "sim/config/json_path.hpp"
#include "sim/config/merge.hpp"
#include "sim/config/nearest.hpp"
#include "sim/config/text_file.hpp"
#include "workloads/import/onnx_file.hpp"
#include "workloads/import/scale_sim_csv.hpp"
#include "workloads/models/registry.hpp"
#include "workloads/ops/count_math.hpp"
#include "workloads/ops/facts.hpp"
#include "workloads/workload_json.hpp"

namespace tilewave {
namespace {

namespace fs = std::filesystem;

// Stands for the file in messages about `--workload NAME:key=value`.
constexpr std::string_view kCommandLine = "--workload";
constexpr std::string_view kOnnx = ".onnx";

std::string lower_extension(const fs::path& path) {
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  return extension;
}

bool is_known_extension(const std::string& extension) {
  return extension == ".json" || extension == ".csv" || extension == kOnnx;
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

WorkloadReadOptions read_options(std::string file, std::string name, const LoadOptions& options) {
  return {.file = std::move(file),
          .default_name = std::move(name),
          .dtype = options.dtype,
          .batch = options.batch,
          .docs = options.docs,
          .batch_shares = options.batch_shares};
}

void apply_sets(Json& json, const std::string& file, const LoadOptions& options,
                Diagnostics& diagnostics) {
  if (options.sets == nullptr) return;
  for (const auto& [path, value] : options.sets->items()) {
    (void)set_value(json, path, value, diagnostics, file);
  }
}

Workload load_csv(std::string_view text, const fs::path& path, const LoadOptions& options,
                  Diagnostics& diagnostics) {
  if (options.sets != nullptr && !options.sets->empty()) {
    diagnostics.error(path.string(), "",
                      fmt::format("{} cannot be set: of a SCALE-Sim topology, batch and dtype can",
                                  in_quotes(options.sets->begin().key())));
  }
  const ScaleSimOptions csv{.dtype = options.dtype.value_or(DataType::int8),
                            .ceil = options.scale_sim_ceil,
                            .batch = options.batch,
                            .batch_shares = options.batch_shares};
  return import_scale_sim_csv(text, path.string(), path.stem().string(), csv, diagnostics);
}

Workload load_file(const fs::path& path, const LoadOptions& options, Diagnostics& diagnostics) {
  const std::string extension = lower_extension(path);
  const auto text = read_file(path, diagnostics);
  if (!text) return {};
  const auto first = text->find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  const bool starts_like_json =
      first != std::string::npos && ((*text)[first] == '{' || (*text)[first] == '[');
  if (extension == ".json" || (extension != ".csv" && starts_like_json)) {
    auto json = parse_json(*text, path.string(), diagnostics);
    if (!json) return {};
    apply_sets(*json, path.string(), options, diagnostics);
    return read_workload(*json, read_options(path.string(), path.stem().string(), options),
                         diagnostics);
  }
  return load_csv(*text, path, options, diagnostics);
}

/// "batch=8,dtype=fp16" as an object: {"batch": 8, "dtype": "fp16"}.
std::optional<Json> parse_parameters(std::string_view text, Diagnostics& diagnostics) {
  Json parameters = Json::object();
  bool ok = true;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const auto equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == part.size()) {
      diagnostics.error(std::string(kCommandLine), "",
                        fmt::format("a parameter is KEY=VALUE, is {}", in_quotes(part)));
      ok = false;
      continue;
    }
    const std::string key(part.substr(0, equals));
    const std::string_view value = part.substr(equals + 1);
    if (parameters.contains(key)) {
      diagnostics.error(std::string(kCommandLine), key, "the parameter is given twice");
      ok = false;
    }
    // A number if all of it is one, else a word; the reader says what it should have been.
    std::int64_t number = 0;
    const auto result = std::from_chars(value.data(), value.data() + value.size(), number);
    if (result.ec == std::errc() && result.ptr == value.data() + value.size()) {
      parameters[key] = number;
    } else {
      parameters[key] = std::string(value);
    }
  }
  return ok ? std::optional(parameters) : std::nullopt;
}

void report_unknown_name(const std::string& name, const LoadOptions& options,
                         Diagnostics& diagnostics) {
  std::vector<std::string> names;
  for (const Model& model : models()) names.emplace_back(model.name);
  for (const WorkloadEntry& preset : list_workload_presets(options.config_dir)) {
    names.push_back(preset.name);
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  diagnostics.error(std::string(kCommandLine), "",
                    fmt::format("there is no network, preset or file {}{}", in_quotes(name),
                                suggestion(name, views)));
}

/// "model.onnx:seq_len=128": the parameters are the graph's symbolic dimensions.
Workload load_onnx(const fs::path& path, std::string_view parameter_text,
                   const LoadOptions& options, Diagnostics& diagnostics) {
  auto parameters = parse_parameters(parameter_text, diagnostics);
  if (!parameters) return {};
  if (options.sets != nullptr) parameters->update(*options.sets);
  std::optional<Count> batch = options.batch;
  if (const auto given = parameters->find("batch");
      given != parameters->end() && given->is_number_integer() && given->get<std::int64_t>() > 0) {
    batch = given->get<Count>();
    parameters->erase("batch");
  }
  if (!check_input_file(path, diagnostics)) return {};
  const auto json = import_onnx(path.string(), *parameters, batch, diagnostics);
  if (!json) return {};
  LoadOptions others = options;
  others.batch.reset();
  return read_workload(*json, read_options(path.string(), path.stem().string(), others),
                       diagnostics);
}

/// A network or preset with parameters, which stand beside those of a preset's file.
Workload load_name(const std::string& name, std::string_view parameter_text,
                   const LoadOptions& options, Diagnostics& diagnostics) {
  const bool is_model = find_model(name) != nullptr;
  const fs::path preset = options.config_dir / "workloads" / (name + ".json");
  if (!is_model && !is_there(preset)) {
    report_unknown_name(name, options, diagnostics);
    return {};
  }
  const auto parameters = parse_parameters(parameter_text, diagnostics);
  if (!parameters) return {};
  if (is_model) {
    Json json = Json::object();
    json["model"] = name;
    json.update(*parameters);
    apply_sets(json, std::string(kCommandLine), options, diagnostics);
    return read_workload(json, read_options(std::string(kCommandLine), name, options), diagnostics);
  }
  if (parameters->empty()) return load_file(preset, options, diagnostics);
  auto json = load_json_file(preset, diagnostics);
  if (!json) return {};
  if (!json->is_object() || !json->contains("model")) {
    diagnostics.error(std::string(kCommandLine), "",
                      fmt::format("{} is a list of ops and takes no parameters", in_quotes(name)));
    return {};
  }
  for (const auto& [key, value] : parameters->items()) {
    (*json)[key] = value;
    diagnostics.set_origin(preset.string(), key, std::string(kCommandLine));
  }
  apply_sets(*json, preset.string(), options, diagnostics);
  return read_workload(*json, read_options(preset.string(), name, options), diagnostics);
}

/// Laws of a workload as a whole.
void check_totals(const Workload& workload, const std::string& name, Diagnostics& diagnostics) {
  const WorkloadTotals t = totals(workload);
  if (t.flops >= kMaxCount || t.parameters >= kMaxCount) {
    diagnostics.error(name, "", "all ops together have 2^63 FLOPs or more");
  }
}

}  // namespace

Workload load_workload(const std::string& name_or_file, const LoadOptions& options,
                       Diagnostics& diagnostics) {
  const std::size_t errors_before = diagnostics.error_calls();
  const auto colon = name_or_file.find(':');
  const std::string name = name_or_file.substr(0, colon);
  const std::string_view parameters = colon == std::string::npos
                                          ? std::string_view()
                                          : std::string_view(name_or_file).substr(colon + 1);
  const bool is_name =
      find_model(name) != nullptr || is_there(options.config_dir / "workloads" / (name + ".json"));
  const bool looks_like_file = name_or_file.find('/') != std::string::npos ||
                               is_known_extension(lower_extension(name_or_file));
  const bool is_file = looks_like_file || (!is_name && is_there(name_or_file));
  const bool is_onnx = lower_extension(name) == kOnnx;
  Workload workload = is_onnx   ? load_onnx(name, parameters, options, diagnostics)
                      : is_file ? load_file(name_or_file, options, diagnostics)
                                : load_name(name, parameters, options, diagnostics);
  if (diagnostics.error_calls() == errors_before) {
    check_totals(workload, name_or_file, diagnostics);
  }
  return workload;
}

Workload load_workload(const Json& json, const std::string& label, const LoadOptions& options,
                       Diagnostics& diagnostics) {
  const std::size_t errors_before = diagnostics.error_calls();
  Json changed = json;
  apply_sets(changed, label, options, diagnostics);
  Workload workload = read_workload(changed, read_options(label, label, options), diagnostics);
  if (diagnostics.error_calls() == errors_before) check_totals(workload, label, diagnostics);
  return workload;
}

std::vector<WorkloadEntry> list_models() {
  std::vector<WorkloadEntry> entries;
  for (const Model& model : models()) {
    std::string parameters = "dtype=int8";
    for (const ModelParameter& p : model.parameters) {
      parameters += p.words.empty() ? fmt::format(", {}={}", p.name, p.default_count)
                                    : fmt::format(", {}={}", p.name, p.words.front());
    }
    entries.push_back(
        {std::string(model.name), fmt::format("{} ({})", model.description, parameters)});
  }
  return entries;
}

std::vector<WorkloadEntry> list_workload_presets(const fs::path& config_dir) {
  std::vector<WorkloadEntry> entries;
  std::error_code error;
  for (const auto& file : fs::directory_iterator(config_dir / "workloads", error)) {
    if (lower_extension(file.path()) != ".json") continue;
    Diagnostics ignored;  // a broken preset is listed without words; loading it tells why
    const auto json = load_json_file(file.path(), ignored);
    const bool has_note =
        json && json->is_object() && json->contains("note") && json->at("note").is_string();
    entries.push_back({file.path().stem().string(),
                       has_note ? json->at("note").get<std::string>() : std::string()});
  }
  std::ranges::sort(entries, {}, &WorkloadEntry::name);
  return entries;
}

}  // namespace tilewave
