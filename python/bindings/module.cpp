// SPDX-License-Identifier: Apache-2.0
#include "bindings/bindings.hpp"

PYBIND11_MODULE(_core, module) {
  module.doc() = "The simulator; use the package tilewave.";
  tilewave::python::bind_errors(module);
  tilewave::python::bind_library(module);
  tilewave::python::bind_files(module);
  tilewave::python::bind_inputs(module);
  tilewave::python::bind_simulate(module);
  tilewave::python::bind_report(module);
  tilewave::python::bind_sweep(module);
}
