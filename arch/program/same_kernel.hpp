// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "arch/program/program.hpp"

namespace tilewave::program {

/// Two kernels have the same instructions on the same slots with the same sizes: they differ in names
/// and in where their tensors lie at most.
[[nodiscard]] bool same_work(const Kernel& a, const Kernel& b);

/// Equal for the same work; different for most others.
[[nodiscard]] std::uint64_t rough_work(const Kernel& kernel);

/// A number for each of rough.size() things, from 0: equal for those that are the same. `rough` is equal for
/// these, `same` compares thing `i` with the first of a class.
[[nodiscard]] std::vector<int> classes_of(
    const std::vector<std::uint64_t>& rough,
    const std::function<bool(std::size_t first, std::size_t i)>& same);

/// A number for each kernel: equal for those of the same work.
[[nodiscard]] std::vector<int> kernel_classes(const Program& program);

}  // namespace tilewave::program
