// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <unistd.h>
#include <vector>

#include "support/catch.hpp"

#include "app/library/config_dir.hpp"
#include "app/report/html.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {
namespace {

namespace fs = std::filesystem;
using test::contains;

const fs::path kViz = fs::path(TILEWAVE_TEST_DIR).parent_path() / "viz";
constexpr const char* kBegin = R"(<script type="application/json" id="report">)";
constexpr const char* kEnd = "</script>";

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

/// What a browser takes as the text of the element with the report: up to the first end tag.
std::string data_of(const std::string& page) {
  REQUIRE(count(page, kBegin) == 1);
  const std::size_t begin = page.find(kBegin) + std::string(kBegin).size();
  const std::size_t end = page.find(kEnd, begin);
  REQUIRE(end != std::string::npos);
  return page.substr(begin, end - begin);
}

std::string without_data(const std::string& page) {
  const std::string data = data_of(page);
  std::string rest = page;
  return rest.erase(page.find(kBegin) + std::string(kBegin).size(), data.size());
}

Json report_with_name(const std::string& name) {
  return {{"workload", {{"name", name}}},
          {"layers", Json::array({{{"name", name}, {"cycles", 5}, {"utilization", 0.1}}})}};
}

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A folder viz/ of its own, with report/ in it.
class OwnViz {
 public:
  OwnViz() : path_(fs::temp_directory_path() / ("tilewave_html_" + std::to_string(::getpid()))) {
    fs::create_directories(path_ / "report");
  }
  OwnViz(const OwnViz&) = delete;
  OwnViz& operator=(const OwnViz&) = delete;
  ~OwnViz() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / "report" / name) << text;
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string error_of(const fs::path& viz) {
  try {
    (void)html_report(Json::object(), viz);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("the page carries the report, whatever its strings hold") {
  const std::string empty = without_data(html_report(Json::object(), kViz));
  const std::vector<std::string> names{
      "conv1",
      "<script>alert(1)</script>",
      "</script><img src=x onerror=alert(1)>",
      "</SCRIPT >",
      "<!-- <script>",
      "--> ]]> & &lt; &amp;",
      "line\xE2\x80\xA8separator\xE2\x80\xA9",
      "quotes \" ' ` \\ \\u003c ${x}",
      std::string("nul \0 and controls \x01\x1F\x7F", 22),
      "\xF0\x9F\x90\x9F \xC3\xA9",
      "/*@report*/ /*@style.css*/ */",
  };
  for (const std::string& name : names) {
    CAPTURE(name);
    const Json report = report_with_name(name);
    const std::string page = html_report(report, kViz);
    const std::string data = data_of(page);
    CHECK(Json::parse(data) == report);
    CHECK(data.find_first_of("<>&") == std::string::npos);
    CHECK(std::all_of(data.begin(), data.end(), [](char c) { return c >= ' ' && c <= '~'; }));
    CHECK(without_data(page) == empty);
  }
}

TEST_CASE("bytes that are no UTF-8 are replaced, as in the JSON report") {
  const Json report = report_with_name(
      "a\xFF"
      "b");
  const Json read = Json::parse(data_of(html_report(report, kViz)));
  CHECK(read["workload"]["name"] ==
        "a\xEF\xBF\xBD"
        "b");
}

TEST_CASE("numbers come through with all their digits") {
  const Json report = {{"big", 9007199254740993U}, {"small", 0.1}, {"tiny", 5e-324}};
  CHECK(Json::parse(data_of(html_report(report, kViz))) == report);
}

TEST_CASE("the page needs no other file and no network") {
  std::string page = html_report(report_with_name("x"), kViz);
  CHECK_THAT(page, contains("Content-Security-Policy"));
  // Plotly could load maps, which the policy forbids: only we are looked at.
  const std::size_t plotly = page.find("id=\"plotly\">"), end = page.find("</script>", plotly);
  REQUIRE(end != std::string::npos);
  CHECK(end - plotly > 1'000'000);
  page.erase(plotly, end - plotly);
  CHECK(count(page, "/*@") == 0);
  for (const char* loads : {"src=", "@import", "fetch(", "import(", "XMLHttpRequest"}) {
    CAPTURE(loads);
    CHECK(count(page, loads) == 0);
  }
  CHECK(count(page, "url(") == count(page, "url(#"));
  CHECK(count(page, "http") ==
        count(page, "http-equiv") + count(page, "http://www.w3.org/2000/svg"));
  CHECK(count(page, "href=\"") == count(page, "href=\"#") + count(page, "href=\"data:,\""));
}

TEST_CASE("each part of the page is used, and may stand where it is put") {
  const std::string page = read(kViz / "report" / "page.html");
  for (const auto& entry : fs::directory_iterator(kViz / "report")) {
    const std::string name = entry.path().filename().string();
    CAPTURE(name);
    if (name == "page.html") continue;
    CHECK(count(page, "/*@" + name + "*/") == 1);
    const std::string part = read(entry.path());
    for (const char* ends : {"</script", "</style", "<!--", "<script", "innerHTML", "outerHTML",
                             "insertAdjacentHTML", "document.write", "eval("}) {
      CAPTURE(ends);
      CHECK(count(part, ends) == 0);
    }
  }
}

TEST_CASE("without a folder, the page of this installation is taken") {
  const Json report = report_with_name("x");
  CHECK(html_report(report) == html_report(report, viz_dir()));
}

TEST_CASE("a page that lacks something is a fault of the installation, named with its file") {
  const OwnViz viz;
  CHECK_THAT(error_of(viz.path()), contains("report/page.html: a part of the HTML report"));
  CHECK_THAT(error_of(viz.path()), contains("no such file"));
  viz.write("page.html", "<style>/*@style.css*/</style>/*@report*/");
  CHECK_THAT(error_of(viz.path()), contains("report/style.css: a part of the HTML report"));
  viz.write("style.css", "a{}");
  CHECK(html_report(Json::object(), viz.path()) == "<style>a{}</style>{}");
  viz.write("page.html", "<p>/*@style.css*/</p> /*@rep");
  CHECK_THAT(error_of(viz.path()), contains("has no place for the report"));
}

TEST_CASE("what was put in is not searched for places again") {
  const OwnViz viz;
  viz.write("page.html", "/*@a.css*/|/*@report*/|/* @a.css */");
  viz.write("a.css", "/*@report*/");
  CHECK(html_report({{"x", "/*@a.css*/"}}, viz.path()) ==
        R"(/*@report*/|{"x":"/*@a.css*/"}|/* @a.css */)");
}

}  // namespace
}  // namespace tilewave
