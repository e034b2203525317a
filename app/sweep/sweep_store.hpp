// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/sweep/database.hpp"
#include "app/sweep/folder_lock.hpp"
#include "app/sweep/point_result.hpp"

namespace tilewave {

/// What makes two sweeps the same: goes on with --resume.
struct SweepIdentity {
  std::string hash;
  std::string name;
  std::string definition;  ///< the sweep file, as JSON
};
/// The hash is of the file, the version of the program, and the machines and workload files that it names, as
/// they are now.
[[nodiscard]] SweepIdentity identity_of(const SweepPlan& plan);

/// Results of sweeps in a folder: an SQLite database (WAL) with one writer, which a lock on the folder sees to;
/// anyone may read meanwhile. Each put() is a transaction: however the program ends, what was put is there.
///
///   sweeps   a row a sweep definition that was run here
///   points   a row a point: parameters, key of its input, objectives, error
///   results  a row a key: the report's totals, the report if kept
///   sweep_rows  a view of the above, a row a point
class SweepStore {
 public:
  static constexpr const char* kFile = "sweep.sqlite";

  /// Opens the folder for `identity`; makes what is missing. Without `resume`, a folder that has results is
  /// refused. Throws ConfigError (in use, of another version, no store, not writable) or StoreError.
  SweepStore(const std::filesystem::path& folder, const SweepIdentity& identity, bool resume);

  /// Has this sweep's point a result that stays? One whose process was lost is tried again.
  [[nodiscard]] bool has(std::uint64_t point);
  /// Was anything here when the store was opened: are results of equal inputs worth looking for?
  [[nodiscard]] bool had_results() const noexcept { return had_results_; }
  /// What a run of the same input gave (without point, parameters and objectives).
  [[nodiscard]] std::optional<PointResult> result_of(const std::string& key);
  /// Throws StoreError; what was put before stays.
  void put(const PointResult& result);

  /// The points of this sweep in order, without reports.
  void each(const std::function<void(const PointResult&)>& take);

  [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }

 private:
  void prepare(const SweepIdentity& identity, bool resume);
  void check_version();

  std::filesystem::path folder_;
  std::filesystem::path file_;
  std::unique_ptr<FolderLock> lock_;
  std::optional<Database> database_;
  std::int64_t sweep_ = 0;  ///< row in sweeps
  bool had_results_ = false;
  std::optional<Statement> has_, find_, put_point_, put_result_;
};

}  // namespace tilewave
