// SPDX-License-Identifier: Apache-2.0
#include "app/library/dram_library.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <system_error>

#include "app/library/arch_presets.hpp"
#include "arch/memory/dram/dram_config.hpp"
#include "sim/config/json_file.hpp"
#include "sim/config/json_path.hpp"
#include "sim/config/merge.hpp"
#include "sim/config/nearest.hpp"
#include "sim/config/reader.hpp"

namespace tilewave {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names_in(const fs::path& folder) {
  std::set<std::string, NaturalLess> names;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (entry->path().extension() == ".json") names.insert(entry->path().stem().string());
  }
  return {names.begin(), names.end()};
}

/// The file that `name_or_file` means, or the words for what is wrong with it.
Checked<fs::path> find_file(const std::string& kind, const std::string& name_or_file,
                            const fs::path& presets, const fs::path& folder) {
  std::error_code ignored;
  if (name_or_file.find('/') != std::string::npos ||
      fs::path(name_or_file).extension() == ".json") {
    const fs::path file = folder / name_or_file;
    if (!fs::exists(file, ignored)) {
      return {.value = std::nullopt, .fault = "no such file: " + file.string()};
    }
    return {.value = file, .fault = ""};
  }
  const auto names = names_in(presets);
  if (std::ranges::find(names, name_or_file) != names.end()) {
    return {.value = presets / (name_or_file + ".json"), .fault = ""};
  }
  const auto nearest = nearest_name(name_or_file, std::span<const std::string>(names));
  return {.value = std::nullopt,
          .fault = fmt::format("no {} {}{}", kind, in_quotes(name_or_file),
                               nearest ? fmt::format("; did you mean \"{}\"?", *nearest)
                                       : "; may be " + comma_list(names))};
}

/// Says for each value of `overlay`, below `path`, that it was put there.
void note_places(const Json& overlay, const std::string& path, std::vector<std::string>& places) {
  for (const auto& [key, value] : overlay.items()) {
    const std::string here = join_key(path, key);
    if (value.is_object()) {
      note_places(value, here, places);
    } else {
      places.push_back(here);
    }
  }
}

bool is_at_or_below(const std::string& path, const std::string& place) {
  return path.starts_with(place) &&
         (path.size() == place.size() || path[place.size()] == '.' || path[place.size()] == '[');
}

class Loader {
 public:
  Loader(const fs::path& config_dir, const DramOverrides& overrides, Diagnostics& diagnostics)
      : folder_(config_dir / "dram"), overrides_(overrides), diagnostics_(diagnostics) {}

  std::optional<DramParams> load(const fs::path& file) {
    auto dram = read(file);
    hand_on(file.string());
    return faults_.ok() ? std::move(dram) : std::nullopt;
  }

 private:
  std::optional<DramParams> read(const fs::path& file) {
    auto json = load_object(file, "a memory");
    if (!json) return std::nullopt;
    if (!overrides_.values.is_null()) *json = deep_merge(std::move(*json), overrides_.values);
    if (!json->contains("name")) (*json)["name"] = file.stem().string();
    const std::string name = file.string();
    if (json->contains("standard") && json->at("standard").is_object()) {
      const Json rules = std::move(json->at("standard"));
      json->at("standard") = name;  // read_dram() only wants it named
      ObjectReader standard(rules, name, "standard", faults_);
      ObjectReader preset(*json, name, "", faults_);
      return read_dram(preset, standard);
    }
    ObjectReader preset(*json, name, "", faults_);
    const std::string standard_name = preset.text("standard", "");
    if (!preset.ok()) return std::nullopt;
    const auto place =
        find_file("DRAM standard", standard_name, folder_ / "standards", file.parent_path());
    if (!place.value) {
      preset.error("standard", place.fault);
      return std::nullopt;
    }
    const auto rules = load_object(*place.value, "a DRAM standard");
    if (!rules) return std::nullopt;
    ObjectReader standard(*rules, place.value->string(), "", faults_);
    return read_dram(preset, standard);
  }

  std::optional<Json> load_object(const fs::path& file, const char* what) {
    auto json = load_json_file(file, faults_);
    if (json && !json->is_object()) {
      faults_.error(file.string(), "",
                    fmt::format("{} is a JSON object, this is {}", what, shown_with_type(*json)));
      return std::nullopt;
    }
    return json;
  }

  /// Passes the faults on; those in what the overrides gave as the overriding file's.
  void hand_on(const std::string& file) {
    std::vector<std::string> places;
    if (overrides_.values.is_object()) note_places(overrides_.values, "", places);
    const auto placed = [&](Fault fault) {
      const bool ours = fault.file == file && std::ranges::any_of(places, [&](const auto& place) {
                          return is_at_or_below(fault.path, place);
                        });
      if (ours) {
        fault.file = overrides_.file;
        fault.path = overrides_.path + (overrides_.path.empty() ? "" : ".") + fault.path;
      }
      return fault;
    };
    for (const Fault& fault : faults_.errors()) diagnostics_.error(placed(fault));
    for (const Fault& fault : faults_.warnings()) diagnostics_.warning(placed(fault));
  }

  fs::path folder_;
  const DramOverrides& overrides_;
  Diagnostics& diagnostics_;
  Diagnostics faults_;
};

std::string capacity_text(Bytes bytes) {
  constexpr double kGib = 1024.0 * 1024 * 1024;
  return fmt::format("{:.4g} GiB", static_cast<double>(bytes) / kGib);
}

}  // namespace

std::optional<DramParams> load_dram(const std::string& name_or_file, const DramOverrides& overrides,
                                    const fs::path& config_dir, const fs::path& folder,
                                    Diagnostics& diagnostics) {
  const auto file = find_file("memory", name_or_file, config_dir / "dram", folder);
  if (!file.value) {
    diagnostics.error(overrides.file, overrides.path, file.fault);
    return std::nullopt;
  }
  return Loader(config_dir, overrides, diagnostics).load(*file.value);
}

std::optional<DramParams> load_dram(const std::string& name_or_file, const fs::path& config_dir,
                                    Diagnostics& diagnostics) {
  return load_dram(name_or_file, {}, config_dir, fs::path(), diagnostics);
}

std::vector<DramEntry> list_dram(const fs::path& config_dir) {
  std::vector<DramEntry> entries;
  for (const std::string& name : names_in(config_dir / "dram")) {
    Diagnostics faults;
    const auto dram = load_dram(name, config_dir, faults);
    const auto json = load_json_file(config_dir / "dram" / (name + ".json"), faults);
    const Json* note = json ? find_value(*json, "note") : nullptr;
    entries.push_back({name, !dram                                  ? "(faulty: a run tells why)"
                             : note != nullptr && note->is_string() ? note->get<std::string>()
                                                                    : describe_dram(*dram)});
  }
  return entries;
}

std::string describe_dram(const DramParams& dram) {
  const DramOrganisation& o = dram.organisation;
  return fmt::format("{} x {} x {} bits at {:.4g} Gb/s, {:.4g} GB/s, {}", o.channels,
                     o.pseudo_channels, o.data_bits, dram.data_rate_mbps * 1e-3,
                     dram.peak_gb_per_s(), capacity_text(dram.capacity_bytes()));
}

}  // namespace tilewave
