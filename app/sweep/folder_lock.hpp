// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace tilewave {

/// Holds a folder for one sweep: while it lives, a second one gets a ConfigError that names the process. The
/// system lets go of it when the process ends, however it ends.
class FolderLock {
 public:
  /// Makes the folder if it is not there. `option` stands in messages.
  FolderLock(const std::filesystem::path& folder, const std::string& option);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace tilewave
