// SPDX-License-Identifier: Apache-2.0
#include "workloads/ops/kinds.hpp"

#include <array>

#include "workloads/ops/conv2d.hpp"
#include "workloads/ops/elementwise.hpp"
#include "workloads/ops/gemm.hpp"
#include "workloads/ops/pool.hpp"

namespace tilewave {

std::span<const OpKind> op_kinds() {
  static constexpr std::array kinds{
      OpKind{"gemm", [](ObjectReader& r) -> OpShape { return read_gemm(r); }},
      OpKind{"conv2d", [](ObjectReader& r) -> OpShape { return read_conv2d(r); }},
      OpKind{"pool", [](ObjectReader& r) -> OpShape { return read_pool(r); }},
      OpKind{"elementwise", [](ObjectReader& r) -> OpShape { return read_elementwise(r); }},
  };
  return kinds;
}

std::span<const std::string_view> planned_op_kinds() {
  static constexpr std::array<std::string_view, 18> kinds{
      "attention", "softmax", "layernorm", "rmsnorm",   "batchnorm",  "lstm",
      "gru",       "rnn",     "reduce",    "embedding", "transpose",  "rotary",
      "moe",       "conv1d",  "conv3d",    "quantize",  "dequantize", "all_reduce"};
  return kinds;
}

}  // namespace tilewave
