// SPDX-License-Identifier: Apache-2.0
#include "workloads/ops/pool.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "workloads/ops/count_math.hpp"

namespace tilewave {
namespace {

/// A window that lies on padding alone has no maximum.
void check_pool_padding(const WindowAxis& axis, std::string_view key, ShapeFaults& faults) {
  if (axis.padding >= axis.filter) {
    faults.push_back({std::string(key), fmt::format("must be smaller than the window ({}), is {}",
                                                    axis.filter, axis.padding)});
  }
}

}  // namespace

WindowAxis height_axis(const Pool& p) { return {p.h, p.r, p.stride[0], p.padding[0], 1, false}; }

WindowAxis width_axis(const Pool& p) { return {p.w, p.s, p.stride[1], p.padding[1], 1, false}; }

OutputSize pool_output(const Pool& p) {
  return {p.n, p.c, height_axis(p).outputs(), width_axis(p).outputs()};
}

OpFacts count_facts(const Pool& p) {
  OpFacts facts;
  facts.inputs = {
      {.elements = product({p.n, p.c, p.h, p.w}),
       .touched_elements = product({p.n, p.c, height_axis(p).touched(), width_axis(p).touched()})}};
  facts.output_elements = pool_output(p).elements();
  facts.flops = product({facts.output_elements, p.r, p.s});
  if (p.backward) {
    const Count pixels = facts.inputs[0].elements;
    facts.inputs = {InputFacts::whole(facts.output_elements)};
    if (p.kind == PoolKind::max) facts.inputs.push_back(InputFacts::whole(pixels));
    facts.output_elements = pixels;
  }
  return facts;
}

ShapeFaults find_faults(const Pool& p) {
  ShapeFaults faults;
  check_size(p.n, kDimension, "n", faults);
  check_size(p.c, kDimension, "c", faults);
  check_size(p.h, kDimension, "h", faults);
  check_size(p.w, kDimension, "w", faults);
  check_size(p.r, kDimension, "r", faults);
  check_size(p.s, kDimension, "s", faults);
  check_sizes(p.stride, kStep, "stride", faults);
  check_sizes(p.padding, kPadding, "padding", faults);
  if (!faults.empty()) return faults;

  check_pool_padding(height_axis(p), "padding[0]", faults);
  check_pool_padding(width_axis(p), "padding[1]", faults);
  check_fits(height_axis(p), "r", "height", faults);
  check_fits(width_axis(p), "s", "width", faults);
  return faults;
}

std::string_view to_string(PoolKind kind) { return kind == PoolKind::max ? "max" : "average"; }

Pool read_pool(ObjectReader& reader) {
  Pool p;
  p.kind = reader.optional_choice<PoolKind>(
      "kind", PoolKind::max, {{"max", PoolKind::max}, {"average", PoolKind::average}},
      "what a window becomes");
  p.n = reader.optional_count("n", 1, kDimension, "images");
  p.c = reader.count("c", kDimension, "channels");
  p.h = reader.count("h", kDimension, "input height");
  p.w = reader.count("w", kDimension, "input width");
  p.r = reader.count("r", kDimension, "window height");
  p.s = reader.count("s", kDimension, "window width");
  p.stride = reader.optional_counts<2>("stride", p.stride, kStep, "step down and to the right");
  p.padding = reader.optional_counts<2>("padding", p.padding, kPadding,
                                        "rows above (and below), columns left (and right)");
  p.layout = read_layout(reader);
  p.backward = reader.optional_flag("backward", false, "the gradient of the input instead");
  return p;
}

void write_shape(const Pool& p, Json& json) {
  json["kind"] = to_string(p.kind);
  json["n"] = p.n;
  json["c"] = p.c;
  json["h"] = p.h;
  json["w"] = p.w;
  json["r"] = p.r;
  json["s"] = p.s;
  json["stride"] = p.stride;
  json["padding"] = p.padding;
  json["layout"] = to_string(p.layout);
  if (p.backward) json["backward"] = true;
}

}  // namespace tilewave
