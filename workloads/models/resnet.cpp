// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <fmt/format.h>
#include <string>

#include "workloads/models/model.hpp"
#include "workloads/models/network_builder.hpp"
#include "workloads/models/training.hpp"

/// ResNet-18 and ResNet-50 (K. He et al., arXiv 1512.03385, table 1) with torchvision's layer
/// names. A stage that halves the image does so in its first block's first 3 x 3 convolution. For
/// ResNet-50 that is "v1.5", 4.09 G MACs an image; the paper has the stride in the 1 x 1 before it
/// (3.86 G).
namespace tilewave {
namespace {

constexpr Count kClasses = 1000;
constexpr auto relu = Activation::relu;
constexpr auto none = Activation::none;

/// The block's input as it is added to the block's result: itself, or through a 1 x 1 convolution
/// where the sizes differ.
Feature shortcut(NetworkBuilder& net, const std::string& name, const Feature& x, Count filters,
                 Count stride) {
  if (x.channels == filters && stride == 1) return x;
  return net.conv(name + ".downsample", x, filters, {.size = 1, .stride = stride}, none);
}

/// Two 3 x 3 convolutions.
Feature basic_block(NetworkBuilder& net, const std::string& name, const Feature& x, Count width,
                    Count stride) {
  Feature y =
      net.conv(name + ".conv1", x, width, {.size = 3, .stride = stride, .padding = 1}, relu);
  const Feature around = shortcut(net, name, x, width, stride);
  return net.conv(name + ".conv2", y, width, {.size = 3, .padding = 1}, relu, around);
}

/// 1 x 1 down to `width` channels, 3 x 3, 1 x 1 up to four times as many.
Feature bottleneck_block(NetworkBuilder& net, const std::string& name, const Feature& x,
                         Count width, Count stride) {
  Feature y = net.conv(name + ".conv1", x, width, {.size = 1}, relu);
  y = net.conv(name + ".conv2", y, width, {.size = 3, .stride = stride, .padding = 1}, relu);
  const Feature around = shortcut(net, name, x, 4 * width, stride);
  return net.conv(name + ".conv3", y, 4 * width, {.size = 1}, relu, around);
}

using Block = Feature (*)(NetworkBuilder&, const std::string&, const Feature&, Count, Count);

Workload resnet(const std::string& name, Block block, const std::array<Count, 4>& blocks,
                const ModelParameters& p, BatchNorm batch_norm = BatchNorm::folded) {
  NetworkBuilder net(name, p.count("batch"), p.dtype, batch_norm);
  Feature x = net.input(3, 224, 224);
  x = net.conv("conv1", x, 64, {.size = 7, .stride = 2, .padding = 3}, relu);
  x = net.max_pool("maxpool", x, {.size = 3, .stride = 2, .padding = 1});
  Count width = 64;
  for (std::size_t stage = 0; stage < blocks.size(); ++stage, width *= 2) {
    for (Count i = 0; i < blocks[stage]; ++i) {
      const Count stride = stage > 0 && i == 0 ? 2 : 1;
      x = block(net, fmt::format("layer{}.{}", stage + 1, i), x, width, stride);
    }
  }
  x = net.global_average_pool("avgpool", x);
  net.fully_connected("fc", x, kClasses, none);
  return net.take();
}

Workload build_resnet18(const ModelParameters& p) {
  return resnet("resnet18", basic_block, {2, 2, 2, 2}, p);
}

Workload build_resnet50(const ModelParameters& p) {
  const std::array<Count, 4> blocks{3, 4, 6, 3};
  if (!is_training(p)) return resnet("resnet50", bottleneck_block, blocks, p);
  return training_step(resnet("resnet50", bottleneck_block, blocks, p, BatchNorm::separate),
                       OptimizerKind::momentum);
}

}  // namespace

Model resnet18() {
  return {"resnet18", "ResNet-18, 224 x 224 images", {batch_parameter()}, build_resnet18};
}

Model resnet50() {
  return {"resnet50",
          "ResNet-50 v1.5, 224 x 224 images",
          {batch_parameter(), training_parameter()},
          build_resnet50};
}

}  // namespace tilewave
