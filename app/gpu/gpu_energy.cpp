// SPDX-License-Identifier: Apache-2.0
#include "app/gpu/gpu_run_data.hpp"

namespace tilewave {

namespace {

/// Operands of a warp instruction that pass the register file: two read, one written, 4 bytes a lane.
constexpr Bytes kOperandBytes = 3 * 4;
/// Shared memory has 32 banks.
constexpr Count kSharedBanks = 32;

}  // namespace

std::vector<EnergySplit> energy_of_gpu(const RunRequest& request, const GpuWorkload& lowered,
                                       const GpuRun& run) {
  const GpuParams& gpu = *request.arch.gpu;
  const GpuRunData data{.request = request, .lowered = lowered, .run = run, .energy = {}};
  std::vector<EnergySplit> energy;
  for (std::size_t i = 0; i < data.ops(); ++i) {
    const GpuLayer layer = layer_of(data, i);
    const OpFacts& facts = lowered.facts[i];
    ActionCounts actions;
    actions.macs[request.workload.ops[i].dtype] = layer.sms.macs_done;
    actions.register_bytes = layer.sms.instructions * gpu.sm.warp_lanes * kOperandBytes;
    actions.vector_ops[32] = facts.flops - std::min(facts.flops, 2 * facts.macs);
    actions.l1["shared"] = {.bank_bytes = gpu.sm.l1_shared_bytes / kSharedBanks,
                            .read_bytes = layer.sms.shared_bytes,
                            .write_bytes = 0};
    actions.l2["l2"] = {.bank_bytes = gpu.l2.capacity_bytes / gpu.l2.slices,
                        .read_bytes = layer.memory.l2_read_bytes + layer.memory.write_back_bytes,
                        .write_bytes = layer.memory.l2_write_bytes + layer.memory.fill_bytes};
    actions.dram_read_bytes = layer.memory.fill_bytes;
    actions.dram_write_bytes = layer.memory.write_back_bytes;
    actions.cycles = layer.cycles;
    energy.push_back(energy_of(actions, request.arch.energy, gpu.powered_units()));
  }
  return energy;
}

}  // namespace tilewave
