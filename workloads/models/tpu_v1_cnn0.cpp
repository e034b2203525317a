// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "workloads/models/model.hpp"
#include "workloads/models/network_builder.hpp"
#include "workloads/models/tpu_v1_parameters.hpp"

namespace tilewave {
namespace {

/// CNN0 of TPU v1's paper (N. Jouppi et al., ISCA 2017, table 1): 16 convolutions with ReLU, 8 million
/// weights, a batch of 8, 2888 ops a weight byte = 8 x 19 x 19: every weight meets each point of a Go
/// board. One of the paper's CNNs is AlphaGo's (D. Silver et al., Nature 2016: 48 planes of input, a
/// 5 x 5 convolution, 3 x 3 ones of up to 256 filters, 1 x 1 at the end). The layers' sizes in TPU's
/// version are not published. Here: 256 filters, as no MACs are unused (table 3); thirteen 3 x 3
/// layers and two 1 x 1, which makes 8.0 million weights in 16 layers. The last has 128 filters: the
/// counters (78.2 % of the cycles busy) and the rate (86 of 92 TOPS, 93 %) contradict each other;
/// what goes to the host at the end is part of the difference, and its size is between what each of
/// them would have.
Workload build(const ModelParameters& p) {
  constexpr Count kBoard = 19, kPlanes = 48, kFilters = 256, kResult = 128, kMiddle = 13;
  NetworkBuilder net("tpu_v1_cnn0", p.count("batch"), p.dtype);
  constexpr auto relu = Activation::relu;
  Feature x = net.input(kPlanes, kBoard, kBoard);
  x = net.conv("conv1", x, kFilters, {.size = 5, .stride = 1, .padding = 2}, relu);
  for (Count i = 0; i < kMiddle; ++i) {
    x = net.conv(fmt::format("conv{}", i + 2), x, kFilters, {.size = 3, .stride = 1, .padding = 1},
                 relu);
  }
  x = net.conv("conv15", x, kFilters, {.size = 1}, relu);
  net.conv("conv16", x, kResult, {.size = 1}, relu);
  return net.take();
}

}  // namespace

Model tpu_v1_cnn0() {
  return {"tpu_v1_cnn0", "TPU v1's CNN0 (ISCA 2017), rebuilt", {tpu_v1_batch(8)}, build};
}

}  // namespace tilewave
