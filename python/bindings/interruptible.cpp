// SPDX-License-Identifier: Apache-2.0
#include "bindings/interruptible.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <pybind11/pybind11.h>
#include <thread>

namespace tilewave::python {
namespace {

namespace py = pybind11;

// Ctrl-C is felt as immediate, and looking costs nothing beside a simulation.
constexpr std::chrono::milliseconds kPollInterval{50};

std::timed_mutex& one_at_a_time() {
  static std::timed_mutex mutex;
  return mutex;
}

/// Throws the exception of a signal's handler, if one ran.
void check_signals() {
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

/// The lock, waited for without the GIL.
std::unique_lock<std::timed_mutex> wait_for_turn() {
  std::unique_lock lock(one_at_a_time(), std::defer_lock);
  for (;;) {
    {
      const py::gil_scoped_release released;
      if (lock.try_lock_for(kPollInterval)) return lock;
    }
    check_signals();
  }
}

/// A thread that does one thing.
class Worker {
 public:
  explicit Worker(const std::function<void(const std::atomic<bool>&)>& work)
      : thread_([this, work] {
          try {
            work(stop_);
          } catch (...) {
            failure_ = std::current_exception();
          }
          const std::lock_guard lock(mutex_);
          done_ = true;
          changed_.notify_all();
        }) {}

  [[nodiscard]] bool wait_for(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [this] { return done_; });
  }
  void stop() { stop_ = true; }
  void join() { thread_.join(); }
  [[nodiscard]] const std::exception_ptr& failure() const { return failure_; }

 private:
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::exception_ptr failure_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace

void run_interruptible(const std::function<void(const std::atomic<bool>& stop)>& work,
                       const std::function<void()>& poll) {
  const auto turn = wait_for_turn();
  Worker worker(work);
  std::exception_ptr interruption;
  for (bool done = false; !done;) {
    {
      const py::gil_scoped_release released;
      done = worker.wait_for(kPollInterval);
    }
    if (interruption) continue;
    try {
      check_signals();
      if (poll) poll();
    } catch (...) {
      interruption = std::current_exception();
      worker.stop();
    }
  }
  {
    const py::gil_scoped_release released;
    worker.join();
  }
  if (interruption) std::rethrow_exception(interruption);
  if (worker.failure()) std::rethrow_exception(worker.failure());
}

}  // namespace tilewave::python
