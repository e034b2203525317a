// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/config/reader.hpp"
#include "workloads/op.hpp"
#include "workloads/ops/shape_fault.hpp"

namespace tilewave {

/// out[i] = sum of `pooled` rows of a table of table_rows x width, chosen by indices.
///
///   FLOPs   = rows (pooled - 1) width
///   input   = rows pooled indices of 32 bits
///   weights = table_rows width; read are the gathered rows, rows pooled width, at most the table
///             (which rows are the same is not known)
///   output  = rows width
[[nodiscard]] OpFacts count_facts(const Embedding& op);
[[nodiscard]] ShapeFaults find_faults(const Embedding& op);

[[nodiscard]] Embedding read_embedding(ObjectReader& reader);
void write_shape(const Embedding& op, Json& json);

}  // namespace tilewave
