// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output_file.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "sim/diagnostics.hpp"

namespace tilewave {
namespace {

namespace fs = std::filesystem;

std::string words_for(int error) { return std::generic_category().message(error); }

/// A name beside the target that nobody else uses: hidden, and marked as ours.
fs::path staging_name(const fs::path& target) {
  return target.parent_path() /
         fmt::format(".{}.{}.tmp", target.filename().string(), static_cast<long>(getpid()));
}

/// Makes a new file; -1 and errno if that is not possible.
int create(const fs::path& path) {
  constexpr mode_t kAllButExecute = 0666;  // less what the umask takes away
  return open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kAllButExecute);
}

/// 0, or the error.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0) {
      return errno;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

/// An open file, closed in any case.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { (void)close_now(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] int number() const { return number_; }
  /// False and errno: what was written may not have arrived.
  bool close_now() { return number_ < 0 || close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

/// While one lives, signals that would end the program (Ctrl-C, SIGTERM, SIGHUP) wait: they arrive
/// when it is gone. For the milliseconds in which files are written.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t held{};
    sigemptyset(&held);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      sigaddset(&held, signal);
    }
    pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_{};
};

/// Follows symbolic links, so that a link stays one and what it points to is replaced.
fs::path real_target(const fs::path& target) {
  std::error_code error;
  if (target.empty()) return target;
  const fs::path full = fs::absolute(target);  // a relative one that is not there would stay so
  const fs::path found = fs::weakly_canonical(full, error);
  return error || found.empty() ? full : found;
}

}  // namespace

OutputFile::OutputFile(std::string option, const fs::path& target)
    : option_(std::move(option)), shown_(target.string()), target_(real_target(target)) {
  const auto refuse = [&](const std::string& why) {
    throw ConfigError(
        Fault{.file = option_, .path = "", .message = fmt::format("{} {}", shown_, why)});
  };
  if (shown_.empty() || shown_.back() == '/') {
    refuse("is no name for a file");
  }
  std::error_code ignored;
  const fs::file_status status = fs::status(target_, ignored);
  if (fs::is_directory(status)) {
    refuse("is a directory, not a file");
  }
  const bool exists = fs::exists(status);
  if (exists && access(target_.c_str(), W_OK) != 0) {
    refuse(fmt::format("cannot be written: {}", words_for(errno)));
  }
  // /dev/stdout may lead to a regular file, which is open and must stay the one it is.
  straight_ = exists && (!fs::is_regular_file(status) || shown_.starts_with("/dev/") ||
                         shown_.starts_with("/proc/"));
  if (straight_) {
    return;
  }
  const fs::path folder = target_.parent_path();
  if (!fs::is_directory(folder, ignored)) {
    refuse("cannot be written: there is no such directory");
  }
  const fs::path probe = staging_name(target_);
  const SignalsHeld held;
  const int descriptor = create(probe);
  if (descriptor < 0) {
    refuse(fmt::format("cannot be written: {}", words_for(errno)));
  }
  close(descriptor);
  unlink(probe.c_str());
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : option_(std::move(other.option_)),
      shown_(std::move(other.shown_)),
      target_(std::move(other.target_)),
      staged_(std::exchange(other.staged_, fs::path())),
      straight_(other.straight_) {}

void OutputFile::discard() noexcept {
  if (!staged_.empty()) {
    unlink(staged_.c_str());
    staged_.clear();
  }
}

void OutputFile::fail(int error) const {
  throw OutputError(fmt::format("{}: {} cannot be written: {}", option_, shown_, words_for(error)));
}

void OutputFile::stage(std::string_view text) {
  stage_parts([&](const TakePart& take) { take(text); });
}

void OutputFile::stage_parts(const std::function<void(const TakePart&)>& produce) {
  const fs::path name = straight_ ? target_ : staging_name(target_);
  Descriptor descriptor(straight_ ? open(target_.c_str(), O_WRONLY | O_CLOEXEC) : create(name));
  if (descriptor.number() < 0) {
    fail(errno);
  }
  if (!straight_) {
    staged_ = name;
    struct stat before {};
    if (stat(target_.c_str(), &before) == 0) {
      // Who may read the file stays as it was; if that is not ours to set, the default does.
      [[maybe_unused]] const int result = fchmod(descriptor.number(), before.st_mode & 07777U);
    }
  }
  produce([&](std::string_view part) {
    if (const int error = write_all(descriptor.number(), part); error != 0) {
      fail(error);
    }
  });
  // A full disk may show only here.
  if (!descriptor.close_now()) {
    fail(errno);
  }
}

void OutputFile::commit() {
  if (staged_.empty()) {
    return;
  }
  if (rename(staged_.c_str(), target_.c_str()) != 0) {
    fail(errno);
  }
  staged_.clear();
}

void OutputFiles::add(std::string option, const fs::path& target) {
  OutputFile file(std::move(option), target);
  for (const Entry& other : entries_) {
    if (!file.is_straight() && other.file.target() == file.target()) {
      throw ConfigError(Fault{.file = file.option(),
                              .path = "",
                              .message = fmt::format("{} is the target of {} already",
                                                     target.string(), other.file.option())});
    }
  }
  entries_.push_back(Entry{.file = std::move(file), .text = {}});
}

bool OutputFiles::has(std::string_view option) const {
  return std::ranges::any_of(entries_,
                             [&](const Entry& entry) { return entry.file.option() == option; });
}

void OutputFiles::set(std::string_view option, std::string text) {
  for (Entry& entry : entries_) {
    if (entry.file.option() == option) {
      entry.text = std::move(text);
      return;
    }
  }
}

void OutputFiles::write() {
  for (Entry& entry : entries_) {
    if (entry.file.is_straight()) {
      entry.file.stage(entry.text);
    }
  }
  const SignalsHeld held;
  try {
    for (Entry& entry : entries_) {
      if (!entry.file.is_straight()) {
        entry.file.stage(entry.text);
      }
    }
    for (Entry& entry : entries_) {
      entry.file.commit();
    }
  } catch (...) {
    for (Entry& entry : entries_) {
      entry.file.discard();
    }
    throw;
  }
}

void write_stdout(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) {
    throw OutputError(fmt::format("standard output cannot be written: {}", words_for(errno)));
  }
}

}  // namespace tilewave
