// SPDX-License-Identifier: Apache-2.0
#include "app/report/html.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "app/library/config_dir.hpp"
#include "sim/config/text_file.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOpen = "/*@";
constexpr std::string_view kClose = "*/";
constexpr std::string_view kReport = "report";
constexpr std::string_view kPlotly = "plotly";
/// A page is Plotly's bundle of 5 MB and some more: room for it, so that it isn't moved as it grows.
constexpr std::size_t kRoom = std::size_t{8} << 20;

[[noreturn]] void fail(const fs::path& file, const std::string& message) {
  throw ConfigError(Fault{.file = file.string(), .path = "", .message = message});
}

std::string read_part(const fs::path& file) {
  Diagnostics diagnostics;
  auto text = read_file(file, diagnostics);
  if (!text) {
    fail(file, fmt::format("a part of the HTML report cannot be read: {}",
                           diagnostics.errors().front().message));
  }
  return *std::move(text);
}

/// Code that may stand in a script element: HTML looks for "</script" and "<!--" there, which occur in
/// strings and comments of JavaScript alone.
std::string plotly() {
  std::string code = read_part(plotly_bundle());
  for (const auto& [bad, good] :
       {std::pair<std::string_view, std::string_view>{"</script", "<\\/script"},
        {"<!--", "<\\!--"}}) {
    for (std::size_t at = code.find(bad); at != std::string::npos;
         at = code.find(bad, at + good.size())) {
      code.replace(at, bad.size(), good);
    }
  }
  return code;
}

/// JSON that may stand in a script element. There, HTML looks for "</script" and "<!--", and "<"
/// occurs in JSON only inside strings, where \u003c means the same (HTML standard,
/// section 4.12.1.3). Everything beyond ASCII is escaped too: U+2028 and U+2029, and the page's
/// encoding cannot matter.
std::string escaped(const Json& report) {
  const std::string json = report.dump(-1, ' ', true, Json::error_handler_t::replace);
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    switch (c) {
      case '<':
        out += "\\u003c";
        break;
      case '>':
        out += "\\u003e";
        break;
      case '&':
        out += "\\u0026";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace

std::string html_page(const Json& report, const fs::path& folder) {
  const fs::path page_file = folder / "page.html";
  const std::string page = read_part(page_file);
  std::string out;
  out.reserve(kRoom);
  bool has_report = false;
  std::size_t done = 0;
  for (;;) {
    const std::size_t open = page.find(kOpen, done);
    const std::size_t close = page.find(kClose, open);
    if (close == std::string::npos) {
      break;
    }
    const std::size_t begin = open + kOpen.size();
    const std::string name = page.substr(begin, close - begin);
    out.append(page, done, open - done);
    if (name == kReport) {
      out += escaped(report);
    } else if (name == kPlotly) {
      out += plotly();
    } else {
      out += read_part(folder / name);
    }
    has_report = has_report || name == kReport;
    done = close + kClose.size();
  }
  out.append(page, done);
  if (!has_report) {
    fail(page_file, fmt::format("has no place for the report ({}{}{})", kOpen, kReport, kClose));
  }
  return out;
}

std::string html_report(const Json& report, const fs::path& viz_dir) {
  return html_page(report, viz_dir / "report");
}

std::string html_report(const Json& report) { return html_report(report, viz_dir()); }

}  // namespace tilewave
