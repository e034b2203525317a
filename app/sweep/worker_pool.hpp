// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/sweep/worker_process.hpp"

namespace tilewave {

/// Runs tasks in worker processes, so many at a time. A worker that ends in the middle of a task is replaced
/// and the task given out once more; if that one's process ends too, the task is lost. Workers are replaced after
/// kTasksPerWorker tasks, as each simulation leaves some memory behind (SimulationContext).
class WorkerPool {
 public:
  /// 13 KiB each: about 50 MiB.
  static constexpr std::uint64_t kTasksPerWorker = 4000;
  static constexpr unsigned kMostDeaths = 2;
  /// Workers in a row that end before they are ready: something is wrong with the program.
  static constexpr unsigned kMostFailedStarts = 5;

  struct Calls {
    /// The next task; nothing: there are no more.
    std::function<std::optional<WorkerTask>()> next;
    std::function<void(const WorkerTask& task, std::string result)> done;
    std::function<void(const WorkerTask& task, const std::string& why)> lost;
    /// Called at least every 0.1 s. False: stop at once.
    std::function<bool()> go_on;
  };

  WorkerPool(std::vector<std::string> command, std::size_t workers)
      : command_(std::move(command)), most_workers_(workers) {}

  /// Returns when all tasks are done or lost, or go_on() said to stop. What it throws, or a call throws, ends the
  /// workers.
  void run(const Calls& calls);

 private:
  void fill(const Calls& calls);
  void wait();
  void hear(const Calls& calls, WorkerProcess& worker);
  /// The worker has ended; its task is given out again or lost.
  void bury(const Calls& calls, WorkerProcess& worker);
  /// One more task from the caller to those that wait. False: there is none.
  bool pull(const Calls& calls);

  std::vector<std::string> command_;
  std::size_t most_workers_;
  std::vector<WorkerProcess> workers_;
  std::deque<WorkerTask> waiting_;  ///< for a worker to start, or for another try
  bool no_more_ = false;
  unsigned failed_starts_ = 0;
};

}  // namespace tilewave
