// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "workloads/kernels/gpu/gemm_kernel.hpp"

namespace tilewave {

/// Chooses the kernel of a product as a tuned library does: by trying. The closed form sorts the menu,
/// the best few are simulated on the machine by themselves, the fastest is taken. Products of equal size
/// are tried once. Where the user wants a kernel (GpuTarget::gemm_kernel), products of ops take that.
class GemmChooser {
 public:
  using TimeProgram = std::function<Cycle(const program::GpuProgram&)>;
  GemmChooser(const GpuTarget& target, TimeProgram time_of)
      : target_(target), time_of_(std::move(time_of)) {}

  /// None if the machine does not multiply this type, or lacks the kernel that the user wants.
  [[nodiscard]] std::optional<GemmTile> choose(const Gemm& gemm, DataType dtype);
  /// The kernels there are for a product, in words, the one that the closed form finds best first.
  [[nodiscard]] std::vector<std::string> kernels(const Gemm& gemm, DataType dtype) const;

  struct Tried {
    GemmTile tile;
    double cycles = 0;  ///< of the product by itself
  };
  /// Where the matrices of a product, or of a part of one, lie for a trial.
  using PlacesOf = std::function<GemmPlaces(const Gemm& part)>;
  /// The same of a product whose operands may be gathered; nothing is remembered.
  [[nodiscard]] std::optional<Tried> fastest(const GemmProblem& problem, const Gemm& gemm,
                                             const PlacesOf& places) const;
  /// … of some tiles; those that do not fit an SM are left out.
  [[nodiscard]] std::optional<Tried> fastest(const GemmProblem& problem, const Gemm& gemm,
                                             const PlacesOf& places,
                                             const std::vector<GemmTile>& tiles) const;
  /// Matrices one after another, in a memory of their own.
  [[nodiscard]] static GemmPlaces alone(const Gemm& gemm, DataType dtype);

 private:
  struct Known {
    Gemm gemm;
    DataType dtype;
    GemmTile tile;
  };
  /// All kernels with all splits, those that the closed form finds best first.
  [[nodiscard]] std::vector<GemmTile> sorted(const GemmProblem& problem) const;
  [[nodiscard]] std::vector<GemmTile> candidates(const GemmProblem& problem) const;
  [[nodiscard]] double trial(const GemmProblem& whole, const Gemm& gemm, const GemmTile& tile,
                             const PlacesOf& places) const;

  const GpuTarget& target_;
  TimeProgram time_of_;
  std::vector<Known> known_;
};

}  // namespace tilewave
