// SPDX-License-Identifier: Apache-2.0
#include "workloads/mapping/lower.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <tuple>
#include <utility>

#include "workloads/mapping/collective_kernel.hpp"
#include "workloads/mapping/gemm_operands.hpp"
#include "workloads/mapping/mapping_cache.hpp"
#include "workloads/mapping/matrix_kernel.hpp"
#include "workloads/mapping/parts/op_parts.hpp"
#include "workloads/mapping/split_k.hpp"
#include "workloads/mapping/vector_kernel.hpp"
#include "workloads/ops/collective.hpp"
#include "workloads/ops/count_math.hpp"
#include "workloads/ops/normalization.hpp"

namespace tilewave {

namespace {

/// Each step of a recurrent layer is two kernels, which are held in memory (some KiB each).
constexpr Count kMostSteps = 20'000;

/// Largest functional GEMM: its matrices are held in memory and its product computed.
constexpr Count kMostFunctionalMacs = Count{1} << 32;

class Lowering {
 public:
  Lowering(const Workload& workload, const SystolicTarget& target, const std::string& arch_file,
           Diagnostics& diagnostics)
      : workload_(workload), target_(target), arch_file_(arch_file), diagnostics_(diagnostics) {}

  LoweredWorkload run() {
    for (const Op& op : workload_.ops) out_.facts.push_back(facts(op));
    out_.tensors = plan_tensors(workload_, out_.facts, target_);
    for (std::size_t i = 0; i < workload_.ops.size(); ++i) {
      out_.first_kernel.push_back(out_.program.kernels.size());
      out_.predicted_cycles.push_back(0);
      out_.skipped.push_back(false);
      if (inputs_lie_as_written(i)) lower_op(i);
    }
    out_.first_kernel.push_back(out_.program.kernels.size());
    report_faults();
    return std::move(out_);
  }

 private:
  void lower_op(std::size_t i) {
    const Op& op = workload_.ops[i];
    const OpTensors& tensors = out_.tensors.ops[i];
    const auto* recurrent = std::get_if<Recurrent>(&op.shape);
    if (recurrent != nullptr && recurrent->steps > kMostSteps) {
      return diagnostics_.error(
          "", op.name,
          fmt::format("steps is {}, at most {} can be simulated", recurrent->steps, kMostSteps));
    }
    const bool needs_table = std::holds_alternative<Embedding>(op.shape);
    if (needs_table) {
      place_weights(out_.tensors, i, out_.facts[i].weight_bytes,
                    storage_bytes(out_.facts[i].weight_elements, weight_bits(op.dtype)), 0);
    }
    const Bytes budget = free_bytes(tensors);
    // Half of what is free for what goes from part to part, half for the tiles of each part.
    auto& addresses = target_.dram_holds_weights_only ? out_.tensors.host : out_.tensors.dram;
    Scratch scratch(target_.dram_holds_weights_only ? program::Space::host : program::Space::dram,
                    target_.keep_scratch && target_.has_vector_unit ? budget / 2 : 0,
                    target_.activation.unlimited && target_.has_vector_unit, target_.cores,
                    [&](Bytes bytes) { return addresses.take(bytes); });
    if (const auto* collective = std::get_if<Collective>(&op.shape)) {
      return lower_collective(i, *collective, budget);
    }
    std::vector<Part> parts =
        parts_of(op, out_.facts[i], out_.tensors.ops[i], target_.fusion, scratch);
    op_weights_.clear();
    std::size_t built = 0;
    const std::size_t first = out_.program.kernels.size();
    for (Part& part : parts) {
      const KernelId id{.name = part.name.empty() ? op.name : op.name + ": " + part.name,
                        .layer = static_cast<int>(i),
                        .dtype = op.dtype};
      const Bytes left = budget - std::min(budget, scratch.resident_bytes());
      const std::size_t kernels = out_.program.kernels.size();
      if (auto* matrix = std::get_if<MatrixPart>(&part.work)) {
        if (!lower_matrix(i, id, *matrix, left)) return;
      } else if (target_.has_vector_unit) {
        Fault why;
        auto kernel = build_vector_kernel(id, std::get<StreamWork>(part.work), target_, left, why);
        if (!kernel) {
          const auto finer = finer_stream_work(op, out_.facts[i], tensors);
          if (finer) kernel = build_vector_kernel(id, *finer, target_, left, why);
        }
        if (!kernel) return fault(op, why);
        out_.program.kernels.push_back(std::move(*kernel));
      }
      built += out_.program.kernels.size() - kernels;
    }
    note_producers(i, first);
    out_.skipped.back() = built == 0;
    if (built > 0) return launch(op, out_.program.kernels[first]);
    auto skipped = build_skipped_kernel({op.name, static_cast<int>(i), op.dtype});
    if (target_.has_vector_unit) skipped.description = "nothing to do";
    out_.program.kernels.push_back(std::move(skipped));
  }

  void lower_collective(std::size_t i, const Collective& collective, Bytes budget) {
    const Op& op = workload_.ops[i];
    const KernelId id{.name = op.name, .layer = static_cast<int>(i), .dtype = op.dtype};
    auto& kernels = out_.program.kernels;
    if (ring_steps(collective) == 0 || !target_.has_vector_unit) {
      out_.skipped.back() = true;
      kernels.push_back(build_skipped_kernel(id));
      if (target_.has_vector_unit) kernels.back().description = "nothing to do: one chip";
      return;
    }
    Fault why;
    auto kernel =
        build_collective_kernel(id, collective, out_.tensors.ops[i], target_, budget, why);
    if (!kernel) return fault(op, why);
    kernels.push_back(std::move(*kernel));
    note_producers(i, kernels.size() - 1);
    launch(op, kernels.back());
    out_.predicted_cycles.back() = static_cast<double>(kernels.back().launch_cycles) +
                                   ring_cycles(collective, op.dtype, target_);
  }

  /// An op is launched once, or where reductions end a launch, once more for each of them.
  void launch(const Op& op, program::Kernel& kernel) const {
    const auto* norm = std::get_if<Normalization>(&op.shape);
    const bool more = target_.separate_reductions && norm != nullptr && !norm->backward;
    kernel.launch_cycles = target_.launch_cycles * (more ? 1 + row_reductions(*norm) : 1);
    kernel.transfers_in_launch = target_.transfers_in_launch && target_.launch_cycles > 0;
  }

  /// The parts of an op hand their results on; its first reads what its inputs' producers made.
  void note_producers(std::size_t i, std::size_t first) {
    auto& kernels = out_.program.kernels;
    for (std::size_t k = first; k < kernels.size(); ++k) {
      if (k > first) {
        kernels[k].reads_results_of = static_cast<int>(k) - 1;
        continue;
      }
      for (const InputTensor& input : out_.tensors.ops[i].inputs) {
        if (input.producer < 0) continue;
        const std::size_t end = out_.first_kernel[static_cast<std::size_t>(input.producer) + 1];
        kernels[k].reads_results_of =
            std::max(kernels[k].reads_results_of, static_cast<int>(end) - 1);
      }
    }
  }

  [[nodiscard]] Bytes free_bytes(const OpTensors& tensors) const {
    const Bytes capacity = target_.activation.capacity_bytes;
    return capacity - std::min(capacity, tensors.resident_bytes);
  }

  /// One product or convolution of op i.
  bool lower_matrix(std::size_t i, const KernelId& id, MatrixPart& part, Bytes budget) {
    const Op& op = workload_.ops[i];
    if (!supported(op)) return false;
    const auto* gemm = std::get_if<Gemm>(&part.op.shape);
    const bool b_is_input = gemm != nullptr && gemm->b_is_activation;
    const std::size_t residual = b_is_input ? 2 : 1;  // its place among the inputs
    OpTensors& t = part.tensors;
    const bool has_residual = t.inputs.size() > residual;
    using program::Space;
    const Placement off_chip = t.output;
    const bool write_whole =
        target_.whole_host_results && target_.has_vector_unit && off_chip.space == Space::host &&
        off_chip.bytes == off_chip.stored_bytes && off_chip.bytes <= budget / 2;
    if (write_whole) {
      t.output.space = Space::on_chip;
      budget -= off_chip.bytes;
    }
    MatrixContext context{.target = target_,
                          .activation_budget_bytes = budget,
                          .a_resident = t.inputs[0].place.on_chip(),
                          .c_resident = t.output.on_chip(),
                          .residual_fetched = has_residual && target_.has_vector_unit &&
                                              !t.inputs[residual].place.on_chip(),
                          .a_from_host = t.inputs[0].place.space == Space::host,
                          .b_from_host = b_is_input && t.inputs[1].place.space == Space::host,
                          .c_to_host = t.output.space == Space::host,
                          .k_splits = !has_residual || !t.inputs[residual].place.on_chip()};
    MatrixProblem problem(part.op, target_.layout_tile);
    problem.set_b_group_pitch(part.b_group_pitch);
    if (target_.whole_weight_tiles && !b_is_input) {
      problem.pad_weights({.tn = target_.cols, .tk = target_.rows});
    }
    Fault why;
    auto mapping = mappings_.choose(part.op, problem, context, why);
    t.bias.bytes = problem.bias_bytes;
    if (mapping && mapping->parts() > 1 && !build_sum(id, problem, *mapping, {}, t, budget)) {
      context.k_splits = false;  // no room for the sums of all parts of one row
      mapping = mappings_.choose(part.op, problem, context, why);
    }
    if (!mapping) {
      fault(op, why);
      return false;
    }
    if (b_is_input) {
      t.weights = t.inputs[1].place;
      if (problem.bias_bytes > 0) t.bias = place_in_dram(problem.bias_bytes, problem.bias_bytes);
    } else {
      const auto& [weights, bias] = weights_of(i, part, problem, *mapping);
      t.weights = weights, t.bias = bias;
    }
    if (has_residual) t.residual = t.inputs[residual].place;
    const std::size_t product = out_.program.kernels.size();
    if (mapping->parts() > 1) {
      add_split_kernels(id, problem, *mapping, context, t, budget);
    } else {
      out_.program.kernels.push_back(build_matrix_kernel(id, problem, *mapping, context, t));
    }
    if (write_whole) {
      out_.program.kernels.push_back(build_write_kernel(id, off_chip));
      if (target_.host_bytes_per_cycle > 0) {
        out_.predicted_cycles.back() +=
            static_cast<double>(off_chip.bytes) / target_.host_bytes_per_cycle;
      }
    }
    out_.predicted_cycles.back() += mapping->predicted_cycles;
    if (op.functional) attach_values(op, out_.program.kernels[product]);
    return true;
  }

  /// Of a product whose k is dealt to cores: the pass that adds the parts up.
  [[nodiscard]] std::optional<program::Kernel> build_sum(
      const KernelId& id, const MatrixProblem& problem, const MatrixMapping& mapping,
      const Placement& sums, const OpTensors& tensors, Bytes budget) const {
    Fault none;
    const KernelId of_sum{.name = id.name + ": sum of parts", .layer = id.layer, .dtype = id.dtype};
    return build_vector_kernel(of_sum,
                               sum_of_parts(problem, mapping.parts(), sums, tensors, target_),
                               target_, budget, none);
  }

  void add_split_kernels(const KernelId& id, const MatrixProblem& problem,
                         const MatrixMapping& mapping, MatrixContext context,
                         const OpTensors& tensors, Bytes budget) {
    const Bytes bytes = mapping.parts() * sums_bytes(problem);
    OpTensors of_parts = tensors;
    of_parts.output = place_in_dram(bytes, bytes);
    context.residual_fetched = false;
    const KernelId of_products{
        .name = id.name + ": products", .layer = id.layer, .dtype = id.dtype};
    out_.program.kernels.push_back(
        build_matrix_kernel(of_products, problem.with_sums_out(), mapping, context, of_parts));
    out_.program.kernels.push_back(
        *build_sum(id, problem, mapping, of_parts.output, tensors, budget));
  }

  Placement place_in_dram(Bytes bytes, Bytes stored) {
    return {program::Space::dram, out_.tensors.dram.take(stored), bytes, stored};
  }

  /// The weights of a part: laid out by the first part that uses them.
  const std::pair<Placement, Placement>& weights_of(std::size_t i, const MatrixPart& part,
                                                    const MatrixProblem& problem,
                                                    const MatrixMapping& mapping) {
    const auto known = op_weights_.find(part.weights);
    if (known != op_weights_.end()) return known->second;
    std::pair<Placement, Placement> placed;
    placed.first = place_in_dram(problem.b_bytes_once(),
                                 problem.b_stored_bytes(weight_tiles(mapping, target_)));
    if (problem.bias_bytes > 0)
      placed.second = place_in_dram(problem.bias_bytes, problem.bias_bytes);
    if (op_weights_.empty()) {
      OpTensors& of_op = out_.tensors.ops[i];
      of_op.weights = placed.first, of_op.bias = placed.second;
      of_op.weights.bytes = out_.facts[i].weight_bytes;
    }
    return op_weights_.emplace(part.weights, placed).first->second;
  }

  /// Two ops must agree on the pitch of what one writes and the other reads.
  bool inputs_lie_as_written(std::size_t i) {
    bool ok = true;
    const auto& inputs = out_.tensors.ops[i].inputs;
    for (std::size_t j = 0; j < inputs.size(); ++j) {
      if (inputs[j].producer < 0) continue;
      const auto producer = static_cast<std::size_t>(inputs[j].producer);
      const InputFacts& input = out_.facts[i].inputs[j];
      const OpFacts& source = out_.facts[producer];
      const bool pitched = input.stored_elements != input.elements ||
                           source.stored_output_elements != source.output_elements;
      if (!pitched || input.stored_elements == source.stored_output_elements) continue;
      if (workload_.ops[i].partial_inputs &&
          input.stored_elements < source.stored_output_elements) {
        continue;
      }
      ok = false;
      diagnostics_.error("", workload_.ops[i].name,
                         fmt::format("reads a tensor of {} places (lda, ldc), but \"{}\" writes "
                                     "one of {} (ldc)",
                                     input.stored_elements, workload_.ops[producer].name,
                                     source.stored_output_elements));
    }
    return ok;
  }

  bool supported(const Op& op) {
    const auto& types = target_.types;
    if (std::find(types.begin(), types.end(), op.dtype) != types.end()) return true;
    std::vector<std::string_view> names;
    for (const DataType t : types) names.push_back(to_string(t));
    fault(op, {.file = {},
               .path = "core.matrix_unit.throughput",
               .message = fmt::format("{} is not among the types this matrix unit multiplies: {}",
                                      to_string(op.dtype), fmt::join(names, ", "))});
    return false;
  }

  /// A buffer or type that fails one op fails many: one message a cause, with the first op.
  void fault(const Op& op, const Fault& why) {
    for (Cause& cause : causes_) {
      if (cause.fault.path == why.path) {
        ++cause.ops;
        return;
      }
    }
    causes_.push_back({why, op.name, 1});
  }

  void report_faults() {
    for (const Cause& cause : causes_) {
      const std::string more = cause.ops == 1 ? "" : fmt::format(" and {} more", cause.ops - 1);
      diagnostics_.error(
          arch_file_, cause.fault.path,
          fmt::format("{} (op \"{}\"{})", cause.fault.message, cause.first_op, more));
    }
  }

  void attach_values(const Op& op, program::Kernel& kernel) {
    const auto* gemm = std::get_if<Gemm>(&op.shape);
    if (gemm == nullptr) {
      diagnostics_.error("", op.name, "functional: values are computed for gemm only");
      return;
    }
    const Count macs = gemm->batch * gemm->m * gemm->n * gemm->k;
    if (macs > kMostFunctionalMacs) {
      diagnostics_.error("", op.name,
                         fmt::format("functional: at most {} multiply-accumulates, this has {}",
                                     kMostFunctionalMacs, macs));
      return;
    }
    kernel.values = make_gemm_values(*gemm, op.dtype, op.values_seed);
  }

  const Workload& workload_;
  const SystolicTarget& target_;
  const std::string& arch_file_;
  Diagnostics& diagnostics_;
  LoweredWorkload out_;
  MappingCache mappings_;
  std::map<int, std::pair<Placement, Placement>> op_weights_;  // weights and bias of the current op
  struct Cause {
    Fault fault;
    std::string first_op;
    std::size_t ops;
  };
  std::vector<Cause> causes_;
};

}  // namespace

std::string LoweredWorkload::description(std::size_t i) const {
  constexpr std::size_t kShown = 4;
  const std::size_t count = first_kernel[i + 1] - first_kernel[i];
  const auto kernel = [&](std::size_t k) -> const program::Kernel& {
    return program.kernels[first_kernel[i] + k];
  };
  if (count == 1) return kernel(0).description;
  std::string text = fmt::format("{} kernels", count);
  for (std::size_t k = 0; k < std::min(count, kShown); ++k) {
    const auto& [name, words] = std::tie(kernel(k).name, kernel(k).description);
    const std::size_t part = name.rfind(": ");
    text +=
        fmt::format("; {}: {}", part == std::string::npos ? name : name.substr(part + 2), words);
  }
  return count > kShown ? text + "; …" : text;
}

LoweredWorkload lower(const Workload& workload, const SystolicTarget& target,
                      const std::string& arch_file, Diagnostics& diagnostics) {
  return Lowering(workload, target, arch_file, diagnostics).run();
}

}  // namespace tilewave
