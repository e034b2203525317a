// SPDX-License-Identifier: Apache-2.0
#include "arch/chip/links_config.hpp"

namespace tilewave {

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

}  // namespace tilewave
