// SPDX-License-Identifier: Apache-2.0
#include "workloads/ops/facts.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "workloads/ops/all.hpp"
#include "workloads/ops/count_math.hpp"

namespace tilewave {
namespace {

// FLOPs are twice the MACs, bits at most 2^7 times the elements: both then stay below 2^63.
constexpr Count kMaxMacs = Count{1} << 62;
constexpr Count kMaxElements = Count{1} << 56;

void check_elements(Count elements, std::string_view what, ShapeFaults& faults) {
  if (elements > kMaxElements) {
    faults.push_back({"", fmt::format("the {} has more than 2^56 elements", what)});
  }
}

}  // namespace

OpFacts facts(const Op& op) {
  OpFacts f = std::visit([](const auto& shape) { return count_facts(shape); }, op.shape);
  const unsigned type_bits = activation_bits(op.dtype);
  const auto bits = [&](const ElementBits& b) { return b.fixed + (b.data_type ? type_bits : 0); };
  // Most ops leave no gaps. Formats below a byte take one, so that rows may begin at whole bytes.
  const auto store = [&](Count& places, Count elements, const ElementBits& b) {
    if (places == 0) places = elements;
    return storage_bytes(places, std::max(8U, bits(b)));
  };
  f.stored_output_bytes = store(f.stored_output_elements, f.output_elements, f.output_bits);
  for (InputFacts& input : f.inputs) {
    input.bytes = storage_bytes(input.touched_elements, bits(input.bits));
    input.stored_bytes = store(input.stored_elements, input.elements, input.bits);
  }
  f.weight_bytes =
      storage_bytes(f.touched_weight_elements.value_or(f.weight_elements), weight_bits(op.dtype));
  f.output_bytes = storage_bytes(f.output_elements, bits(f.output_bits));
  f.intermediate_bytes = storage_bytes(f.intermediate_elements, type_bits);
  return f;
}

ShapeFaults check_shape(const OpShape& shape) {
  ShapeFaults faults = std::visit([](const auto& s) { return find_faults(s); }, shape);
  if (!faults.empty()) return faults;
  const OpFacts f = std::visit([](const auto& s) { return count_facts(s); }, shape);
  if (f.macs >= kMaxMacs || f.flops >= kMaxCount) {
    faults.push_back({"", "has more than 2^62 multiply-accumulates (or 2^63 FLOPs)"});
  }
  for (std::size_t i = 0; i < f.inputs.size(); ++i) {
    check_elements(f.inputs[i].elements, i == 0 ? "input" : fmt::format("input {}", i + 1), faults);
  }
  check_elements(f.weight_elements, "weight tensor", faults);
  check_elements(f.output_elements, "output", faults);
  check_elements(f.intermediate_elements, "scores' matrix", faults);
  return faults;
}

WorkloadTotals totals(const Workload& workload) {
  WorkloadTotals t;
  for (const Op& op : workload.ops) {
    const OpFacts f = facts(op);
    t.macs = sum({t.macs, f.macs});
    t.flops = sum({t.flops, f.flops});
    const Count weights = op.weights_of.empty() ? f.weight_elements : 0;
    t.parameters = sum({t.parameters, weights, f.bias_elements});
  }
  return t;
}

}  // namespace tilewave
