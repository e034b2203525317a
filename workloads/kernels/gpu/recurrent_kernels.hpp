// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/kernels/gpu/choose_gemm.hpp"

namespace tilewave {

struct RecurrentPlaces {
  Placement input, weights, output;
  std::function<Placement(Bytes)> workspace;
};

/// The kernels of a recurrent layer as cuDNN's standard algorithm has them (J. Appleyard, 'Optimizing
/// Recurrent Neural Networks in cuDNN 5', 2016): the inputs of all steps times the weights of all gates in
/// one product; then for each step the state times the weights of all gates, with the inputs' share added,
/// and one kernel for the gates. Steps follow one another, kernel after kernel. The products of steps do
/// not split k: a second kernel that adds up would be launched in each step.
///
/// The first steps are kernels of their own; the last of them stands for all to come.
///
/// Nothing if the machine does not multiply this type.
[[nodiscard]] std::vector<program::GpuKernel> build_recurrent_kernels(const KernelId& id,
                                                                      const Recurrent& layer,
                                                                      const RecurrentPlaces& places,
                                                                      const GpuTarget& target,
                                                                      GemmChooser& gemms);

}  // namespace tilewave
