// SPDX-License-Identifier: Apache-2.0
#include "workloads/ops/facts.hpp"

#include <fmt/format.h>

#include "workloads/ops/conv2d.hpp"
#include "workloads/ops/count_math.hpp"
#include "workloads/ops/elementwise.hpp"
#include "workloads/ops/gemm.hpp"
#include "workloads/ops/pool.hpp"

namespace tilewave {
namespace {

// FLOPs are twice the MACs, bits at most 64 times the elements: both then stay below 2^63.
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
  // Most ops leave no gaps.
  if (f.stored_output_elements == 0) f.stored_output_elements = f.output_elements;
  for (InputFacts& input : f.inputs) {
    if (input.stored_elements == 0) input.stored_elements = input.elements;
    input.bytes = storage_bytes(input.touched_elements, activation_bits(op.dtype));
  }
  f.weight_bytes = storage_bytes(f.weight_elements, weight_bits(op.dtype));
  f.output_bytes = storage_bytes(f.output_elements, activation_bits(op.dtype));
  return f;
}

std::string_view kind_name(const OpShape& shape) {
  struct Namer {
    std::string_view operator()(const Gemm&) const { return "gemm"; }
    std::string_view operator()(const Conv2d&) const { return "conv2d"; }
    std::string_view operator()(const Pool&) const { return "pool"; }
    std::string_view operator()(const Elementwise&) const { return "elementwise"; }
  };
  return std::visit(Namer{}, shape);
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
  return faults;
}

WorkloadTotals totals(const Workload& workload) {
  WorkloadTotals t;
  for (const Op& op : workload.ops) {
    const OpFacts f = facts(op);
    t.macs = sum({t.macs, f.macs});
    t.flops = sum({t.flops, f.flops});
    t.parameters = sum({t.parameters, f.weight_elements, f.bias_elements});
  }
  return t;
}

}  // namespace tilewave
