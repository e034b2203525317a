// SPDX-License-Identifier: Apache-2.0
#include <exception>

#include "app/cli/messages.hpp"
#include "bindings/bindings.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave::python {
namespace {

namespace py = pybind11;

/// Live as long as the module: the interpreter may still raise them when it ends.
PyObject* config_error = nullptr;
PyObject* simulation_error = nullptr;

py::list faults_of(const ConfigError& error) {
  py::list faults;
  for (const Fault& fault : error.faults()) {
    faults.append(py::make_tuple(fault.file, fault.path, fault.message, fault.line, fault.column));
  }
  return faults;
}

void raise(PyObject* type, const char* text, const py::object& faults) {
  const auto instance = py::reinterpret_borrow<py::object>(type)(py::str(text));
  if (!faults.is_none()) instance.attr("faults") = faults;
  PyErr_SetObject(type, instance.ptr());
}

PyObject* new_exception(py::module_& module, const char* name, const char* words, PyObject* base) {
  const std::string full_name = std::string("tilewave.") + name;
  PyObject* type = PyErr_NewExceptionWithDoc(full_name.c_str(), words, base, nullptr);
  if (type == nullptr) throw py::error_already_set();
  module.add_object(name, type);
  return type;
}

}  // namespace

void bind_errors(py::module_& module) {
  config_error = new_exception(
      module, "ConfigError",
      "The input is wrong, nothing was simulated. Its text has a line for each fault, as the "
      "command line prints it.\n\n"
      "faults: list of (file, JSON path, message, line, column); line and column 0: not known.",
      PyExc_ValueError);
  py::setattr(config_error, "faults", py::tuple());
  simulation_error = new_exception(module, "SimulationError",
                                   "The run failed: a deadlock, a limit reached, a law violated.",
                                   PyExc_RuntimeError);
  py::register_exception_translator([](std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(error);
    } catch (const ConfigError& e) {
      raise(config_error, text_of(e).c_str(), faults_of(e));
    } catch (const SimulationError& e) {
      raise(simulation_error, e.what(), py::none());
    }
  });
}

}  // namespace tilewave::python
