// SPDX-License-Identifier: Apache-2.0
#include "workloads/mapping/tile_choices.hpp"

#include <algorithm>
#include <bit>

namespace tilewave {

namespace {

Count even_out(Count extent, Count tile) { return ceil_div(extent, ceil_div(extent, tile)); }

void add_once(std::vector<Count>& sizes, Count size) {
  if (std::find(sizes.begin(), sizes.end(), size) == sizes.end()) sizes.push_back(size);
}

/// Tile heights worth trying: as large as `most` allows and fractions of it, evened out; of whole
/// image rows where a row fits, since a row cut in two is fetched twice.
std::vector<Count> tile_sizes(Count extent, Count most, Count row) {
  std::vector<Count> sizes;
  const auto add = [&](Count size) {
    if (size >= row && size < extent) {
      add_once(sizes, even_out(extent / row, size / row) * row);
    } else {
      add_once(sizes, even_out(extent, size));
    }
  };
  for (Count size = std::min(extent, most); size > 0; size /= 2) {
    add(size);
    if (size >= 4) add(size / 4 * 3);
  }
  return sizes;
}

Count whole_blocks(Count extent, Count block) { return ceil_div(extent, block) * block; }

std::vector<Count> block_sizes(Count extent, Count most, Count block, Count row) {
  std::vector<Count> sizes;
  for (const Count size : tile_sizes(extent, most, row)) {
    add_once(sizes, row > 1 ? size : std::min(extent, whole_blocks(size, block)));
    // Smaller ones only make more traffic.
    if (size <= 4 * block) break;
  }
  return sizes;
}

}  // namespace

Bytes accumulator_row_bytes(const MatrixProblem& problem, const SystolicTarget& target) {
  return bytes_for(target.cols, accumulator_bits(problem.type));
}

Count accumulator_rows(const MatrixProblem& p, const SystolicTarget& t, Count stages) {
  if (t.accumulator.unlimited) return std::max({p.m, p.n, t.rows});
  return t.accumulator.capacity_bytes / (t.units * stages * accumulator_row_bytes(p, t));
}

std::vector<TileChoice> array_tiles(const MatrixProblem& p, const SystolicTarget& t) {
  std::vector<TileChoice> choices;
  switch (t.dataflow) {
    case Dataflow::weight_stationary:
      for (const Count stages : {2, 1}) {
        for (const Count tm : tile_sizes(p.m, accumulator_rows(p, t, stages), p.row_pixels())) {
          const Count tk = t.separate_taps ? p.k_of_one_tap(t.rows) : t.rows;
          choices.push_back({tm, t.cols, tk, stages, false});
          if (t.units > 1) choices.push_back({tm, t.cols, tk, stages, true});
        }
      }
      break;
    case Dataflow::input_stationary:
      for (const Count stages : {2, 1}) {
        for (const Count tn : tile_sizes(p.n, accumulator_rows(p, t, stages), 1)) {
          choices.push_back({t.cols, tn, t.rows, stages, true});
        }
      }
      break;
    case Dataflow::output_stationary:
      for (const Count tk : tile_sizes(p.k, p.k, 1)) {
        for (const Count stages : {2, 1}) {
          if (accumulator_rows(p, t, stages) < t.rows) continue;
          choices.push_back({t.rows, t.cols, tk, stages, false});
        }
      }
      break;
  }
  return choices;
}

std::vector<TileChoice> cube_tiles(const MatrixProblem& p, const SystolicTarget& t,
                                   Bytes least_row) {
  constexpr Count kMostSlices = 8;
  const Count depth = t.cube->block_depth.at(p.type);
  const Bytes a_row = bytes_for(depth, activation_bits(p.type));
  const Bytes b_row = bytes_for(depth, weight_bits(p.type));
  const Bytes sum = bytes_for(1, accumulator_bits(p.type));
  const auto whole = [](Count most, Count block) { return most / block * block; };
  std::vector<TileChoice> choices;
  for (const Count stages : {2, 1}) {
    const Bytes stage =
        t.accumulator.unlimited ? ~Bytes{0} : t.accumulator.capacity_bytes / (t.units * stages);
    const Count most_m =
        whole(std::min(t.cube->l0a_half_bytes / a_row, stage / sum / t.cols), t.rows);
    if (most_m == 0) continue;
    for (const Count tm : block_sizes(p.m, most_m, t.rows, p.row_pixels())) {
      const Bytes a_rows = whole_blocks(tm, t.rows);
      const Count most_n =
          whole(std::min(t.cube->l0b_half_bytes / b_row, stage / sum / a_rows), t.cols);
      if (most_n == 0) continue;
      for (const Count tn : block_sizes(p.n, most_n, t.cols, 1)) {
        const Count fit = std::min(t.cube->l0a_half_bytes / (a_rows * a_row),
                                   t.cube->l0b_half_bytes / (whole_blocks(tn, t.cols) * b_row));
        // Rows of tiles then begin where lines of memory do.
        const Count slice = std::bit_floor(std::max<Count>(fit, 1)) * depth;
        for (Count slices = 1; slices <= kMostSlices; slices *= 2) {
          const Count tk = slices * slice;
          if (tk < p.k && bytes_for(tk, activation_bits(p.type)) < least_row) continue;
          choices.push_back({tm, tn, std::min(p.k, tk), stages, false});
          if (t.units > 1) choices.push_back({tm, tn, std::min(p.k, tk), stages, true});
          if (tk >= p.k) break;
        }
      }
    }
  }
  return choices;
}

}  // namespace tilewave
