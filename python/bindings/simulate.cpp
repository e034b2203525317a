// SPDX-License-Identifier: Apache-2.0
#include "app/simulate.hpp"

#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <pybind11/stl.h>
#include <string>
#include <vector>

#include "app/trace/chrome_trace.hpp"
#include "bindings/bindings.hpp"
#include "bindings/inputs.hpp"
#include "bindings/interruptible.hpp"

namespace tilewave::python {
namespace {

namespace py = pybind11;

struct RunOutput {
  std::string report;                 ///< JSON
  std::vector<std::string> warnings;  ///< of reading and of the run
  std::optional<std::string> trace;   ///< Chrome trace, if asked for
};

/// How far a run is, told by its thread and asked by Python's.
class Progress {
 public:
  struct State {
    std::size_t done = 0, total = 0;
    Cycle now = 0;
    bool operator==(const State&) const = default;
  };
  void set(State state) {
    const std::lock_guard lock(mutex_);
    state_ = state;
  }
  /// The state, if it has changed since the last call.
  std::optional<State> news() {
    const std::lock_guard lock(mutex_);
    if (state_ == told_) return std::nullopt;
    return told_ = state_;
  }

 private:
  std::mutex mutex_;
  State state_, told_;
};

RunOutput run(RunRequest request, bool with_trace, const std::atomic<bool>& stop) {
  std::unique_ptr<ChromeTrace> trace;
  if (with_trace) {
    trace = std::make_unique<ChromeTrace>(request.arch.clock());
    request.listener = trace.get();
  }
  request.stop = &stop;
  RunResult result = simulate(request);
  RunOutput output;
  output.report = result.report.dump(-1, ' ', false, Json::error_handler_t::replace);
  output.warnings = std::move(result.warnings);
  if (trace) output.trace = trace->to_json(result.report);
  return output;
}

RunOutput simulate_inputs(const Inputs& inputs, const py::object& progress, bool with_trace) {
  Diagnostics diagnostics;
  RunRequest request;
  {
    const py::gil_scoped_release released;
    request = read_request(inputs, diagnostics);
  }
  diagnostics.throw_if_errors();
  Progress state;
  if (!progress.is_none()) {
    request.progress = [&state](std::size_t done, std::size_t total, Cycle now) {
      state.set({done, total, now});
    };
  }
  RunOutput output;
  run_interruptible(
      [&](const std::atomic<bool>& stop) { output = run(std::move(request), with_trace, stop); },
      [&] {
        if (progress.is_none()) return;
        if (const auto news = state.news()) progress(news->done, news->total, news->now);
      });
  std::vector<std::string> warnings = warnings_of(diagnostics);
  output.warnings.insert(output.warnings.begin(), warnings.begin(), warnings.end());
  return output;
}

std::string dump_inputs(const Inputs& inputs) {
  Diagnostics diagnostics;
  const RunRequest request = read_request(inputs, diagnostics);
  diagnostics.throw_if_errors();
  const py::gil_scoped_release released;
  return dump_program(request);
}

}  // namespace

void bind_simulate(py::module_& module) {
  py::class_<RunOutput>(module, "RunOutput", "What a run makes.")
      .def_readonly("report", &RunOutput::report)
      .def_readonly("warnings", &RunOutput::warnings)
      .def_readonly("trace", &RunOutput::trace);
  module.def("simulate", simulate_inputs, py::arg("inputs"), py::arg("progress") = py::none(),
             py::arg("trace") = false,
             "Runs a workload on a machine. progress(layers done, layers, cycle) is called now and "
             "then.");
  module.def("dump_program", dump_inputs, py::arg("inputs"),
             "What the machine would execute, in words.");
}

}  // namespace tilewave::python
