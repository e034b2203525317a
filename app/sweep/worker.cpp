// SPDX-License-Identifier: Apache-2.0
#include "app/sweep/worker.hpp"

#include <cerrno>
#include <csignal>
#include <string>
#include <sys/prctl.h>
#include <unistd.h>

#include "app/sweep/run_point.hpp"

namespace tilewave {
namespace {

/// False: nobody is there to read it.
bool send(int descriptor, std::string text) {
  text += '\n';
  std::string_view left = text;
  while (!left.empty()) {
    const ssize_t written = write(descriptor, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// The next line, without its end. False: there are no more.
bool receive(int descriptor, std::string& buffer, std::string& line) {
  while (true) {
    if (const auto end = buffer.find('\n'); end != std::string::npos) {
      line = buffer.substr(0, end);
      buffer.erase(0, end + 1);
      return true;
    }
    char bytes[4096];
    const ssize_t size = read(descriptor, bytes, sizeof bytes);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return false;
    buffer.append(bytes, static_cast<std::size_t>(size));
  }
}

}  // namespace

void serve_tasks(long parent) {
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) return;  // it ended before we asked to be told
  const int answers = dup(STDOUT_FILENO);
  if (answers < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return;
  std::string buffer, task;
  bool wanted = send(answers, std::string(kWorkerReady));
  while (wanted && receive(STDIN_FILENO, buffer, task)) wanted = send(answers, run_point(task));
  close(answers);
}

}  // namespace tilewave
