// SPDX-License-Identifier: Apache-2.0
#include "workloads/ops/conv2d.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "workloads/ops/count_math.hpp"
#include "workloads/ops/epilogue.hpp"

namespace tilewave {

Count OutputSize::elements() const { return product({n, c, h, w}); }

WindowAxis height_axis(const Conv2d& v) {
  return {v.h, v.r, v.stride[0], v.padding[0], v.dilation[0], v.ceil_output};
}

WindowAxis width_axis(const Conv2d& v) {
  return {v.w, v.s, v.stride[1], v.padding[1], v.dilation[1], v.ceil_output};
}

OutputSize conv_output(const Conv2d& v) {
  return {v.n, v.k, height_axis(v).outputs(), width_axis(v).outputs()};
}

OpFacts count_facts(const Conv2d& v) {
  OpFacts facts;
  facts.inputs = {
      {.elements = product({v.n, v.c, v.h, v.w}),
       .touched_elements = product({v.n, v.c, height_axis(v).touched(), width_axis(v).touched()})}};
  facts.weight_elements = product({v.k, v.c / v.groups, v.r, v.s});
  const OutputSize out = conv_output(v);
  facts.output_elements = out.elements();
  facts.macs = product({v.n, out.h, out.w, facts.weight_elements});
  facts.flops = product({2, facts.macs});
  add_epilogue_facts(v.epilogue, v.k, facts);
  return facts;
}

ShapeFaults find_faults(const Conv2d& v) {
  ShapeFaults faults;
  check_size(v.n, kDimension, "n", faults);
  check_size(v.c, kDimension, "c", faults);
  check_size(v.h, kDimension, "h", faults);
  check_size(v.w, kDimension, "w", faults);
  check_size(v.k, kDimension, "k", faults);
  check_size(v.r, kDimension, "r", faults);
  check_size(v.s, kDimension, "s", faults);
  check_size(v.groups, kDimension, "groups", faults);
  check_sizes(v.stride, kStep, "stride", faults);
  check_sizes(v.padding, kPadding, "padding", faults);
  check_sizes(v.dilation, kStep, "dilation", faults);
  const bool sizes_ok = faults.empty();
  check_epilogue(v.epilogue, faults);
  if (!sizes_ok) return faults;

  check_fits(height_axis(v), "r", "height", faults);
  check_fits(width_axis(v), "s", "width", faults);
  if (v.c % v.groups != 0) {
    faults.push_back({"groups", fmt::format("must divide c = {}, is {}", v.c, v.groups)});
  }
  if (v.k % v.groups != 0) {
    faults.push_back({"groups", fmt::format("must divide k = {}, is {}", v.k, v.groups)});
  }
  return faults;
}

Conv2d read_conv2d(ObjectReader& reader) {
  Conv2d v;
  v.n = reader.optional_count("n", 1, kDimension, "images");
  v.c = reader.count("c", kDimension, "input channels");
  v.h = reader.count("h", kDimension, "input height");
  v.w = reader.count("w", kDimension, "input width");
  v.k = reader.count("k", kDimension, "filters, the output's channels");
  v.r = reader.optional_count("r", 1, kDimension, "filter height");
  v.s = reader.optional_count("s", 1, kDimension, "filter width");
  v.stride = reader.optional_counts<2>("stride", v.stride, kStep, "step down and to the right");
  v.padding = reader.optional_counts<2>("padding", v.padding, kPadding,
                                        "zeros above (and below), left (and right)");
  v.dilation = reader.optional_counts<2>("dilation", v.dilation, kStep, "distance of the taps");
  v.groups = reader.optional_count("groups", 1, kDimension,
                                   "c for a depthwise convolution; divides c and k");
  v.layout = read_layout(reader);
  v.ceil_output = reader.optional_flag("ceil_output", false,
                                       "a last window that lies only partly on the input counts");
  v.epilogue = read_epilogue(reader);
  if (reader.optional_flag("transposed", false, "a transposed convolution: not there yet")) {
    reader.error("transposed", "is not supported yet, must be false");
  }
  return v;
}

void write_shape(const Conv2d& v, Json& json) {
  json["n"] = v.n;
  json["c"] = v.c;
  json["h"] = v.h;
  json["w"] = v.w;
  json["k"] = v.k;
  json["r"] = v.r;
  json["s"] = v.s;
  json["stride"] = v.stride;
  json["padding"] = v.padding;
  json["dilation"] = v.dilation;
  json["groups"] = v.groups;
  json["layout"] = to_string(v.layout);
  if (v.ceil_output) json["ceil_output"] = true;
  write_epilogue(v.epilogue, json);
}

std::string_view to_string(Layout layout) { return layout == Layout::nhwc ? "nhwc" : "nchw"; }

Layout read_layout(ObjectReader& reader) {
  return reader.optional_choice<Layout>("layout", Layout::nhwc,
                                        {{"nhwc", Layout::nhwc}, {"nchw", Layout::nchw}},
                                        "order of the activations in memory");
}

}  // namespace tilewave
