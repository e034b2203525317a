// SPDX-License-Identifier: Apache-2.0
#include "workloads/kernels/gpu/choose_conv.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "workloads/kernels/gpu/depthwise_kernel.hpp"
#include "workloads/kernels/gpu/stream_kernel.hpp"
#include "workloads/kernels/gpu/winograd.hpp"
#include "workloads/ops/conv2d.hpp"

namespace tilewave {

namespace {

/// Channels of a pixel that a lane loads at a time: libraries pad to these for tensor cores (cuDNN
/// developer guide, 'Tensor Core Operations': channels in multiples of 8 for 16 bits, 16 for 8).
constexpr Count kVectorBits = 128;

program::GpuKernel pass(const KernelId& id, const char* what, const StreamKernel& work,
                        const GpuTarget& target) {
  auto kernel = build_stream_kernel(id, work, target);
  kernel.kernel.description = fmt::format("{}: {}", what, kernel.kernel.description);
  return kernel;
}

void append(std::vector<program::GpuKernel>& to, std::vector<program::GpuKernel> more) {
  for (auto& kernel : more) to.push_back(std::move(kernel));
}

/// Tensors one after another in a memory of their own, for a trial.
ConvPlaces alone(const Conv2d& v, DataType dtype) {
  AddressSpace space(program::kGpuReservationBytes);
  const auto place = [&](Count elements) {
    const Bytes bytes = bytes_for(elements, activation_bits(dtype));
    return Placement{program::Space::dram, space.take(bytes), bytes, bytes};
  };
  Conv2d forward = v;
  forward.weight_gradient = false;
  const Count filters = v.k * (v.c / v.groups) * v.r * v.s;
  const Count outputs = conv_output(forward).elements();
  ConvPlaces places;
  places.input = place(v.n * v.c * v.h * v.w);
  places.weights = place(v.weight_gradient ? outputs : filters);
  places.output = place(v.weight_gradient ? filters : outputs);
  if (v.weight_gradient) places.gradient = places.weights;
  places.workspace = [space](Bytes bytes) mutable {
    return Placement{program::Space::dram, space.take(bytes), bytes, bytes};
  };
  return places;
}

}  // namespace

bool ConvChooser::on_tensor_cores(DataType dtype) const {
  return target_.mma_unit != program::MmaUnit::none &&
         target_.fma_per_cycle(dtype, target_.mma_unit) > 0;
}

/// Of a group.
Count ConvChooser::stored_channels(const Conv2d& conv, DataType dtype) const {
  const Count channels = conv.c / conv.groups;
  if (!on_tensor_cores(dtype)) return channels;
  const Count vector = kVectorBits / activation_bits(dtype);
  return ceil_div(channels, vector) * vector;
}

std::optional<ConvKernels> ConvChooser::lower(const KernelId& id, const Conv2d& conv,
                                              const ConvPlaces& places) {
  const auto plan = plan_for(conv, id.dtype);
  if (!plan) return std::nullopt;
  return build(id, conv, places, *plan);
}

std::optional<ConvChooser::Plan> ConvChooser::plan_for(const Conv2d& conv, DataType dtype) {
  for (const Known& k : known_) {
    if (k.conv == conv && k.dtype == dtype) return k.plan;
  }
  std::vector<Algorithm> algorithms{Algorithm::implicit};
  const bool on_lanes = target_.fma_per_cycle(dtype, program::MmaUnit::lanes) > 0;
  if (is_depthwise(conv) && on_lanes) algorithms = {Algorithm::depthwise};
  // In fp16 sums of 4 x 4 tiles lose too many bits, and fp32 on tensor cores has no such kernels.
  if (Winograd::fits(conv) && on_lanes && !on_tensor_cores(dtype)) {
    algorithms.push_back(Algorithm::winograd_2);
    algorithms.push_back(Algorithm::winograd_4);
  }
  std::optional<Plan> best;
  for (const Algorithm algorithm : algorithms) {
    const auto plan = try_out(conv, dtype, algorithm);
    if (plan && (!best || plan->cycles < best->cycles)) best = plan;
  }
  if (best) known_.push_back({conv, dtype, *best});
  return best;
}

double ConvChooser::cycles_of(std::vector<program::GpuKernel> kernels) const {
  if (kernels.empty()) return 0;
  for (auto& kernel : kernels) kernel.kernel.launch_cycles = target_.kernel_gap_cycles;
  return static_cast<double>(time_of_({std::move(kernels)}));
}

/// The product's tile by trials, and what the passes before and after it take by themselves.
std::optional<ConvChooser::Plan> ConvChooser::try_out(const Conv2d& conv, DataType dtype,
                                                      Algorithm algorithm) const {
  Plan plan{.algorithm = algorithm, .tile = {}, .cycles = 0};
  if (algorithm == Algorithm::depthwise) return plan;
  const KernelId id{.name = "trial", .layer = 0, .dtype = dtype};
  ConvGemm product;
  std::vector<GemmTile> tiles;
  if (algorithm == Algorithm::implicit) {
    const Count channels = stored_channels(conv, dtype);
    Conv2d stored = conv;
    if (on_tensor_cores(dtype)) stored.layout = Layout::nhwc;
    product = conv.weight_gradient ? weight_gradient_gemm(stored, dtype, channels)
                                   : forward_gemm(stored, dtype, channels);
  } else {
    const Winograd winograd(algorithm == Algorithm::winograd_2 ? 2 : 4, conv);
    product = winograd.product(dtype);
    tiles = winograd.tiles(target_);
  }
  const auto places_of = [&](const Gemm& part) {
    const GemmPlaces places = GemmChooser::alone(part, dtype);
    GemmPlaces gathered = product.at(places.a, places.b, places.c);
    gathered.workspace = places.workspace;
    gathered.stored_rows = std::min(product.stored_rows, part.m);
    return gathered;
  };
  const auto tried = tiles.empty()
                         ? gemms_.fastest(product.problem, product.gemm, places_of)
                         : gemms_.fastest(product.problem, product.gemm, places_of, tiles);
  if (!tried) return std::nullopt;
  plan.tile = tried->tile;
  plan.cycles = tried->cycles;
  auto kernels = build(id, conv, alone(conv, dtype), plan).kernels;
  std::erase_if(kernels, [](const auto& k) { return k.cta.unit != program::MmaUnit::none; });
  plan.cycles += cycles_of(std::move(kernels));
  return plan;
}

ConvKernels ConvChooser::build(const KernelId& id, const Conv2d& conv, const ConvPlaces& places,
                               const Plan& plan) const {
  if (plan.algorithm == Algorithm::implicit) return implicit(id, conv, places, plan);
  ConvKernels result;
  if (plan.algorithm == Algorithm::depthwise) {
    const OutputSize out = conv_output(conv);
    result.kernels = {build_depthwise_kernel(id, conv, places.input, places.weights, places.output,
                                             places.residual, target_)};
    result.macs = out.elements() * conv.r * conv.s;
    return result;
  }
  const Winograd winograd(plan.algorithm == Algorithm::winograd_2 ? 2 : 4, conv);
  auto passes = winograd.passes(id, places.input, places.weights, places.output, places.residual,
                                places.workspace, target_);
  const ConvGemm product = winograd.product(id.dtype);
  GemmPlaces at = product.at(passes.a, passes.b, passes.c);
  at.workspace = places.workspace;
  auto kernels = build_gemm_kernels(id, product.gemm, plan.tile, at, target_);
  kernels.front().kernel.description =
      fmt::format("Winograd F({0}x{0}, 3x3){1}, {2}", winograd.m(),
                  winograd.m() == 2 ? " fused" : "", kernels.front().kernel.description);
  result.macs = product.macs();
  append(result.kernels, std::move(passes.before));
  append(result.kernels, std::move(kernels));
  append(result.kernels, std::move(passes.after));
  return result;
}

/// Tensor cores want channels last, in whole vectors: other tensors are copied so before, and results
/// back after.
ConvKernels ConvChooser::implicit(const KernelId& id, const Conv2d& conv, const ConvPlaces& places,
                                  const Plan& plan) const {
  const unsigned bits = activation_bits(id.dtype);
  const Count channels = stored_channels(conv, id.dtype), own = conv.c / conv.groups;
  const bool turns = on_tensor_cores(id.dtype) && conv.layout == Layout::nchw;
  Conv2d stored = conv;
  if (turns) stored.layout = Layout::nhwc;
  ConvKernels result;
  const auto copy = [&](const char* what, const Placement& from, Count rows, Count in, Count out) {
    StreamKernel work;
    const Placement to = places.workspace(bytes_for(rows * out, bits));
    // Equal rows are a matrix as the product reads it.
    const bool matrix = in == out;
    work.elements = matrix ? rows * out : rows;
    work.row_elements = matrix ? out : 0;
    work.operations = matrix ? 1 : out;
    work.inputs = {{from, matrix ? bits : in * bits}};
    work.output = {to, matrix ? bits : out * bits};
    result.kernels.push_back(pass(id, what, work, target_));
    return to;
  };
  const Count pixels = conv.n * conv.h * conv.w;
  Placement input = places.input, other = places.gradient.value_or(places.weights);
  if (turns || channels != own) {
    input = copy(turns ? "input to channels last" : "input's channels padded", input, pixels,
                 conv.c, channels * conv.groups);
    if (!conv.weight_gradient) {
      other = copy(turns ? "filters to channels last" : "filters' channels padded", other,
                   conv.k * conv.r * conv.s, own, channels);
    }
  }
  const ConvGemm product = conv.weight_gradient ? weight_gradient_gemm(stored, id.dtype, channels)
                                                : forward_gemm(stored, id.dtype, channels);
  if (turns && conv.weight_gradient) {
    other = copy("gradient to channels last", other, product.gemm.k, conv.k, conv.k);
  }
  const bool turns_back = turns && !conv.weight_gradient;
  const Placement to =
      turns_back ? places.workspace(bytes_for(product.gemm.m * conv.k, bits)) : places.output;
  GemmPlaces at =
      conv.weight_gradient ? product.at(other, input, to) : product.at(input, other, to);
  at.workspace = places.workspace;
  at.residual = places.residual;
  auto kernels = build_gemm_kernels(id, product.gemm, plan.tile, at, target_);
  kernels.front().kernel.description =
      fmt::format("{}, {}", product.gather_a || product.gather_b ? "implicit GEMM" : "GEMM",
                  kernels.front().kernel.description);
  result.macs = product.macs();
  append(result.kernels, std::move(kernels));
  if (turns_back) {
    StreamKernel work;
    work.elements = product.gemm.m * conv.k;
    work.row_elements = conv.k;
    work.inputs = {{to, bits}};
    work.output = {places.output, bits};
    result.kernels.push_back(pass(id, "output to channel planes", work, target_));
  }
  return result;
}

}  // namespace tilewave
