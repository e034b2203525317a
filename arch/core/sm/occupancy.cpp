// SPDX-License-Identifier: Apache-2.0
#include "arch/core/sm/occupancy.hpp"

#include <array>
#include <utility>

namespace tilewave {

namespace {
constexpr Count kRegisterUnit = 256;
constexpr Bytes kSharedUnit = 128;
}  // namespace

std::string_view to_string(Occupancy::Limit limit) {
  switch (limit) {
    case Occupancy::Limit::registers:
      return "registers";
    case Occupancy::Limit::shared_memory:
      return "shared memory";
    case Occupancy::Limit::warps:
      return "warps";
    case Occupancy::Limit::ctas:
      return "CTA slots";
  }
  return "?";
}

Occupancy occupancy(const SmParams& sm, const program::Cta& cta) {
  using Limit = Occupancy::Limit;
  const Count warps = ceil_div(cta.threads, sm.warp_lanes);
  const Count registers =
      ceil_div(cta.registers_per_thread * sm.warp_lanes, kRegisterUnit) * kRegisterUnit;
  const Bytes shared =
      ceil_div(cta.shared_bytes + sm.reserved_shared_bytes, kSharedUnit) * kSharedUnit;
  // A warp's registers lie in its sub-core.
  const Count warps_by_registers =
      registers == 0 ? sm.max_warps : sm.registers() / sm.sub_cores / registers * sm.sub_cores;
  const std::array<std::pair<Count, Limit>, 4> limits{{
      {sm.max_ctas, Limit::ctas},
      {sm.max_warps / warps, Limit::warps},
      {shared == 0 ? sm.max_ctas : sm.max_shared_bytes / shared, Limit::shared_memory},
      {warps_by_registers / warps, Limit::registers},
  }};
  Occupancy result{.ctas = limits[0].first, .limit = limits[0].second};
  for (const auto& [ctas, limit] : limits) {
    if (ctas < result.ctas) result.ctas = ctas, result.limit = limit;
  }
  result.warps = result.ctas * warps;
  return result;
}

}  // namespace tilewave
