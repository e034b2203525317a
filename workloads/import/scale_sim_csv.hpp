// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/diagnostics.hpp"
#include "workloads/op.hpp"

namespace tilewave {

struct ScaleSimOptions {
  DataType dtype = DataType::int8;  ///< SCALE-Sim's word is a byte
  /// Output sizes rounded up, so that a last partial window counts, as SCALE-Sim does.
  bool ceil = false;
  /// Images a convolution works on; the format itself has no batch. None: the file's column, or 1.
  std::optional<Count> batch;
  Count batch_shares = 1;  ///< chips that share those images: what is read is one's part
};

/// Ops of a SCALE-Sim topology file, convolution or GEMM form, recognised by its header; `file`
/// stands in messages, the workload is called `name`. Columns are found by title in any order;
/// without a known header SCALE-Sim's order is taken, with a warning. Extra columns that are
/// understood: batch, groups, padding, dilation, a stride an axis. Sizes are as written (the format
/// wants them padded already); output sizes by floor unless options.ceil. A layer's name changes
/// nothing: SCALE-Sim splits a row whose name has "DP" in it into one-channel layers, this does
/// not, and says so. What is wrong becomes an error with its line, what looks wrong a warning.
[[nodiscard]] Workload import_scale_sim_csv(std::string_view text, const std::string& file,
                                            const std::string& name, const ScaleSimOptions& options,
                                            Diagnostics& diagnostics);

}  // namespace tilewave
