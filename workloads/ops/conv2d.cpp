// SPDX-License-Identifier: Apache-2.0
#include "workloads/ops/conv2d.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "workloads/ops/count_math.hpp"
#include "workloads/ops/epilogue.hpp"

namespace tilewave {

Count OutputSize::elements() const { return product({n, c, h, w}); }

WindowAxis height_axis(const Conv2d& v) {
  return {v.h,
          v.r,
          v.stride[0],
          v.padding[0],
          v.dilation[0],
          v.ceil_output,
          v.padding_end ? std::optional((*v.padding_end)[0]) : std::nullopt};
}

WindowAxis width_axis(const Conv2d& v) {
  return {v.w,
          v.s,
          v.stride[1],
          v.padding[1],
          v.dilation[1],
          v.ceil_output,
          v.padding_end ? std::optional((*v.padding_end)[1]) : std::nullopt};
}

namespace {

/// Output of one axis of a transposed convolution: the input's windows and what is between them,
/// without the padding. 0 if there is none.
Count transposed_outputs(const WindowAxis& axis, Count output_padding) {
  const Count spread = sum({product({axis.input - 1, axis.stride}), axis.extent(), output_padding});
  return spread > 2 * axis.padding ? spread - 2 * axis.padding : 0;
}

void check_transposed(const Conv2d& v, ShapeFaults& faults) {
  const std::array axes{height_axis(v), width_axis(v)};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const WindowAxis& axis = axes[i];
    // More would cut pixels off whose filter lies on nothing else.
    if (axis.padding >= axis.extent()) {
      faults.push_back({fmt::format("padding[{}]", i),
                        fmt::format("must be less than the filter's extent {} if transposed, is {}",
                                    axis.extent(), axis.padding)});
    } else if (transposed_outputs(axis, v.output_padding[i]) == 0) {
      faults.push_back({fmt::format("padding[{}]", i), "leaves no output"});
    }
    const Count step = std::max(axis.stride, axis.dilation);
    if (v.output_padding[i] >= step) {
      faults.push_back(
          {fmt::format("output_padding[{}]", i),
           fmt::format("must be less than the larger of stride and dilation, {}, is {}", step,
                       v.output_padding[i])});
    }
  }
  if (v.padding_end) faults.push_back({"padding_end", "cannot stand beside transposed"});
  if (v.ceil_output) faults.push_back({"ceil_output", "cannot stand beside transposed"});
  if (v.weight_gradient) faults.push_back({"weight_gradient", "cannot stand beside transposed"});
}

}  // namespace

OutputSize conv_output(const Conv2d& v) {
  if (v.transposed) {
    return {v.n, v.k, transposed_outputs(height_axis(v), v.output_padding[0]),
            transposed_outputs(width_axis(v), v.output_padding[1])};
  }
  return {v.n, v.k, height_axis(v).outputs(), width_axis(v).outputs()};
}

OpFacts count_facts(const Conv2d& v) {
  OpFacts facts;
  const OutputSize out = conv_output(v);
  const Count filter_elements = product({v.k, v.c / v.groups, v.r, v.s});
  if (v.transposed) {
    facts.inputs = {InputFacts::whole(product({v.n, v.c, v.h, v.w}))};
    facts.macs = product({v.n, v.h, v.w, filter_elements});
  } else {
    facts.inputs = {{.elements = product({v.n, v.c, v.h, v.w}),
                     .touched_elements =
                         product({v.n, v.c, height_axis(v).touched(), width_axis(v).touched()})}};
    facts.macs = product({v.n, out.h, out.w, filter_elements});
  }
  facts.flops = product({2, facts.macs});
  if (v.weight_gradient) {
    facts.inputs.push_back(InputFacts::whole(out.elements()));
    facts.output_elements = filter_elements;
    return facts;
  }
  facts.weight_elements = filter_elements;
  facts.output_elements = out.elements();
  add_epilogue_facts(v.epilogue, v.k, facts);
  return facts;
}

void check_groups(Count groups, Count c, Count k, ShapeFaults& faults) {
  if (c % groups != 0) {
    faults.push_back({"groups", fmt::format("must divide c = {}, is {}", c, groups)});
  }
  if (k % groups != 0) {
    faults.push_back({"groups", fmt::format("must divide k = {}, is {}", k, groups)});
  }
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
  if (v.padding_end) check_sizes(*v.padding_end, kPadding, "padding_end", faults);
  check_sizes(v.dilation, kStep, "dilation", faults);
  check_sizes(v.output_padding, kPadding, "output_padding", faults);
  const bool sizes_ok = faults.empty();
  check_epilogue(v.epilogue, faults);
  if (!sizes_ok) return faults;

  if (v.transposed) {
    check_transposed(v, faults);
  } else {
    check_fits(height_axis(v), "r", "height", faults);
    check_fits(width_axis(v), "s", "width", faults);
    if (v.output_padding != std::array<Count, 2>{0, 0}) {
      faults.push_back({"output_padding", "needs transposed = true"});
    }
  }
  if (v.weight_gradient && !v.epilogue.empty()) {
    faults.push_back({"epilogue", "must be empty with weight_gradient"});
  }
  check_groups(v.groups, v.c, v.k, faults);
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
                                        "zeros above, left; and below, right unless padding_end");
  const auto padding_end = reader.optional_counts<2>("padding_end", v.padding, kPadding,
                                                     "zeros below, right; default: as padding");
  if (padding_end != v.padding) v.padding_end = padding_end;
  v.dilation = reader.optional_counts<2>("dilation", v.dilation, kStep, "distance of the taps");
  v.groups = reader.optional_count("groups", 1, kDimension,
                                   "c for a depthwise convolution; divides c and k");
  v.layout = read_layout(reader);
  v.ceil_output = reader.optional_flag("ceil_output", false,
                                       "a last window that lies only partly on the input counts");
  v.epilogue = read_epilogue(reader);
  v.transposed =
      reader.optional_flag("transposed", false, "each pixel adds a filter to the output");
  v.output_padding = reader.optional_counts<2>("output_padding", v.output_padding, kPadding,
                                               "rows below, columns right, if transposed");
  v.weight_gradient = reader.optional_flag(
      "weight_gradient", false, "make the gradient of the filters of the input and the output's");
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
  if (v.padding_end) json["padding_end"] = *v.padding_end;
  json["dilation"] = v.dilation;
  json["groups"] = v.groups;
  json["layout"] = to_string(v.layout);
  if (v.ceil_output) json["ceil_output"] = true;
  write_epilogue(v.epilogue, json);
  if (v.transposed) {
    json["transposed"] = true;
    json["output_padding"] = v.output_padding;
  }
  if (v.weight_gradient) json["weight_gradient"] = true;
}

std::string_view to_string(Layout layout) { return layout == Layout::nhwc ? "nhwc" : "nchw"; }

Layout read_layout(ObjectReader& reader) {
  return reader.optional_choice<Layout>("layout", Layout::nhwc,
                                        {{"nhwc", Layout::nhwc}, {"nchw", Layout::nchw}},
                                        "order of the activations in memory");
}

}  // namespace tilewave
