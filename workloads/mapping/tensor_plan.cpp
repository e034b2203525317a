// SPDX-License-Identifier: Apache-2.0
#include "workloads/mapping/tensor_plan.hpp"

#include <algorithm>
#include <map>

#include "workloads/ops/count_math.hpp"

namespace tilewave {

namespace {

void resolve_producers(const Workload& workload, const std::vector<OpFacts>& facts,
                       std::vector<OpTensors>& tensors) {
  std::map<std::string, int> by_name;
  for (std::size_t i = 0; i < workload.ops.size(); ++i) {
    const Op& op = workload.ops[i];
    auto& t = tensors[i];
    const auto find = [&](std::size_t which) {
      if (which >= op.inputs.size()) return -1;
      const auto found = by_name.find(op.inputs[which]);
      return found == by_name.end() ? -1 : found->second;  // "input": from outside
    };
    if (!op.inputs.empty()) {
      t.input_producer = find(0);
      if (facts[i].second_input_elements > 0) t.second_producer = find(1);
    } else if (i > 0 && facts[i - 1].output_elements == facts[i].input_elements) {
      t.input_producer = static_cast<int>(i) - 1;
    }
    by_name[op.name] = static_cast<int>(i);
  }
}

/// Bytes a tensor takes: all its elements, whether they are used or not.
Bytes stored_bytes(Count elements, DataType type) {
  return storage_bytes(elements, std::max(8U, activation_bits(type)));
}

}  // namespace

std::uint64_t AddressSpace::take(Bytes bytes) {
  const std::uint64_t base = next_;
  next_ += ceil_div(std::max<Bytes>(bytes, 1), kTensorAlignment) * kTensorAlignment;
  return base;
}

TensorPlan plan_tensors(const Workload& workload, const std::vector<OpFacts>& facts,
                        const SystolicTarget& target) {
  const std::size_t n = workload.ops.size();
  TensorPlan plan;
  plan.ops.resize(n);
  resolve_producers(workload, facts, plan.ops);

  std::vector<int> last_reader(n, -1);
  for (std::size_t i = 0; i < n; ++i) {
    for (const int p : {plan.ops[i].input_producer, plan.ops[i].second_producer}) {
      if (p >= 0) last_reader[static_cast<std::size_t>(p)] = static_cast<int>(i);
    }
  }

  const auto outside_space =
      target.dram_holds_weights_only ? program::Space::host : program::Space::dram;
  const auto place = [&](Bytes bytes, Bytes stored) {
    auto& addresses = outside_space == program::Space::host ? plan.host : plan.dram;
    return Placement{outside_space, addresses.take(stored), bytes, stored};
  };
  const Bytes capacity = target.activation.capacity_bytes;
  const Bytes usable = capacity - capacity / kStagingShare;
  const bool may_keep = target.keep_results && target.has_vector_unit;

  for (std::size_t i = 0; i < n; ++i) {
    auto& t = plan.ops[i];
    const auto& f = facts[i];
    const DataType type = workload.ops[i].dtype;
    const auto input_of = [&](int producer, Bytes bytes, Count elements) {
      return producer >= 0 ? plan.ops[static_cast<std::size_t>(producer)].output
                           : place(bytes, stored_bytes(elements, type));
    };
    t.input = input_of(t.input_producer, f.input_bytes, f.input_elements);
    if (f.second_input_elements > 0) {
      t.second_input =
          input_of(t.second_producer, f.second_input_bytes, f.second_input_elements);
    }

    bool keep = may_keep && last_reader[i] >= 0;
    for (auto j = i; keep && j <= static_cast<std::size_t>(last_reader[i]); ++j) {
      keep = target.activation.unlimited || plan.ops[j].resident_bytes + f.output_bytes <= usable;
    }
    if (!keep) {
      t.output = place(f.output_bytes, stored_bytes(f.output_elements, type));
      if (last_reader[i] >= 0) plan.spill_bytes += f.output_bytes;
      continue;
    }
    t.output = {program::Space::on_chip, 0, f.output_bytes, f.output_bytes};
    for (auto j = i; j <= static_cast<std::size_t>(last_reader[i]); ++j) {
      plan.ops[j].resident_bytes += f.output_bytes;
    }
  }
  return plan;
}

void place_weights(TensorPlan& plan, std::size_t i, Bytes weight_bytes, Bytes stored_bytes,
                   Bytes bias_bytes) {
  const auto place = [&](Bytes bytes, Bytes stored) {
    return Placement{program::Space::dram, plan.dram.take(stored), bytes, stored};
  };
  plan.ops[i].weights = place(weight_bytes, stored_bytes);
  if (bias_bytes > 0) plan.ops[i].bias = place(bias_bytes, bias_bytes);
}

}  // namespace tilewave
