// SPDX-License-Identifier: Apache-2.0
#include "workloads/kernels/gpu/choose_gemm.hpp"

#include <algorithm>
#include <array>

#include "workloads/ops/gemm.hpp"

namespace tilewave {

namespace {

/// Simulated, of those that the closed form finds best.
constexpr std::size_t kTried = 12;
/// Splits of k that the library has.
constexpr std::array<Count, 14> kSplits{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128};
constexpr Count kLeastSlabsOfSplit = 4;
/// Trials of large products are of a part: so many waves of CTAs, so many slabs of each.
constexpr Count kTriedWaves = 2, kTriedSlabs = 48;
/// Of kernels that multiply on the lanes and take as long, to so much, the one with the largest tiles is taken:
/// it moves the fewest bytes. Timings of a library that is tuned on the machine scatter by more.
constexpr double kAsLong = 0.01;

}  // namespace

GemmPlaces GemmChooser::alone(const Gemm& g, DataType dtype) {
  AddressSpace space(program::kGpuReservationBytes);
  const auto place = [&](Bytes bytes) {
    return Placement{program::Space::dram, space.take(bytes), bytes, bytes};
  };
  GemmPlaces places;
  places.a =
      place(bytes_for(g.batch * pitch_a(g) * (g.transpose_a ? g.k : g.m), activation_bits(dtype)));
  places.b =
      place(bytes_for(g.batch * pitch_b(g) * (g.transpose_b ? g.n : g.k), weight_bits(dtype)));
  places.c = place(bytes_for(g.batch * pitch_c(g) * g.m, activation_bits(dtype)));
  places.workspace = [next = space.next()](Bytes bytes) {
    return Placement{program::Space::dram, next, bytes, bytes};
  };
  return places;
}

/// Cycles of the product with this kernel: simulated; of a large product a part is, and the closed form
/// extrapolates.
double GemmChooser::trial(const GemmProblem& whole, const Gemm& gemm, const GemmTile& tile,
                          const PlacesOf& places) const {
  Gemm part = gemm;
  part.k = std::min(gemm.k, kTriedSlabs * tile.bk * tile.splits);
  const Count wave =
      target_.cores * std::max<Count>(1, target_.ctas_per_sm(cta_of(tile, whole, target_)));
  const Count columns = ceil_div(gemm.n, tile.bn);
  const Count rows =
      ceil_div(kTriedWaves * wave, columns * gemm.batch * tile.splits) + tile.raster_rows;
  part.m = std::min(gemm.m, rows * tile.bm);
  if (part.m == rows * tile.bm) {
    const Count fewer =
        ceil_div(kTriedWaves * wave, gemm.batch * tile.splits * ceil_div(part.m, tile.bm));
    part.n = std::min(gemm.n, std::max<Count>(1, fewer) * tile.bn);
  }
  const KernelId id{.name = "trial", .layer = 0, .dtype = whole.dtype};
  const Cycle cycles = time_of_({build_gemm_kernels(id, part, tile, places(part), target_)});
  if (part == gemm) return static_cast<double>(cycles);
  GemmProblem tried = whole;
  tried.m = part.m, tried.n = part.n, tried.k = part.k;
  return static_cast<double>(cycles) * estimate_cycles(tile, whole, target_) /
         estimate_cycles(tile, tried, target_);
}

std::vector<GemmTile> GemmChooser::sorted(const GemmProblem& problem) const {
  std::vector<std::pair<double, GemmTile>> sorted;
  for (GemmTile tile : tile_menu(problem, target_)) {
    const Count slabs = ceil_div(problem.k, tile.bk);
    for (const Count splits : kSplits) {
      if (splits > 1 && (problem.batch > 1 || splits > problem.most_splits ||
                         slabs / splits < kLeastSlabsOfSplit)) {
        break;
      }
      tile.splits = splits;
      sorted.emplace_back(estimate_cycles(tile, problem, target_), tile);
    }
  }
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<GemmTile> tiles;
  for (const auto& [cycles, tile] : sorted) tiles.push_back(tile);
  return tiles;
}

std::vector<GemmTile> GemmChooser::candidates(const GemmProblem& problem) const {
  auto tiles = sorted(problem);
  if (tiles.size() > kTried) tiles.resize(kTried);
  return tiles;
}

std::vector<std::string> GemmChooser::kernels(const Gemm& gemm, DataType dtype) const {
  std::vector<std::string> words;
  for (const GemmTile& tile : sorted(problem_of(gemm, dtype))) words.push_back(in_words(tile));
  return words;
}

std::optional<GemmTile> GemmChooser::choose(const Gemm& gemm, DataType dtype) {
  if (!target_.gemm_kernel.empty()) {
    // The report's words also name the kernel that adds up splits.
    const std::string words = target_.gemm_kernel.substr(0, target_.gemm_kernel.find(';'));
    const auto tiles = sorted(problem_of(gemm, dtype));
    const auto wanted =
        std::ranges::find(tiles, words, [](const GemmTile& tile) { return in_words(tile); });
    return wanted == tiles.end() ? std::nullopt : std::optional(*wanted);
  }
  for (const Known& k : known_) {
    if (k.gemm == gemm && k.dtype == dtype) return k.tile;
  }
  const auto best = fastest(problem_of(gemm, dtype), gemm,
                            [dtype](const Gemm& part) { return alone(part, dtype); });
  if (!best) return std::nullopt;
  known_.push_back({gemm, dtype, best->tile});
  return best->tile;
}

std::optional<GemmChooser::Tried> GemmChooser::fastest(const GemmProblem& problem, const Gemm& gemm,
                                                       const PlacesOf& places) const {
  return fastest(problem, gemm, places, candidates(problem));
}

std::optional<GemmChooser::Tried> GemmChooser::fastest(const GemmProblem& problem, const Gemm& gemm,
                                                       const PlacesOf& places,
                                                       const std::vector<GemmTile>& tiles) const {
  std::vector<Tried> tried;
  for (const GemmTile& tile : tiles) {
    if (target_.ctas_per_sm(cta_of(tile, problem, target_)) == 0) continue;
    tried.push_back({tile, trial(problem, gemm, tile, places)});
  }
  if (tried.empty()) return std::nullopt;
  const Tried fastest = *std::ranges::min_element(tried, {}, &Tried::cycles);
  if (fastest.tile.unit != program::MmaUnit::lanes || fastest.tile.splits > 1) return fastest;
  std::erase_if(tried, [&](const Tried& t) {
    return t.cycles > (1 + kAsLong) * fastest.cycles || t.tile.unit != fastest.tile.unit ||
           t.tile.splits > 1;
  });
  // The first of those alike is the one that the estimate likes best.
  return *std::ranges::max_element(tried, {}, [](const Tried& t) { return t.tile.bm * t.tile.bn; });
}

}  // namespace tilewave
