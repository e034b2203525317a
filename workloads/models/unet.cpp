// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <vector>

#include "workloads/models/model.hpp"
#include "workloads/models/network_builder.hpp"

namespace tilewave {
namespace {

constexpr Count kLevels = 4;
constexpr Count kClasses = 2;

/// Two 3 x 3 convolutions without padding.
Feature twice(NetworkBuilder& net, const std::string& name, Feature x, Count filters) {
  x = net.conv(name + ".conv1", x, filters, {.size = 3}, Activation::relu);
  return net.conv(name + ".conv2", x, filters, {.size = 3}, Activation::relu);
}

/// O. Ronneberger et al., arXiv 1505.04597, figure 1: down four levels, up again; what goes down is
/// cropped and put beside what comes up.
Workload build(const ModelParameters& p) {
  NetworkBuilder net("unet", p.count("batch"), p.dtype);
  Feature x = net.input(1, 572, 572);
  std::vector<Feature> skipped;
  Count filters = 64;
  for (Count level = 1; level <= kLevels; ++level, filters *= 2) {
    x = twice(net, fmt::format("down{}", level), x, filters);
    skipped.push_back(x);
    x = net.max_pool(fmt::format("pool{}", level), x, {.size = 2, .stride = 2});
  }
  x = twice(net, "bottom", x, filters);
  for (Count level = kLevels; level >= 1; --level) {
    filters /= 2;
    x = net.up_conv(fmt::format("up{}.conv", level), x, filters, {.size = 2, .stride = 2});
    x = net.concat(fmt::format("up{}.concat", level), {skipped[level - 1], x});
    x = twice(net, fmt::format("up{}", level), x, filters);
  }
  net.conv("classes", x, kClasses, {.size = 1}, Activation::none);
  return net.take();
}

}  // namespace

Model unet() {
  return {"unet", "U-Net, 572 x 572 images of one channel", {batch_parameter()}, build};
}

}  // namespace tilewave
