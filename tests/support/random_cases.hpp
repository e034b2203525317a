// SPDX-License-Identifier: Apache-2.0
// Random machines and workloads, a function of the seed.
#pragma once

#include <random>

#include "support/machines.hpp"

namespace tilewave::test {

class RandomCases {
 public:
  explicit RandomCases(std::uint64_t seed) : random_(seed) {}

  /// Uniform in [low, high].
  Count pick(Count low, Count high) {
    return std::uniform_int_distribution<Count>(low, high)(random_);
  }
  template <typename T>
  T one_of(std::initializer_list<T> values) {
    return *(values.begin() + pick(0, values.size() - 1));
  }

  /// Any dataflow and options, 1..12 x 1..12 PEs, one to three units, from starved to ample memory.
  Json machine();
  /// The same with one to five cores, launch costs, paths of limited width, windows, padding, casts.
  Json chip_of_cores();
  /// One to four ops of all kinds with odd shapes; small enough for the PE-by-PE model.
  Workload workload();
  Op gemm(const std::string& name);

 private:
  Op conv(const std::string& name);
  std::mt19937_64 random_;
};

}  // namespace tilewave::test
