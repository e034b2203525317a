// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/onnx_file.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>
#include <vector>

#include "sim/config/json_file.hpp"
#include "sim/config/json_path.hpp"
#include "sim/config/text_file.hpp"
#include "workloads/import/child_process.hpp"

namespace tilewave {
namespace {

constexpr const char* kVariable = "TILEWAVE_PYTHON";
constexpr const char* kInstall =
    "ONNX files are read by Tilewave's Python package: pip install '.[onnx]' in its source folder";

std::string python() {
  const char* given = std::getenv(kVariable);
  return given == nullptr || *given == '\0' ? "python3" : given;
}

/// Lines "warning: ..." and "error: ..." of the child become ours. Returns the last other line.
std::string take_messages(std::string_view text, Diagnostics& diagnostics) {
  constexpr std::string_view kWarning = "warning: ", kError = "error: ";
  std::string last;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.starts_with(kWarning)) {
      diagnostics.warning("", "", std::string(line.substr(kWarning.size())));
    } else if (line.starts_with(kError)) {
      diagnostics.error("", "", std::string(line.substr(kError.size())));
    } else if (!line.empty()) {
      last = line;
    }
  }
  return last;
}

}  // namespace

std::optional<Json> import_onnx(const std::string& file, const Json& dims,
                                std::optional<Count> batch, Diagnostics& diagnostics) {
  std::vector<std::string> words{python(), "-m", "tilewave.onnx_import"};
  if (batch) words.insert(words.end(), {"--batch", std::to_string(*batch)});
  for (const auto& [name, value] : dims.items()) {
    words.push_back(fmt::format("--dim={}={}", name,
                                value.is_string() ? value.get<std::string>() : value.dump()));
  }
  words.insert(words.end(), {"--", file});
  const std::size_t errors_before = diagnostics.error_calls();
  const auto output = run_child(words, kMaxFileBytes);
  if (!output || output->status == 127) {
    diagnostics.error(file, "",
                      fmt::format("{} (there is no program {} here; {} names another)", kInstall,
                                  in_quotes(python()), kVariable));
    return std::nullopt;
  }
  const std::string last = take_messages(output->err, diagnostics);
  if (output->status != 0) {
    if (diagnostics.error_calls() != errors_before) return std::nullopt;
    const bool no_package = last.find("No module named") != std::string::npos;
    diagnostics.error(
        file, "",
        no_package ? fmt::format("{} ({}: {})", kInstall, python(), last)
                   : fmt::format("{} ended with status {}: {}", python(), output->status, last));
    return std::nullopt;
  }
  return parse_json(output->out, file, diagnostics);
}

}  // namespace tilewave
