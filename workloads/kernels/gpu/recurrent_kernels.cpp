// SPDX-License-Identifier: Apache-2.0
#include "workloads/kernels/gpu/recurrent_kernels.hpp"

#include <fmt/format.h>

#include "workloads/kernels/gpu/stream_kernel.hpp"
#include "workloads/mapping/parts/op_parts.hpp"
#include "workloads/ops/recurrent.hpp"

namespace tilewave {

namespace {

/// Steps that are simulated: by the third the weights are in the L2 if they fit.
constexpr Count kSimulatedSteps = 4;

class Builder {
 public:
  Builder(const KernelId& id, const Recurrent& layer, const RecurrentPlaces& places,
          const GpuTarget& target, GemmChooser& gemms)
      : id_(id),
        r_(layer),
        p_(places),
        target_(target),
        gemms_(gemms),
        wide_(gates(layer.kind) * layer.hidden),
        state_bytes_(bytes(layer.batch * layer.hidden)),
        gate_bytes_(bytes(layer.batch * wide_)) {}

  std::vector<program::GpuKernel> build() {
    const Bytes of_inputs = bytes_for(wide_ * r_.input, weight_bits(id_.dtype));
    const Bytes of_state = bytes_for(wide_ * r_.hidden, weight_bits(id_.dtype));
    shares_ = p_.workspace(r_.steps * gate_bytes_);
    sums_ = p_.workspace(gate_bytes_);
    cells_ = p_.workspace(state_bytes_);
    const Gemm inputs{.m = r_.steps * r_.batch, .n = wide_, .k = r_.input, .transpose_b = true};
    const auto tile = gemms_.choose(inputs, id_.dtype);
    if (!tile) return {};
    GemmPlaces at;
    at.a = p_.input;
    at.b = slice(p_.weights, 0, of_inputs);
    at.c = shares_;
    at.workspace = p_.workspace;
    add("inputs of all steps", build_gemm_kernels(id_, inputs, *tile, at, target_), 1);

    const Gemm product{.m = r_.batch,
                       .n = wide_,
                       .k = r_.hidden,
                       .transpose_b = true,
                       .epilogue = {Epilogue::residual}};
    GemmProblem problem = problem_of(product, id_.dtype);
    problem.most_splits = 1;
    const auto of_step = gemms_.fastest(
        problem, product, [&](const Gemm& part) { return GemmChooser::alone(part, id_.dtype); });
    if (!of_step) return {};
    const Count simulated = std::min(r_.steps, kSimulatedSteps);
    for (Count t = 0; t < simulated; ++t) {
      const Count times = t + 1 == simulated ? r_.steps - t : 1;
      at.a = t == 0 ? cells_ : slice(p_.output, (t - 1) * state_bytes_, state_bytes_);
      at.b = slice(p_.weights, of_inputs, of_state);
      at.c = sums_;
      at.residual = slice(shares_, t * gate_bytes_, gate_bytes_);
      add("state", build_gemm_kernels(id_, product, of_step->tile, at, target_), times);
      add("gates", {gates_of(t)}, times);
    }
    return std::move(kernels_);
  }

 private:
  [[nodiscard]] Bytes bytes(Count elements) const {
    return bytes_for(elements, activation_bits(id_.dtype));
  }

  [[nodiscard]] program::GpuKernel gates_of(Count t) const {
    const Count bits = activation_bits(id_.dtype);
    StreamKernel work;
    work.elements = r_.batch * r_.hidden;
    work.row_elements = r_.hidden;
    work.operations = steps_per_state_element(r_.kind);
    work.inputs = {{sums_, gates(r_.kind) * bits}};
    if (r_.kind == RecurrentKind::lstm) work.inputs.push_back({cells_, bits});
    work.output = {slice(p_.output, t * state_bytes_, state_bytes_), bits};
    return build_stream_kernel(id_, work, target_);
  }

  void add(const char* what, std::vector<program::GpuKernel> kernels, Count times) {
    for (auto& kernel : kernels) {
      kernel.kernel.name = fmt::format("{}: {}", id_.name, what);
      kernel.kernel.description = fmt::format("{}: {}", what, kernel.kernel.description);
      if (times > 1) {
        kernel.kernel.description += fmt::format(", for {} steps", times);
        kernel.times = times;
      }
      kernels_.push_back(std::move(kernel));
    }
  }

  const KernelId& id_;
  const Recurrent& r_;
  const RecurrentPlaces& p_;
  const GpuTarget& target_;
  GemmChooser& gemms_;
  Count wide_;
  Bytes state_bytes_, gate_bytes_;
  Placement shares_, sums_, cells_;
  std::vector<program::GpuKernel> kernels_;
};

}  // namespace

std::vector<program::GpuKernel> build_recurrent_kernels(const KernelId& id, const Recurrent& layer,
                                                        const RecurrentPlaces& places,
                                                        const GpuTarget& target,
                                                        GemmChooser& gemms) {
  return Builder(id, layer, places, target, gemms).build();
}

}  // namespace tilewave
