// SPDX-License-Identifier: Apache-2.0
#include "workloads/mapping/tensor_plan.hpp"

#include <algorithm>
#include <map>

#include "workloads/mapping/layout_tile.hpp"
#include "workloads/mapping/parts/op_parts.hpp"

namespace tilewave {

namespace {

void resolve_producers(const Workload& workload, const std::vector<OpFacts>& facts,
                       std::vector<OpTensors>& tensors) {
  std::map<std::string, int> by_name;
  for (std::size_t i = 0; i < workload.ops.size(); ++i) {
    const Op& op = workload.ops[i];
    auto& t = tensors[i];
    t.inputs.resize(facts[i].inputs.size());
    for (std::size_t k = 0; k < std::min(t.inputs.size(), op.inputs.size()); ++k) {
      const auto found = by_name.find(op.inputs[k]);
      if (found != by_name.end()) t.inputs[k].producer = found->second;  // else "input"
    }
    if (op.inputs.empty() && i > 0 && !t.inputs.empty() &&
        facts[i - 1].output_elements == facts[i].inputs[0].elements) {
      t.inputs[0].producer = static_cast<int>(i) - 1;
    }
    by_name[op.name] = static_cast<int>(i);
  }
}

}  // namespace

std::uint64_t AddressSpace::take(Bytes bytes) {
  const std::uint64_t base = next_;
  const Bytes taken = ceil_div(std::max<Bytes>(bytes, 1), alignment_) * alignment_;
  used_ += taken;
  next_ += ceil_div(taken, reservation_) * reservation_;
  return base;
}

TensorPlan plan_tensors(const Workload& workload, const std::vector<OpFacts>& facts,
                        const SystolicTarget& target) {
  const std::size_t n = workload.ops.size();
  TensorPlan plan;
  plan.ops.resize(n);
  plan.dram = plan.host =
      AddressSpace(target.tensor_alignment_bytes,
                   std::max(target.tensor_alignment_bytes, target.tensor_reservation_bytes));
  resolve_producers(workload, facts, plan.ops);

  std::vector<int> last_reader(n, -1);
  std::vector<bool> must_go(n);  // some reader wants it from memory
  for (std::size_t i = 0; i < n; ++i) {
    const auto& inputs = plan.ops[i].inputs;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      if (inputs[k].producer < 0) continue;
      const auto producer = static_cast<std::size_t>(inputs[k].producer);
      last_reader[producer] = static_cast<int>(i);
      if (!takes_on_chip(workload.ops[i], k)) must_go[producer] = true;
    }
  }

  // What an op reads or writes in padded rows has room for them.
  const auto with_room = [&](std::size_t i, Bytes stored) {
    return padded_at_most(workload.ops[i], target.layout_tile, stored);
  };
  std::vector<Bytes> output_room(n);
  for (std::size_t i = 0; i < n; ++i) {
    output_room[i] = with_room(i, facts[i].stored_output_bytes);
    for (const InputTensor& input : plan.ops[i].inputs) {
      if (input.producer < 0) continue;
      const auto producer = static_cast<std::size_t>(input.producer);
      output_room[producer] =
          std::max(output_room[producer], with_room(i, facts[producer].stored_output_bytes));
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
    for (std::size_t k = 0; k < t.inputs.size(); ++k) {
      InputTensor& input = t.inputs[k];
      input.place = input.producer >= 0
                        ? plan.ops[static_cast<std::size_t>(input.producer)].output
                        : place(f.inputs[k].bytes, with_room(i, f.inputs[k].stored_bytes));
    }

    // Chips exchange what lies in memory.
    const bool collective = std::holds_alternative<Collective>(workload.ops[i].shape);
    bool keep = may_keep && last_reader[i] >= 0 && !must_go[i] && !collective;
    for (auto j = i; keep && j <= static_cast<std::size_t>(last_reader[i]); ++j) {
      keep = target.activation.unlimited || plan.ops[j].resident_bytes + f.output_bytes <= usable;
    }
    if (!keep) {
      t.output = place(f.output_bytes, output_room[i]);
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
