// SPDX-License-Identifier: Apache-2.0
#include "workloads/mapping/lower.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "workloads/mapping/gemm_operands.hpp"
#include "workloads/mapping/matrix_kernel.hpp"
#include "workloads/mapping/vector_kernel.hpp"

namespace tilewave {

namespace {

/// Largest functional GEMM: its matrices are held in memory and its product computed.
constexpr Count kMostFunctionalMacs = Count{1} << 32;

bool is_matrix_op(const Op& op) {
  return std::holds_alternative<Gemm>(op.shape) || std::holds_alternative<Conv2d>(op.shape);
}

/// Is there a kernel for it?
bool has_kernel(const Op& op) {
  if (const auto* gemm = std::get_if<Gemm>(&op.shape)) return !gemm->b_is_activation;
  if (const auto* conv = std::get_if<Conv2d>(&op.shape)) {
    return !conv->transposed && !conv->weight_gradient;
  }
  if (const auto* elementwise = std::get_if<Elementwise>(&op.shape)) {
    return elementwise->second_elements == 0;
  }
  const auto* pool = std::get_if<Pool>(&op.shape);
  return pool != nullptr && !pool->backward;
}

class Lowering {
 public:
  Lowering(const Workload& workload, const SystolicTarget& target, const std::string& arch_file,
           Diagnostics& diagnostics)
      : workload_(workload), target_(target), arch_file_(arch_file), diagnostics_(diagnostics) {}

  LoweredWorkload run() {
    for (const Op& op : workload_.ops) out_.facts.push_back(facts(op));
    out_.tensors = plan_tensors(workload_, out_.facts, target_);
    for (std::size_t i = 0; i < workload_.ops.size(); ++i) {
      if (inputs_lie_as_written(i)) lower_op(i);
    }
    report_faults();
    return std::move(out_);
  }

 private:
  void lower_op(std::size_t i) {
    const Op& op = workload_.ops[i];
    const auto layer = static_cast<int>(i);
    const OpTensors& tensors = out_.tensors.ops[i];
    const Bytes budget = target_.activation.capacity_bytes > tensors.resident_bytes
                             ? target_.activation.capacity_bytes - tensors.resident_bytes
                             : 0;
    double predicted = 0;
    bool skipped = false;
    program::Kernel kernel;
    Fault why;
    if (!has_kernel(op)) {
      return fault(op, {.file = {},
                        .path = "core",
                        .message = fmt::format("the op {} is not supported on this machine yet",
                                               kind_name(op.shape))});
    }
    if (is_matrix_op(op)) {
      if (!supported(op)) return;
      const MatrixProblem problem(op);
      const MatrixContext context{
          .target = target_,
          .activation_budget_bytes = budget,
          .a_resident = tensors.inputs[0].place.on_chip(),
          .c_resident = tensors.output.on_chip(),
          .residual_fetched = tensors.inputs.size() > 1 && target_.has_vector_unit &&
                              !tensors.inputs[1].place.on_chip(),
          .a_from_host = tensors.inputs[0].place.space == program::Space::host,
          .c_to_host = tensors.output.space == program::Space::host};
      const auto mapping = choose_mapping(problem, context, why);
      if (!mapping) return fault(op, why);
      place_weights(out_.tensors, i, out_.facts[i].weight_bytes,
                    problem.b_stored_bytes(weight_tiles(*mapping, target_)), problem.bias_bytes);
      kernel = build_matrix_kernel(op, layer, problem, *mapping, context, tensors);
      predicted = mapping->predicted_cycles;
      if (op.functional) attach_values(op, kernel);
    } else if (!target_.has_vector_unit) {
      kernel = build_skipped_kernel(op, layer);
      skipped = true;
    } else {
      auto built = build_vector_kernel(op, layer, target_, budget, tensors, why);
      if (!built) return fault(op, why);
      kernel = std::move(*built);
    }
    out_.program.kernels.push_back(std::move(kernel));
    out_.predicted_cycles.push_back(predicted);
    out_.skipped.push_back(skipped);
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
  struct Cause {
    Fault fault;
    std::string first_op;
    std::size_t ops;
  };
  std::vector<Cause> causes_;
};

}  // namespace

LoweredWorkload lower(const Workload& workload, const SystolicTarget& target,
                      const std::string& arch_file, Diagnostics& diagnostics) {
  return Lowering(workload, target, arch_file, diagnostics).run();
}

}  // namespace tilewave
