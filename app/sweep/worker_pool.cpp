// SPDX-License-Identifier: Apache-2.0
#include "app/sweep/worker_pool.hpp"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <poll.h>
#include <system_error>
#include <utility>

#include "app/sweep/worker.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {
namespace {

constexpr int kWaitMs = 100;

}  // namespace

bool WorkerPool::pull(const Calls& calls) {
  if (no_more_) return false;
  auto task = calls.next();
  no_more_ = !task;
  if (task) waiting_.push_back(std::move(*task));
  return !no_more_;
}

void WorkerPool::fill(const Calls& calls) {
  for (WorkerProcess& worker : workers_) {
    if (!worker.ready || worker.task) continue;
    if (waiting_.empty() && !pull(calls)) break;
    worker.send(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  // A new worker for each task that waits and has none starting for it.
  while (workers_.size() < most_workers_) {
    const auto starting = static_cast<std::size_t>(
        std::ranges::count_if(workers_, [](const WorkerProcess& w) { return w.is_starting(); }));
    while (waiting_.size() <= starting && pull(calls)) {
    }
    if (waiting_.size() <= starting) break;
    workers_.emplace_back(command_);
  }
}

void WorkerPool::wait() {
  std::vector<pollfd> descriptors;
  for (const WorkerProcess& worker : workers_) {
    descriptors.push_back({.fd = worker.descriptor(), .events = POLLIN, .revents = 0});
  }
  if (poll(descriptors.data(), descriptors.size(), kWaitMs) < 0 && errno != EINTR) {
    throw SimulationError(
        fmt::format("workers cannot be waited for: {}", std::generic_category().message(errno)));
  }
}

void WorkerPool::hear(const Calls& calls, WorkerProcess& worker) {
  while (auto line = worker.line()) {
    if (!worker.ready) {
      worker.ready = *line == kWorkerReady;
      failed_starts_ = 0;
    } else if (worker.task) {
      const WorkerTask task = std::move(*worker.task);
      worker.task.reset();
      calls.done(task, std::move(*line));
      if (++worker.tasks_done >= kTasksPerWorker) {
        worker.ready = false;  // gets no more
        worker.finish();
      }
    }
  }
}

void WorkerPool::bury(const Calls& calls, WorkerProcess& worker) {
  const std::string ending = worker.ending();
  if (worker.task) {
    WorkerTask task = std::move(*worker.task);
    worker.task.reset();
    if (++task.deaths < kMostDeaths) {
      waiting_.push_front(std::move(task));
    } else {
      calls.lost(task, ending);
    }
  } else if (worker.is_starting() && ++failed_starts_ >= kMostFailedStarts) {
    throw SimulationError(fmt::format("worker processes do not start: the last one {}", ending));
  }
}

void WorkerPool::run(const Calls& calls) {
  const auto busy = [&] {
    return !no_more_ || !waiting_.empty() ||
           std::ranges::any_of(workers_,
                               [](const WorkerProcess& worker) { return worker.task.has_value(); });
  };
  fill(calls);
  while (busy()) {
    wait();
    for (WorkerProcess& worker : workers_) {
      const bool lives = worker.receive();
      hear(calls, worker);
      if (!lives) bury(calls, worker);
    }
    std::erase_if(workers_, [](const WorkerProcess& worker) { return worker.is_gone(); });
    if (!calls.go_on()) break;
    fill(calls);
  }
  workers_.clear();
}

}  // namespace tilewave
