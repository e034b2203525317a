// SPDX-License-Identifier: Apache-2.0
#include "app/sweep/parameter_reader.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "app/sweep/range_values.hpp"
#include "sim/config/json_path.hpp"
#include "sim/config/nearest.hpp"

namespace tilewave {
namespace {

constexpr const char* kParameters = "parameters";
constexpr std::size_t kMostParameters = 1000;  ///< each point has them all

/// Where a parameter stands, below the top of the file.
std::string key_of(const std::string& path) { return join_key(kParameters, path); }

bool draws(SweepMode mode) {
  return mode == SweepMode::random || mode == SweepMode::latin_hypercube;
}

class ParameterReader {
 public:
  ParameterReader(SweepMode mode, std::string file, Diagnostics& diagnostics, KeyDocs* docs)
      : mode_(mode), file_(std::move(file)), diagnostics_(diagnostics), docs_(docs) {}

  std::optional<SweepParameter> read(const std::string& path, const Json& value) {
    if (!parse_path(path)) {
      fault(path, "is no path; write it as core.matrix_unit.rows or workload.batch");
      return std::nullopt;
    }
    if (value.is_string() && value.get_ref<const std::string&>().starts_with('=')) {
      auto expression = read_expression(value.get_ref<const std::string&>().substr(1), key_of(path),
                                        [this](const std::string& at, std::string message) {
                                          diagnostics_.error(file_, at, std::move(message));
                                        });
      if (!expression) return std::nullopt;
      return SweepParameter{.path = path, .values = std::move(*expression)};
    }
    if (value.is_object() && value.contains("range")) return read_range(path, value);
    if (!value.is_array()) return listed(path, {value});
    if (value.empty()) {
      fault(path, "has no values");
      return std::nullopt;
    }
    if (value.size() > kMaxListedValues) {
      fault(path, fmt::format("lists {} values, more than {}", value.size(), kMaxListedValues));
      return std::nullopt;
    }
    return listed(path, {value.begin(), value.end()});
  }

 private:
  std::optional<SweepParameter> listed(const std::string& path, std::vector<Json> values) {
    const bool is_name = path == "arch" || path == "workload" || path == "fidelity";
    for (const Json& value : values) {
      if (is_name && !value.is_string() && !(path != "fidelity" && value.is_object())) {
        fault(path, fmt::format("must be a name, is {}", shown_with_type(value)));
        return std::nullopt;
      }
      if (path == "fidelity" && value != "fast" && value != "detailed") {
        fault(path, fmt::format("must be one of fast, detailed; is {}", shown(value)));
        return std::nullopt;
      }
    }
    return SweepParameter{.path = path, .values = std::move(values)};
  }

  std::optional<SweepParameter> read_range(const std::string& path, const Json& json) {
    ObjectReader reader(json, file_, key_of(path), diagnostics_, docs_);
    RangeRule rule;
    const Json* ends = reader.maybe_any("range", "first and last value");
    const bool sound =
        ends->is_array() && ends->size() == 2 && (*ends)[0].is_number() && (*ends)[1].is_number();
    if (!sound) {
      reader.error("range", fmt::format("must be two numbers, [first, last]; is {}", shown(*ends)));
    } else {
      rule.from = (*ends)[0];
      rule.to = (*ends)[1];
    }
    rule.scale = reader.optional_choice<RangeScale>(
        "scale", RangeScale::linear,
        {{"linear", RangeScale::linear}, {"log2", RangeScale::log2}, {"log10", RangeScale::log10}},
        "even steps of the value or of its logarithm");
    rule.step = reader.maybe_number("step", RealRange::positive(),
                                    "between values of a linear range; whole ends: 1");
    rule.values = reader.maybe_count("values", {.min = 2, .max = Count{kMaxListedValues}},
                                     "so many, even on the scale, instead of a step");
    const bool continuous =
        reader.optional_flag("continuous", false, "draw any number between, not one of the values");
    reader.finish();
    if (!sound || !reader.ok()) return std::nullopt;
    if (continuous && !draws(mode_)) {
      reader.error("continuous", "is for the modes random and latin_hypercube");
      return std::nullopt;
    }
    try {
      if (continuous) return SweepParameter{.path = path, .values = continuous_range(rule)};
      return SweepParameter{.path = path, .values = range_values(rule, kMaxListedValues)};
    } catch (const ExpressionError& error) {
      reader.error("range", error.what());
      return std::nullopt;
    }
  }

  void fault(const std::string& path, std::string message) {
    diagnostics_.error(file_, key_of(path), std::move(message));
  }

  SweepMode mode_;
  std::string file_;
  Diagnostics& diagnostics_;
  KeyDocs* docs_;
};

std::size_t index_of(const std::vector<SweepParameter>& parameters, const std::string& path) {
  const auto found = std::ranges::find(parameters, path, &SweepParameter::path);
  return static_cast<std::size_t>(found - parameters.begin());
}

}  // namespace

std::vector<SweepParameter> read_parameters(ObjectReader& top, SweepMode mode,
                                            Diagnostics& diagnostics, KeyDocs* docs) {
  const Json* json = top.maybe_any(
      kParameters, "by path of the machine or workload: values, a range or an expression");
  std::vector<SweepParameter> parameters;
  if (json == nullptr) return parameters;
  if (!json->is_object()) {
    top.error(kParameters,
              fmt::format("must be an object of values by path, is {}", shown_with_type(*json)));
    return parameters;
  }
  if (json->size() > kMostParameters) {
    top.error(kParameters, fmt::format("are {}, more than {}", json->size(), kMostParameters));
    return parameters;
  }
  ParameterReader reader(mode, top.file(), diagnostics, docs);
  for (const auto& [path, value] : json->items()) {
    if (auto parameter = reader.read(path, value)) parameters.push_back(std::move(*parameter));
  }
  return parameters;
}

std::vector<std::size_t> evaluation_order(const std::vector<SweepParameter>& parameters,
                                          const ReportFault& report) {
  std::vector<std::size_t> order;
  std::vector<bool> known(parameters.size());
  std::vector<std::size_t> waiting;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    known[i] = parameters[i].expression() == nullptr;
    if (!known[i]) waiting.push_back(i);
  }
  const auto is_ready = [&](std::size_t i) {
    return std::ranges::all_of(parameters[i].expression()->names(), [&](const std::string& name) {
      const std::size_t index = index_of(parameters, name);
      return index == parameters.size() || known[index];
    });
  };
  while (!waiting.empty()) {
    const auto ready = std::ranges::find_if(waiting, is_ready);
    if (ready == waiting.end()) {
      report(key_of(parameters[waiting.front()].path), "follows from itself, in a circle");
      return order;
    }
    known[*ready] = true;
    order.push_back(*ready);
    waiting.erase(ready);
  }
  return order;
}

std::optional<Expression> read_expression(const std::string& text, const std::string& path,
                                          const ReportFault& report) {
  try {
    return Expression(text);
  } catch (const ExpressionError& error) {
    report(path, fmt::format("{} is no expression: {}", in_quotes(text), error.what()));
    return std::nullopt;
  }
}

void check_names(const Expression& expression, const std::string& path,
                 const std::vector<SweepParameter>& parameters, const ReportFault& report) {
  std::vector<std::string_view> paths;
  paths.reserve(parameters.size());
  for (const SweepParameter& parameter : parameters) paths.push_back(parameter.path);
  for (const std::string& name : expression.names()) {
    if (index_of(parameters, name) < parameters.size()) continue;
    report(path, fmt::format("{} is no parameter of this sweep{} (a parameter may have one value)",
                             in_quotes(name), suggestion(name, paths)));
  }
}

}  // namespace tilewave
