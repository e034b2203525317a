// SPDX-License-Identifier: Apache-2.0
#include "bindings/inputs.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <pybind11/stl.h>

#include "app/cli/inputs.hpp"
#include "app/library/arch_library.hpp"
#include "app/library/config_dir.hpp"
#include "bindings/bindings.hpp"
#include "sim/config/json_file.hpp"
#include "workloads/load.hpp"
#include "workloads/workload_json.hpp"

namespace tilewave::python {
namespace {

namespace py = pybind11;

// Stand in messages for the files that there are not.
constexpr const char* kArch = "arch";
constexpr const char* kWorkload = "workload";

LoadOptions load_options(const Inputs& inputs, Count batch_shares, Diagnostics& diagnostics) {
  LoadOptions options;
  options.config_dir = config_dir();
  options.batch_shares = batch_shares;
  options.scale_sim_ceil = inputs.scale_sim_ceil;
  if (inputs.batch) options.batch = parse_batch(*inputs.batch, "batch", diagnostics);
  if (inputs.dtype) options.dtype = parse_dtype(*inputs.dtype, "dtype", diagnostics);
  apply_workload_overrides(split_overrides(inputs.sets).workload, options, diagnostics);
  return options;
}

/// A machine or workload, complete, as text; and what was noticed.
using Resolved = std::pair<std::string, std::vector<std::string>>;

Resolved resolved(const Json& json, const Diagnostics& diagnostics) {
  return {json.dump(-1, ' ', false, Json::error_handler_t::replace), warnings_of(diagnostics)};
}

Resolved arch_json(const Inputs& inputs) {
  Diagnostics diagnostics;
  const ResolvedArch arch = read_arch(inputs, diagnostics);
  diagnostics.throw_if_errors();
  return resolved(to_json(arch), diagnostics);
}

Resolved workload_json(const Inputs& inputs) {
  Diagnostics diagnostics;
  const Workload workload = read_workload(inputs, 1, diagnostics);
  diagnostics.throw_if_errors();
  return resolved(to_json(workload), diagnostics);
}

}  // namespace

ResolvedArch read_arch(const Inputs& inputs, Diagnostics& diagnostics) {
  const auto sets = split_overrides(inputs.sets).arch;
  if (inputs.arch_name) return resolve_arch(*inputs.arch_name, sets, config_dir(), diagnostics);
  const auto json = parse_json(inputs.arch_json.value_or(""), kArch, diagnostics);
  return json ? resolve_arch(*json, kArch, sets, config_dir(), diagnostics) : ResolvedArch{};
}

Workload read_workload(const Inputs& inputs, Count batch_shares, Diagnostics& diagnostics) {
  const LoadOptions options = load_options(inputs, batch_shares, diagnostics);
  if (inputs.workload_name) return load_workload(*inputs.workload_name, options, diagnostics);
  const auto json = parse_json(inputs.workload_json.value_or(""), kWorkload, diagnostics);
  return json ? load_workload(*json, kWorkload, options, diagnostics) : Workload{};
}

RunRequest read_request(const Inputs& inputs, Diagnostics& diagnostics) {
  RunRequest request;
  request.fidelity =
      parse_fidelity(inputs.fidelity, "fidelity", diagnostics).value_or(Fidelity::fast);
  request.arch = read_arch(inputs, diagnostics);
  request.workload = read_workload(inputs, request.arch.chip.batch_shares(), diagnostics);
  return request;
}

std::vector<std::string> warnings_of(const Diagnostics& diagnostics) {
  std::vector<std::string> warnings;
  for (const Fault& fault : diagnostics.warnings()) warnings.push_back(format(fault));
  return warnings;
}

void bind_inputs(py::module_& module) {
  py::class_<Inputs>(module, "Inputs", "What a run takes; of arch and workload a name or JSON.")
      .def(py::init<>())
      .def_readwrite("arch_name", &Inputs::arch_name)
      .def_readwrite("arch_json", &Inputs::arch_json)
      .def_readwrite("workload_name", &Inputs::workload_name)
      .def_readwrite("workload_json", &Inputs::workload_json)
      .def_readwrite("sets", &Inputs::sets)
      .def_readwrite("batch", &Inputs::batch)
      .def_readwrite("dtype", &Inputs::dtype)
      .def_readwrite("fidelity", &Inputs::fidelity)
      .def_readwrite("scale_sim_ceil", &Inputs::scale_sim_ceil);
  const auto without_gil = py::call_guard<py::gil_scoped_release>();
  module.def("arch_json", arch_json, py::arg("inputs"), without_gil,
             "The machine, complete, as JSON; and warnings.");
  module.def("workload_json", workload_json, py::arg("inputs"), without_gil,
             "The workload as a list of ops, complete, as JSON; and warnings.");
}

}  // namespace tilewave::python
