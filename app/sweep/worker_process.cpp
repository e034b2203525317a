// SPDX-License-Identifier: Apache-2.0
#include "app/sweep/worker_process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "sim/diagnostics.hpp"

extern char** environ;  // NOLINT: POSIX has it so

namespace tilewave {
namespace {

[[noreturn]] void fail(const std::string& what, int error) {
  throw SimulationError(fmt::format("a worker process cannot be started: {}: {}", what,
                                    std::generic_category().message(error)));
}

/// Starts the command with `end` as its standard input and output.
pid_t start(const std::vector<std::string>& command, int end) {
  std::vector<std::string> words = command;
  words.push_back(fmt::format("{}", getpid()));
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, end, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, end, STDOUT_FILENO);
  // Ctrl-C is the parent's, from the first moment on.
  posix_spawnattr_t attributes{};
  posix_spawnattr_init(&attributes);
  sigset_t blocked{};
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  sigaddset(&blocked, SIGINT);
  posix_spawnattr_setsigmask(&attributes, &blocked);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t process = -1;
  const int error =
      posix_spawnp(&process, arguments.front(), &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) fail(words.front(), error);
  return process;
}

}  // namespace

WorkerProcess::WorkerProcess(const std::vector<std::string>& command) {
  std::array<int, 2> ends{-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    fail("socketpair", errno);
  socket_ = ends[0];
  try {
    process_ = start(command, ends[1]);
  } catch (...) {
    close(ends[0]);
    close(ends[1]);
    throw;
  }
  close(ends[1]);
}

WorkerProcess::~WorkerProcess() {
  if (socket_ >= 0) close(socket_);
  if (process_ > 0) {
    kill(process_, SIGKILL);
    while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : ready(other.ready),
      task(std::move(other.task)),
      tasks_done(other.tasks_done),
      process_(std::exchange(other.process_, -1)),
      socket_(std::exchange(other.socket_, -1)),
      said_(std::move(other.said_)),
      searched_(other.searched_) {}

WorkerProcess& WorkerProcess::operator=(WorkerProcess&& other) noexcept {
  WorkerProcess taken(std::move(other));
  std::swap(ready, taken.ready);
  std::swap(task, taken.task);
  std::swap(tasks_done, taken.tasks_done);
  std::swap(process_, taken.process_);
  std::swap(socket_, taken.socket_);
  std::swap(said_, taken.said_);
  std::swap(searched_, taken.searched_);
  return *this;
}

void WorkerProcess::send(WorkerTask given) {
  std::string_view left = given.text;
  const auto push = [&](std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  };
  push(left);
  push("\n");
  task = std::move(given);
}

bool WorkerProcess::receive() {
  std::array<char, 65536> bytes{};
  while (true) {
    const ssize_t size = recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (size > 0) {
      said_.append(bytes.data(), static_cast<std::size_t>(size));
      continue;
    }
    if (size < 0 && errno == EINTR) continue;
    return size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }
}

std::optional<std::string> WorkerProcess::line() {
  const auto end = said_.find('\n', searched_);
  if (end == std::string::npos) {
    searched_ = said_.size();
    return std::nullopt;
  }
  std::string first = said_.substr(0, end);
  said_.erase(0, end + 1);
  searched_ = 0;
  return first;
}

void WorkerProcess::finish() { shutdown(socket_, SHUT_WR); }

std::string WorkerProcess::ending() {
  int status = 0;
  // It may have closed its socket and live on: what it would say is lost, so end it.
  kill(process_, SIGKILL);
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  if (WIFSIGNALED(status)) {
    return fmt::format("was ended by signal {} ({})", WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
  }
  return fmt::format("ended with status {}", WEXITSTATUS(status));
}

}  // namespace tilewave
