// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <fmt/format.h>
#include <optional>

#include "workloads/models/model.hpp"
#include "workloads/models/network_builder.hpp"

namespace tilewave {
namespace {

constexpr auto relu = Activation::relu;
constexpr auto swish = Activation::hard_swish;
constexpr auto none = Activation::none;

struct Block {
  Count kernel, expanded, filters;
  bool squeeze;
  Activation activation;
  Count stride;
};

/// The nearest multiple of 8, but not less than nine tenths (the paper's code rounds widths so).
Count multiple_of_8(Count value) {
  Count rounded = std::max<Count>(8, (value + 4) / 8 * 8);
  if (10 * rounded < 9 * value) rounded += 8;
  return rounded;
}

Feature bottleneck(NetworkBuilder& net, const std::string& name, const Feature& x,
                   const Block& block) {
  Feature y = x;
  if (block.expanded != x.channels) {
    y = net.conv(name + ".expand", x, block.expanded, {.size = 1}, block.activation);
  }
  y = net.depthwise(name + ".depthwise", y,
                    {.size = block.kernel, .stride = block.stride, .padding = block.kernel / 2},
                    block.activation);
  if (block.squeeze) {
    y = net.squeeze_excite(name + ".se", y, multiple_of_8(block.expanded / 4), relu,
                           Activation::hard_sigmoid);
  }
  const bool adds = block.stride == 1 && x.channels == block.filters;
  return net.conv(name + ".project", y, block.filters, {.size = 1}, none,
                  adds ? std::optional(x) : std::nullopt);
}

/// A. Howard et al., arXiv 1905.02244, table 1 (Large).
Workload build(const ModelParameters& p) {
  constexpr std::array kBlocks{
      Block{3, 16, 16, false, relu, 1},   Block{3, 64, 24, false, relu, 2},
      Block{3, 72, 24, false, relu, 1},   Block{5, 72, 40, true, relu, 2},
      Block{5, 120, 40, true, relu, 1},   Block{5, 120, 40, true, relu, 1},
      Block{3, 240, 80, false, swish, 2}, Block{3, 200, 80, false, swish, 1},
      Block{3, 184, 80, false, swish, 1}, Block{3, 184, 80, false, swish, 1},
      Block{3, 480, 112, true, swish, 1}, Block{3, 672, 112, true, swish, 1},
      Block{5, 672, 160, true, swish, 2}, Block{5, 960, 160, true, swish, 1},
      Block{5, 960, 160, true, swish, 1}};
  NetworkBuilder net("mobilenet_v3_large", p.count("batch"), p.dtype);
  Feature x = net.input(3, 224, 224);
  x = net.conv("stem", x, 16, {.size = 3, .stride = 2, .padding = 1}, swish);
  int number = 0;
  for (const Block& block : kBlocks) {
    x = bottleneck(net, fmt::format("block{}", ++number), x, block);
  }
  x = net.conv("head", x, 960, {.size = 1}, swish);
  x = net.global_average_pool("avgpool", x);
  x = net.fully_connected("classifier.0", x, 1280, swish);
  net.fully_connected("classifier.3", x, 1000, none);
  return net.take();
}

}  // namespace

Model mobilenet_v3_large() {
  return {"mobilenet_v3_large", "MobileNet-v3 Large, 224 x 224 images", {batch_parameter()}, build};
}

}  // namespace tilewave
