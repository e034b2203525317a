// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace tilewave {

/// A point to run, and how often a process that ran it ended.
struct WorkerTask {
  std::uint64_t number = 0;
  std::string text;
  unsigned deaths = 0;
};

/// One worker process, from the parent's side. It takes a task at a time.
class WorkerProcess {
 public:
  /// Starts `command` with our process id as its last word, its standard input and output a socket to us. Throws
  /// SimulationError if the system cannot.
  explicit WorkerProcess(const std::vector<std::string>& command);
  /// Kills it, if it is there.
  ~WorkerProcess();
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&& other) noexcept;
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// Gives it a task. If the process is gone, that shows when it is read.
  void send(WorkerTask task);
  /// Takes in what it has said, without waiting. False: it has ended.
  [[nodiscard]] bool receive();
  /// A whole line of what it said.
  [[nodiscard]] std::optional<std::string> line();
  /// No more tasks: it ends by itself.
  void finish();
  /// After receive() was false: how it ended, in words.
  [[nodiscard]] std::string ending();

  [[nodiscard]] int descriptor() const noexcept { return socket_; }
  [[nodiscard]] bool is_starting() const noexcept { return !ready && tasks_done == 0; }
  /// ending() was asked for.
  [[nodiscard]] bool is_gone() const noexcept { return process_ < 0; }

  bool ready = false;                ///< it has said so
  std::optional<WorkerTask> task{};  ///< the one it is at
  std::uint64_t tasks_done = 0;

 private:
  pid_t process_ = -1;
  int socket_ = -1;
  std::string said_;
  std::size_t searched_ = 0;  ///< of said_, for the end of a line
};

}  // namespace tilewave
