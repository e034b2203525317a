// SPDX-License-Identifier: Apache-2.0
#include "app/cli/inputs.hpp"

#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>
#include <system_error>

#include "sim/config/json_path.hpp"
#include "sim/config/nearest.hpp"

namespace tilewave {
namespace {

constexpr const char* kSetLabel = "--set";
constexpr std::string_view kWorkload = "workload";

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  return begin == std::string_view::npos
             ? std::string_view()
             : text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::string one_of(std::string_view text, const std::vector<std::string_view>& names) {
  return fmt::format("must be one of {}; is {}{}", fmt::join(names, ", "), in_quotes(text),
                     suggestion(text, names));
}

}  // namespace

Overrides split_overrides(const std::vector<std::string>& sets) {
  Overrides overrides;
  for (const std::string& assignment : sets) {
    std::string_view text = trimmed(assignment);
    const bool is_workload =
        text.starts_with(kWorkload) &&
        (text.size() == kWorkload.size() ||
         std::string_view(".[= ").find(text[kWorkload.size()]) != std::string_view::npos);
    if (!is_workload) {
      overrides.arch.push_back(assignment);
      continue;
    }
    text.remove_prefix(kWorkload.size());
    text.remove_prefix(text.starts_with('.') ? 1 : 0);
    overrides.workload.emplace_back(text);
  }
  return overrides;
}

std::optional<Count> parse_batch(const std::string& text, const std::string& label,
                                 Diagnostics& diagnostics) {
  Count batch = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, batch);
  if (result.ec == std::errc() && result.ptr == end && batch > 0 && batch <= kMaxCount) {
    return batch;
  }
  diagnostics.error(label, "",
                    fmt::format("must be a whole number of at least 1, is {}", in_quotes(text)));
  return std::nullopt;
}

std::optional<DataType> parse_dtype(const std::string& text, const std::string& label,
                                    Diagnostics& diagnostics) {
  const auto type = data_type_from_string(text);
  if (!type) {
    std::vector<std::string_view> names;
    for (const DataType known : all_data_types()) {
      names.push_back(to_string(known));
    }
    diagnostics.error(label, "", one_of(text, names));
  }
  return type;
}

std::optional<Fidelity> parse_fidelity(const std::string& text, const std::string& label,
                                       Diagnostics& diagnostics) {
  if (text == "fast") {
    return Fidelity::fast;
  }
  if (text == "detailed") {
    return Fidelity::detailed;
  }
  diagnostics.error(label, "", one_of(text, {"fast", "detailed"}));
  return std::nullopt;
}

void apply_workload_overrides(const std::vector<std::string>& sets, LoadOptions& options,
                              Diagnostics& diagnostics) {
  for (const std::string& assignment : sets) {
    const auto equals = assignment.find('=');
    const std::string path(trimmed(std::string_view(assignment).substr(0, equals)));
    const std::string label = fmt::format("{}: workload.{}", kSetLabel, path);
    if (equals == std::string::npos) {
      diagnostics.error(label, "", "is not PATH=VALUE: there is no '='");
      continue;
    }
    std::string_view value = trimmed(std::string_view(assignment).substr(equals + 1));
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
      value = value.substr(1, value.size() - 2);  // as JSON writes a text
    }
    const bool known = path == "batch" || path == "dtype";
    if (!known) {
      const std::vector<std::string_view> names{"batch", "dtype"};
      diagnostics.error(
          fmt::format("{}: workload{}{}", kSetLabel, path.empty() ? "" : ".", path), "",
          fmt::format("of a workload, only workload.batch and workload.dtype can be set{}",
                      suggestion(path, names)));
    } else if (path == "batch" ? options.batch.has_value() : options.dtype.has_value()) {
      diagnostics.error(label, "", fmt::format("is given already (by --{} or --set)", path));
    } else if (path == "batch") {
      options.batch = parse_batch(std::string(value), label, diagnostics);
    } else {
      options.dtype = parse_dtype(std::string(value), label, diagnostics);
    }
  }
}

}  // namespace tilewave
