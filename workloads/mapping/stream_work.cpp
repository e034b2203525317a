// SPDX-License-Identifier: Apache-2.0
#include "workloads/mapping/stream_work.hpp"

#include <algorithm>

#include "workloads/mapping/input_rows.hpp"
#include "workloads/mapping/transposition.hpp"
#include "workloads/ops/pool.hpp"

namespace tilewave {

namespace {

Count bits_of(const ElementBits& bits, DataType type) {
  return bits.fixed + (bits.data_type ? activation_bits(type) : 0U);
}

/// Inputs and output one after another, in `units` equal parts.
StreamWork in_units(Count units, const Op& op, const OpFacts& f, const OpTensors& t) {
  StreamWork work{.units = units,
                  .elements_per_unit = std::max<Count>(1, f.output_elements / units),
                  .operations = std::max<Count>(1, ceil_div(f.flops, f.output_elements)),
                  .computes = f.flops > 0};
  for (std::size_t k = 0; k < f.inputs.size(); ++k) {
    const Count per_unit = ceil_div(f.inputs[k].elements, units);
    work.inputs.push_back({.name = k == 0 ? "input" : "input " + std::to_string(k + 1),
                           .place = t.inputs[k].place,
                           .bits_per_unit = per_unit * bits_of(f.inputs[k].bits, op.dtype)});
  }
  work.output = {.name = "output",
                 .place = t.output,
                 .bits_per_unit = f.output_elements / units * bits_of(f.output_bits, op.dtype)};
  return work;
}

/// Pixels of channel planes: where rows of results lie.
auto plane_shape(Count pixels_per_unit, Count image_pixels, Count planes, unsigned bits) {
  return [=](Count chunk, Count units) -> program::Region::Shape {
    const Bytes plane = bytes_for(image_pixels, bits);
    return program::PlanePixels{
        .pixels = Span::tile(0, chunk * pixels_per_unit, units * pixels_per_unit),
        .channels = Span::whole(planes),
        .image_pixels = image_pixels,
        .bits = bits,
        .plane_pitch_bytes = plane,
        .image_pitch_bytes = planes * plane};
  };
}

StreamWork pool_work(const Pool& pool, const Op& op, const OpFacts& f, const OpTensors& t) {
  const OutputSize out = pool_output(pool);
  if (pool.backward) return in_units(pool.n * pool.h, op, f, t);
  StreamWork work = in_units(out.n * out.h, op, f, t);  // output rows
  work.operations = pool.r * pool.s;
  const unsigned bits = activation_bits(op.dtype);
  work.read_bits_per_element = work.operations * bits;
  const auto rows = input_rows(height_axis(pool), width_axis(pool), pool.c, pool.layout, bits);
  StreamOperand& input = work.inputs.front();
  input.shape = [rows](Count chunk, Count units) -> program::Region::Shape {
    auto window = rows;
    window.outputs = Span::tile(0, chunk * window.out_cols, units * window.out_cols);
    return window;
  };
  input.most_bytes = [rows, all = work.units](Count units) {
    const Count step = std::min(rows.stride, rows.extent);
    // Chunks that do not divide an image may reach into the next one, with a window of its own.
    const bool straddles = all > rows.out_rows && rows.out_rows % units != 0;
    const Count in = (units - 1) * step + rows.extent + (straddles ? rows.extent : 0);
    return std::min(in, all / rows.out_rows * rows.in_rows) * rows.channels * rows.row_bytes;
  };
  if (pool.layout == Layout::nchw) {
    work.output.shape = plane_shape(out.w, out.h * out.w, out.c, bits);
  }
  return work;
}

StreamWork elementwise_work(const Elementwise& e, const Op& op, const OpFacts& f,
                            const OpTensors& t) {
  StreamWork work = in_units(e.elements, op, f, t);
  if (e.second_elements > 0 && e.second_elements < e.elements) work.inputs[1].whole = true;
  return work;
}

StreamWork embedding_work(const Embedding& e, const Op& op, const OpFacts& f, const OpTensors& t) {
  StreamWork work = in_units(e.rows, op, f, t);
  work.operations = e.pooled;
  const Bytes row_bytes = bytes_for(e.width, weight_bits(op.dtype));
  work.inputs.push_back({.name = "table",
                         .place = t.weights,
                         .bits_per_unit = e.pooled * row_bytes * 8,
                         .shape = [=](Count chunk, Count units) -> program::Region::Shape {
                           return program::GatheredRows{
                               .rows = Span::tile(0, chunk * e.pooled, units * e.pooled),
                               .table_rows = e.table_rows,
                               .row_bytes = row_bytes};
                         }});
  return work;
}

StreamWork reduce_work(const Reduce& r, const Op& op, const OpFacts& f, const OpTensors& t) {
  StreamWork work = in_units(r.rows, op, f, t);
  work.operations = r.cols;
  return work;
}

StreamWork transpose_work(const Transpose& transpose, const Op& op, const OpFacts& f,
                          const OpTensors& t) {
  const unsigned bits = activation_bits(op.dtype);
  const auto exchange = as_exchange(transpose);
  // Elements below a byte cannot be moved alone in memory; other orders are counted as if they could
  // be written one after another.
  if (!exchange || exchange->inner * bits % 8 != 0) return in_units(f.output_elements, op, f, t);
  StreamWork work = in_units(exchange->outer * exchange->a, op, f, t);
  work.output.shape =
      plane_shape(1, exchange->a, exchange->b, static_cast<unsigned>(exchange->inner) * bits);
  return work;
}

struct Describe {
  const Op& op;
  const OpFacts& f;
  const OpTensors& t;
  StreamWork operator()(const Pool& v) const { return pool_work(v, op, f, t); }
  StreamWork operator()(const Elementwise& v) const { return elementwise_work(v, op, f, t); }
  StreamWork operator()(const Embedding& v) const { return embedding_work(v, op, f, t); }
  StreamWork operator()(const Reduce& v) const { return reduce_work(v, op, f, t); }
  StreamWork operator()(const Transpose& v) const { return transpose_work(v, op, f, t); }
  StreamWork operator()(const Normalization& v) const { return in_units(v.rows, op, f, t); }
  StreamWork operator()(const Rotary& v) const { return in_units(v.rows, op, f, t); }
  StreamWork operator()(const auto&) const { return in_units(f.output_elements, op, f, t); }
};

struct IsStream {
  bool operator()(const Gemm&) const { return false; }
  bool operator()(const Conv2d&) const { return false; }
  bool operator()(const Conv1d&) const { return false; }
  bool operator()(const Conv3d&) const { return false; }
  bool operator()(const Attention&) const { return false; }
  bool operator()(const Recurrent&) const { return false; }
  bool operator()(const Moe&) const { return false; }
  bool operator()(const Concat&) const { return false; }
  bool operator()(const Collective&) const { return false; }
  bool operator()(const auto&) const { return true; }
};

}  // namespace

bool is_stream(const Op& op) { return std::visit(IsStream{}, op.shape); }

StreamWork stream_work(const Op& op, const OpFacts& facts, const OpTensors& tensors) {
  return std::visit(Describe{op, facts, tensors}, op.shape);
}

std::optional<StreamWork> finer_stream_work(const Op& op, const OpFacts& facts,
                                            const OpTensors& tensors) {
  const auto* pool = std::get_if<Pool>(&op.shape);
  if (pool == nullptr || pool->backward) return std::nullopt;
  const Count rows = pool->n * pool->h;
  StreamWork work = in_units(rows, op, facts, tensors);
  // Each element of the input goes through a lane once for each window that it lies in.
  work.elements_per_unit = pool->w * pool->c;
  work.operations = std::max<Count>(1, ceil_div(facts.flops, rows * work.elements_per_unit));
  work.output.bits_per_unit = ceil_div(facts.output_elements, rows) * activation_bits(op.dtype);
  return work;
}

}  // namespace tilewave
