// SPDX-License-Identifier: Apache-2.0
#include "arch/chip/l2_config.hpp"

#include <algorithm>

#include "arch/memory/cache/cache_config.hpp"
#include "arch/memory/interconnect/interconnect_config.hpp"

namespace tilewave {

namespace {

constexpr const char* kInterconnect = "interconnect";
constexpr Bytes kWidestLink = 1U << 16;

/// A crossbar with links that are no narrower than all the slices' banks, headers on wires of their
/// own.
InterconnectParams crossbar_for(const L2Params& l2) {
  InterconnectParams p;
  p.request_bytes_per_cycle = p.response_bytes_per_cycle =
      std::min(l2.bytes_per_cycle(), kWidestLink);
  p.header_bytes = 0;
  return p;
}

}  // namespace

std::optional<L2Params> read_l2(ObjectReader& machine, Count cores) {
  auto cache = machine.maybe_object("l2", "a cache between the DMA engines and off-chip memory");
  auto interconnect = machine.maybe_object(
      kInterconnect, "what connects the DMA engines with the slices of the L2");
  if (!cache) {
    if (interconnect) machine.error(kInterconnect, "is of no use without an l2");
    return std::nullopt;
  }
  L2Params l2;
  l2.cache = read_cache(*cache);
  if (!interconnect) {
    l2.interconnect = crossbar_for(l2);
    return l2;
  }
  l2.wire_length_mm =
      interconnect->optional_number("wire_length_mm", 0, RealRange::non_negative(1000),
                                    "length of a link, for the energy of wires; 0: not counted");
  l2.interconnect = read_interconnect(*interconnect);
  if (interconnect->ok() && cache->ok()) {
    check_endpoints(l2.interconnect, cores, l2.cache.slices, *interconnect);
  }
  return l2;
}

void write_l2(const L2Params& l2, Json& machine) {
  machine["l2"] = to_json(l2.cache);
  machine[kInterconnect] = to_json(l2.interconnect);
  machine[kInterconnect]["wire_length_mm"] = l2.wire_length_mm;
}

}  // namespace tilewave
