// SPDX-License-Identifier: Apache-2.0
#include "arch/chip/links_config.hpp"

#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <span>

namespace tilewave {

namespace {

constexpr std::array<Named<Parallelism>, 3> kParallelisms{
    {{"none", Parallelism::none}, {"data", Parallelism::data}, {"tensor", Parallelism::tensor}}};

std::string_view to_string(Parallelism parallel) {
  for (const auto& entry : kParallelisms) {
    if (entry.second == parallel) return entry.first;
  }
  return "";
}

}  // namespace

Count read_chips(ObjectReader& machine) {
  return machine.optional_count("chips", 1, {1, 65536},
                                "chips, all alike, that work together; one of them is simulated");
}

std::optional<LinkParams> read_links(ObjectReader& reader, Count chips) {
  auto links = reader.maybe_object("links", "between the chips");
  if (!links) {
    if (chips > 1 && reader.ok()) reader.error("links", "is missing: chips is more than 1");
    return std::nullopt;
  }
  LinkParams l;
  (void)links->optional_choice<int>("topology", 0, {{"ring", 0}},
                                    "who is next to whom: each chip has one before and one behind");
  l.bandwidth = Bandwidth::from_gb_per_s(links->number(
      "bandwidth_gb_per_s", {.min = 1e-6, .max = 1e6}, "of a link, in one direction"));
  l.latency_ns = links->optional_number("latency_ns", 0, RealRange::non_negative(1e9),
                                        "from the end of a transfer to its arrival, of a hop");
  l.directions = links->optional_count(
      "directions", 1, {1, 2}, "2: half of a tensor goes around the ring the other way, at once");
  links->finish();
  return l;
}

void write_links(const LinkParams& l, Json& machine) {
  machine["links"] = {{"topology", "ring"},
                      {"bandwidth_gb_per_s", l.bandwidth.gb_per_s()},
                      {"latency_ns", l.latency_ns},
                      {"directions", l.directions}};
}

ChipShares read_chip_shares(ObjectReader& mapping) {
  ChipShares shares;
  shares.parallel = mapping.optional_choice<Parallelism>(
      "parallel", Parallelism::none, std::span<const Named<Parallelism>>(kParallelisms),
      "what each of several chips does: all as it is written; the same on a batch of its own, "
      "gradients summed; or a share of the weights");
  shares.total_batch = mapping.optional_choice<bool>(
      "batch", false, {{"per_chip", false}, {"total", true}},
      "whose a network's batch is with data parallelism: a chip's, or the machine's, of which each "
      "chip does its share");
  if (shares.total_batch && shares.parallel != Parallelism::data) {
    mapping.error("batch", fmt::format("\"total\" is for \"parallel\": \"data\", which is \"{}\"",
                                       to_string(shares.parallel)));
  }
  return shares;
}

void write_chip_shares(const ChipShares& shares, Json& mapping) {
  mapping["parallel"] = to_string(shares.parallel);
  mapping["batch"] = shares.total_batch ? "total" : "per_chip";
}

}  // namespace tilewave
