// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/json.hpp"
#include "sim/events.hpp"
#include "sim/units.hpp"

namespace tilewave {

/// Records what units did as a trace in the Chrome trace-event format, which Perfetto and
/// chrome://tracing show: a track a unit, a slice an activity, times in microseconds simulated.
///
/// Bounded: when there are too many slices, neighbours of a track that together span at most the
/// resolution become one slice, and the resolution doubles until at most half as many are left. So
/// what is long stays as it is, short ones are summed up with their number and busy cycles, and the
/// result depends on nothing but the run. The file's metadata gives the resolution.
///
/// Slices of a unit that overlap (transfers in flight) go to further tracks of the same name.
class ChromeTrace final : public EventListener {
 public:
  explicit ChromeTrace(Frequency clock, std::size_t max_slices = 200'000);

  void slice(std::string_view track, std::string_view name, int layer, Cycle begin,
             Cycle end) override;

  /// The trace as text, with the layers of the run's report as a track of their own and its timeline
  /// (utilization, bandwidths, power) as counters.
  [[nodiscard]] std::string to_json(const Json& report) const;

  [[nodiscard]] std::size_t slices() const noexcept { return slices_; }
  /// Slices within so many cycles were summed up; 0: everything is there.
  [[nodiscard]] Cycle resolution_cycles() const noexcept { return resolution_; }

 private:
  static constexpr std::uint32_t kSeveralNames = 0;
  static constexpr std::size_t kMostLanes = 16;

  struct Slice {
    std::uint32_t name = kSeveralNames;
    int layer = -1;  ///< -1: several
    Cycle begin = 0;
    Cycle end = 0;
    Cycle busy = 0;  ///< sum of the lengths of those summed up
    Count merged = 1;
  };
  using Lane = std::vector<Slice>;  ///< by time, without overlap
  struct Track {
    std::string name;
    std::vector<Lane> lanes;
  };

  Track& track_of(std::string_view name);
  std::uint32_t id_of(std::string_view name);
  static Lane& lane_for(Track& track, Cycle begin);
  bool merge_into(Slice& last, const Slice& next) const;
  void thin_out();
  [[nodiscard]] std::string slice_json(const Slice& slice, std::size_t thread,
                                       const std::vector<std::string>& layers) const;
  [[nodiscard]] std::string timing_json(std::string_view name, Cycle begin, Cycle end,
                                        std::size_t thread) const;

  Frequency clock_;
  std::size_t max_slices_;
  std::size_t slices_ = 0;
  Count clipped_ = 0;  ///< slices shortened because too many overlapped
  Cycle resolution_ = 0;
  std::vector<std::string> names_;
  std::map<std::string, std::uint32_t, std::less<>> name_ids_;
  std::vector<Track> tracks_;
  std::map<std::string, std::size_t, std::less<>> track_ids_;
};

}  // namespace tilewave
