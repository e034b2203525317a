// SPDX-License-Identifier: Apache-2.0
#include "app/library/arch_document.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <system_error>
#include <vector>

#include "app/library/arch_family.hpp"
#include "app/library/arch_library.hpp"
#include "sim/config/json_file.hpp"
#include "sim/config/json_path.hpp"
#include "sim/config/merge.hpp"

namespace tilewave {
namespace {

namespace fs = std::filesystem;

/// Keys of a machine's file: there are hundreds. Merging looks each up among the others.
constexpr std::size_t kMostKeys = 10'000;

/// Keys that say something about one file and are not handed down.
constexpr std::array<std::string_view, 5> kOwnKeys{"name", "note", "comment", "source", "sources"};

/// Keys of the value's objects; counting ends at `most`.
std::size_t count_keys(const Json& json, std::size_t most) {
  std::size_t keys = json.is_object() ? json.size() : 0;
  if (!json.is_structured()) return 0;
  for (auto value = json.begin(); value != json.end() && keys < most; ++value) {
    keys += count_keys(*value, most - keys);
  }
  return keys;
}

class Loader {
 public:
  Loader(const ArchPlace& place, const fs::path& config_dir, Diagnostics& diagnostics)
      : document_(place.file.string()), config_dir_(config_dir), diagnostics_(diagnostics) {}

  std::optional<ArchDocument> load(const ArchPlace& place) {
    const bool sound_so_far = enter(place);
    auto json = sound_so_far ? load_json_file(place.file, diagnostics_) : std::nullopt;
    return json ? complete(place, std::move(json)) : std::nullopt;
  }

  /// What stands at `place`, with what it extends.
  std::optional<ArchDocument> complete(const ArchPlace& place, std::optional<Json> json) {
    const std::string file = place.file.string();
    if (!json->is_object()) {
      diagnostics_.error(
          file, "", fmt::format("a machine is a JSON object, this is {}", shown_with_type(*json)));
      return std::nullopt;
    }
    if (count_keys(*json, kMostKeys + 1) > kMostKeys) {
      diagnostics_.error(file, "", fmt::format("has more than {} keys", kMostKeys));
      return std::nullopt;
    }
    const auto member = find_member(place, *json);
    const Json extends = take(*json, "extends");
    const bool is_family = json->contains("family");
    json->erase("family");
    if (is_family && !member) {
      return std::nullopt;
    }
    ArchDocument result{.file = document_, .json = Json::object(), .energy_folder = {}};
    if (!extends.is_null()) {
      auto base = load_base(place, extends);
      if (!base) {
        return std::nullopt;
      }
      result = std::move(*base);
      for (const std::string_view key : kOwnKeys) {
        result.json.erase(std::string(key));
      }
    }
    if (json->contains("energy") || result.energy_folder.empty()) {
      result.energy_folder = place.file.parent_path();
    }
    note_origins(*json, result.json, "", file);
    Json merged = {{"name", place.file.stem().string()}};
    merged.update(deep_merge(std::move(result.json), *json));
    result.json = std::move(merged);
    if (member) {
      apply(*member, file, result.json);
    }
    return result;
  }

 private:
  static Json take(Json& json, const char* key) {
    Json value = json.contains(key) ? json[key] : Json();
    json.erase(key);
    return value;
  }

  /// Reports a file that comes to extend itself.
  bool enter(const ArchPlace& place) {
    std::error_code error;
    const fs::path canonical = fs::weakly_canonical(place.file, error);
    const fs::path& file = error ? place.file : canonical;
    const bool seen = std::ranges::any_of(chain_, [&](const ArchPlace& earlier) {
      return earlier.file == file && earlier.member == place.member;
    });
    chain_.push_back({.file = file, .member = place.member});
    if (!seen) {
      return true;
    }
    std::string way;
    for (const ArchPlace& step : chain_) {
      way += (way.empty() ? "" : " -> ") +
             (step.member.empty() ? step.file.filename().string() : step.member);
    }
    diagnostics_.error(document_, "extends", fmt::format("goes in a circle: {}", way));
    return false;
  }

  std::optional<FamilyMember> find_member(const ArchPlace& place, const Json& json) {
    if (!json.contains("family")) {
      return std::nullopt;
    }
    const std::string file = place.file.string();
    ObjectReader top(json, file, "", diagnostics_);
    const auto members = read_family(top.object("family", "the machines this file stands for"));
    for (const FamilyMember& member : members) {
      if (member.name == place.member) {
        return member;
      }
    }
    if (!members.empty()) {
      diagnostics_.error(file, "family",
                         fmt::format("this file stands for {} machines; name one of them: {} … {}",
                                     members.size(), members.front().name, members.back().name));
    }
    return std::nullopt;
  }

  std::optional<ArchDocument> load_base(const ArchPlace& place, const Json& extends) {
    const std::string file = place.file.string();
    if (!extends.is_string() || extends.get<std::string>().empty()) {
      diagnostics_.error(
          file, "extends",
          fmt::format("must be the name of a preset or a file, is {}", shown_with_type(extends)));
      return std::nullopt;
    }
    const auto name = extends.get<std::string>();
    const auto base = find_arch(name, config_dir_, place.file.parent_path());
    if (!base) {
      diagnostics_.error(file, "extends", unknown_arch_message(name, config_dir_));
      return std::nullopt;
    }
    std::error_code ignored;
    if (!fs::exists(base->file, ignored)) {
      diagnostics_.error(file, "extends", fmt::format("no such file: {}", base->file.string()));
      return std::nullopt;
    }
    return load(*base);
  }

  /// Says for each value that `overlay` brings where it came from. An object that is there already
  /// stays with the file that brought it.
  void note_origins(const Json& overlay, const Json& base, const std::string& path,
                    const std::string& file) {
    for (const auto& [key, value] : overlay.items()) {
      const std::string here = join_key(path, key);
      const auto in_base = base.is_object() ? base.find(key) : base.end();
      const bool merges = value.is_object() && in_base != base.end() && in_base->is_object();
      if (!merges) {
        diagnostics_.set_origin(document_, here, file);
      } else {
        note_origins(value, *in_base, here, file);
      }
    }
  }

  void apply(const FamilyMember& member, const std::string& file, Json& json) {
    for (const auto& [path, value] : member.changes) {
      Diagnostics faults;
      if (!set_value(json, path, value, faults)) {
        for (const Fault& fault : faults.errors()) {
          diagnostics_.error(file, join_key("family.set", path), fault.message);
        }
      }
      diagnostics_.set_origin(document_, path, file);
    }
    json["name"] = member.name;
  }

  std::string document_;
  const fs::path& config_dir_;
  Diagnostics& diagnostics_;
  std::vector<ArchPlace> chain_;
};

}  // namespace

std::optional<ArchDocument> load_arch_document(const ArchPlace& place, const fs::path& config_dir,
                                               Diagnostics& diagnostics) {
  return Loader(place, config_dir, diagnostics).load(place);
}

std::optional<ArchDocument> load_arch_document(const Json& json, const std::string& label,
                                               const fs::path& config_dir,
                                               Diagnostics& diagnostics) {
  const ArchPlace place{.file = label, .member = {}};
  return Loader(place, config_dir, diagnostics).complete(place, json);
}

}  // namespace tilewave
