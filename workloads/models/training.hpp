// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/models/model.hpp"
#include "workloads/op.hpp"

namespace tilewave {

/// A training step of a network that `forward` describes: its ops, then for each of them, last first,
/// the gradients of its inputs and its weights, then the optimizer's update of every weight.
///
///   gemm, conv2d   input gradient: a product with the same weights (weights_of), for a conv2d
///                  transposed; weight gradient: a product of the gradient and the input; bias: a sum
///                  over rows; an activation in the epilogue: an elementwise product before both
///   attention      one backward op: the gradients of Q, K and V
///   normalization, pool   the same op, backward
///   elementwise    sums pass the gradient on, products multiply it, functions take their derivative
///   embedding      the gradient's rows are added to the table's
///   concat         parts are passed on
///
/// So matrix work is three times the forward pass's, less the input gradient of the first layers (and
/// with flash, plus the scores once more). A result with several readers gets the sum of their
/// gradients. Gradients of what no op reads are the loss's: from outside, as are the targets. Results
/// the backward pass needs are read from where the forward pass left them; nothing is recomputed.
/// Biases, scales and shifts are updated by one op at the end.
[[nodiscard]] Workload training_step(const Workload& forward, OptimizerKind optimizer);

/// "phase": inference or training.
[[nodiscard]] ModelParameter training_parameter();
[[nodiscard]] bool is_training(const ModelParameters& parameters);

}  // namespace tilewave
