// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/model.hpp"
#include "workloads/models/network_builder.hpp"

namespace tilewave {
namespace {

/// The one-tower form (A. Krizhevsky, "One weird trick for parallelizing convolutional neural
/// networks", arXiv 1404.5997), as in torchvision. Dropout does nothing at inference.
Workload build(const ModelParameters& p) {
  constexpr auto relu = Activation::relu;
  constexpr Window pool{.size = 3, .stride = 2};
  NetworkBuilder net("alexnet", p.count("batch"), p.dtype);
  Feature x = net.input(3, 224, 224);
  x = net.conv("conv1", x, 64, {.size = 11, .stride = 4, .padding = 2}, relu);
  x = net.max_pool("pool1", x, pool);
  x = net.conv("conv2", x, 192, {.size = 5, .padding = 2}, relu);
  x = net.max_pool("pool2", x, pool);
  x = net.conv("conv3", x, 384, {.size = 3, .padding = 1}, relu);
  x = net.conv("conv4", x, 256, {.size = 3, .padding = 1}, relu);
  x = net.conv("conv5", x, 256, {.size = 3, .padding = 1}, relu);
  x = net.max_pool("pool5", x, pool);
  x = net.fully_connected("fc6", x, 4096, relu);
  x = net.fully_connected("fc7", x, 4096, relu);
  net.fully_connected("fc8", x, 1000, Activation::none);
  return net.take();
}

}  // namespace

Model alexnet() {
  return {"alexnet", "AlexNet, one tower, 224 x 224 images", {batch_parameter()}, build};
}

}  // namespace tilewave
