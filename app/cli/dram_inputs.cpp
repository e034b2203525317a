// SPDX-License-Identifier: Apache-2.0
#include "app/cli/dram_inputs.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "app/cli/inputs.hpp"
#include "app/dram/dram_trace.hpp"
#include "app/dram/traffic_pattern.hpp"
#include "app/library/config_dir.hpp"
#include "app/library/dram_library.hpp"
#include "sim/config/json_path.hpp"
#include "sim/config/merge.hpp"
#include "sim/config/values.hpp"

namespace tilewave {
namespace {

constexpr Count kPatternRequests = 1'000'000;
constexpr Bytes kLargestRequest = Bytes{1} << 20U;
constexpr const char* kChannels = "organisation.channels";

/// Text of an option as a value of a file would be, so that it goes through the same checks.
Json as_typed(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_number() ? value : Json(text);
}

template <typename T>
std::optional<T> taken(Checked<T> checked, const char* option, Diagnostics& diagnostics) {
  if (!checked.value) diagnostics.error(fmt::format("--{}", option), "", checked.fault);
  return checked.value;
}

Count read_count(const Arguments& arguments, const char* option, const Range& range, Count usual,
                 Diagnostics& diagnostics) {
  const auto text = arguments.maybe(option);
  if (!text) return usual;
  return taken(check_count(as_typed(*text), range), option, diagnostics).value_or(usual);
}

/// What --set and --channels change, as an object to be merged into the memory's file.
Json read_changes(const Arguments& arguments, Diagnostics& diagnostics) {
  Json changes = Json::object();
  for (const std::string& assignment : arguments.all("set")) {
    const std::string path = assignment.substr(0, assignment.find('='));
    if (set_path(changes, assignment, diagnostics) && find_value(changes, path) == nullptr) {
      diagnostics.error(kOverrideLabel, path, "cannot be taken away, only changed");
    }
  }
  if (const auto channels = arguments.maybe("channels")) {
    if (find_value(changes, kChannels) != nullptr) {
      diagnostics.error("--channels", "", fmt::format("is given already by --set {}", kChannels));
    }
    (void)set_value(changes, kChannels, as_typed(*channels), diagnostics);
  }
  return changes;
}

std::optional<DramParams> read_memory(const Arguments& arguments, Diagnostics& diagnostics) {
  const DramOverrides overrides{
      .values = read_changes(arguments, diagnostics), .file = kOverrideLabel, .path = ""};
  const auto preset = arguments.maybe("preset");
  if (!preset) return std::nullopt;
  Diagnostics faults;
  auto dram = load_dram(*preset, overrides, config_dir(), {}, faults);
  for (Fault fault : faults.errors()) {
    if (fault.file == kOverrideLabel && fault.path.empty()) {
      fault.file = "--preset";
    } else if (fault.file == kOverrideLabel && fault.path == kChannels &&
               arguments.has("channels")) {
      fault.file = "--channels";
      fault.path.clear();
    }
    diagnostics.error(std::move(fault));
  }
  for (const Fault& fault : faults.warnings()) diagnostics.warning(fault);
  return dram;
}

Bytes read_request_bytes(const Arguments& arguments, const std::optional<DramParams>& dram,
                         Diagnostics& diagnostics) {
  constexpr Bytes kUsual = 64;
  const Bytes bytes =
      read_count(arguments, "request-bytes", {1, kLargestRequest}, kUsual, diagnostics);
  if (!std::has_single_bit(bytes)) {
    diagnostics.error("--request-bytes", "", fmt::format("must be a power of two, is {}", bytes));
    return kUsual;
  }
  const Bytes capacity = dram ? dram->capacity_bytes() : 0;
  if (dram && (capacity % bytes != 0 || capacity / bytes < PatternTraffic::kLeastRequests)) {
    diagnostics.error("--request-bytes", "",
                      fmt::format("the memory's {} bytes must be a multiple of it and hold {}, is "
                                  "{}",
                                  capacity, PatternTraffic::kLeastRequests, bytes));
  }
  return bytes;
}

/// An option that a pattern has no use for is an error: it would change nothing.
void check_use(const Arguments& arguments, const char* option, bool is_used, const char* of,
               Diagnostics& diagnostics) {
  if (arguments.has(option) && !is_used) {
    diagnostics.error(fmt::format("--{}", option), "", fmt::format("is only for {}", of));
  }
}

std::optional<TrafficPattern> read_pattern(const std::string& text, Diagnostics& diagnostics) {
  const auto names = traffic_pattern_names();
  const auto index = taken(check_choice(Json(text), names), "pattern", diagnostics);
  return index ? std::optional(static_cast<TrafficPattern>(*index)) : std::nullopt;
}

void read_pattern_traffic(const Arguments& arguments, const std::optional<DramParams>& dram,
                          DramInputs& inputs, Diagnostics& diagnostics) {
  const auto pattern = read_pattern(*arguments.maybe("pattern"), diagnostics);
  TrafficParams params{.request_bytes = inputs.run.request_bytes};
  const Bytes capacity = dram ? dram->capacity_bytes() : kMaxCount;
  params.stride_bytes = std::min(std::max(params.stride_bytes, params.request_bytes),
                                 capacity - params.request_bytes);
  params.stride_bytes = read_count(arguments, "stride", {params.request_bytes, capacity - 1},
                                   params.stride_bytes, diagnostics);
  if (params.stride_bytes % params.request_bytes != 0) {
    diagnostics.error("--stride", "",
                      fmt::format("must be a multiple of the request's {} bytes, is {}",
                                  params.request_bytes, params.stride_bytes));
  }
  if (const auto share = arguments.maybe("read-share")) {
    params.read_share =
        taken(check_number(as_typed(*share), RealRange::share()), "read-share", diagnostics)
            .value_or(params.read_share);
  }
  params.seed = read_count(arguments, "seed", {}, params.seed, diagnostics);
  if (!pattern) return;
  params.pattern = *pattern;
  const bool is_strided = params.pattern == TrafficPattern::strided;
  const bool is_mixed = params.pattern == TrafficPattern::mixed;
  const bool is_random = params.pattern == TrafficPattern::random || is_mixed;
  check_use(arguments, "stride", is_strided, "strided requests", diagnostics);
  check_use(arguments, "seed", is_random, "random addresses", diagnostics);
  check_use(arguments, "read-share", !is_mixed, "the other patterns: mixed has its own",
            diagnostics);
  if (!diagnostics.ok() || !dram) return;
  params.capacity_bytes = capacity;
  inputs.source = std::make_unique<PatternTraffic>(params);
  inputs.traffic = {{"pattern", to_string(params.pattern)}};
  if (is_strided) inputs.traffic["stride_bytes"] = params.stride_bytes;
  if (!is_mixed) inputs.traffic["read_share"] = params.read_share;
  if (is_random) inputs.traffic["seed"] = params.seed;
}

void read_traffic(const Arguments& arguments, const std::optional<DramParams>& dram,
                  DramInputs& inputs, Diagnostics& diagnostics) {
  const auto trace = arguments.maybe("trace");
  const bool has_pattern = arguments.has("pattern");
  if (has_pattern == trace.has_value()) {
    diagnostics.error("", "",
                      has_pattern
                          ? "--pattern and --trace cannot both be given"
                          : "--pattern or --trace must be given (see tilewave dram --help)");
    return;
  }
  const Count usual = has_pattern ? kPatternRequests : inputs.run.requests;
  inputs.run.requests = read_count(arguments, "requests", {.min = 1}, usual, diagnostics);
  if (has_pattern) {
    read_pattern_traffic(arguments, dram, inputs, diagnostics);
    return;
  }
  for (const char* option : {"stride", "seed", "read-share"}) {
    check_use(arguments, option, false, "patterns", diagnostics);
  }
  inputs.source = TraceTraffic::open(*trace, diagnostics);
  inputs.traffic = {{"trace", *trace}};
}

}  // namespace

DramInputs read_dram_inputs(const Arguments& arguments, Diagnostics& diagnostics) {
  DramInputs inputs;
  if (!arguments.has("preset")) {
    diagnostics.error("", "", "--preset must be given (see tilewave dram --help)");
  }
  if (const auto fidelity = arguments.maybe("fidelity")) {
    inputs.fidelity =
        parse_fidelity(*fidelity, "--fidelity", diagnostics).value_or(inputs.fidelity);
  }
  auto dram = read_memory(arguments, diagnostics);
  DramRunRequest& run = inputs.run;
  run.pace = inputs.fidelity == Fidelity::fast ? DramPace::run_ahead : DramPace::burst_by_burst;
  run.request_bytes = read_request_bytes(arguments, dram, diagnostics);
  read_traffic(arguments, dram, inputs, diagnostics);
  if (dram) {
    run.in_flight = read_count(arguments, "in-flight", {1, most_in_flight(*dram)},
                               default_in_flight(*dram, run.request_bytes), diagnostics);
    run.dram = std::move(*dram);
  }
  return inputs;
}

}  // namespace tilewave
