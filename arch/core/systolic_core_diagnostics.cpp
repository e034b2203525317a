// SPDX-License-Identifier: Apache-2.0
// Who waits for what, what must hold at the end, and the core's counters.
#include <fmt/format.h>

#include "arch/core/systolic_core.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {

std::string SystolicCore::describe_waits() const {
  std::string text =
      fmt::format("{}: {} of {} kernels complete", name_, done_kernels_, program_.kernels.size());
  const auto explain = [&](const std::string& unit, const Job& job) {
    text += fmt::format("\n  {}: \"{}\" of kernel \"{}\" waits for", unit, job.instruction->label,
                        job.kernel->name);
    bool any = false;
    if (!may_start(job)) {
      text += fmt::format(" kernel \"{}\"", program_.kernels[done_kernels_].name);
      any = true;
    }
    for (const auto& use : job.uses()) {
      if (!slots_.space_ready(use)) {
        text += fmt::format(" a free stage of \"{}\"", slots_.name(use.ring)), any = true;
      }
      if (!slots_.data_ready(use)) {
        text += fmt::format(" part {} of \"{}\"", use.part, slots_.name(use.ring)), any = true;
      }
    }
    if (!any) text += " its unit or the memory";
  };
  for (const auto& engine : engines_) {
    if (engine.empty()) continue;
    explain(engine.name(), engine.oldest());
    text += fmt::format(" ({} requests in flight)", engine.outstanding());
  }
  for (const auto& unit : matrix_) {
    if (const Job* job = unit->next_job()) explain(unit->name(), *job);
  }
  if (vector_) {
    if (const Job* job = vector_->next_job()) explain(vector_->name(), *job);
  }
  return text;
}

void SystolicCore::check_drained() const {
  if (!slots_.all_free()) throw SimulationError("law violated: every buffer stage is given back");
  for (const auto& engine : engines_) {
    if (engine.outstanding() != 0) {
      throw SimulationError("law violated: every memory request is answered (" + engine.name() +
                            ")");
    }
  }
}

void SystolicCore::register_statistics(StatGroup& parent) {
  auto& group = parent.group(name_);
  group.count("instructions", "instructions", "tile instructions dispatched", instructions_);
  for (const auto& engine : engines_) {
    group.group(engine.name().substr(name_.size() + 1))
        .count("bytes", "bytes", "bytes moved", engine.bytes_counter());
  }
  for (const auto& unit : matrix_) {
    group.group(unit->name().substr(name_.size() + 1))
        .count("macs", "macs", "multiply-accumulates done",
               [u = unit.get()] { return u->macs_done(); });
  }
  if (vector_) {
    group.group("vector").count("busy_cycles", "cycles", "cycles occupied",
                                [v = vector_.get()] { return v->busy_cycles(); });
  }
}

}  // namespace tilewave
