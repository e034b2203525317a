// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <fmt/format.h>
#include <optional>
#include <string>

#include "workloads/models/model.hpp"
#include "workloads/models/network_builder.hpp"

namespace tilewave {
namespace {

constexpr auto relu = Activation::relu;  // ReLU6 in the paper: the same work
constexpr auto none = Activation::none;

/// 1 x 1 up to `expansion` times the channels, 3 x 3 depthwise, 1 x 1 down to `filters` without an
/// activation; the input is added where the sizes allow.
Feature inverted_residual(NetworkBuilder& net, const std::string& name, const Feature& x,
                          Count expansion, Count filters, Count stride) {
  Feature y = x;
  if (expansion > 1) y = net.conv(name + ".expand", x, expansion * x.channels, {.size = 1}, relu);
  y = net.depthwise(name + ".depthwise", y, {.size = 3, .stride = stride, .padding = 1}, relu);
  const bool adds = stride == 1 && x.channels == filters;
  return net.conv(name + ".project", y, filters, {.size = 1}, none,
                  adds ? std::optional(x) : std::nullopt);
}

/// M. Sandler et al., arXiv 1801.04381, table 2, width 1.0.
Workload build(const ModelParameters& p) {
  struct Stage {
    Count expansion, filters, blocks, stride;
  };
  constexpr std::array kStages{Stage{1, 16, 1, 1}, Stage{6, 24, 2, 2}, Stage{6, 32, 3, 2},
                               Stage{6, 64, 4, 2}, Stage{6, 96, 3, 1}, Stage{6, 160, 3, 2},
                               Stage{6, 320, 1, 1}};
  NetworkBuilder net("mobilenet_v2", p.count("batch"), p.dtype);
  Feature x = net.input(3, 224, 224);
  x = net.conv("stem", x, 32, {.size = 3, .stride = 2, .padding = 1}, relu);
  int block = 0;
  for (const Stage& stage : kStages) {
    for (Count i = 0; i < stage.blocks; ++i) {
      x = inverted_residual(net, fmt::format("block{}", ++block), x, stage.expansion, stage.filters,
                            i == 0 ? stage.stride : 1);
    }
  }
  x = net.conv("head", x, 1280, {.size = 1}, relu);
  x = net.global_average_pool("avgpool", x);
  net.fully_connected("classifier", x, 1000, none);
  return net.take();
}

}  // namespace

Model mobilenet_v2() {
  return {"mobilenet_v2", "MobileNet-v2, width 1.0, 224 x 224 images", {batch_parameter()}, build};
}

}  // namespace tilewave
