// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "workloads/kernels/gpu/choose_gemm.hpp"
#include "workloads/kernels/gpu/conv_gemm.hpp"

namespace tilewave {

/// Where the tensors of a convolution lie.
struct ConvPlaces {
  Placement input, weights, output;
  std::optional<Placement> residual;
  /// Of a gradient of filters, which reads it in place of weights.
  std::optional<Placement> gradient;
  std::function<Placement(Bytes)> workspace;
};

/// The kernels of a convolution, and the multiply-adds that they do: not always those of the op.
struct ConvKernels {
  std::vector<program::GpuKernel> kernels;
  Count macs = 0;
};

/// Chooses how a convolution is done, as a library does that tries (cuDNN's cudnnFind…): implicit GEMM
/// with each tile of the menu, and, for 3 x 3 filters on the lanes, Winograd's algorithms; depthwise ones
/// have a kernel of their own. The fastest by simulation is taken. Convolutions of equal size are tried
/// once.
class ConvChooser {
 public:
  ConvChooser(const GpuTarget& target, GemmChooser::TimeProgram time_of, const GemmChooser& gemms)
      : target_(target), time_of_(std::move(time_of)), gemms_(gemms) {}

  /// None if the machine does not multiply this type.
  [[nodiscard]] std::optional<ConvKernels> lower(const KernelId& id, const Conv2d& conv,
                                                 const ConvPlaces& places);

 private:
  enum class Algorithm { implicit, winograd_2, winograd_4, depthwise };
  struct Plan {
    Algorithm algorithm = Algorithm::implicit;
    GemmTile tile;
    double cycles = 0;
  };
  struct Known {
    Conv2d conv;
    DataType dtype;
    Plan plan;
  };
  [[nodiscard]] std::optional<Plan> plan_for(const Conv2d& conv, DataType dtype);
  [[nodiscard]] std::optional<Plan> try_out(const Conv2d& conv, DataType dtype,
                                            Algorithm algorithm) const;
  [[nodiscard]] ConvKernels build(const KernelId& id, const Conv2d& conv, const ConvPlaces& places,
                                  const Plan& plan) const;
  [[nodiscard]] ConvKernels implicit(const KernelId& id, const Conv2d& conv,
                                     const ConvPlaces& places, const Plan& plan) const;
  [[nodiscard]] double cycles_of(std::vector<program::GpuKernel> kernels) const;
  [[nodiscard]] bool on_tensor_cores(DataType dtype) const;
  [[nodiscard]] Count stored_channels(const Conv2d& conv, DataType dtype) const;

  const GpuTarget& target_;
  GemmChooser::TimeProgram time_of_;
  const GemmChooser& gemms_;
  std::vector<Known> known_;
};

}  // namespace tilewave
