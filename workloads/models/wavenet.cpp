// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "workloads/models/model.hpp"
#include "workloads/ops/count_math.hpp"

/// A WaveNet-like network: a stack of causal, dilated, gated 1-D convolutions over a waveform (A. van
/// den Oord et al., arXiv 1609.03499, figure 4). The paper gives no widths; these are the 64
/// residual and 256 skip channels of Deep Voice (S. O. Arik et al., arXiv 1702.07825), three times
/// through dilations 1 to 512.
namespace tilewave {
namespace {

constexpr Count kResidual = 64;
constexpr Count kSkip = 256;
constexpr Count kLevels = 256;  ///< of a sample, 8 bits mu-law
constexpr Count kDilations = 10;
constexpr Count kAllLayers = 30;

class Stack {
 public:
  explicit Stack(const ModelParameters& p)
      : batch_(p.count("batch")), length_(p.count("seq_len")), dtype_(p.dtype) {}

  /// `taps` taps, so far apart; the last lies on the sample itself.
  std::string conv(const std::string& name, const std::string& x, Count channels, Count filters,
                   Count taps, Count dilation, std::vector<Epilogue> epilogue,
                   const std::string& residual = {}) {
    std::vector<std::string> inputs{x};
    if (!residual.empty()) inputs.push_back(residual);
    return add(name,
               Conv1d{.n = batch_,
                      .c = channels,
                      .w = length_,
                      .k = filters,
                      .s = taps,
                      .padding = {(taps - 1) * dilation, 0},
                      .dilation = dilation,
                      .epilogue = std::move(epilogue)},
               std::move(inputs));
  }
  std::string multiply(const std::string& name, const std::string& a, const std::string& b,
                       Count channels) {
    const Count elements = product({batch_, channels, length_});
    return add(name, Elementwise{.kind = ElementwiseKind::mul, .elements = elements, .operands = 2},
               {a, b});
  }
  std::string relu(const std::string& name, const std::string& x, Count channels) {
    const Count elements = product({batch_, channels, length_});
    return add(name, Elementwise{.kind = ElementwiseKind::relu, .elements = elements}, {x});
  }
  Workload take() { return std::move(workload_); }

 private:
  std::string add(const std::string& name, OpShape shape, std::vector<std::string> inputs) {
    workload_.ops.push_back(
        {.name = name, .dtype = dtype_, .shape = std::move(shape), .inputs = std::move(inputs)});
    return name;
  }

  Count batch_, length_;
  DataType dtype_;
  Workload workload_{.name = "wavenet", .ops = {}};
};

Workload build(const ModelParameters& p) {
  using enum Epilogue;
  Stack net(p);
  std::string x = net.conv("start", "input", kLevels, kResidual, 2, 1, {bias});
  std::string skip;
  for (Count i = 0; i < layer_count(p, kAllLayers); ++i) {
    const std::string layer = fmt::format("layer{}", i);
    const Count dilation = Count{1} << (i % kDilations);
    const auto filter =
        net.conv(layer + ".filter", x, kResidual, kResidual, 2, dilation, {bias, tanh});
    const auto gate =
        net.conv(layer + ".gate", x, kResidual, kResidual, 2, dilation, {bias, sigmoid});
    const auto z = net.multiply(layer + ".gated", filter, gate, kResidual);
    x = net.conv(layer + ".residual", z, kResidual, kResidual, 1, 1, {bias, residual}, x);
    skip = skip.empty()
               ? net.conv(layer + ".skip", z, kResidual, kSkip, 1, 1, {bias})
               : net.conv(layer + ".skip", z, kResidual, kSkip, 1, 1, {bias, residual}, skip);
  }
  skip = net.relu("relu", skip, kSkip);
  skip = net.conv("end1", skip, kSkip, kLevels, 1, 1, {bias, Epilogue::relu});
  net.conv("end2", skip, kLevels, kLevels, 1, 1, {bias});
  return net.take();
}

}  // namespace

Model wavenet() {
  return {"wavenet",
          "WaveNet-like stack of dilated 1-D convolutions, 30 layers",
          {batch_parameter(), seq_len_parameter(), layers_parameter()},
          build};
}

}  // namespace tilewave
