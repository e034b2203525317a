// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/report/run_data.hpp"

namespace tilewave {

/// The laws every run obeys (a violation is an error of ours, never a warning):
///  - macs conserved: arrays' count = program's count = the op's arithmetic, layer by layer
///  - bytes conserved: bytes moved = bytes the program asks for, layer by layer
///  - compulsory bytes: what lies off chip is read or written at least once
///  - array bound: cycles >= MACs x passes / peak MACs a cycle, layer by layer
///  - memory bound: bytes <= bandwidth x time, for DRAM and each direction of the host link, over the
///    run and in each layer
///  - cycles conserved: each layer's breakdown sums to its cycles, the layers' cycles to the total
///  - energy: no component of a layer is negative or not a number
/// Throws SimulationError with the law's name and the figures.
void audit(const RunData& run);

/// What the report itself must obey: energy.total = sum of its layers and of its components, every
/// number is finite.
void audit_report(const Json& report);

}  // namespace tilewave
