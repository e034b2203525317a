// SPDX-License-Identifier: Apache-2.0
#include "workloads/kernels/gpu/choose_gemm.hpp"

#include <algorithm>
#include <array>

#include "workloads/ops/gemm.hpp"

namespace tilewave {

namespace {

/// Simulated, of those that the closed form finds best.
constexpr std::size_t kTried = 6;
/// Splits of k that the library has.
constexpr std::array<Count, 10> kSplits{1, 2, 3, 4, 6, 8, 12, 16, 24, 32};
constexpr Count kLeastSlabsOfSplit = 4;

GemmPlaces alone(const Gemm& g, DataType dtype) {
  AddressSpace space(4096);
  const auto place = [&](Bytes bytes) {
    return Placement{program::Space::dram, space.take(bytes), bytes, bytes};
  };
  GemmPlaces places;
  places.a =
      place(bytes_for(g.batch * pitch_a(g) * (g.transpose_a ? g.k : g.m), activation_bits(dtype)));
  places.b =
      place(bytes_for(g.batch * pitch_b(g) * (g.transpose_b ? g.n : g.k), weight_bits(dtype)));
  places.c = place(bytes_for(g.batch * pitch_c(g) * g.m, activation_bits(dtype)));
  places.workspace = [next = space.used()](Bytes bytes) {
    return Placement{program::Space::dram, next, bytes, bytes};
  };
  return places;
}

}  // namespace

std::vector<GemmTile> GemmChooser::candidates(const GemmProblem& problem) const {
  std::vector<std::pair<double, GemmTile>> sorted;
  for (GemmTile tile : tile_menu(problem, target_)) {
    const Count slabs = ceil_div(problem.k, tile.bk);
    for (const Count splits : kSplits) {
      if (splits > 1 && (problem.batch > 1 || slabs / splits < kLeastSlabsOfSplit)) break;
      tile.splits = splits;
      sorted.emplace_back(estimate_cycles(tile, problem, target_), tile);
    }
  }
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<GemmTile> best;
  for (std::size_t i = 0; i < std::min(kTried, sorted.size()); ++i) {
    best.push_back(sorted[i].second);
  }
  return best;
}

std::optional<GemmTile> GemmChooser::choose(const Gemm& gemm, DataType dtype) {
  for (const Known& k : known_) {
    if (k.gemm == gemm && k.dtype == dtype) return k.tile;
  }
  const std::vector<GemmTile> tiles = candidates(problem_of(gemm, dtype));
  if (tiles.empty()) return std::nullopt;
  const GemmPlaces places = alone(gemm, dtype);
  const KernelId id{.name = "trial", .layer = 0, .dtype = dtype};
  Cycle least = kNever;
  GemmTile best = tiles.front();
  for (const GemmTile& tile : tiles) {
    const Cycle cycles = time_of_({build_gemm_kernels(id, gemm, tile, places, target_)});
    if (cycles < least) least = cycles, best = tile;
  }
  known_.push_back({gemm, dtype, best});
  return best;
}

}  // namespace tilewave
