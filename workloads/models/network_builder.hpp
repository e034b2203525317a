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

/// A filter of 1 x size or size x 1, padded along its length to the same size.
enum class Line { horizontal, vertical };

enum class Activation { none, relu, silu, sigmoid, hard_swish, hard_sigmoid };

/// What becomes of the batch norm after each convolution.
enum class BatchNorm {
  folded,   ///< inference: into the convolution, as a bias
  separate  ///< training: an op of its own, and so are the residual sum and the activation after it
};

/// Writes a feed-forward image network down layer by layer; sizes and wiring follow from the
/// features passed on. Biases and activations are epilogues of their layer, and so is a residual sum,
/// unless a batch norm stands between.
class NetworkBuilder {
 public:
  NetworkBuilder(std::string name, Count batch, DataType dtype,
                 BatchNorm batch_norm = BatchNorm::folded);

  /// The network's input.
  [[nodiscard]] Feature input(Count channels, Count height, Count width) const;

  /// Convolution, bias, then `residual` added if given, then the activation.
  Feature conv(const std::string& name, const Feature& x, Count filters, Window window,
               Activation activation, const std::optional<Feature>& residual = std::nullopt);
  /// A filter a channel.
  Feature depthwise(const std::string& name, const Feature& x, Window window,
                    Activation activation);
  /// A filter of `size` pixels in a line.
  Feature conv_line(const std::string& name, const Feature& x, Count filters, Line line, Count size,
                    Activation activation);
  /// The transposed convolution, with a bias: the image becomes window.stride times as large.
  Feature up_conv(const std::string& name, const Feature& x, Count filters, Window window);
  /// Channels of several features of one height and width, put together. Larger ones are cropped.
  Feature concat(const std::string& name, const std::vector<Feature>& parts);
  /// x times a factor a channel, which `factors` (1 x 1) has.
  Feature scale(const std::string& name, const Feature& x, const Feature& factors);
  /// Squeeze-excite: the channels' means, down to `squeezed`, up again, times x (J. Hu et al., arXiv
  /// 1709.01507).
  Feature squeeze_excite(const std::string& name, const Feature& x, Count squeezed,
                         Activation inner, Activation gate);
  Feature average_pool(const std::string& name, const Feature& x, Window window);
  Feature max_pool(const std::string& name, const Feature& x, Window window);
  Feature global_average_pool(const std::string& name, const Feature& x);
  /// x flattened times a weight matrix stored outputs x inputs, bias, activation.
  Feature fully_connected(const std::string& name, const Feature& x, Count outputs,
                          Activation activation);

  /// Any other op.
  Op& add(const std::string& name, OpShape shape, std::vector<std::string> inputs);

  [[nodiscard]] Workload take() { return std::move(workload_); }

 private:
  Feature add_conv(const std::string& name, const Feature& x, Conv2d conv, Activation activation,
                   const std::optional<Feature>& residual);
  /// Batch norm, residual sum and activation of a convolution's result, each by itself.
  Feature add_norm(const std::string& name, const Feature& x, Activation activation,
                   const std::optional<Feature>& residual);
  Feature add_pool(const std::string& name, const Feature& x, const Pool& pool);

  Workload workload_;
  Count batch_;
  DataType dtype_;
  BatchNorm batch_norm_;
};

}  // namespace tilewave
