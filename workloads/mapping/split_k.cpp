// SPDX-License-Identifier: Apache-2.0
#include "workloads/mapping/split_k.hpp"

#include <algorithm>

#include "workloads/mapping/tile_choices.hpp"
#include "workloads/ops/epilogue.hpp"

namespace tilewave {

namespace {

Count sum_operations(const MatrixProblem& problem, Count parts, const SystolicTarget& target) {
  return parts - 1 + epilogue_operations(problem, target);
}

/// Numbers of the op's type that a result takes: itself, and of a residual.
Count converted_numbers(const MatrixProblem& problem) {
  return has_epilogue(problem.epilogue, Epilogue::residual) ? 2 : 1;
}

/// Is what the pass reads and writes one run of numbers? Else it goes row by row.
bool is_dense(const MatrixProblem& problem) {
  const MatrixProblem sums = problem.with_sums_out();
  return problem.c_pitch_bytes() == bytes_for(problem.n, problem.result_bits()) &&
         sums.c_pitch_bytes() == bytes_for(problem.n, sums.result_bits()) &&
         problem.n * problem.result_bits() % 8 == 0;
}

/// Rows of C, `pitch` bytes apart.
auto rows_of(Bytes row_bytes, Bytes pitch_bytes) {
  return [=](Count chunk, Count units) -> program::Region::Shape {
    return program::StridedRows{{{Span::tile(0, chunk, units), pitch_bytes}},
                                Span::whole(row_bytes)};
  };
}

}  // namespace

bool can_split_k(const MatrixProblem& problem, const MatrixContext& context) {
  const SystolicTarget& t = context.target;
  return context.k_splits && t.cores > 1 && t.split_k != 1 && t.has_vector_unit &&
         !t.dram_holds_weights_only && !problem.convolution && !context.a_resident &&
         !context.c_resident && problem.c_rows_follow() && problem.with_sums_out().c_rows_follow();
}

Bytes sums_bytes(const MatrixProblem& problem) { return problem.with_sums_out().c_stored_bytes(); }

StreamWork sum_of_parts(const MatrixProblem& problem, Count parts, const Placement& sums,
                        const OpTensors& tensors, const SystolicTarget& target) {
  const MatrixProblem part = problem.with_sums_out();
  const Count rows = problem.groups * problem.m;
  const Bytes part_bytes = sums_bytes(problem);
  const bool dense = is_dense(problem);
  StreamWork work{.units = dense ? rows * problem.n : rows,
                  .elements_per_unit = dense ? 1 : problem.n,
                  .operations = sum_operations(problem, parts, target),
                  .converted = converted_numbers(problem)};
  const auto bits = [&](const MatrixProblem& of) -> Count {
    return dense ? of.result_bits() : of.c_row_bytes() * 8;
  };
  // Cores do not share lines of sums.
  if (dense) {
    work.units_together = std::max<Count>(1, target.l2_line_bytes * 8 / part.result_bits());
  }
  StreamOperand& in = work.inputs.emplace_back(
      StreamOperand{.name = "sums", .place = sums, .bits_per_unit = parts * bits(part)});
  in.shape = [=, unit_bytes = bits(part) / 8, row_bytes = part.c_row_bytes(),
              pitch = part.c_pitch_bytes()](Count chunk, Count units) -> program::Region::Shape {
    program::StridedRows shape{{{Span::whole(parts), part_bytes}},
                               Span::tile(0, chunk * unit_bytes, units * unit_bytes)};
    if (dense) return shape;
    shape.dims.push_back({Span::tile(0, chunk, units), pitch});
    shape.row_bytes = Span::whole(row_bytes);
    return shape;
  };
  const auto of_c = [&](std::string name, const Placement& place) {
    StreamOperand operand{.name = std::move(name), .place = place, .bits_per_unit = bits(problem)};
    if (!dense) operand.shape = rows_of(problem.c_row_bytes(), problem.c_pitch_bytes());
    return operand;
  };
  if (problem.bias_bytes > 0) {
    work.inputs.push_back({.name = "bias", .place = tensors.bias, .whole = true});
  }
  if (has_epilogue(problem.epilogue, Epilogue::residual)) {
    work.inputs.push_back(of_c("residual", tensors.residual));
  }
  work.output = of_c("output", tensors.output);
  return work;
}

double sum_cycles(const MatrixProblem& problem, Count parts, const MatrixContext& context) {
  const SystolicTarget& t = context.target;
  const Count outputs = problem.groups * problem.m * problem.n;
  const Count cores = outputs < t.core_split_elements ? 1 : t.cores;
  const auto casts = t.cast_operations.find(problem.type);
  const Count conversions =
      casts == t.cast_operations.end() ? 0 : converted_numbers(problem) * casts->second;
  const auto vector = static_cast<double>(
      t.vector_cycles(ceil_div(outputs, cores), sum_operations(problem, parts, t) + conversions));

  const Bytes sums = parts * sums_bytes(problem);
  const Bytes others = (context.residual_fetched ? 2 : 1) * problem.c_stored_bytes();
  const auto time = [](Bytes bytes, double bytes_per_cycle) {
    return bytes_per_cycle > 0 ? static_cast<double>(bytes) / bytes_per_cycle : 0.0;
  };
  const bool in_l2 = t.l2_bytes_per_cycle > 0 && sums <= t.l2_capacity_bytes;
  // What an engine may have under way comes once in the memory's latency.
  const Count requests = ceil_div((sums + others) / cores, std::max<Bytes>(1, t.request_bytes));
  const double waits =
      static_cast<double>(ceil_div(requests, t.outstanding)) * t.dram_latency_cycles;
  const double transfers = std::max({time((in_l2 ? 0 : sums) + others, t.dram_bytes_per_cycle),
                                     time(sums + others, t.l2_bytes_per_cycle),
                                     time((sums + others) / cores, t.dma_bytes_per_cycle), waits});
  // The products' last sums arrive in memory, then the first of the pass come from there; it works on
  // eight chunks (vector_kernel.cpp), of which the first and the last overlap with nothing.
  constexpr double kFirstAndLast = 1.0 / 8;
  const double overlapped =
      t.serial_windows ? vector + transfers
                       : std::max(vector, transfers) + kFirstAndLast * std::min(vector, transfers);
  return 2 * t.dram_latency_cycles + static_cast<double>(t.vector_latency_cycles) + overlapped;
}

double least_product_cycles(const MatrixProblem& problem, const MatrixContext& context) {
  const SystolicTarget& t = context.target;
  double cycles_per_mac = 0;
  bool any = false;
  for (const TileChoice& c : t.cube ? cube_tiles(problem, t, 1) : array_tiles(problem, t)) {
    const Count m = std::min(c.m, problem.m), n = std::min(c.n, problem.n),
                k = std::min(c.k, problem.k);
    const double each = static_cast<double>(t.fold_cycles(problem.type, m, n, k)) /
                        (static_cast<double>(m * n) * static_cast<double>(k));
    cycles_per_mac = any ? std::min(cycles_per_mac, each) : each;
    any = true;
  }
  const double macs =
      static_cast<double>(problem.groups * problem.m * problem.n) * static_cast<double>(problem.k);
  const Bytes operands = problem.a_bytes_once(AFetch::matrix, problem.m) + problem.b_bytes_once();
  const double memory =
      t.dram_bytes_per_cycle > 0 ? static_cast<double>(operands) / t.dram_bytes_per_cycle : 0.0;
  return std::max(memory, cycles_per_mac * macs / static_cast<double>(t.cores * t.units));
}

}  // namespace tilewave
