// SPDX-License-Identifier: Apache-2.0
// docs/dram_file.md has every key that memories and standards may have, with the range and the
// default that the reader knows; its tables of presets are what the presets are.
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/doc_tables.hpp"

#include "app/library/dram_library.hpp"
#include "arch/memory/dram/dram_config.hpp"
#include "sim/config/json_file.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

std::filesystem::path configs() { return std::filesystem::path(TILEWAVE_TEST_DIR) / "../configs"; }

struct Keys {
  KeyDocs memory, standard;
};

/// HBM2 has all keys: a REFpb too. One row stands for the cycles of all timings.
std::vector<KeyDoc> keys_of(const KeyDocs& docs) {
  KeyDocs merged;
  for (KeyDoc key : docs.all()) {
    if (key.path.starts_with("timing_cycles.")) key.path = "timing_cycles.NAME";
    merged.add(std::move(key));
  }
  return merged.all();
}

Keys read_keys() {
  Keys keys;
  Diagnostics diagnostics;
  const auto memory = load_json_file(configs() / "dram/hbm2_2000.json", diagnostics);
  const auto rules = load_json_file(configs() / "dram/standards/hbm2.json", diagnostics);
  diagnostics.throw_if_errors();
  ObjectReader preset(*memory, "hbm2_2000.json", "", diagnostics, &keys.memory);
  ObjectReader standard(*rules, "hbm2.json", "", diagnostics, &keys.standard);
  (void)read_dram(preset, standard);
  diagnostics.throw_if_errors();
  return keys;
}

/// pJ a bit of reading whole rows at peak, with refresh and background.
double stream_pj_per_bit(const DramParams& dram) {
  const DramOrganisation& o = dram.organisation;
  const DramEnergy& e = dram.energy;
  const auto scope = dram.standard.refresh_all_scope;
  const double scopes =
      scope == DramLevel::channel
          ? 1
          : static_cast<double>(o.pseudo_channels * (scope == DramLevel::rank ? o.ranks : 1));
  const double seconds_to_refresh =
      static_cast<double>(dram.refresh_all_interval_cycles) / dram.clock().hz();
  const double bits_per_s = dram.peak_gb_per_s() * 8e9 / static_cast<double>(o.channels);
  return e.read_pj_per_bit + e.io_pj_per_bit +
         e.activate_pj / static_cast<double>(o.row_bytes * 8) +
         (e.refresh_all_pj * scopes / seconds_to_refresh + e.background_mw * 1e9) / bits_per_s;
}

std::string page() {
  Diagnostics diagnostics;
  auto text =
      read_file(std::filesystem::path(TILEWAVE_TEST_DIR) / "../docs/dram_file.md", diagnostics);
  diagnostics.throw_if_errors();
  return *text;
}

}  // namespace

TEST_CASE("every key of a memory is documented", "[docs][dram]") {
  const auto keys = keys_of(read_keys().memory);
  CHECK(keys.size() > 35);
  CHECK(doc_faults("dram_file.md", "memory", keys) == "");
}

TEST_CASE("every key of a DRAM standard is documented", "[docs][dram]") {
  const auto keys = keys_of(read_keys().standard);
  CHECK(keys.size() > 15);
  CHECK(doc_faults("dram_file.md", "standard", keys) == "");
}

TEST_CASE("the documented presets are all there are, and what they are", "[docs][dram]") {
  Diagnostics diagnostics;
  const std::string text = page();
  const std::string presets = text.substr(0, text.find("## A memory of your own"));
  std::size_t rows = 0;
  for (auto at = presets.find("\n| `"); at != std::string::npos;
       at = presets.find("\n| `", at + 1)) {
    ++rows;
  }
  const auto entries = list_dram(configs());
  CHECK(rows == entries.size());
  for (const DramEntry& entry : entries) {
    const auto dram = load_dram(entry.name, configs(), diagnostics);
    REQUIRE(dram);
    const DramOrganisation& o = dram->organisation;
    const std::string row =
        fmt::format("| `{}` | {} channel{} × {}{} bits | {:.4g} | {} | {:.5g} |", dram->name,
                    o.channels, o.channels > 1 ? "s" : "", o.pseudo_channels > 1 ? "2 × " : "",
                    o.data_bits, std::round(dram->peak_gb_per_s() * 10) / 10,
                    dram->capacity_bytes() >> 30, dram->clock().ghz());
    CHECK_THAT(presets, contains(row));
  }
}

TEST_CASE("the documented energy of a stream is that of the presets", "[docs][dram]") {
  const std::string text = page();
  const std::string table = text.substr(text.find("| preset | ours | published |"));
  for (const DramEntry& entry : list_dram(configs())) {
    Diagnostics diagnostics;
    const auto dram = load_dram(entry.name, configs(), diagnostics);
    REQUIRE(dram);
    CHECK_THAT(table,
               contains(fmt::format("| `{}` | {:.1f} | ", dram->name, stream_pj_per_bit(*dram))));
  }
}
