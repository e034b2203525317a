// SPDX-License-Identifier: Apache-2.0
// Small machines and runs for tests.
#pragma once

#include <string>
#include <vector>

#include "app/simulate.hpp"

namespace tilewave::test {

/// A 4x4 weight-stationary machine with small buffers, a vector unit and a simple memory; every
/// documented key is there.
[[nodiscard]] Json small_machine();
/// The same with ideal memory and buffers, no overlap, no vector unit: SCALE-Sim's machine.
[[nodiscard]] Json ideal_machine(Count rows, Count cols, const std::string& dataflow);
/// `machine` with an L2 of two slices and the default crossbar in front of its DRAM.
[[nodiscard]] Json with_l2(Json machine, Bytes capacity_bytes);
/// A preset of configs/arch that extends nothing.
[[nodiscard]] Json load_preset(const std::string& name);
/// `machine` with `assignments` ("core.matrix_unit.rows=8") applied.
[[nodiscard]] Json with(Json machine, const std::vector<std::string>& assignments);

/// A preset of configs/arch with `sets` ("cores=4") put in; a GPU of it.
[[nodiscard]] ResolvedArch resolve_preset(const std::string& name,
                                          const std::vector<std::string>& sets = {});
[[nodiscard]] GpuParams gpu_preset(const std::string& name);
[[nodiscard]] RunRequest on_preset(const std::string& name, const std::vector<std::string>& sets,
                                   Workload workload);

[[nodiscard]] ResolvedArch resolve(const Json& machine);
/// Throws ConfigError with all faults.
[[nodiscard]] Workload workload_of(const Json& json);
[[nodiscard]] Workload gemm_workload(Count m, Count n, Count k, DataType type = DataType::int8);

[[nodiscard]] Json run(const Json& machine, const Workload& workload,
                       Fidelity fidelity = Fidelity::fast);
[[nodiscard]] Cycle cycles(const Json& machine, const Workload& workload);

/// The report without what may differ from run to run.
[[nodiscard]] Json comparable(Json report);

}  // namespace tilewave::test
