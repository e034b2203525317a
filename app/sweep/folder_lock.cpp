// SPDX-License-Identifier: Apache-2.0
#include "app/sweep/folder_lock.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>

#include "sim/diagnostics.hpp"

namespace tilewave {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLockFile = "sweep.lock";

[[noreturn]] void refuse(const std::string& option, const fs::path& folder,
                         const std::string& why) {
  throw ConfigError(
      Fault{.file = option, .path = "", .message = fmt::format("{} {}", folder.string(), why)});
}

std::string words_for(int error) { return std::generic_category().message(error); }

/// " (process 123)", as the one who holds it wrote.
std::string holder(int descriptor) {
  std::array<char, 32> text{};
  const ssize_t size = pread(descriptor, text.data(), text.size(), 0);
  std::string words(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  while (!words.empty() && words.back() == '\n') words.pop_back();
  return words.empty() ? "" : fmt::format(" (process {})", words);
}

}  // namespace

FolderLock::FolderLock(const fs::path& folder, const std::string& option) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder)) {
    refuse(option, folder,
           error ? fmt::format("cannot be made: {}", error.message()) : "is no folder");
  }
  const fs::path file = folder / kLockFile;
  constexpr mode_t kAllButExecute = 0666;  // less what the umask takes away
  // Close-on-exec: a worker must not hold the folder after its parent was killed.
  descriptor_ = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kAllButExecute);
  if (descriptor_ < 0) {
    refuse(option, folder, fmt::format("cannot be written: {}", words_for(errno)));
  }
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int why = errno;
    const std::string who = why == EWOULDBLOCK ? holder(descriptor_) : "";
    close(descriptor_);
    refuse(
        option, folder,
        why == EWOULDBLOCK
            ? fmt::format("is in use by another sweep{}: wait for it or choose another folder", who)
            : fmt::format("cannot be locked: {}", words_for(why)));
  }
  const std::string text = fmt::format("{}\n", getpid());
  // For the message alone: a full disk shows where results are written.
  [[maybe_unused]] const int cut = ftruncate(descriptor_, 0);
  [[maybe_unused]] const ssize_t written = pwrite(descriptor_, text.data(), text.size(), 0);
}

FolderLock::~FolderLock() { close(descriptor_); }

}  // namespace tilewave
