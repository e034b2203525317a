// SPDX-License-Identifier: Apache-2.0
#include "workloads/ops/conv3d.hpp"

#include <cstddef>
#include <nlohmann/json.hpp>

#include "workloads/ops/conv2d.hpp"
#include "workloads/ops/count_math.hpp"
#include "workloads/ops/epilogue.hpp"

namespace tilewave {

std::array<WindowAxis, 3> axes(const Conv3d& v) {
  const std::array inputs{v.d, v.h, v.w};
  const std::array filters{v.t, v.r, v.s};
  std::array<WindowAxis, 3> result;
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = {.input = inputs[i],
                 .filter = filters[i],
                 .stride = v.stride[i],
                 .padding = v.padding[i],
                 .dilation = v.dilation[i]};
  }
  return result;
}

OpFacts count_facts(const Conv3d& v) {
  OpFacts facts;
  const auto [depth, height, width] = axes(v);
  facts.inputs = {{.elements = product({v.n, v.c, v.d, v.h, v.w}),
                   .touched_elements =
                       product({v.n, v.c, depth.touched(), height.touched(), width.touched()})}};
  facts.weight_elements = product({v.k, v.c / v.groups, v.t, v.r, v.s});
  const Count positions = product({v.n, depth.outputs(), height.outputs(), width.outputs()});
  facts.output_elements = product({positions, v.k});
  facts.macs = product({positions, facts.weight_elements});
  facts.flops = product({2, facts.macs});
  add_epilogue_facts(v.epilogue, v.k, facts);
  return facts;
}

ShapeFaults find_faults(const Conv3d& v) {
  ShapeFaults faults;
  check_size(v.n, kDimension, "n", faults);
  check_size(v.c, kDimension, "c", faults);
  check_size(v.d, kDimension, "d", faults);
  check_size(v.h, kDimension, "h", faults);
  check_size(v.w, kDimension, "w", faults);
  check_size(v.k, kDimension, "k", faults);
  check_size(v.t, kDimension, "t", faults);
  check_size(v.r, kDimension, "r", faults);
  check_size(v.s, kDimension, "s", faults);
  check_size(v.groups, kDimension, "groups", faults);
  check_sizes(v.stride, kStep, "stride", faults);
  check_sizes(v.padding, kPadding, "padding", faults);
  check_sizes(v.dilation, kStep, "dilation", faults);
  const bool sizes_ok = faults.empty();
  check_epilogue(v.epilogue, faults);
  if (!sizes_ok) return faults;
  const auto [depth, height, width] = axes(v);
  check_fits(depth, "t", "depth", faults);
  check_fits(height, "r", "height", faults);
  check_fits(width, "s", "width", faults);
  check_groups(v.groups, v.c, v.k, faults);
  return faults;
}

Conv3d read_conv3d(ObjectReader& reader) {
  Conv3d v;
  v.n = reader.optional_count("n", 1, kDimension, "clips or volumes");
  v.c = reader.count("c", kDimension, "input channels");
  v.d = reader.count("d", kDimension, "input depth (frames)");
  v.h = reader.count("h", kDimension, "input height");
  v.w = reader.count("w", kDimension, "input width");
  v.k = reader.count("k", kDimension, "filters, the output's channels");
  v.t = reader.optional_count("t", 1, kDimension, "filter depth");
  v.r = reader.optional_count("r", 1, kDimension, "filter height");
  v.s = reader.optional_count("s", 1, kDimension, "filter width");
  v.stride =
      reader.optional_counts<3>("stride", v.stride, kStep, "steps along depth, height, width");
  v.padding =
      reader.optional_counts<3>("padding", v.padding, kPadding, "zeros on both sides of each axis");
  v.dilation = reader.optional_counts<3>("dilation", v.dilation, kStep, "distance of the taps");
  v.groups = reader.optional_count("groups", 1, kDimension,
                                   "c for a depthwise convolution; divides c and k");
  v.epilogue = read_epilogue(reader);
  return v;
}

void write_shape(const Conv3d& v, Json& json) {
  json["n"] = v.n;
  json["c"] = v.c;
  json["d"] = v.d;
  json["h"] = v.h;
  json["w"] = v.w;
  json["k"] = v.k;
  json["t"] = v.t;
  json["r"] = v.r;
  json["s"] = v.s;
  json["stride"] = v.stride;
  json["padding"] = v.padding;
  json["dilation"] = v.dilation;
  json["groups"] = v.groups;
  write_epilogue(v.epilogue, json);
}

}  // namespace tilewave
