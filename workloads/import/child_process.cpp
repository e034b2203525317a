// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/child_process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to us

namespace tilewave {
namespace {

/// A pipe whose ends close themselves.
struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) ends = {-1, -1};
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_end(std::size_t end) {
    if (ends[end] >= 0) close(ends[end]);
    ends[end] = -1;
  }
};

/// Reads what is there; false at the end.
bool read_some(int descriptor, std::string& text, std::size_t most_bytes) {
  std::array<char, 65536> buffer{};
  const ssize_t got = read(descriptor, buffer.data(), buffer.size());
  if (got < 0) return errno == EINTR;
  const auto room = most_bytes - std::min(most_bytes, text.size());
  text.append(buffer.data(), std::min(room, static_cast<std::size_t>(got)));
  return got > 0;
}

/// Both streams at once, so that neither fills up and stops the child.
void read_all(Pipe& out, Pipe& err, ChildOutput& output, std::size_t most_bytes) {
  std::array<pollfd, 2> ends{{{out.ends[0], POLLIN, 0}, {err.ends[0], POLLIN, 0}}};
  const std::array<std::string*, 2> texts{&output.out, &output.err};
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    if (poll(ends.data(), ends.size(), -1) < 0 && errno != EINTR) return;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (ends[i].fd < 0 || ends[i].revents == 0) continue;
      if (!read_some(ends[i].fd, *texts[i], most_bytes)) ends[i].fd = -1;
    }
  }
}

}  // namespace

std::optional<ChildOutput> run_child(const std::vector<std::string>& words,
                                     std::size_t most_bytes) {
  Pipe out, err;
  if (out.ends[0] < 0 || err.ends[0] < 0) return std::nullopt;
  std::vector<char*> arguments;
  for (const std::string& word : words) {
    arguments.push_back(const_cast<char*>(word.c_str()));  // NOLINT: it is POSIX that lacks const
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.ends[1], STDERR_FILENO);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  out.close_end(1);
  err.close_end(1);
  if (failed != 0) return std::nullopt;
  ChildOutput output;
  read_all(out, err, output, most_bytes);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  output.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return output;
}

}  // namespace tilewave
