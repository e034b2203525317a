// SPDX-License-Identifier: Apache-2.0
#include "arch/program/same_kernel.hpp"

#include <algorithm>
#include <unordered_map>

namespace tilewave::program {
namespace {

// Each struct is taken apart, so that a field that is added to one is an error here until it is
// compared, too.

template <typename T>
bool same(const T& a, const T& b) requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) {
  return a == b;
}
bool same(const Affine& a, const Affine& b) {
  const auto& [base, stride] = a;
  return base == b.base && stride == b.stride;
}
bool same(const Span& a, const Span& b) {
  const auto& [begin, length, low, high] = a;
  return same(begin, b.begin) && length == b.length && low == b.low && high == b.high;
}
bool same(const Condition& a, const Condition& b) {
  const auto& [never, first, last, not_last] = a;
  return never == b.never && first == b.first && last == b.last && not_last == b.not_last;
}
bool same(const WindowTaps::Axis& a, const WindowTaps::Axis& b) {
  const auto& [in, out, filter, stride, padding, dilation] = a;
  return in == b.in && out == b.out && filter == b.filter && stride == b.stride &&
         padding == b.padding && dilation == b.dilation;
}
bool same(const StridedRows::Dim& a, const StridedRows::Dim& b) {
  const auto& [span, pitch] = a;
  return same(span, b.span) && pitch == b.pitch_bytes;
}
bool same(const SlotUse& a, const SlotUse& b);
bool same(const Slot& a, const Slot& b);
bool same(const Tensor& a, const Tensor& b);
bool same(const Instruction& a, const Instruction& b);
bool same(const Loop& a, const Loop& b);
template <typename... Of>
bool same(const std::variant<Of...>& a, const std::variant<Of...>& b);
template <typename T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::ranges::equal(a, b, [](const T& x, const T& y) { return same(x, y); });
}
template <typename T>
bool same(const std::optional<T>& a, const std::optional<T>& b) {
  return a.has_value() == b.has_value() && (!a || same(*a, *b));
}

bool same(const StridedRows& a, const StridedRows& b) {
  const auto& [dims, row_bytes] = a;
  return same(dims, b.dims) && same(row_bytes, b.row_bytes);
}
bool same(const WindowRows& a, const WindowRows& b) {
  const auto& [outputs, out_rows, out_cols, in_rows, stride, padding, extent, row_bytes, row_pitch,
               image_pitch, channels, channel_pitch, columns] = a;
  return same(outputs, b.outputs) && out_rows == b.out_rows && out_cols == b.out_cols &&
         in_rows == b.in_rows && stride == b.stride && padding == b.padding && extent == b.extent &&
         row_bytes == b.row_bytes && row_pitch == b.row_pitch_bytes &&
         image_pitch == b.image_pitch_bytes && channels == b.channels &&
         channel_pitch == b.channel_pitch_bytes && columns == b.columns;
}
bool same(const PlanePixels& a, const PlanePixels& b) {
  const auto& [pixels, channels, image_pixels, bits, plane_pitch, image_pitch] = a;
  return same(pixels, b.pixels) && same(channels, b.channels) && image_pixels == b.image_pixels &&
         bits == b.bits && plane_pitch == b.plane_pitch_bytes && image_pitch == b.image_pitch_bytes;
}
bool same(const WindowTaps& a, const WindowTaps& b) {
  const auto& [outputs, taps, rows, cols, channels, row_channels, planes, bits] = a;
  return same(outputs, b.outputs) && same(taps, b.taps) && same(rows, b.rows) &&
         same(cols, b.cols) && channels == b.channels && row_channels == b.row_channels &&
         planes == b.planes && bits == b.bits;
}
bool same(const GatheredRows& a, const GatheredRows& b) {
  const auto& [rows, table_rows, row_bytes] = a;
  return same(rows, b.rows) && table_rows == b.table_rows && row_bytes == b.row_bytes;
}

template <typename... Of>
bool same(const std::variant<Of...>& a, const std::variant<Of...>& b) {
  return a.index() == b.index() &&
         std::visit([&](const auto& x) { return same(x, std::get<std::decay_t<decltype(x)>>(b)); },
                    a);
}

bool same(const Region& a, const Region& b) {
  const auto& [tensor, offset, shape] = a;
  return tensor == b.tensor && same(offset, b.offset_bytes) && same(shape, b.shape);
}
bool same(const Size& a, const Size& b) {
  const auto& [factors] = a;
  return same(factors, b.factors);
}
bool same(const SlotUse& a, const SlotUse& b) {
  const auto& [slot, role, stage, acquire, produce, wait, part, release] = a;
  return slot == b.slot && role == b.role && same(stage, b.stage) && same(acquire, b.acquire) &&
         produce == b.produce && wait == b.wait && part == b.part && same(release, b.release);
}
bool same(const Slot& a, const Slot& b) {
  const auto& [name, buffer, stages, stage_bytes, releases] = a;
  return name == b.name && buffer == b.buffer && stages == b.stages &&
         stage_bytes == b.stage_bytes && releases == b.releases;
}
bool same(const Tensor& a, const Tensor& b) {
  const auto& [name, space, base_address, bytes] = a;
  static_cast<void>(name);
  static_cast<void>(base_address);
  return space == b.space && bytes == b.bytes;
}
bool same(const Instruction& a, const Instruction& b) {
  const auto& [label, unit, queue, when, runs_ahead, slots, region, m, n, k, batch, first, last,
               elements, operations, accumulators, read_bytes, write_bytes] = a;
  static_cast<void>(label);
  return unit == b.unit && queue == b.queue && same(when, b.when) && runs_ahead == b.runs_ahead &&
         same(slots, b.slots) && same(region, b.region) && same(m, b.m) && same(n, b.n) &&
         same(k, b.k) && same(batch, b.batch_index) && same(first, b.accumulate_first) &&
         same(last, b.accumulate_last) && same(elements, b.elements) &&
         operations == b.operations_per_element && accumulators == b.reads_accumulators &&
         read_bytes == b.read_bytes_per_element && write_bytes == b.write_bytes_per_element;
}
bool same(const Loop& a, const Loop& b) {
  const auto& [name, index, count, body] = a;
  static_cast<void>(name);
  return index == b.index && count == b.count && same(body, b.body);
}

}  // namespace

std::uint64_t rough_work(const Kernel& kernel) {
  std::uint64_t sum = kernel.body.size();
  const auto add = [&](std::uint64_t value) { sum = sum * 31 + value; };
  for (const Tensor& tensor : kernel.tensors) add(tensor.bytes);
  for (const Slot& slot : kernel.slots) add(slot.stage_bytes * slot.stages);
  for (const Node& node : kernel.body) {
    if (const Loop* loop = std::get_if<Loop>(&node)) add(loop->count);
  }
  return sum;
}

bool same_work(const Kernel& a, const Kernel& b) {
  const auto& [name, description, layer, dtype, grid, launch_cycles, transfers_in_launch,
               reads_results_of, tensors, slots, body, values] = a;
  static_cast<void>(name);
  static_cast<void>(description);
  static_cast<void>(layer);
  static_cast<void>(reads_results_of);  // compared as a distance, where the place is known
  return dtype == b.dtype && grid == b.grid && launch_cycles == b.launch_cycles &&
         transfers_in_launch == b.transfers_in_launch && same(tensors, b.tensors) &&
         same(slots, b.slots) && same(body, b.body) && values == b.values;
}

std::vector<int> classes_of(const std::vector<std::uint64_t>& rough,
                            const std::function<bool(std::size_t, std::size_t)>& same) {
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> firsts;  // of each class
  std::vector<int> classes;
  int known = 0;
  for (std::size_t i = 0; i < rough.size(); ++i) {
    auto& candidates = firsts[rough[i]];
    const auto found =
        std::ranges::find_if(candidates, [&](std::size_t first) { return same(first, i); });
    classes.push_back(found == candidates.end() ? known++ : classes[*found]);
    if (found == candidates.end()) candidates.push_back(i);
  }
  return classes;
}

std::vector<int> kernel_classes(const Program& program) {
  std::vector<std::uint64_t> rough;
  for (const Kernel& kernel : program.kernels) rough.push_back(rough_work(kernel));
  const auto back = [&](std::size_t kernel) {
    const int producer = program.kernels[kernel].reads_results_of;
    return producer < 0 ? 0 : kernel - static_cast<std::size_t>(producer);
  };
  return classes_of(rough, [&](std::size_t first, std::size_t i) {
    return back(first) == back(i) && same_work(program.kernels[first], program.kernels[i]);
  });
}

}  // namespace tilewave::program
