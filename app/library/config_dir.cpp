// SPDX-License-Identifier: Apache-2.0
#include "app/library/config_dir.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "sim/diagnostics.hpp"

namespace tilewave {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVariable = "TILEWAVE_CONFIG_DIR";

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

/// Empty if not set: so is a variable that holds nothing.
fs::path from_environment() {
  const char* value = std::getenv(kVariable);
  return value == nullptr ? fs::path() : fs::path(value);
}

/// Of set_data_folder(); empty: not called.
fs::path& own_data_folder() {
  static fs::path folder;
  return folder;
}

/// Folders that may hold configs/ and viz/, the best first.
std::vector<fs::path> data_folders() {
  std::vector<fs::path> folders;
  if (!own_data_folder().empty()) folders.push_back(own_data_folder());
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    folders.push_back(program.parent_path().parent_path() / "share" / "tilewave");
  }
  folders.emplace_back(TILEWAVE_SOURCE_DIR);
  return folders;
}

[[noreturn]] void fail(const char* what, const std::vector<fs::path>& looked_in) {
  std::string places;
  for (const fs::path& place : looked_in) {
    places += (places.empty() ? "" : " and ") + place.string();
  }
  throw ConfigError(Fault{.file = "",
                          .path = "",
                          .message = fmt::format("cannot find {} (looked in {}); set {} to the "
                                                 "folder configs/ of Tilewave",
                                                 what, places, kVariable)});
}

}  // namespace

void set_data_folder(fs::path folder) { own_data_folder() = std::move(folder); }

fs::path config_dir() {
  if (fs::path given = from_environment(); !given.empty()) {
    if (is_folder(given)) {
      return given;
    }
    throw ConfigError(Fault{
        .file = kVariable, .path = "", .message = fmt::format("{} is no folder", given.string())});
  }
  std::vector<fs::path> looked_in;
  for (const fs::path& folder : data_folders()) {
    looked_in.push_back(folder / "configs");
    if (is_folder(looked_in.back() / "arch")) {
      return looked_in.back();
    }
  }
  fail("the presets", looked_in);
}

fs::path viz_dir() {
  std::vector<fs::path> looked_in;
  if (const fs::path given = from_environment(); !given.empty()) {
    looked_in.push_back(fs::absolute(given).lexically_normal().parent_path() / "viz");
  }
  for (const fs::path& folder : data_folders()) {
    looked_in.push_back(folder / "viz");
  }
  for (const fs::path& folder : looked_in) {
    if (is_folder(folder)) {
      return folder;
    }
  }
  fail("the parts of the HTML report", looked_in);
}

fs::path plotly_bundle() {
  const fs::path installed = viz_dir() / "plotly.min.js", built = TILEWAVE_PLOTLY_BUNDLE;
  std::error_code ignored;
  if (fs::is_regular_file(installed, ignored)) return installed;
  if (fs::is_regular_file(built, ignored)) return built;
  throw ConfigError(Fault{
      .file = "",
      .path = "",
      .message = fmt::format("cannot find Plotly's bundle, which pages carry (looked for {} "
                             "and {}); copy plotly.min.js of the Python package plotly to one "
                             "of these",
                             installed.string(), built.string())});
}

}  // namespace tilewave
