// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/op.hpp"

namespace tilewave {

/// Tensor parallelism as Megatron-LM does it (M. Shoeybi et al., arXiv 1909.08053, section 3): of two
/// products in a row the first has its weights split by columns, the second by rows; what is between
/// them (attention by heads, activations, rotary embeddings) is done on the split columns; the
/// second's results are summed over the chips by an all_reduce, and its epilogue comes behind it.
/// All else is done whole on every chip: norms, residuals, products without a second one, and those
/// whose sizes the chips do not divide.
///
/// Products are `gemm` ops with weights. Who reads whom is by Op::inputs; a forward pass.
[[nodiscard]] Workload tensor_parallel(const Workload& workload, Count chips);

}  // namespace tilewave
