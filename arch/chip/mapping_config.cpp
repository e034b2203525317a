// SPDX-License-Identifier: Apache-2.0
#include "arch/chip/mapping_config.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <span>

#include "arch/chip/links_config.hpp"

namespace tilewave {

namespace {

/// mapping.weights_layout.
enum class WeightsLayout { tiled, whole_tiles, plain };
constexpr std::array<Named<WeightsLayout>, 3> kLayouts{{{"tiled", WeightsLayout::tiled},
                                                        {"whole_tiles", WeightsLayout::whole_tiles},
                                                        {"plain", WeightsLayout::plain}}};

const char* weights_layout(const ChipParams& chip) {
  if (!chip.tiled_weights) return "plain";
  return chip.whole_weight_tiles ? "whole_tiles" : "tiled";
}

}  // namespace

void read_mapping(ObjectReader& machine, ChipParams& chip) {
  auto mapping = machine.optional_object("mapping", "what the mapper may do");
  chip.keep_results =
      mapping.optional_flag("keep_results", true, "results stay on chip between ops if they fit");
  const auto layout = mapping.optional_choice<WeightsLayout>(
      "weights_layout", WeightsLayout::tiled, std::span<const Named<WeightsLayout>>(kLayouts),
      "how weights lie in memory: tile by tile as they are fetched, those of the edges padded or "
      "not, or as the op stores them");
  chip.tiled_weights = layout != WeightsLayout::plain;
  chip.whole_weight_tiles = layout == WeightsLayout::whole_tiles;
  if (chip.whole_weight_tiles && chip.core.weight.store != WeightStore::fifo) {
    mapping.error("weights_layout", "whole_tiles is for machines with a weight_fifo");
  }
  chip.whole_host_results = mapping.optional_choice<bool>(
      "host_results", false, {{"streamed", false}, {"whole", true}},
      "of products: each tile goes over the host link as it is ready, or all once the last is");
  chip.tensor_alignment_bytes =
      mapping.optional_count("tensor_alignment_bytes", chip.tensor_alignment_bytes,
                             {1, Count{1} << 30}, "tensors begin at multiples of it");
  chip.layout_tile.lanes = mapping.optional_count(
      "layout_lanes", 1, {1, 4096}, "rows of tensors are padded to multiples of so many numbers");
  chip.layout_tile.sublanes =
      mapping.optional_count("layout_sublanes", 1, {1, 4096},
                             "and the number of rows to multiples of so many words of 32 bits");
  chip.separate_taps = mapping.optional_choice<bool>(
      "filter_taps", false, {{"packed", false}, {"separate", true}},
      "whether a tile of a convolution's weights may hold several taps of its filters");
  chip.fusion = mapping.optional_choice<bool>(
      "fusion", true, {{"on", true}, {"off", false}},
      "epilogues in the product's kernel, or each step a pass of its own through memory");
  chip.core_split_macs =
      mapping.optional_count("core_split_macs", 0, {0, Count{1} << 60},
                             "products of fewer multiply-accumulates stay on one core");
  chip.core_split_elements =
      mapping.optional_count("core_split_elements", 0, {0, Count{1} << 60},
                             "passes of the vector unit over fewer numbers stay on one core");
  chip.split_k = mapping.optional_count(
      "split_k", 0, {0, kMostCores},
      "parts in which a product's k is dealt to the cores; 0: as the mapper predicts, 1: never");
  if (chip.split_k > std::max<Count>(1, chip.cores)) {
    mapping.error("split_k", fmt::format("{} parts of k need as many cores, there {} {}",
                                         chip.split_k, chip.cores == 1 ? "is" : "are", chip.cores));
  }
  chip.separate_reductions = mapping.optional_choice<bool>(
      "row_reductions", false, {{"fused", false}, {"separate", true}},
      "separate: after each reduction over rows (softmax has two) the rest is launched anew");
  chip.serial_windows = mapping.optional_choice<bool>(
      "transfers", false, {{"streamed", false}, {"windows", true}},
      "streamed: tiles move while others are worked on; windows: as much as fits comes in, then is "
      "worked on, then the next");
  const ChipShares shares = read_chip_shares(mapping);
  chip.parallel = shares.parallel, chip.total_batch = shares.total_batch;
  mapping.finish();
}

void write_mapping(const ChipParams& chip, Json& machine) {
  machine["mapping"] = {{"keep_results", chip.keep_results},
                        {"weights_layout", weights_layout(chip)},
                        {"host_results", chip.whole_host_results ? "whole" : "streamed"},
                        {"fusion", chip.fusion ? "on" : "off"},
                        {"transfers", chip.serial_windows ? "windows" : "streamed"},
                        {"tensor_alignment_bytes", chip.tensor_alignment_bytes},
                        {"core_split_macs", chip.core_split_macs},
                        {"row_reductions", chip.separate_reductions ? "separate" : "fused"},
                        {"layout_lanes", chip.layout_tile.lanes},
                        {"layout_sublanes", chip.layout_tile.sublanes},
                        {"filter_taps", chip.separate_taps ? "separate" : "packed"}};
  if (chip.core_split_elements > 0) {
    machine["mapping"]["core_split_elements"] = chip.core_split_elements;
  }
  if (chip.cores > 1) machine["mapping"]["split_k"] = chip.split_k;
  if (chip.chips > 1) {
    write_chip_shares({chip.parallel, chip.total_batch}, machine["mapping"]);
  }
}

}  // namespace tilewave
