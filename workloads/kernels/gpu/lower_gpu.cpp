// SPDX-License-Identifier: Apache-2.0
#include "workloads/kernels/gpu/lower_gpu.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

#include "sim/config/nearest.hpp"
#include "workloads/kernels/gpu/choose_conv.hpp"
#include "workloads/kernels/gpu/choose_gemm.hpp"
#include "workloads/kernels/gpu/flash_attention.hpp"
#include "workloads/kernels/gpu/recurrent_kernels.hpp"
#include "workloads/kernels/gpu/ring_kernels.hpp"
#include "workloads/kernels/gpu/vector_kernels.hpp"
#include "workloads/mapping/parts/op_parts.hpp"

namespace tilewave {

namespace {

constexpr Bytes kAlignment = 256;  // of cudaMalloc

/// A GPU keeps results in memory (and the L2 what it can); it has no layout of its own.
SystolicTarget plain_target() {
  SystolicTarget target;
  target.has_vector_unit = true;
  target.keep_results = target.keep_scratch = false;
  target.tensor_alignment_bytes = kAlignment;
  target.tensor_reservation_bytes = program::kGpuReservationBytes;
  return target;
}

/// Gradients of convolutions that are convolutions themselves are one part; all others as on any machine.
std::vector<Part> gpu_parts_of(const Op& op, const OpFacts& facts, const OpTensors& tensors,
                               Scratch& scratch) {
  if (const auto* conv = std::get_if<Conv2d>(&op.shape)) {
    MatrixPart whole{.op = op, .tensors = tensors, .weights = 0};
    if (conv->weight_gradient) return {{"", std::move(whole)}};
    if (conv->transposed) {
      if (const auto forward = as_forward(*conv)) {
        whole.op.shape = *forward;
        return {{"", std::move(whole)}};
      }
    }
  }
  // On a machine of one chip what comes of all chips is its own; of several: lower_collective.
  if (std::holds_alternative<Collective>(op.shape)) {
    return {{"", stream_work(op, facts, tensors)}};
  }
  return parts_of(op, facts, tensors, true, scratch);
}

class Lowering {
 public:
  Lowering(const Workload& workload, const GpuTarget& target, const TimeProgram& time_of,
           const std::string& arch_file, Diagnostics& diagnostics)
      : workload_(workload),
        target_(target),
        arch_file_(arch_file),
        diagnostics_(diagnostics),
        chooser_(target, time_of),
        attention_(target, time_of),
        convolutions_(target, time_of, chooser_) {}

  GpuWorkload run() {
    for (const Op& op : workload_.ops) {
      out_.facts.push_back(facts(op));
      out_.macs.push_back(0);
    }
    out_.tensors = plan_tensors(workload_, out_.facts, plain_target());
    for (std::size_t i = 0; i < workload_.ops.size(); ++i) {
      out_.first_kernel.push_back(out_.program.kernels.size());
      lower_op(i);
      set_launches(out_.first_kernel.back());
    }
    out_.first_kernel.push_back(out_.program.kernels.size());
    return std::move(out_);
  }

 private:
  void lower_op(std::size_t i) {
    const Op& op = workload_.ops[i];
    place_weights(out_.tensors, i, out_.facts[i].weight_bytes, out_.facts[i].weight_bytes,
                  bytes_for(out_.facts[i].bias_elements, activation_bits(op.dtype)));
    if (lower_attention(i) || lower_collective(i)) return;
    Scratch scratch(program::Space::dram, 0, false, 1,
                    [&](Bytes bytes) { return out_.tensors.dram.take(bytes); });
    if (const auto* layer = std::get_if<Recurrent>(&op.shape)) {
      lower_recurrent(i, *layer);
    } else {
      lower_parts(i, scratch);
    }
  }

  bool lower_collective(std::size_t i) {
    const Op& op = workload_.ops[i];
    const auto* collective = std::get_if<Collective>(&op.shape);
    if (collective == nullptr || collective->chips < 2) return false;
    const KernelId id{.name = op.name, .layer = static_cast<int>(i), .dtype = op.dtype};
    for (auto& kernel : build_ring_kernels(id, *collective, out_.tensors.ops[i], target_)) {
      out_.program.kernels.push_back(std::move(kernel));
    }
    return true;
  }

  void lower_recurrent(std::size_t i, const Recurrent& layer) {
    const Op& op = workload_.ops[i];
    const KernelId id{.name = op.name, .layer = static_cast<int>(i), .dtype = op.dtype};
    const OpTensors& t = out_.tensors.ops[i];
    auto kernels = build_recurrent_kernels(
        id, layer, {t.inputs[0].place, t.weights, t.output, workspace()}, target_, chooser_);
    if (kernels.empty()) unsupported(op);
    out_.macs[i] += out_.facts[i].macs;
    for (auto& kernel : kernels) out_.program.kernels.push_back(std::move(kernel));
  }

  /// Takes room in DRAM for what kernels of an op hand on.
  [[nodiscard]] std::function<Placement(Bytes)> workspace() {
    return [this](Bytes bytes) {
      return Placement{program::Space::dram, out_.tensors.dram.take(bytes), bytes, bytes};
    };
  }

  void lower_parts(std::size_t i, Scratch& scratch) {
    const Op& op = workload_.ops[i];
    Bytes weights_used = 0;
    for (Part& part : gpu_parts_of(op, out_.facts[i], out_.tensors.ops[i], scratch)) {
      const KernelId id{.name = part.name.empty() ? op.name : op.name + ": " + part.name,
                        .layer = static_cast<int>(i),
                        .dtype = op.dtype};
      if (auto* matrix = std::get_if<MatrixPart>(&part.work)) {
        if (!lower_matrix(i, id, *matrix, weights_used)) return;
      } else {
        out_.program.kernels.push_back(
            build_vector_kernel(id, op, part.name, std::get<StreamWork>(part.work), target_));
      }
    }
  }

  /// What comes before each kernel of an op, the first of which is `first`. A captured graph is launched
  /// once; a framework launches op by op.
  void set_launches(std::size_t first) {
    auto& kernels = out_.program.kernels;
    for (std::size_t k = first; k < kernels.size(); ++k) {
      if (kernels[k].same_launch) continue;
      const bool launched = target_.captured_graph ? k == 0 : k == first;
      kernels[k].kernel.launch_cycles =
          launched ? target_.launch_cycles : target_.kernel_gap_cycles;
    }
  }

  /// As one kernel; false if it takes more (unfused, a gradient, a type that no tile is made for).
  bool lower_attention(std::size_t i) {
    const Op& op = workload_.ops[i];
    const auto* a = std::get_if<Attention>(&op.shape);
    if (a == nullptr || a->backward || a->algorithm != Attention::Algorithm::flash) return false;
    const auto tile = attention_.choose(*a, op.dtype);
    if (!tile) return false;
    const OpTensors& t = out_.tensors.ops[i];
    AttentionPlaces places{.q = t.inputs[0].place,
                           .k = t.inputs[1].place,
                           .v = t.inputs[a->v_in_k ? 1 : 2].place,
                           .out = t.output,
                           .workspace = workspace()};
    const KernelId id{.name = op.name, .layer = static_cast<int>(i), .dtype = op.dtype};
    out_.macs[i] += out_.facts[i].macs;
    for (auto& kernel : build_attention_kernels(id, *a, *tile, places, target_)) {
      out_.program.kernels.push_back(std::move(kernel));
    }
    return true;
  }

  bool lower_matrix(std::size_t i, const KernelId& id, const MatrixPart& part,
                    Bytes& weights_used) {
    const Op& op = workload_.ops[i];
    if (const auto* conv = std::get_if<Conv2d>(&part.op.shape)) {
      return lower_conv(i, id, *conv, part, weights_used);
    }
    const auto* gemm = std::get_if<Gemm>(&part.op.shape);
    const auto tile = chooser_.choose(*gemm, op.dtype);
    if (!tile) return no_kernel(op, *gemm);
    out_.macs[i] += gemm->batch * gemm->m * gemm->n * gemm->k;
    const OpTensors& t = part.tensors;
    GemmPlaces places;
    places.a = t.inputs[0].place;
    std::size_t used = 1;
    if (gemm->b_is_activation) {
      places.b = t.inputs[1].place;
      used = 2;
    } else {
      places.b = slice(out_.tensors.ops[i].weights, weights_used,
                       bytes_for(gemm->batch * gemm->n * gemm->k, weight_bits(op.dtype)));
      weights_used += places.b.bytes;
    }
    if (t.inputs.size() > used) places.residual = t.inputs[used].place;
    places.c = t.output;
    places.workspace = workspace();
    for (auto& kernel : build_gemm_kernels(id, *gemm, *tile, places, target_)) {
      out_.program.kernels.push_back(std::move(kernel));
    }
    return true;
  }

  bool lower_conv(std::size_t i, const KernelId& id, const Conv2d& conv, const MatrixPart& part,
                  Bytes& weights_used) {
    ConvPlaces places;
    const auto& inputs = part.tensors.inputs;
    places.input = inputs[0].place;
    places.output = part.tensors.output;
    places.workspace = workspace();
    if (conv.weight_gradient) {
      places.gradient = inputs[1].place;
    } else {
      places.weights = slice(
          out_.tensors.ops[i].weights, weights_used,
          bytes_for(conv.k * (conv.c / conv.groups) * conv.r * conv.s, weight_bits(id.dtype)));
      weights_used += places.weights.bytes;
      if (inputs.size() > 1) places.residual = inputs[1].place;
    }
    auto lowered = convolutions_.lower(id, conv, places);
    if (!lowered) return unsupported(workload_.ops[i]);
    out_.macs[i] += lowered->macs;
    for (auto& kernel : lowered->kernels) out_.program.kernels.push_back(std::move(kernel));
    return true;
  }

  /// Of a product: the type is not multiplied, or the kernel that the user wants is not there.
  bool no_kernel(const Op& op, const Gemm& gemm) {
    const auto kernels = chooser_.kernels(gemm, op.dtype);
    if (kernels.empty()) return unsupported(op);
    if (!reported_.insert(op.dtype).second) return false;
    constexpr std::size_t kShown = 5;
    const std::vector<std::string_view> names(kernels.begin(), kernels.end());
    diagnostics_.error(
        arch_file_, "mapping.gemm_kernel",
        fmt::format(
            "no kernel \"{}\" for {} products of this size (op \"{}\"){}; there are {}, "
            "among them: {}",
            target_.gemm_kernel, to_string(op.dtype), op.name,
            suggestion(target_.gemm_kernel, names), names.size(),
            fmt::join(names.begin(),
                      names.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, names.size())),
                      "; ")));
    return false;
  }

  bool unsupported(const Op& op) {
    if (!reported_.insert(op.dtype).second) return false;
    std::vector<std::string_view> names;
    for (const DataType type : all_data_types()) {
      if (target_.fma_per_cycle(type, target_.mma_unit) > 0 ||
          target_.fma_per_cycle(type, program::MmaUnit::lanes) > 0) {
        names.push_back(to_string(type));
      }
    }
    diagnostics_.error(
        arch_file_, "core.matrix_unit.fma_per_cycle",
        fmt::format("{} is not among the types this machine multiplies: {} (op \"{}\")",
                    to_string(op.dtype), fmt::join(names, ", "), op.name));
    return false;
  }

  const Workload& workload_;
  const GpuTarget& target_;
  const std::string& arch_file_;
  Diagnostics& diagnostics_;
  GemmChooser chooser_;
  AttentionChooser attention_;
  ConvChooser convolutions_;
  GpuWorkload out_;
  std::set<DataType> reported_;
};

}  // namespace

std::string GpuWorkload::description(std::size_t op) const {
  std::string text;
  for (std::size_t k = first_kernel[op]; k < first_kernel[op + 1]; ++k) {
    const auto& kernel = program.kernels[k].kernel;
    text += fmt::format("{}{}", text.empty() ? "" : "; ", kernel.description);
  }
  return text;
}

GpuWorkload lower_for_gpu(const Workload& workload, const GpuTarget& target,
                          const TimeProgram& time_of, const std::string& arch_file,
                          Diagnostics& diagnostics) {
  return Lowering(workload, target, time_of, arch_file, diagnostics).run();
}

}  // namespace tilewave
