// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/config/reader.hpp"
#include "workloads/op.hpp"
#include "workloads/ops/shape_fault.hpp"

namespace tilewave {

/// A layer of LSTM, GRU or plain RNN (Elman) cells, one direction, over `steps` time steps of `batch`
/// sequences. Each step multiplies its input and the state before it by the weights of all gates:
/// 4 (LSTM), 3 (GRU), 1 (RNN).
///
///   weights = gates hidden (input + hidden), bias = gates hidden
///   MACs    = steps batch weights
///   FLOPs   = 2 MACs + e steps batch hidden, with e steps an element of the state:
///     lstm 13  4 biases, 3 sigmoids, 2 tanh, 3 for c = f c + i g, 1 for h = o tanh(c)
///     gru  11  3 biases, 2 sigmoids, 2 for the reset of the state's product, 1 tanh,
///              3 for h = n + z (h - n)
///     rnn   2  bias, tanh
///   input   = steps batch input, output = steps batch hidden: the state after each step
/// Compulsory bytes have the weights once; a machine that cannot hold them reads them each step.
[[nodiscard]] OpFacts count_facts(const Recurrent& op);
[[nodiscard]] ShapeFaults find_faults(const Recurrent& op);

[[nodiscard]] Recurrent read_recurrent(RecurrentKind kind, ObjectReader& reader);
void write_shape(const Recurrent& op, Json& json);

[[nodiscard]] std::string_view to_string(RecurrentKind kind);
[[nodiscard]] Count gates(RecurrentKind kind);
/// Vector steps an element of the state.
[[nodiscard]] Count steps_per_state_element(RecurrentKind kind);

}  // namespace tilewave
