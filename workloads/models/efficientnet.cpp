// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <fmt/format.h>
#include <optional>

#include "workloads/models/model.hpp"
#include "workloads/models/network_builder.hpp"

namespace tilewave {
namespace {

constexpr auto swish = Activation::silu;
constexpr auto none = Activation::none;

/// A MobileNet-v2 block with squeeze-excite; it squeezes to a quarter of the block's input.
Feature mb_conv(NetworkBuilder& net, const std::string& name, const Feature& x, Count expansion,
                Count kernel, Count filters, Count stride) {
  Feature y = x;
  if (expansion > 1) y = net.conv(name + ".expand", x, expansion * x.channels, {.size = 1}, swish);
  y = net.depthwise(name + ".depthwise", y,
                    {.size = kernel, .stride = stride, .padding = kernel / 2}, swish);
  y = net.squeeze_excite(name + ".se", y, x.channels / 4, swish, Activation::sigmoid);
  const bool adds = stride == 1 && x.channels == filters;
  return net.conv(name + ".project", y, filters, {.size = 1}, none,
                  adds ? std::optional(x) : std::nullopt);
}

/// M. Tan and Q. Le, arXiv 1905.11946, table 1.
Workload build(const ModelParameters& p) {
  struct Stage {
    Count expansion, kernel, filters, blocks, stride;
  };
  constexpr std::array kStages{
      Stage{1, 3, 16, 1, 1},  Stage{6, 3, 24, 2, 2},  Stage{6, 5, 40, 2, 2}, Stage{6, 3, 80, 3, 2},
      Stage{6, 5, 112, 3, 1}, Stage{6, 5, 192, 4, 2}, Stage{6, 3, 320, 1, 1}};
  NetworkBuilder net("efficientnet_b0", p.count("batch"), p.dtype);
  Feature x = net.input(3, 224, 224);
  x = net.conv("stem", x, 32, {.size = 3, .stride = 2, .padding = 1}, swish);
  int block = 0;
  for (const Stage& stage : kStages) {
    for (Count i = 0; i < stage.blocks; ++i) {
      x = mb_conv(net, fmt::format("block{}", ++block), x, stage.expansion, stage.kernel,
                  stage.filters, i == 0 ? stage.stride : 1);
    }
  }
  x = net.conv("head", x, 1280, {.size = 1}, swish);
  x = net.global_average_pool("avgpool", x);
  net.fully_connected("classifier", x, 1000, none);
  return net.take();
}

}  // namespace

Model efficientnet_b0() {
  return {"efficientnet_b0", "EfficientNet-B0, 224 x 224 images", {batch_parameter()}, build};
}

}  // namespace tilewave
