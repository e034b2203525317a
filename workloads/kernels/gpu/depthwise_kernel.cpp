// SPDX-License-Identifier: Apache-2.0
#include "workloads/kernels/gpu/depthwise_kernel.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "workloads/ops/conv2d.hpp"

namespace tilewave {

using program::Instruction;
using program::UnitKind;

namespace {

constexpr int kX = kBlockIndex, kY = kBlockIndex + 1, kZ = kBlockIndex + 2;
constexpr Count kWarps = 8, kRegisters = 64;
/// Outputs of a CTA: 16 a thread.
constexpr Count kOutputs = 4096;
/// Channels of a CTA where they come last (a line and more of each pixel), planes where they do not.
constexpr Count kChannels = 64, kPlanes = 8;

std::int64_t whole(Count value) { return static_cast<std::int64_t>(value); }

/// [first + step i, ... + length) of [0, extent), i the index of a dimension of the grid.
Span part(int dim, Count step, std::int64_t first, Count length, Count extent) {
  Span span = Span::whole(extent);
  span.begin = Affine::of_loop(dim, whole(step), first);
  span.length = whole(length);
  return span;
}

class Builder {
 public:
  Builder(const KernelId& id, const Conv2d& conv, const GpuTarget& target)
      : v_(conv), out_(conv_output(conv)), bytes_(bytes_for(1, activation_bits(id.dtype))) {
    auto& k = gpu_.kernel;
    k.name = id.name;
    k.layer = id.layer;
    k.dtype = id.dtype;
    planes_ = v_.layout == Layout::nchw;
    across_ = planes_ ? v_.n * v_.c : v_.c;
    tile_ = std::min(across_, planes_ ? kPlanes : kChannels);
    rows_ = std::clamp<Count>(kOutputs / (tile_ * out_.w), 1, out_.h);
    k.grid = {ceil_div(across_, tile_), ceil_div(out_.h, rows_), planes_ ? 1 : v_.n};
    gpu_.cta.unit = program::MmaUnit::lanes;
    gpu_.cta.warps_m = kWarps;
    gpu_.cta.threads = kWarps * target.warp_lanes;
    gpu_.cta.registers_per_thread = kRegisters;
    k.description = fmt::format("depthwise: {} threads, {} rows of {} channels each",
                                gpu_.cta.threads, rows_, tile_);
    k.slots = {{.name = "input", .buffer = "shared", .stages = 1, .stage_bytes = 0}};
  }

  program::GpuKernel build(const Placement& input, const Placement& weights,
                           const Placement& output, const std::optional<Placement>& residual) {
    const Count wide = v_.k / v_.c, taps = v_.r * v_.s;
    program::Loop loop{.name = "rows", .index = 0, .count = 1, .body = {}};
    loop.body.emplace_back(
        move("load input", UnitKind::load, input,
             pixels(v_.h, v_.w, v_.c, 1, rows_ * v_.stride[0], -whole(v_.padding[0]),
                    (rows_ - 1) * v_.stride[0] + height_axis(v_).extent())));
    Instruction filters = move("load filters", UnitKind::load, weights, {});
    program::StridedRows shape;
    shape.dims = {{part(kX, planes_ ? 0 : tile_ * wide, 0, tile_ * wide, v_.k), taps * bytes_}};
    shape.row_bytes = Span::whole(taps * bytes_);
    filters.region.shape = shape;
    loop.body.emplace_back(std::move(filters));
    if (residual)
      loop.body.emplace_back(move("load residual", UnitKind::load, *residual, outputs()));
    Instruction multiply;
    multiply.label = "multiply";
    multiply.unit = UnitKind::matrix;
    multiply.m.factors = elements();
    multiply.n.factors = {Span::whole(wide)};
    multiply.k.factors = {Span::whole(taps)};
    loop.body.emplace_back(std::move(multiply));
    gpu_.kernel.body.emplace_back(std::move(loop));
    Instruction vector;
    vector.label = "epilogue";
    vector.unit = UnitKind::vector;
    vector.elements.factors = elements();
    vector.elements.factors.push_back(Span::whole(wide));
    vector.operations_per_element = 1 + v_.epilogue.size();
    gpu_.kernel.body.emplace_back(std::move(vector));
    gpu_.kernel.body.emplace_back(move("store", UnitKind::store, output, outputs()));
    return std::move(gpu_);
  }

 private:
  /// Rows of an image of height x width pixels: `step` rows a CTA, from `first` on, `rows` of them.
  [[nodiscard]] program::Region pixels(Count height, Count width, Count channels, Count wide,
                                       Count step, std::int64_t first, Count rows) const {
    program::Region region;
    program::StridedRows shape;
    if (planes_) {
      const Count row = width * bytes_;
      shape.dims = {{part(kX, tile_ * wide, 0, tile_ * wide, across_ * wide), height * row}};
      shape.row_bytes = part(kY, step * row, first * whole(row), rows * row, height * row);
    } else {
      shape.dims = {{part(kY, step * width, first * whole(width), rows * width, height * width),
                     channels * bytes_}};
      shape.row_bytes =
          part(kX, tile_ * wide * bytes_, 0, tile_ * wide * bytes_, channels * bytes_);
      region.offset_bytes = Affine::of_loop(kZ, whole(height * width * channels * bytes_));
    }
    region.shape = shape;
    return region;
  }
  [[nodiscard]] program::Region outputs() const {
    return pixels(out_.h, out_.w, v_.k, v_.k / v_.c, rows_, 0, rows_);
  }
  /// Outputs of a CTA, without the filters a channel.
  [[nodiscard]] std::vector<Span> elements() const {
    return {part(kY, rows_, 0, rows_, out_.h), Span::whole(out_.w),
            part(kX, tile_, 0, tile_, across_)};
  }
  Instruction move(const char* label, UnitKind unit, const Placement& place,
                   program::Region region) {
    Instruction i;
    i.label = label;
    i.unit = unit;
    i.region = std::move(region);
    i.region.tensor = static_cast<int>(gpu_.kernel.tensors.size());
    gpu_.kernel.tensors.push_back({.name = label,
                                   .space = place.space,
                                   .base_address = place.base_address,
                                   .bytes = place.stored_bytes});
    return i;
  }

  const Conv2d& v_;
  OutputSize out_;
  Bytes bytes_;
  bool planes_ = false;
  Count across_ = 1, tile_ = 1,
        rows_ = 1;  ///< channels or planes in all, of a CTA; rows of outputs
  program::GpuKernel gpu_;
};

}  // namespace

bool is_depthwise(const Conv2d& v) {
  return v.groups > 1 && v.groups == v.c && !v.transposed && !v.weight_gradient;
}

program::GpuKernel build_depthwise_kernel(const KernelId& id, const Conv2d& conv,
                                          const Placement& input, const Placement& weights,
                                          const Placement& output,
                                          const std::optional<Placement>& residual,
                                          const GpuTarget& target) {
  return Builder(id, conv, target).build(input, weights, output, residual);
}

}  // namespace tilewave
