// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arch/program/window_rows.hpp"
#include "workloads/op.hpp"
#include "workloads/ops/window.hpp"

namespace tilewave {

/// The rows of an input of `channels` channels under the windows of a convolution or a pool; of each
/// row the columns that some window touches. The output pixels are left to be filled in.
[[nodiscard]] program::WindowRows input_rows(const WindowAxis& height, const WindowAxis& width,
                                             Count channels, Layout layout, unsigned bits);

}  // namespace tilewave
