// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>

#include "bindings/bindings.hpp"
#include "sim/config/json_file.hpp"
#include "sim/config/text_file.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave::python {
namespace {

namespace py = pybind11;

std::string text_file(const std::string& path) {
  Diagnostics diagnostics;
  const auto text = read_file(path, diagnostics);
  const auto checked = text ? check_utf8(*text, path, diagnostics) : std::nullopt;
  diagnostics.throw_if_errors();
  return std::string(*checked);
}

std::string json_file(const std::string& path) {
  Diagnostics diagnostics;
  const auto json = load_json_file(path, diagnostics);
  diagnostics.throw_if_errors();
  return json->dump();
}

void check_file(const std::string& path, std::uintmax_t most_bytes) {
  Diagnostics diagnostics;
  if (check_input_file(path, diagnostics)) {
    std::error_code no_size;
    const auto size = std::filesystem::file_size(path, no_size);
    if (!no_size && size > most_bytes) {
      diagnostics.error(path, "", fmt::format("is larger than {} bytes", most_bytes));
    }
  }
  diagnostics.throw_if_errors();
}

}  // namespace

void bind_files(py::module_& module) {
  const auto without_gil = py::call_guard<py::gil_scoped_release>();
  module.def("text_file", text_file, py::arg("path"), without_gil,
             "A text file, read and refused as the command line does.");
  module.def("json_file", json_file, py::arg("path"), without_gil,
             "A JSON file, likewise: of bounded size and depth, no key twice, no NaN.");
  module.def("check_file", check_file, py::arg("path"), py::arg("most_bytes"), without_gil,
             "Raises ConfigError for what is no regular file or larger.");
}

}  // namespace tilewave::python
