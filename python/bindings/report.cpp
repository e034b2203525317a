// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <pybind11/stl.h>
#include <string>
#include <vector>

#include "app/cli/csv.hpp"
#include "app/cli/table.hpp"
#include "app/compare/comparison.hpp"
#include "app/library/config_dir.hpp"
#include "app/report/html.hpp"
#include "bindings/bindings.hpp"
#include "sim/config/json_file.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave::python {
namespace {

namespace py = pybind11;

Json parsed(const std::string& report) {
  Diagnostics diagnostics;
  auto json = parse_json(report, "report", diagnostics);
  diagnostics.throw_if_errors();
  return json.value_or(Json::object());
}

}  // namespace

void bind_report(py::module_& module) {
  const auto without_gil = py::call_guard<py::gil_scoped_release>();
  module.def(
      "report_text",
      [](const std::string& report) {
        return parsed(report).dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
      },
      py::arg("report"), without_gil, "As `tilewave run --out` writes it.");
  module.def(
      "report_csv", [](const std::string& report) { return layers_csv(parsed(report)); },
      py::arg("report"), without_gil, "As `tilewave run --csv` writes it.");
  module.def(
      "report_html", [](const std::string& report) { return html_report(parsed(report)); },
      py::arg("report"), without_gil, "As `tilewave run --html` writes it.");
  module.def(
      "comparison_html",
      [](const std::vector<std::string>& texts, const std::vector<std::string>& labels) {
        std::vector<ReportFile> reports;
        Diagnostics diagnostics;
        for (std::size_t i = 0; i < texts.size(); ++i) {
          reports.push_back({.file = labels.at(i), .report = parsed(texts[i])});
          check_report(reports.back(), diagnostics);
        }
        diagnostics.throw_if_errors();
        const auto names = run_labels(reports, labels, "labels");
        return html_page(comparison_page_data(compare_reports(reports, names), reports),
                         viz_dir() / "compare");
      },
      py::arg("reports"), py::arg("labels"), without_gil,
      "As `tilewave compare --html` writes it.");
  module.def(
      "report_table",
      [](const std::string& report, std::size_t columns) {
        return report_table(parsed(report), columns);
      },
      py::arg("report"), py::arg("columns"), without_gil, "As `tilewave run` prints it.");
}

}  // namespace tilewave::python
