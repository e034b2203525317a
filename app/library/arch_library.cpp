// SPDX-License-Identifier: Apache-2.0
#include "app/library/arch_library.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/library/arch_document.hpp"
#include "app/library/dram_library.hpp"
#include "arch/chip/main_memory_config.hpp"
#include "arch/energy/energy_config.hpp"
#include "sim/config/json_path.hpp"
#include "sim/config/merge.hpp"
#include "sim/config/nearest.hpp"
#include "sim/config/reader.hpp"

namespace tilewave {
namespace {

namespace fs = std::filesystem;

/// Puts PATH=VALUE in. Objects that it makes on the way are its own too: faults about them name it.
void apply_set(const std::string& assignment, ArchDocument& document, Diagnostics& diagnostics) {
  const auto steps = parse_path(std::string_view(assignment).substr(0, assignment.find('=')));
  std::string path;
  for (const PathStep& step : steps.value_or(std::vector<PathStep>{})) {
    path = step.in_brackets ? join_index(path, step.index) : join_key(path, step.key);
    if (find_value(document.json, path) == nullptr) {
      diagnostics.set_origin(document.file, path, kOverrideLabel);
      break;
    }
  }
  if (set_path(document.json, assignment, diagnostics, document.file, kOverrideLabel) && steps &&
      !steps->empty() && steps->front().key == "energy") {
    document.energy_folder = fs::path();  // a path on the command line is relative to where we are
  }
}

std::string names_of(const std::map<std::string, double, std::less<>>& entries) {
  std::string names;
  for (const auto& [name, value] : entries) {
    names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

void read_energy(const ArchDocument& document, const fs::path& config_dir, ResolvedArch& arch,
                 Diagnostics& diagnostics) {
  const fs::path presets = config_dir / "energy";
  const std::string& name = arch.gpu ? arch.gpu->energy : arch.chip.energy;
  const auto file = find_energy_table(name, presets, document.energy_folder);
  if (!file.value) {
    diagnostics.error(document.file, "energy", file.fault);
    return;
  }
  auto table = load_energy_table(*file.value, presets, diagnostics);
  if (!table) {
    return;
  }
  arch.energy = std::move(*table);
  const auto check = [&](const char* path, const std::string& kind, const auto& entries) {
    if (!entries.contains(kind)) {
      diagnostics.error(document.file, path,
                        fmt::format("the energy table {} has no {}; it has {}", arch.energy.name,
                                    in_quotes(kind), names_of(entries)));
    }
  };
  const MainMemoryParams& dram = arch.gpu ? arch.gpu->dram : arch.chip.dram;
  if (dram.preset.empty()) check("memory.dram.kind", dram.kind, arch.energy.dram_pj_per_bit);
  if (arch.chip.host) {
    check("memory.host.type", arch.chip.host->type, arch.energy.host_link_pj_per_bit);
  }
}

std::string with_spaces(std::string text) {
  std::ranges::replace(text, '_', ' ');
  return text;
}

std::string in_capitals(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

ResolvedArch read_document(ArchDocument document, std::span<const std::string> sets,
                           const fs::path& config_dir, Diagnostics& diagnostics) {
  ResolvedArch arch;
  arch.file = document.file;
  for (const std::string& assignment : sets) {
    apply_set(assignment, document, diagnostics);
  }
  ObjectReader reader(document.json, document.file, "", diagnostics);
  if (is_gpu(document.json)) {
    GpuParams gpu = read_gpu(reader);
    if (reader.ok()) load_memory(document.file, config_dir, gpu.dram, diagnostics);
    arch.gpu = std::make_shared<const GpuParams>(std::move(gpu));
    if (reader.ok()) read_energy(document, config_dir, arch, diagnostics);
    return arch;
  }
  arch.chip = read_chip(reader);
  if (reader.ok()) {
    load_memory(document.file, config_dir, arch.chip.dram, diagnostics);
    read_energy(document, config_dir, arch, diagnostics);
  }
  return arch;
}

}  // namespace

void load_memory(const std::string& file, const fs::path& config_dir, MainMemoryParams& memory,
                 Diagnostics& diagnostics) {
  if (memory.preset.empty()) return;
  const DramOverrides changes{.values = memory.preset_changes, .file = file, .path = "memory.dram"};
  const auto dram =
      load_dram(memory.preset, changes, config_dir, fs::path(file).parent_path(), diagnostics);
  if (dram) set_controllers(memory, *dram);
}

ResolvedArch resolve_arch(const std::string& name_or_file, std::span<const std::string> sets,
                          const fs::path& config_dir, Diagnostics& diagnostics) {
  const auto place = find_arch(name_or_file, config_dir, fs::path());
  if (!place) {
    diagnostics.error("", "", unknown_arch_message(name_or_file, config_dir));
    return {};
  }
  return resolve_arch(*place, sets, config_dir, diagnostics);
}

ResolvedArch resolve_arch(const ArchPlace& place, std::span<const std::string> sets,
                          const fs::path& config_dir, Diagnostics& diagnostics) {
  auto document = load_arch_document(place, config_dir, diagnostics);
  if (!document) {
    return {};
  }
  return read_document(std::move(*document), sets, config_dir, diagnostics);
}

ResolvedArch resolve_arch(const Json& json, const std::string& label,
                          std::span<const std::string> sets, const fs::path& config_dir,
                          Diagnostics& diagnostics) {
  auto document = load_arch_document(json, label, config_dir, diagnostics);
  if (!document) return {};
  return read_document(std::move(*document), sets, config_dir, diagnostics);
}

std::vector<ArchEntry> list_arch(const fs::path& config_dir) {
  std::vector<ArchEntry> entries;
  for (const auto& [name, place] : arch_presets(config_dir)) {
    Diagnostics faults;
    const auto document = load_arch_document(place, config_dir, faults);
    std::string description;
    if (document) {
      ObjectReader reader(document->json, document->file, "", faults);
      const Json* note = find_value(document->json, "note");
      const bool has_note = note != nullptr && note->is_string();
      if (is_gpu(document->json)) {
        GpuParams gpu = read_gpu(reader);
        load_memory(document->file, config_dir, gpu.dram, faults);
        description = has_note ? note->get<std::string>() : fmt::format("GPU, {} SMs", gpu.cores);
      } else {
        ChipParams chip = read_chip(reader);
        load_memory(document->file, config_dir, chip.dram, faults);
        description = has_note ? note->get<std::string>() : describe_arch(to_json(chip));
      }
    }
    if (!faults.ok()) {
      description = "(faulty: tilewave check " + place.file.string() + ")";
    }
    entries.push_back({name, description});
  }
  return entries;
}

std::string describe_arch(const Json& arch) {
  const auto find = [&](const char* path) { return find_value(arch, path); };
  const auto number = [&](const char* path) {
    const Json* value = find(path);
    return value != nullptr && value->is_number() ? value->get<double>() : 0.0;
  };
  const auto text = [&](const char* path) {
    const Json* value = find(path);
    return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
  };
  std::string words =
      fmt::format("{} x {} {}", number("core.matrix_unit.rows"), number("core.matrix_unit.cols"),
                  with_spaces(text("core.matrix_unit.dataflow")));
  if (text("core.matrix_unit.kind") == "cube") {
    words = fmt::format("{} x {} x {} cube", number("core.matrix_unit.rows"),
                        number("core.matrix_unit.cols"), number("core.matrix_unit.depth"));
  }
  if (text("core.type") == "sm") {
    const std::string tensor = text("core.matrix_unit.instruction");
    words = fmt::format("SM of {} sub-cores{}", number("core.sub_cores"),
                        tensor.empty() ? " without tensor cores" : " with tensor cores, " + tensor);
  }
  if (number("core.matrix_unit.count") > 1) {
    words = fmt::format("{} arrays of {}", number("core.matrix_unit.count"), words);
  }
  if (number("cores") > 1) words = fmt::format("{} cores, each {}", number("cores"), words);
  if (number("chips") > 1) words = fmt::format("{} chips of {}", number("chips"), words);
  words += fmt::format(", {:.4g} GHz", number("clock_ghz"));
  if (text("memory.dram.model") == "ideal") {
    return words + ", ideal memory";
  }
  if (text("memory.dram.model") == "controller") {
    return words + fmt::format(", {:.4g} channels of {}",
                               number("memory.dram.organisation.channels"),
                               with_spaces(text("memory.dram.preset")));
  }
  return words + fmt::format(", {:.4g} GB/s {}", number("memory.dram.bandwidth_gb_per_s"),
                             in_capitals(text("memory.dram.kind")));
}

std::string unknown_arch_message(const std::string& name, const fs::path& config_dir) {
  std::vector<std::string> names;
  for (const auto& [preset, place] : arch_presets(config_dir)) {
    names.push_back(preset);
  }
  const auto nearest = nearest_name(name, std::span<const std::string>(names));
  return fmt::format("no machine {} among the presets (tilewave list arch) and files{}",
                     in_quotes(name),
                     nearest ? fmt::format("; did you mean \"{}\"?", *nearest) : "");
}

}  // namespace tilewave
