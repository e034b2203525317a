// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <fmt/format.h>

#include "workloads/models/model.hpp"
#include "workloads/models/network_builder.hpp"

namespace tilewave {
namespace {

/// Configuration D of K. Simonyan and A. Zisserman, arXiv 1409.1556, table 1: five stages of 3 x 3
/// convolutions, each followed by a 2 x 2 pool.
Workload build(const ModelParameters& p) {
  struct Stage {
    Count convs;
    Count filters;
  };
  constexpr std::array kStages{Stage{2, 64}, Stage{2, 128}, Stage{3, 256}, Stage{3, 512},
                               Stage{3, 512}};
  constexpr auto relu = Activation::relu;
  NetworkBuilder net("vgg16", p.count("batch"), p.dtype);
  Feature x = net.input(3, 224, 224);
  for (std::size_t stage = 1; stage <= kStages.size(); ++stage) {
    const auto [convs, filters] = kStages[stage - 1];
    for (Count i = 1; i <= convs; ++i) {
      x = net.conv(fmt::format("conv{}_{}", stage, i), x, filters, {.size = 3, .padding = 1}, relu);
    }
    x = net.max_pool(fmt::format("pool{}", stage), x, {.size = 2, .stride = 2});
  }
  x = net.fully_connected("fc6", x, 4096, relu);
  x = net.fully_connected("fc7", x, 4096, relu);
  net.fully_connected("fc8", x, 1000, Activation::none);
  return net.take();
}

}  // namespace

Model vgg16() { return {"vgg16", "VGG-16, 224 x 224 images", {batch_parameter()}, build}; }

}  // namespace tilewave
