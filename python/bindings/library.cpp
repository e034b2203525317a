// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/list_entries.hpp"
#include "app/cli/program.hpp"
#include "app/library/config_dir.hpp"
#include "bindings/bindings.hpp"
#include "tilewave/version.hpp"

namespace tilewave::python {

namespace py = pybind11;

void bind_library(py::module_& module) {
  module.attr("__version__") = kVersion;
  module.def(
      "set_data_folder", [](const std::string& folder) { set_data_folder(folder); },
      py::arg("folder"), "Where configs/ and viz/ lie.");
  module.def(
      "config_dir", [] { return config_dir().string(); }, "The folder of the presets.");
  module.def(
      "list_entries",
      [](const std::string& kind) {
        std::vector<std::pair<std::string, std::string>> entries;
        for (const NameAndWords& entry : list_entries(kind)) {
          entries.emplace_back(entry.name, entry.words);
        }
        return entries;
      },
      py::arg("kind"), "Names with descriptions, as `tilewave list KIND` has them.");
  module.def(
      "run_program", [](const std::vector<std::string>& words) { return run_program(words); },
      py::arg("words"), py::call_guard<py::gil_scoped_release>(),
      "The command line's program; its exit status. For a process that does nothing else.");
}

}  // namespace tilewave::python
