// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <pybind11/functional.h>
#include <pybind11/stl.h>
#include <string>
#include <utility>
#include <vector>

#include "app/library/config_dir.hpp"
#include "app/sweep/run_point.hpp"
#include "app/sweep/run_sweep.hpp"
#include "bindings/bindings.hpp"
#include "bindings/interruptible.hpp"
#include "sim/config/json_file.hpp"

namespace tilewave::python {
namespace {

namespace py = pybind11;

SweepPlan planned(std::optional<Sweep> sweep, const Diagnostics& diagnostics) {
  diagnostics.throw_if_errors();
  SweepPlan plan(std::move(*sweep));
  check_points(plan);
  return plan;
}

std::unique_ptr<SweepPlan> load_plan(const std::string& name_or_file) {
  Diagnostics diagnostics;
  auto sweep = load_sweep(name_or_file, config_dir(), diagnostics);
  return std::make_unique<SweepPlan>(planned(std::move(sweep), diagnostics));
}

std::unique_ptr<SweepPlan> parse_plan(const std::string& text, const std::string& folder) {
  constexpr const char* kLabel = "sweep";
  Diagnostics diagnostics;
  const auto json = parse_json(text, kLabel, diagnostics);
  diagnostics.throw_if_errors();
  auto sweep = read_sweep(*json, kLabel, folder, diagnostics);
  return std::make_unique<SweepPlan>(planned(std::move(sweep), diagnostics));
}

std::vector<std::string> parameter_paths(const SweepPlan& plan) {
  std::vector<std::string> paths;
  for (const SweepParameter& parameter : plan.sweep().parameters) paths.push_back(parameter.path);
  return paths;
}

std::vector<std::string> objective_names(const SweepPlan& plan) {
  std::vector<std::string> names;
  for (const SweepObjective& objective : plan.sweep().objectives) names.push_back(objective.name);
  return names;
}

/// A sweep in its folder, which it holds until close(): an exception keeps what it went through alive in Python,
/// and the next sweep must get at the folder all the same.
class OpenSweep {
 public:
  OpenSweep(std::shared_ptr<SweepPlan> plan, const std::string& folder, bool resume)
      : plan_(std::move(plan)) {
    store_.emplace(folder, identity_of(*plan_), resume);
    feed_.emplace(*plan_, *store_);
  }

  [[nodiscard]] const SweepPlan& plan() const { return *plan_; }
  [[nodiscard]] SweepStore& store() { return store_.value(); }
  [[nodiscard]] SweepFeed& feed() { return feed_.value(); }
  void close() {
    feed_.reset();
    store_.reset();
  }

 private:
  std::shared_ptr<SweepPlan> plan_;
  std::optional<SweepStore> store_;
  std::optional<SweepFeed> feed_;
};

void run_here(OpenSweep& open, std::size_t jobs, const std::vector<std::string>& command) {
  run_interruptible(
      [&](const std::atomic<bool>& stop) {
        (void)run_sweep(open.plan(), open.store(),
                        {.jobs = jobs, .worker_command = command, .stop = &stop});
      },
      {});
}

std::optional<std::pair<std::uint64_t, std::string>> next(OpenSweep& open) {
  auto task = open.feed().next();
  if (!task) return std::nullopt;
  return std::pair(task->point, std::move(task->text));
}

}  // namespace

void bind_sweep(py::module_& module) {
  py::register_exception_translator([](std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(error);
    } catch (const StoreError& e) {
      PyErr_SetString(PyExc_OSError, e.what());
    }
  });
  py::class_<SweepPlan, std::shared_ptr<SweepPlan>>(module, "SweepPlan",
                                                    "A sweep, read and checked.")
      .def_static(
          "load", [](const std::string& name) { return std::shared_ptr(load_plan(name)); },
          py::arg("name_or_file"))
      .def_static(
          "parse",
          [](const std::string& text, const std::string& folder) {
            return std::shared_ptr(parse_plan(text, folder));
          },
          py::arg("text"), py::arg("folder"))
      .def_property_readonly("name", [](const SweepPlan& plan) { return plan.sweep().name; })
      .def_property_readonly("parameters", parameter_paths)
      .def_property_readonly("objectives", objective_names);
  py::class_<OpenSweep>(module, "OpenSweep",
                        "A sweep with the folder of its results, which it holds.")
      .def(py::init<std::shared_ptr<SweepPlan>, std::string, bool>(), py::arg("plan"),
           py::arg("folder"), py::arg("resume"))
      .def("run", run_here, py::arg("jobs"), py::arg("worker_command"),
           "Runs what is missing in worker processes.")
      .def("next", next, "(number, task) of the next point that has to run, or None.")
      .def(
          "keep", [](OpenSweep& open, const std::string& result) { open.feed().keep(result); },
          py::arg("result"), "Keeps what run_point() gave.")
      .def(
          "lose",
          [](OpenSweep& open, std::uint64_t point, const std::string& why) {
            open.feed().lose(point, why);
          },
          py::arg("point"), py::arg("why"), "Keeps that a point's process ended again and again.")
      .def(
          "each",
          [](OpenSweep& open, const std::function<void(const std::string&)>& take) {
            open.store().each([&](const PointResult& result) { take(to_line(result)); });
          },
          py::arg("take"), "Calls take(result as JSON) for each point, in order.")
      .def("close", &OpenSweep::close, "Lets go of the folder.");
  module.def(
      "run_point", [](const std::string& task) { return run_point(task); }, py::arg("task"),
      py::call_guard<py::gil_scoped_release>(),
      "Runs one point of a sweep: a task in, its result out, both JSON on one line.");
}

}  // namespace tilewave::python
