// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workloads/op.hpp"

namespace tilewave {

/// A result within a network: who produces it and how large it is.
struct Feature {
  std::string producer;  ///< op name, or "input"
  Count channels = 0, height = 1, width = 1;
};

/// Filter, stride and padding of a layer: square, the same on all sides.
struct Window {
  Count size = 1;
  Count stride = 1;
  Count padding = 0;
};

enum class Activation { none, relu };

/// Writes a feed-forward image network down layer by layer; sizes and wiring follow from the
/// features passed on. Inference: batch norm is folded into the convolution before it, as a bias.
/// Biases and activations are epilogues of their layer, and so is a residual sum.
class NetworkBuilder {
 public:
  NetworkBuilder(std::string name, Count batch, DataType dtype);

  /// The network's input.
  [[nodiscard]] Feature input(Count channels, Count height, Count width) const;

  /// Convolution, bias, then `residual` added if given, then the activation.
  Feature conv(const std::string& name, const Feature& x, Count filters, Window window,
               Activation activation, const std::optional<Feature>& residual = std::nullopt);
  /// A filter a channel.
  Feature depthwise(const std::string& name, const Feature& x, Window window,
                    Activation activation);
  Feature max_pool(const std::string& name, const Feature& x, Window window);
  Feature global_average_pool(const std::string& name, const Feature& x);
  /// x flattened times a weight matrix stored outputs x inputs, bias, activation.
  Feature fully_connected(const std::string& name, const Feature& x, Count outputs,
                          Activation activation);

  [[nodiscard]] Workload take() { return std::move(workload_); }

 private:
  Feature add_conv(const std::string& name, const Feature& x, Conv2d conv, Activation activation,
                   const std::optional<Feature>& residual);
  Feature add_pool(const std::string& name, const Feature& x, const Pool& pool);
  void add(const std::string& name, OpShape shape, std::vector<std::string> inputs);

  Workload workload_;
  Count batch_;
  DataType dtype_;
};

}  // namespace tilewave
