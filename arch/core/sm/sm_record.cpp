// SPDX-License-Identifier: Apache-2.0
#include "arch/core/sm/sm_record.hpp"

namespace tilewave {

std::string_view to_string(SmCycle cycle) {
  switch (cycle) {
    case SmCycle::matrix_busy:
      return "matrix_busy";
    case SmCycle::vector_busy:
      return "vector_busy";
    case SmCycle::wait_dram:
      return "wait_dram";
    case SmCycle::wait_l2:
      return "wait_l2";
    case SmCycle::wait_store:
      return "wait_store";
    case SmCycle::sync:
      return "sync";
    case SmCycle::launch:
      return "launch";
    case SmCycle::idle:
      return "idle";
  }
  return "?";
}

SmRecord& SmRecord::operator+=(const SmRecord& o) noexcept {
  for (std::size_t i = 0; i < kSmCycles; ++i) breakdown[i] += o.breakdown[i];
  for (std::size_t i = 0; i < kSubCoreCycles; ++i) sub_cores[i] += o.sub_cores[i];
  macs += o.macs, macs_done += o.macs_done, slabs += o.slabs, blocks += o.blocks;
  instructions += o.instructions, shared_bytes += o.shared_bytes;
  tensor_cycles += o.tensor_cycles, resident_warp_cycles += o.resident_warp_cycles;
  return *this;
}

SmRecord SmRecord::since(const SmRecord& e, Count times) const noexcept {
  SmRecord r;
  for (std::size_t i = 0; i < kSmCycles; ++i) {
    r.breakdown[i] = (breakdown[i] - e.breakdown[i]) * times;
  }
  for (std::size_t i = 0; i < kSubCoreCycles; ++i) {
    r.sub_cores[i] = (sub_cores[i] - e.sub_cores[i]) * times;
  }
  r.macs = (macs - e.macs) * times;
  r.macs_done = (macs_done - e.macs_done) * times;
  r.slabs = (slabs - e.slabs) * times;
  r.blocks = (blocks - e.blocks) * times;
  r.instructions = (instructions - e.instructions) * times;
  r.shared_bytes = (shared_bytes - e.shared_bytes) * times;
  r.tensor_cycles = (tensor_cycles - e.tensor_cycles) * times;
  r.resident_warp_cycles = (resident_warp_cycles - e.resident_warp_cycles) * times;
  return r;
}

}  // namespace tilewave
