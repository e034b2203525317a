// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "arch/program/program.hpp"
#include "sim/units.hpp"

namespace tilewave {

/// Finds out that a core goes on as it did before: between two kernels nothing is under way and all
/// that can matter is as it was between two earlier ones, and the kernels since then come again. So
/// what they did comes again, too, and need not be simulated (SystolicCore::skip_repeats). Plain C++,
/// knows states as words only.
class Repeats {
 public:
  using Words = std::vector<std::int64_t>;
  explicit Repeats(const program::Program& program);

  /// A moment between two kernels.
  struct Moment {
    std::size_t kernel = 0;  ///< that comes next
    Cycle now = 0;
    std::size_t log = 0;            ///< what had been entered in the timeline
    std::vector<Count> statistics;  ///< values so far
  };
  struct Found {
    Moment first;           ///< the same state as now
    std::size_t times = 0;  ///< that the kernels from there until now come again, at least once
  };
  /// The moment `now`, in `state`; kernels up to `seen` have been looked at.
  [[nodiscard]] std::optional<Found> find(Words state, const Moment& now, std::size_t seen);
  /// What was before does not count any more.
  void forget();

 private:
  /// Moments kept, a few kilobytes each.
  static constexpr std::size_t kMost = 4096;
  /// How often the kernels from `first` until `now` come again.
  [[nodiscard]] std::size_t times(std::size_t first, std::size_t now, std::size_t seen) const;
  struct Hash {
    std::size_t operator()(const Words& words) const noexcept;
  };
  std::vector<int> classes_;                                      // of each kernel
  std::unordered_map<Words, std::vector<Moment>, Hash> moments_;  // of each state, oldest first
  std::size_t count_ = 0;                                         // of all states
};

}  // namespace tilewave
