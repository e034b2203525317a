// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <fmt/format.h>

#include "workloads/models/model.hpp"
#include "workloads/models/network_builder.hpp"
#include "workloads/models/tpu_v1_parameters.hpp"

/// MLP0 and MLP1 of TPU v1's paper (N. Jouppi et al., ISCA 2017, table 1): 5 and 4 fully connected
/// layers with ReLU, 20 and 5 million weights, batches of 200 and 168. Their widths are not
/// published. What the paper says of them: the weights in all, and how much of the array's busy
/// cycles had no weights to work with (table 3: 0.3 of 12.7 %, 1.2 of 10.6 %). The widths here are
/// the plainest that we found which come near both.
namespace tilewave {
namespace {

template <std::size_t kWidths>
Workload build_mlp(const char* name, const std::array<Count, kWidths>& widths,
                   const ModelParameters& p) {
  NetworkBuilder net(name, p.count("batch"), p.dtype);
  Feature x = net.input(widths.front(), 1, 1);
  for (std::size_t i = 1; i < kWidths; ++i) {
    x = net.fully_connected(fmt::format("fc{}", i), x, widths[i], Activation::relu);
  }
  return net.take();
}

/// 19.97 million weights; 2 % of the array is idle in the last layer's edge.
Workload build_mlp0(const ModelParameters& p) {
  constexpr std::array<Count, 6> kWidths{2048, 2048, 2048, 2048, 2048, 1560};
  return build_mlp("tpu_v1_mlp0", kWidths, p);
}

/// 5.00 million weights.
Workload build_mlp1(const ModelParameters& p) {
  constexpr std::array<Count, 5> kWidths{1250, 1250, 1250, 750, 1250};
  return build_mlp("tpu_v1_mlp1", kWidths, p);
}

}  // namespace

Model tpu_v1_mlp0() {
  return {"tpu_v1_mlp0", "TPU v1's MLP0 (ISCA 2017), rebuilt", {tpu_v1_batch(200)}, build_mlp0};
}
Model tpu_v1_mlp1() {
  return {"tpu_v1_mlp1", "TPU v1's MLP1 (ISCA 2017), rebuilt", {tpu_v1_batch(168)}, build_mlp1};
}

}  // namespace tilewave
