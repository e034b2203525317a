// SPDX-License-Identifier: Apache-2.0
#include "app/trace/chrome_trace.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/config/json_path.hpp"

namespace tilewave {
namespace {

constexpr std::size_t kLayersThread = 1;  // the first track; those of units follow
constexpr double kUsPerKhzCycle = 1e3;    // a cycle of a clock of 1 kHz, in microseconds

/// A series of the report's "timeline", shown as a counter.
struct Counter {
  const char* key;
  const char* name;
  const char* unit;
};
constexpr std::array<Counter, 4> kCounters{
    {{.key = "matrix_utilization", .name = "matrix utilization", .unit = "share"},
     {.key = "dram_gb_per_s", .name = "DRAM bandwidth", .unit = "GB/s"},
     {.key = "l2_gb_per_s", .name = "L2 bandwidth", .unit = "GB/s"},
     {.key = "power_w", .name = "power", .unit = "W"}}};

std::string json_text(std::string_view text) {
  return Json(std::string(text)).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string thread_json(std::size_t thread, std::string_view name) {
  return fmt::format(
      R"({{"ph":"M","pid":1,"tid":{0},"name":"thread_name","args":{{"name":{1}}}}},)"
      "\n"
      R"({{"ph":"M","pid":1,"tid":{0},"name":"thread_sort_index","args":{{"sort_index":{0}}}}})",
      thread, json_text(name));
}

std::string process_json(const Json& report) {
  const auto name_of = [&](const char* part) {
    const Json* found = find_value(report, part);
    return found != nullptr ? found->value("name", "") : std::string();
  };
  return fmt::format(
      R"({{"ph":"M","pid":1,"tid":0,"name":"process_name","args":{{"name":{}}}}})",
      json_text(fmt::format("tilewave: {} on {}", name_of("workload"), name_of("arch"))));
}

/// The timeline as counters: a sample where a bin begins, which holds until the next, and a zero
/// where the run ends. At most 513 samples a counter, as the timeline has at most 512 bins.
std::string counters_json(const Json& report, double us_per_cycle) {
  const Json* timeline = find_value(report, "timeline");
  const Json* total = find_value(report, "total");
  if (timeline == nullptr || total == nullptr) return {};
  const Cycle width = timeline->value("bin_cycles", Cycle{0});
  const Cycle end = total->value("cycles", Cycle{0});
  std::string out;
  for (const Counter& counter : kCounters) {
    const auto values = timeline->find(counter.key);
    if (values == timeline->end()) continue;
    const auto sample = [&](Cycle at, const Json& value) {
      out += fmt::format(
          ",\n"
          R"({{"ph":"C","pid":1,"tid":0,"name":"{}","ts":{:.6f},"args":{{"{}":{}}}}})",
          counter.name, static_cast<double>(at) * us_per_cycle, counter.unit, value.dump());
    };
    Cycle at = 0;
    for (const Json& value : *values) {
      sample(at, value);
      at += width;
    }
    sample(end, 0);
  }
  return out;
}

}  // namespace

ChromeTrace::ChromeTrace(Frequency clock, std::size_t max_slices)
    : clock_(clock), max_slices_(std::max<std::size_t>(max_slices, 1)), names_{"(several)"} {}

ChromeTrace::Track& ChromeTrace::track_of(std::string_view name) {
  auto found = track_ids_.find(name);
  if (found == track_ids_.end()) {
    found = track_ids_.emplace(std::string(name), tracks_.size()).first;
    tracks_.push_back(Track{.name = std::string(name), .lanes = {}});
  }
  return tracks_[found->second];
}

std::uint32_t ChromeTrace::id_of(std::string_view name) {
  auto entry = name_ids_.find(name);
  if (entry == name_ids_.end()) {
    entry = name_ids_.emplace(std::string(name), static_cast<std::uint32_t>(names_.size())).first;
    names_.emplace_back(name);
  }
  return entry->second;
}

ChromeTrace::Lane& ChromeTrace::lane_for(Track& track, Cycle begin) {
  Lane* earliest = nullptr;
  for (Lane& lane : track.lanes) {
    if (lane.back().end <= begin) {
      return lane;
    }
    if (earliest == nullptr || lane.back().end < earliest->back().end) {
      earliest = &lane;
    }
  }
  if (track.lanes.size() < kMostLanes) {
    return track.lanes.emplace_back();
  }
  return *earliest;
}

/// Makes one slice of two neighbours if both lie within the resolution.
bool ChromeTrace::merge_into(Slice& last, const Slice& next) const {
  if (next.end - last.begin > resolution_) {
    return false;
  }
  last.name = last.name == next.name ? last.name : kSeveralNames;
  last.layer = last.layer == next.layer ? last.layer : -1;
  last.end = next.end;
  last.busy += next.busy;
  last.merged += next.merged;
  return true;
}

void ChromeTrace::slice(std::string_view track, std::string_view name, int layer, Cycle begin,
                        Cycle end) {
  Lane& lane = lane_for(track_of(track), begin);
  if (!lane.empty() && begin < lane.back().end) {
    ++clipped_;
    begin = lane.back().end;
  }
  end = std::max(begin, end);
  const Slice next{.name = id_of(name),
                   .layer = layer,
                   .begin = begin,
                   .end = end,
                   .busy = end - begin,
                   .merged = 1};
  if (!lane.empty() && merge_into(lane.back(), next)) {
    return;
  }
  lane.push_back(next);
  if (++slices_ > max_slices_) {
    thin_out();
  }
}

void ChromeTrace::thin_out() {
  // A lane keeps at most two slices for each stretch of the resolution, so this comes to an end,
  // unless there are more lanes than slices allowed.
  constexpr Cycle kCoarsest = Cycle{1} << 62U;
  while (slices_ > max_slices_ / 2 && resolution_ < kCoarsest) {
    resolution_ = std::max<Cycle>(2 * resolution_, 16);
    slices_ = 0;
    for (Track& track : tracks_) {
      for (Lane& lane : track.lanes) {
        Lane kept;
        for (const Slice& slice : lane) {
          if (kept.empty() || !merge_into(kept.back(), slice)) {
            kept.push_back(slice);
          }
        }
        slices_ += kept.size();
        lane = std::move(kept);
      }
    }
  }
}

std::string ChromeTrace::timing_json(std::string_view name, Cycle begin, Cycle end,
                                     std::size_t thread) const {
  const double us_per_cycle = kUsPerKhzCycle / static_cast<double>(clock_.khz);
  return fmt::format(R"({{"ph":"X","pid":1,"tid":{},"name":{},"ts":{:.6f},"dur":{:.6f},)", thread,
                     json_text(name), static_cast<double>(begin) * us_per_cycle,
                     static_cast<double>(end - begin) * us_per_cycle);
}

std::string ChromeTrace::slice_json(const Slice& slice, std::size_t thread,
                                    const std::vector<std::string>& layers) const {
  std::string out = timing_json(names_[slice.name], slice.begin, slice.end, thread);
  out +=
      fmt::format(R"("args":{{"begin_cycle":{},"cycles":{})", slice.begin, slice.end - slice.begin);
  if (slice.layer >= 0 && static_cast<std::size_t>(slice.layer) < layers.size()) {
    out += R"(,"layer":)" + json_text(layers[static_cast<std::size_t>(slice.layer)]);
  }
  if (slice.merged > 1) {
    out += fmt::format(R"(,"slices":{},"busy_cycles":{})", slice.merged, slice.busy);
  }
  return out + "}}";
}

std::string ChromeTrace::to_json(const Json& report) const {
  std::vector<std::string> layers;
  std::string events = process_json(report) + ",\n" + thread_json(kLayersThread, "layers") +
                       counters_json(report, kUsPerKhzCycle / static_cast<double>(clock_.khz));
  const Json* list = find_value(report, "layers");
  for (const Json& layer : list != nullptr ? *list : Json::array()) {
    layers.push_back(layer.value("name", ""));
    const Cycle begin = layer.value("start_cycle", Cycle{0});
    const Cycle cycles = layer.value("cycles", Cycle{0});
    events += ",\n" + timing_json(layers.back(), begin, begin + cycles, kLayersThread) +
              fmt::format(R"("args":{{"begin_cycle":{},"cycles":{}}}}})", begin, cycles);
  }
  std::size_t thread = kLayersThread;
  for (const auto& [name, id] : track_ids_) {
    std::size_t number = 0;
    for (const Lane& lane : tracks_[id].lanes) {
      ++thread;
      ++number;
      events +=
          ",\n" + thread_json(thread, number == 1 ? name : fmt::format("{} ({})", name, number));
      for (const Slice& slice : lane) {
        events += ",\n" + slice_json(slice, thread, layers);
      }
    }
  }
  const std::string note =
      resolution_ == 0
          ? "every activity is a slice"
          : fmt::format("activities that together span at most {} cycles are one slice",
                        resolution_);
  return fmt::format(
      "{{\"displayTimeUnit\":\"ns\",\n\"otherData\":{{\"clock_ghz\":{},\"resolution_cycles\":{},"
      "\"slices\":{},\"clipped_slices\":{},\"note\":{}}},\n\"traceEvents\":[\n{}\n]}}\n",
      Json(clock_.ghz()).dump(), resolution_, slices_, clipped_, json_text(note), events);
}

}  // namespace tilewave
