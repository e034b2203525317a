// SPDX-License-Identifier: Apache-2.0
#include "workloads/kernels/gpu/ring_kernels.hpp"

#include <fmt/format.h>
#include <utility>

#include "workloads/kernels/gpu/stream_kernel.hpp"
#include "workloads/ops/collective.hpp"

namespace tilewave {

namespace {

enum class Step { add, keep };

/// Steps of one kind, one after another.
class Ring {
 public:
  Ring(const KernelId& id, const Collective& collective, const OpTensors& tensors,
       const GpuTarget& target)
      : id_(id),
        target_(target),
        part_(part_elements(collective)),
        bits_(activation_bits(id.dtype)),
        output_(tensors.output) {
    own_ = {tensors.inputs[0].place, bits_};
  }

  void steps(Step kind, Count count) {
    if (count == 0) return;
    if (kernels_.empty()) {
      append(kind, 1);
      --count;
    }
    if (count > 0) append(kind, count);
  }
  [[nodiscard]] std::vector<program::GpuKernel> kernels() { return std::move(kernels_); }

 private:
  void append(Step kind, Count times) {
    StreamKernel work{.elements = part_,
                      .operations = kind == Step::add ? Count{1} : Count{0},
                      .inputs = {},
                      .output = {part_of(output_), bits_}};
    // What a step before wrote, the mirror reads from where it lies here.
    StreamKernel::Operand far{part_of(kernels_.empty() ? own_.place : output_), bits_};
    far.place.space = program::Space::link;
    work.inputs.push_back(far);
    if (kind == Step::add) work.inputs.push_back({part_of(own_.place), bits_});
    auto kernel = build_stream_kernel(id_, work, target_);
    kernel.kernel.description =
        fmt::format("{}{}, {} around the ring", kernels_.empty() ? "" : "then ",
                    kind == Step::add ? "parts added" : "parts kept",
                    times == 1 ? "a step" : fmt::format("{} steps", times));
    kernel.times = times;
    kernel.same_launch = !kernels_.empty();
    kernels_.push_back(std::move(kernel));
  }

  /// The first part of a tensor, which stands for the one that a step is about.
  [[nodiscard]] Placement part_of(const Placement& whole) const {
    const Bytes bytes = bytes_for(part_, static_cast<unsigned>(bits_));
    return {program::Space::dram, whole.base_address, bytes, bytes};
  }

  const KernelId& id_;
  const GpuTarget& target_;
  Count part_;
  Count bits_;
  StreamKernel::Operand own_;
  Placement output_;
  std::vector<program::GpuKernel> kernels_;
};

}  // namespace

std::vector<program::GpuKernel> build_ring_kernels(const KernelId& id, const Collective& collective,
                                                   const OpTensors& tensors,
                                                   const GpuTarget& target) {
  Ring ring(id, collective, tensors, target);
  const Count around = collective.chips - 1;
  if (collective.kind != CollectiveKind::all_gather) ring.steps(Step::add, around);
  if (collective.kind != CollectiveKind::reduce_scatter) ring.steps(Step::keep, around);
  return ring.kernels();
}

}  // namespace tilewave
