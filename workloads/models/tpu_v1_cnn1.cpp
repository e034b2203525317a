// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "workloads/models/model.hpp"
#include "workloads/models/network_builder.hpp"
#include "workloads/models/tpu_v1_parameters.hpp"

/// CNN1 of TPU v1's paper (N. Jouppi et al., ISCA 2017, table 1): 72 convolutions, 13 pools, 4 fully
/// connected layers, 100 million weights, a batch of 32; derived from Inception-v2 (section 3). That
/// network (S. Ioffe, C. Szegedy, arXiv 1502.03167: the ten modules of its figure 5) has 69
/// convolutions and 13 pools. Not published, and assumed here:
///   three 1 x 1 convolutions of 1024 after the last module, for 72;
///   four fully connected layers that make up the rest of the 100 million weights;
///   images of 192 x 192 and 32 filters in the first layer: with a batch of 32 everything stays on
///   chip, as it did (table 8: 13.9 MiB of the unified buffer; 0.6 % of the cycles wait for input).
/// This comes near the images a second (4,700), the TOPS and the counters of the paper. It has a
/// third of the ops a weight byte of table 1 (1750). Those cannot be had together: 1750 MACs for each
/// of 100 million weights are 5.5 billion an image, and 4,700 images a second of them 51 TOPS, where
/// table 3 has 14.1.
namespace tilewave {
namespace {

constexpr auto relu = Activation::relu;
constexpr Window k1x1{.size = 1};
constexpr Window k3x3{.size = 3, .stride = 1, .padding = 1};
constexpr Window kHalve{.size = 3, .stride = 2, .padding = 1};

/// Filters of a module's branches; 0: there is none.
struct Module {
  const char* name;
  Count one;                      ///< 1 x 1; without it the module halves the image
  Count three_reduced, three;     ///< 1 x 1, 3 x 3
  Count double_reduced, doubled;  ///< 1 x 1, 3 x 3, 3 x 3
  Count pooled;                   ///< pool, 1 x 1
  bool max_pool;
};
constexpr std::array<Module, 10> kModules{{{"3a", 64, 64, 64, 64, 96, 32, false},
                                           {"3b", 64, 64, 96, 64, 96, 64, false},
                                           {"3c", 0, 128, 160, 64, 96, 0, true},
                                           {"4a", 224, 64, 96, 96, 128, 128, false},
                                           {"4b", 192, 96, 128, 96, 128, 128, false},
                                           {"4c", 160, 128, 160, 128, 160, 128, false},
                                           {"4d", 96, 128, 192, 160, 192, 128, false},
                                           {"4e", 0, 128, 192, 192, 256, 0, true},
                                           {"5a", 352, 192, 320, 160, 224, 128, false},
                                           {"5b", 352, 192, 320, 192, 224, 128, true}}};

Feature add(NetworkBuilder& net, const Module& m, const Feature& x) {
  const auto conv = [&](const char* layer, const Feature& from, Count filters, Window window) {
    return net.conv(std::string(m.name) + "." + layer, from, filters, window, relu);
  };
  const Window last = m.one > 0 ? k3x3 : kHalve;
  std::vector<Feature> branches;
  if (m.one > 0) branches.push_back(conv("1x1", x, m.one, k1x1));
  branches.push_back(conv("3x3", conv("3x3_reduce", x, m.three_reduced, k1x1), m.three, last));
  Feature doubled = conv("double_reduce", x, m.double_reduced, k1x1);
  doubled = conv("double_1", doubled, m.doubled, k3x3);
  branches.push_back(conv("double_2", doubled, m.doubled, last));
  const std::string name = std::string(m.name) + ".pool";
  const Feature pool = m.max_pool ? net.max_pool(name, x, last) : net.average_pool(name, x, last);
  branches.push_back(m.pooled > 0 ? conv("pool_project", pool, m.pooled, k1x1) : pool);
  return net.concat(std::string(m.name) + ".concat", branches);
}

Workload build(const ModelParameters& p) {
  constexpr Count kImage = 192, kFirst = 32, kTop = 1024;
  constexpr std::array<Count, 4> kDense{4608, 4608, 4608, 8448};
  NetworkBuilder net("tpu_v1_cnn1", p.count("batch"), p.dtype);
  Feature x = net.input(3, kImage, kImage);
  x = net.conv("conv1", x, kFirst, {.size = 7, .stride = 2, .padding = 3}, relu);
  x = net.max_pool("pool1", x, kHalve);
  x = net.conv("conv2_reduce", x, 64, k1x1, relu);
  x = net.conv("conv2", x, 192, k3x3, relu);
  x = net.max_pool("pool2", x, kHalve);
  for (const Module& module : kModules) x = add(net, module, x);
  for (int i = 1; i <= 3; ++i) x = net.conv(fmt::format("top{}", i), x, kTop, k1x1, relu);
  x = net.global_average_pool("pool", x);
  for (std::size_t i = 0; i < kDense.size(); ++i) {
    const bool last = i + 1 == kDense.size();
    x = net.fully_connected(fmt::format("fc{}", i + 1), x, kDense[i],
                            last ? Activation::none : relu);
  }
  return net.take();
}

}  // namespace

Model tpu_v1_cnn1() {
  return {"tpu_v1_cnn1", "TPU v1's CNN1 (ISCA 2017), rebuilt", {tpu_v1_batch(32)}, build};
}

}  // namespace tilewave
