// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

/// The module tilewave._core: what the Python package needs of the C++ API, a function for each part.
/// Machines, workloads and reports cross the border as JSON texts; python/tilewave makes objects of them.
namespace tilewave::python {

void bind_errors(pybind11::module_& module);    ///< ConfigError, SimulationError
void bind_files(pybind11::module_& module);     ///< files as the command line reads them
void bind_inputs(pybind11::module_& module);    ///< Inputs; machines and workloads, resolved
void bind_library(pybind11::module_& module);   ///< lists, the folder of data, version
void bind_report(pybind11::module_& module);    ///< a report as table, CSV, page
void bind_simulate(pybind11::module_& module);  ///< runs
void bind_sweep(pybind11::module_& module);     ///< sweeps and their stores

}  // namespace tilewave::python
