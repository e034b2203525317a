// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sim/config/reader.hpp"
#include "workloads/op.hpp"
#include "workloads/ops/shape_fault.hpp"

namespace tilewave {

[[nodiscard]] std::string_view to_string(Epilogue epilogue);
[[nodiscard]] std::optional<Epilogue> epilogue_from_string(std::string_view name);
[[nodiscard]] std::span<const Epilogue> all_epilogues();
[[nodiscard]] bool has_epilogue(const std::vector<Epilogue>& list, Epilogue wanted);

/// Each step at most once.
void check_epilogue(const std::vector<Epilogue>& list, ShapeFaults& faults);

[[nodiscard]] std::vector<Epilogue> read_epilogue(ObjectReader& reader);
void write_epilogue(const std::vector<Epilogue>& list, Json& json);

/// What a fused epilogue adds to an op whose facts are otherwise complete: a step an output element
/// and epilogue (FLOPs); for `residual` an input more, as large as the output; for `bias`,
/// `channels` parameters (scale factors of `scale` and `requantize` are not parameters of the
/// network).
void add_epilogue_facts(const std::vector<Epilogue>& list, Count channels, OpFacts& facts);

}  // namespace tilewave
