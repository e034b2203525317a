// SPDX-License-Identifier: Apache-2.0
#include "workloads/ops/conv1d.hpp"

#include <nlohmann/json.hpp>

#include "workloads/ops/conv2d.hpp"
#include "workloads/ops/count_math.hpp"
#include "workloads/ops/epilogue.hpp"

namespace tilewave {

Conv2d as_conv2d(const Conv1d& v) {
  Conv2d conv{.n = v.n, .c = v.c, .h = 1, .w = v.w, .k = v.k, .r = 1, .s = v.s};
  conv.stride = {1, v.stride};
  conv.padding = {0, v.padding[0]};
  if (v.padding[1] != v.padding[0]) conv.padding_end = {0, v.padding[1]};
  conv.dilation = {1, v.dilation};
  conv.groups = v.groups;
  conv.epilogue = v.epilogue;
  return conv;
}

OpFacts count_facts(const Conv1d& v) { return count_facts(as_conv2d(v)); }

ShapeFaults find_faults(const Conv1d& v) {
  ShapeFaults faults;
  check_size(v.n, kDimension, "n", faults);
  check_size(v.c, kDimension, "c", faults);
  check_size(v.w, kDimension, "w", faults);
  check_size(v.k, kDimension, "k", faults);
  check_size(v.s, kDimension, "s", faults);
  check_size(v.groups, kDimension, "groups", faults);
  check_size(v.stride, kStep, "stride", faults);
  check_sizes(v.padding, kPadding, "padding", faults);
  check_size(v.dilation, kStep, "dilation", faults);
  // Sizes alone are right: what is left has the same keys in 2-D.
  return faults.empty() ? find_faults(as_conv2d(v)) : faults;
}

Conv1d read_conv1d(ObjectReader& reader) {
  Conv1d v;
  v.n = reader.optional_count("n", 1, kDimension, "sequences");
  v.c = reader.count("c", kDimension, "input channels");
  v.w = reader.count("w", kDimension, "input length");
  v.k = reader.count("k", kDimension, "filters, the output's channels");
  v.s = reader.optional_count("s", 1, kDimension, "filter length");
  v.stride = reader.optional_count("stride", 1, kStep, "step");
  v.padding = reader.optional_counts<2>("padding", v.padding, kPadding, "zeros before, after");
  v.dilation = reader.optional_count("dilation", 1, kStep, "distance of the taps");
  v.groups = reader.optional_count("groups", 1, kDimension,
                                   "c for a depthwise convolution; divides c and k");
  v.epilogue = read_epilogue(reader);
  return v;
}

void write_shape(const Conv1d& v, Json& json) {
  json["n"] = v.n;
  json["c"] = v.c;
  json["w"] = v.w;
  json["k"] = v.k;
  json["s"] = v.s;
  json["stride"] = v.stride;
  json["padding"] = v.padding;
  json["dilation"] = v.dilation;
  json["groups"] = v.groups;
  write_epilogue(v.epilogue, json);
}

}  // namespace tilewave
