// SPDX-License-Identifier: Apache-2.0
#include "sim/config/json_cache.hpp"

#include <cstdint>
#include <ctime>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <utility>

#include "sim/config/json_file.hpp"
#include "sim/config/text_file.hpp"

namespace tilewave {
namespace {

constexpr std::int64_t kLargestBytes = 256 << 10;  // presets are kilobytes
constexpr std::size_t kMostFiles = 512;
constexpr std::int64_t kSettledSeconds = 2;  // the coarsest clock of a file system in use (FAT)

/// What changes when a file does.
struct FileStamp {
  std::uint64_t device = 0, inode = 0;
  std::int64_t bytes = 0;
  std::int64_t changed_s = 0, changed_ns = 0;  ///< the content
  std::int64_t touched_s = 0, touched_ns = 0;  ///< or the inode: set back by no tool
  friend bool operator==(const FileStamp&, const FileStamp&) = default;

  [[nodiscard]] bool may_be_kept() const {
    return bytes <= kLargestBytes && std::time(nullptr) - touched_s > kSettledSeconds &&
           std::time(nullptr) - changed_s > kSettledSeconds;
  }
};

std::optional<FileStamp> stamp_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return FileStamp{.device = status.st_dev,
                   .inode = status.st_ino,
                   .bytes = status.st_size,
                   .changed_s = status.st_mtim.tv_sec,
                   .changed_ns = status.st_mtim.tv_nsec,
                   .touched_s = status.st_ctim.tv_sec,
                   .touched_ns = status.st_ctim.tv_nsec};
}

class Cache {
 public:
  std::shared_ptr<const Json> find(const std::string& path, const FileStamp& stamp) {
    const std::lock_guard guard(mutex_);
    const auto found = files_.find(path);
    return found != files_.end() && found->second.first == stamp ? found->second.second : nullptr;
  }
  void keep(const std::string& path, const FileStamp& stamp, std::shared_ptr<const Json> json) {
    const std::lock_guard guard(mutex_);
    if (files_.size() >= kMostFiles) files_.clear();
    files_.insert_or_assign(path, std::pair(stamp, std::move(json)));
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::pair<FileStamp, std::shared_ptr<const Json>>> files_;
};

Cache& cache() {
  static Cache all;
  return all;
}

}  // namespace

std::shared_ptr<const Json> load_shared_json(const std::filesystem::path& path,
                                             Diagnostics& diagnostics) {
  const std::string name = path.string();
  const auto stamp = stamp_of(name);
  if (stamp) {
    if (auto known = cache().find(name, *stamp)) return known;
  }
  const bool may_be_kept = stamp && stamp->may_be_kept();
  const std::size_t errors_before = diagnostics.error_calls();
  const auto text = read_file(path, diagnostics);
  auto json = text ? parse_json(*text, name, diagnostics) : std::nullopt;
  if (!json) return nullptr;
  auto shared = std::make_shared<Json>(std::move(*json));
  if (may_be_kept && diagnostics.error_calls() == errors_before) {
    cache().keep(name, *stamp, shared);
  }
  return shared;
}

}  // namespace tilewave
