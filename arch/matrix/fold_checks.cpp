// SPDX-License-Identifier: Apache-2.0
#include "arch/matrix/fold_checks.hpp"

#include <string>
#include <utility>

#include "sim/diagnostics.hpp"

namespace tilewave {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw SimulationError("systolic array: " + what);
}

void require(bool holds, const char* what) {
  if (!holds) fail(what);
}

std::string text(Count value) { return std::to_string(value); }

void check_size(const char* name, std::size_t actual, Count expected) {
  if (actual == expected) return;
  fail(std::string("operand '") + name + "' has " + text(actual) + " elements, the fold needs " +
       text(expected));
}

}  // namespace

void check_array(const ArrayParams& params) {
  if (params.hops_per_cycle < 1) fail("operands that pass no PE in a cycle");
  if (params.rows >= 1 && params.cols >= 1) return;
  fail(text(params.rows) + " x " + text(params.cols) + " PEs are no array");
}

// Runs twice a fold: messages are made only when they are needed.
void check_shape(const ArrayParams& params, const FoldShape& shape) {
  if (params.cube) {
    const CubeFold& cube = shape.cube;
    require(
        shape.rows_used >= 1 && shape.cols_used >= 1 && shape.stream >= 1 && shape.interval >= 1,
        "a fold of a cube has at least one product");
    require(cube.slices >= 1 && cube.block_depth >= 1 && cube.fill_cycles >= 1 &&
                cube.last_fill_cycles >= 1 && (cube.slices - 1) * cube.depth < shape.stream &&
                shape.stream <= cube.slices * cube.depth,
            "the slices of a fold of a cube are not its k");
    return;
  }
  if (shape.rows_used < 1 || shape.rows_used > params.rows) {
    fail(text(shape.rows_used) + " rows used of " + text(params.rows));
  }
  if (shape.cols_used < 1 || shape.cols_used > params.cols) {
    fail(text(shape.cols_used) + " columns used of " + text(params.cols));
  }
  require(shape.stream >= 1, "a fold streams at least one vector");
  require(shape.interval >= 1, "vectors enter at most once a cycle");
  if (params.dataflow != Dataflow::output_stationary &&
      shape.load_cycles * params.hops_per_cycle < params.rows) {
    fail("a load of " + text(shape.load_cycles) + " cycles is faster than " +
         (params.hops_per_cycle == 1 ? "a row" : text(params.hops_per_cycle) + " rows") +
         " a cycle over " + text(params.rows) + " rows");
  }
}

void check_loaded(const FoldShape& loaded, const FoldShape& streamed) {
  require(loaded.rows_used == streamed.rows_used && loaded.cols_used == streamed.cols_used &&
              loaded.stream == streamed.stream,
          "the fold that streams is not the one that was loaded");
}

void FoldChain::enter(const ArrayParams& params, const FoldShape& shape, const FoldValues* values) {
  const Link next{shape, values != nullptr};
  const auto previous = std::exchange(previous_, next);
  if (values != nullptr) check_values(params, shape, *values);
  const bool sums_inside = previous && !previous->shape.last;
  require(next.shape.first != sums_inside,
          sums_inside ? "a first fold would drop the sums of the one before"
                      : "a fold continues sums that are not there");
  if (!sums_inside) return;
  require(previous->shape.rows_used == next.shape.rows_used &&
              previous->shape.cols_used == next.shape.cols_used,
          "a fold continues the sums of a fold that uses other rows or columns");
  require(previous->has_values == next.has_values, "only some folds of a chain have values");
}

void check_values(const ArrayParams& params, const FoldShape& shape, const FoldValues& values) {
  std::visit(
      [&](const auto& numbers) {
        check_size("stream", numbers.stream.size(), shape.stream * shape.rows_used);
        if (params.dataflow == Dataflow::output_stationary) {
          check_size("stream_top", numbers.stream_top.size(), shape.stream * shape.cols_used);
        } else {
          check_size("stationary", numbers.stationary.size(), shape.rows_used * shape.cols_used);
        }
      },
      values);
}

}  // namespace tilewave
