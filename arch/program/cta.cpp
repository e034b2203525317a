// SPDX-License-Identifier: Apache-2.0
#include "arch/program/cta.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tilewave::program {

std::string_view to_string(MmaUnit unit) {
  switch (unit) {
    case MmaUnit::none:
      return "none";
    case MmaUnit::lanes:
      return "lanes";
    case MmaUnit::mma:
      return "mma";
    case MmaUnit::wgmma:
      return "wgmma";
    case MmaUnit::tcgen05:
      return "tcgen05";
  }
  return "?";
}

BlockPlace place_of(const GpuKernel& k, Count number) {
  const auto& [columns, rows, planes] = k.kernel.grid;
  const Count plane = number / (columns * rows), in_plane = number % (columns * rows);
  const Count group = std::min(k.cta.raster_rows, rows);
  const Count first_row = in_plane / (columns * group) * group;
  const Count height = std::min(group, rows - first_row);
  const Count in_group = in_plane - first_row * columns;
  return {in_group / height, first_row + in_group % height, plane};
}

std::string to_text(const GpuProgram& program) {
  std::string text;
  for (const GpuKernel& k : program.kernels) {
    text += to_text(Program{{k.kernel}});
    text += fmt::format(
        "  cta: {} threads, {} registers a thread, {} bytes of shared memory, {} {} x {}{}{}{}, "
        "cluster of {}, raster {} rows{}\n",
        k.cta.threads, k.cta.registers_per_thread, k.cta.shared_bytes, to_string(k.cta.unit),
        k.cta.warps_m, k.cta.warps_n, k.cta.specialised ? ", specialised" : "",
        k.cta.persistent ? ", persistent" : "", k.cta.sparse ? ", 2:4" : "", k.cta.cluster(),
        k.cta.raster_rows, k.times > 1 ? fmt::format(", {} times", k.times) : "");
  }
  return text;
}

}  // namespace tilewave::program
