// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "workloads/models/model.hpp"
#include "workloads/models/network_builder.hpp"

namespace tilewave {
namespace {

constexpr ModelParameter kLayers{.name = "layers",
                                 .meaning = "fully connected layers",
                                 .default_count = 3,
                                 .range = {.min = 1, .max = 10'000}};
constexpr ModelParameter kWidth{.name = "width",
                                .meaning = "inputs and outputs of each layer",
                                .default_count = 1024,
                                .range = {.min = 1, .max = 1'000'000'000}};

/// `layers` layers of `width` x `width` weights with bias, ReLU after all but the last.
Workload build(const ModelParameters& p) {
  const Count layers = p.count("layers");
  const Count width = p.count("width");
  NetworkBuilder net("mlp", p.count("batch"), p.dtype);
  Feature x = net.input(width, 1, 1);
  for (Count i = 1; i <= layers; ++i) {
    x = net.fully_connected(fmt::format("fc{}", i), x, width,
                            i < layers ? Activation::relu : Activation::none);
  }
  return net.take();
}

}  // namespace

Model mlp() {
  return {"mlp", "Plain multi-layer perceptron", {batch_parameter(), kLayers, kWidth}, build};
}

}  // namespace tilewave
