// SPDX-License-Identifier: Apache-2.0
#include "workloads/mapping/vector_kernel.hpp"

#include <fmt/format.h>

#include "arch/program/queues.hpp"
#include "workloads/mapping/input_rows.hpp"
#include "workloads/ops/elementwise.hpp"
#include "workloads/ops/pool.hpp"

namespace tilewave {

using program::Condition;
using program::Instruction;
using program::SlotUse;
using program::UnitKind;

namespace {

/// Chunks in flight should be several, so that fetching, computing and storing overlap, but not so
/// small that requests are tiny.
constexpr Count kChunks = 8;
constexpr Bytes kSmallestChunkBytes = 16384;

/// What a chunk of `unit` rows (or elements) of the op is.
struct ChunkedOp {
  Count units = 0;              ///< output rows or elements in all
  Count elements_per_unit = 1;  ///< output elements
  Count operations = 1;
  bool second = false;
  std::optional<program::WindowRows> window;
  Count plane_pixels = 0;  ///< of an image, if the result's channels are planes; else 0
  Count planes = 1;
};

ChunkedOp describe(const Op& op) {
  const unsigned bits = activation_bits(op.dtype);
  if (const auto* pool = std::get_if<Pool>(&op.shape)) {
    const OutputSize out = pool_output(*pool);
    const bool planes = pool->layout == Layout::nchw;
    return {
        .units = out.n * out.h,
        .elements_per_unit = out.w * out.c,
        .operations = pool->r * pool->s,
        .window = input_rows(height_axis(*pool), width_axis(*pool), pool->c, pool->layout, bits),
        .plane_pixels = planes ? out.h * out.w : 0,
        .planes = out.c};
  }
  const auto& elementwise = std::get<Elementwise>(op.shape);
  return {
      .units = elementwise.elements, .second = elementwise.operands == 2, .window = std::nullopt};
}

/// Largest input of a chunk of `units` output rows or elements.
Bytes input_bytes(const ChunkedOp& op, Count units, unsigned bits) {
  if (!op.window) return bytes_for(units, bits);
  const auto& w = *op.window;
  const Count step = std::min(w.stride, w.extent);
  // Chunks that do not divide an image may reach into the next one, with a window of its own.
  const bool straddles = op.units > w.out_rows && w.out_rows % units != 0;
  const Count rows = (units - 1) * step + w.extent + (straddles ? w.extent : 0);
  return std::min(rows, op.units / w.out_rows * w.in_rows) * w.channels * w.row_bytes;
}

SlotUse produce(int slot) {
  SlotUse use;
  use.slot = slot;
  use.acquire = Condition::always();
  use.produce = true;
  return use;
}

SlotUse consume(int slot) {
  SlotUse use;
  use.slot = slot;
  use.wait = true;
  use.release = Condition::always();
  return use;
}

}  // namespace

std::optional<program::Kernel> build_vector_kernel(const Op& op, int layer,
                                                   const SystolicTarget& target, Bytes budget_bytes,
                                                   const OpTensors& tensors, Fault& why) {
  const ChunkedOp work = describe(op);
  const unsigned bits = activation_bits(op.dtype);
  const bool fetch = !tensors.inputs[0].place.on_chip();
  const bool fetch_second = work.second && !tensors.inputs[1].place.on_chip();
  const bool store = !tensors.output.on_chip();
  const Bytes output_per_unit = bytes_for(work.elements_per_unit, bits);
  const Bytes through_per_unit =
      (fetch_second ? output_per_unit : 0) + (store ? output_per_unit : 0);
  const auto needed = [&](Count units, Count stages) {
    return stages * ((fetch ? input_bytes(work, units, bits) : 0) + units * through_per_unit);
  };
  const auto fits = [&](Count units, Count stages) {
    return target.activation.unlimited || needed(units, stages) <= budget_bytes;
  };

  // Two stages of each slot, so that a chunk moves while another is worked on; one if two of the
  // smallest chunk do not fit.
  Count chunk = work.units, stages = 2;
  if (fetch || fetch_second || store) {
    const Count enough = ceil_div(kSmallestChunkBytes, std::max<Bytes>(1, needed(1, 1)));
    chunk = std::min(work.units, std::max(ceil_div(work.units, kChunks), enough));
    while (!fits(chunk, stages) && chunk > 1) chunk = ceil_div(chunk, Count{2});
    if (!fits(chunk, stages)) stages = 1;
    if (!fits(chunk, stages)) {
      why = {.file = {},
             .path = "core.buffers.activation",
             .message = fmt::format("too small for one chunk: {} bytes are needed, {} are free",
                                    needed(chunk, stages), budget_bytes)};
      return std::nullopt;
    }
  }
  const Count chunks = ceil_div(work.units, chunk);

  program::Kernel kernel;
  kernel.name = op.name;
  kernel.layer = layer;
  kernel.dtype = op.dtype;
  kernel.description =
      fmt::format("vector unit: {} chunk{} of {} elements; input {}, result {}", chunks,
                  chunks == 1 ? "" : "s", chunk * work.elements_per_unit,
                  fetch ? "fetched" : "on chip", store ? "stored" : "stays on chip");
  const auto add_tensor = [&](const char* name, const Placement& at) {
    kernel.tensors.push_back({name, at.space, at.base_address, at.stored_bytes});
    return static_cast<int>(kernel.tensors.size()) - 1;
  };
  const auto add_slot = [&](const char* name, Bytes bytes) {
    kernel.slots.push_back({name, "activation", stages, bytes});
    return static_cast<int>(kernel.slots.size()) - 1;
  };
  // Spans of output rows, of output elements, of bytes of the result.
  const auto scaled = [&](Count factor) {
    return Span::tile(0, chunk * factor, work.units * factor);
  };
  const auto result_region = [&](int tensor) {
    program::Region region{.tensor = tensor};
    if (work.plane_pixels == 0) {
      region.shape = program::StridedRows{
          {}, Span::tile(0, chunk * output_per_unit, work.units * output_per_unit)};
      return region;
    }
    const Bytes plane = bytes_for(work.plane_pixels, bits);
    region.shape = program::PlanePixels{.pixels = scaled(work.window->out_cols),
                                        .channels = Span::whole(work.planes),
                                        .image_pixels = work.plane_pixels,
                                        .bits = bits,
                                        .plane_pitch_bytes = plane,
                                        .image_pitch_bytes = work.planes * plane};
    return region;
  };

  program::Loop loop{.name = "chunk", .index = 0, .count = chunks, .body = {}};
  Instruction compute;
  compute.label = op.name;
  compute.unit = UnitKind::vector;
  compute.elements.factors = {scaled(work.elements_per_unit)};
  compute.operations_per_element = work.operations;
  compute.read_bytes_per_element = bytes_for(work.operations + (work.second ? 1 : 0), bits);
  compute.write_bytes_per_element = bytes_for(1, bits);
  if (fetch) {
    Instruction load;
    load.label = "fetch input";
    load.queue = kActivationLoads;
    const int tensor = add_tensor("input", tensors.inputs[0].place);
    if (work.window) {
      auto window = *work.window;
      window.outputs = scaled(window.out_cols);
      load.region = {.tensor = tensor, .shape = std::move(window)};
    } else {
      load.region = result_region(tensor);
    }
    const int slot = add_slot("input", input_bytes(work, chunk, bits));
    load.slots = {produce(slot)};
    compute.slots.push_back(consume(slot));
    loop.body.emplace_back(std::move(load));
  }
  if (fetch_second) {
    Instruction load;
    load.label = "fetch second input";
    load.queue = kOperandLoads;
    load.region = result_region(add_tensor("second", tensors.inputs[1].place));
    const int slot = add_slot("second", chunk * output_per_unit);
    load.slots = {produce(slot)};
    compute.slots.push_back(consume(slot));
    loop.body.emplace_back(std::move(load));
  }
  if (!store) {
    loop.body.emplace_back(std::move(compute));
  } else {
    const int slot = add_slot("results", chunk * output_per_unit);
    compute.slots.push_back(produce(slot));
    loop.body.emplace_back(std::move(compute));
    Instruction out;
    out.label = "store results";
    out.unit = UnitKind::store;
    out.region = result_region(add_tensor("output", tensors.output));
    out.slots = {consume(slot)};
    loop.body.emplace_back(std::move(out));
  }
  kernel.body.emplace_back(std::move(loop));
  return kernel;
}

program::Kernel build_skipped_kernel(const Op& op, int layer) {
  program::Kernel kernel;
  kernel.name = op.name;
  kernel.layer = layer;
  kernel.dtype = op.dtype;
  kernel.description = "skipped: this machine has no vector unit";
  return kernel;
}

}  // namespace tilewave
