// SPDX-License-Identifier: Apache-2.0
#include "app/library/arch_presets.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>
#include <vector>

#include "app/library/arch_family.hpp"
#include "sim/config/json_cache.hpp"

namespace tilewave {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> json_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (entry->path().extension() == ".json") {
      files.push_back(entry->path());
    }
  }
  std::ranges::sort(files);
  return files;
}

/// Members of a family file; none if it is a plain file or its family is not sound.
std::vector<FamilyMember> members_of(const fs::path& file) {
  Diagnostics ignored;
  const auto json = load_shared_json(file, ignored);
  if (json == nullptr || !json->is_object() || !json->contains("family")) {
    return {};
  }
  ObjectReader top(*json, file.string(), "", ignored);
  return read_family(top.object("family", ""));
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The digits from `at` on, without leading zeros; moves `at` behind them.
std::string_view number_at(std::string_view text, std::size_t& at) {
  const std::size_t begin = std::min(text.find_first_not_of('0', at), text.size());
  std::size_t end = begin;
  while (end < text.size() && is_digit(text[end])) {
    ++end;
  }
  at = end;
  return text.substr(begin, end - begin);
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

}  // namespace

bool NaturalLess::operator()(std::string_view a, std::string_view b) const {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const std::string_view x = number_at(a, i);
      const std::string_view y = number_at(b, j);
      if (x.size() != y.size()) {
        return x.size() < y.size();
      }
      if (x != y) {
        return x < y;
      }
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    } else {
      ++i, ++j;
    }
  }
  const bool a_is_over = i == a.size();
  const bool b_is_over = j == b.size();
  return a_is_over != b_is_over ? a_is_over : a < b;  // x_8 and x_08 are different names
}

ArchPresets arch_presets(const fs::path& config_dir) {
  ArchPresets presets;
  for (const fs::path& file : json_files(config_dir / "arch")) {
    const auto members = members_of(file);
    if (members.empty()) {
      presets.insert_or_assign(file.stem().string(), ArchPlace{.file = file, .member = {}});
    }
    for (const FamilyMember& member : members) {
      presets.try_emplace(member.name, ArchPlace{.file = file, .member = member.name});
    }
  }
  return presets;
}

std::optional<ArchPlace> find_arch(const std::string& name_or_file, const fs::path& config_dir,
                                   const fs::path& folder) {
  const fs::path as_file = folder / name_or_file;
  if (name_or_file.find('/') != std::string::npos || as_file.extension() == ".json") {
    return ArchPlace{.file = as_file, .member = {}};
  }
  const fs::path preset = config_dir / "arch" / (name_or_file + ".json");
  if (!name_or_file.empty() && is_there(preset)) {
    return ArchPlace{.file = preset, .member = {}};
  }
  const auto presets = arch_presets(config_dir);
  if (const auto found = presets.find(name_or_file); found != presets.end()) {
    return found->second;
  }
  if (!name_or_file.empty() && is_there(as_file)) {
    return ArchPlace{.file = as_file, .member = {}};
  }
  return std::nullopt;
}

}  // namespace tilewave
