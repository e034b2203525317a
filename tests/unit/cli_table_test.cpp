// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.hpp"

#include "app/cli/table.hpp"
#include "app/cli/text.hpp"
#include "sim/units.hpp"

namespace tilewave {
namespace {

using test::contains;

Json layer(const std::string& name, Count cycles, const char* dtype = "int8") {
  return {{"name", name},
          {"dtype", dtype},
          {"cycles", cycles},
          {"time_s", static_cast<double>(cycles) * 1e-9},
          {"macs", 1000 * cycles},
          {"utilization", 0.5},
          {"bound", "matrix"},
          {"breakdown", {{"matrix_busy", cycles - cycles / 4}, {"wait_dram", cycles / 4}}},
          {"traffic", {{"dram", {{"gb_per_s", 12.5}}}}}};
}

Json sample() {
  Json report = {{"arch", {{"name", "chip"}, {"clock_ghz", 1.0}}},
                 {"workload", {{"name", "net"}}},
                 {"fidelity", "fast"}};
  report["layers"] = {layer("first", 4000), layer("second", 1000), layer("third", 3000),
                      layer("fourth", 2000)};
  report["total"] = {{"cycles", 10000},
                     {"time_s", 1e-5},
                     {"macs", 10000000},
                     {"utilization", 0.5},
                     {"achieved_tflops", 2.0},
                     {"dram_read_bytes", 125000},
                     {"dram_write_bytes", 500},
                     {"dram_gb_per_s", 12.55},
                     {"host_read_bytes", 0},
                     {"host_write_bytes", 0},
                     {"energy_j", 1.5e-6},
                     {"average_power_w", 0.15},
                     {"breakdown", {{"matrix_busy", 3900}, {"wait_weights", 6100}}}};
  return report;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::size_t widest(const std::string& text) {
  std::size_t columns = 0;
  for (const std::string& line : lines_of(text)) columns = std::max(columns, width_of(line));
  return columns;
}

TEST_CASE("the table shows layers and totals with aligned units", "[cli][table]") {
  const auto lines = lines_of(report_table(sample(), 80));
  const std::vector<std::string> expected{
      "layer   cycles      time     MACs    util  bound   DRAM GB/s",
      "first     4000  4.000 us  4.000 M  50.0 %  matrix      12.50",
      "second    1000  1.000 us  1.000 M  50.0 %  matrix      12.50",
      "third     3000  3.000 us  3.000 M  50.0 %  matrix      12.50",
      "fourth    2000  2.000 us  2.000 M  50.0 %  matrix      12.50",
      "------------------------------------------------------------",
      "total    10000  10.00 us  10.00 M  50.0 %              12.55",
  };
  REQUIRE(lines.size() > 2 + expected.size());
  CHECK(std::vector<std::string>(
            lines.begin() + 2, lines.begin() + 2 + static_cast<int>(expected.size())) == expected);
}

TEST_CASE("the summary says what counts in words", "[cli][table]") {
  const std::string text = report_table(sample(), 80);
  CHECK_THAT(text, contains("net on chip"));
  CHECK_THAT(text, contains("throughput  2.000 TOPS, 50.0 % of the arrays' peak\n"));
  CHECK_THAT(text, contains("DRAM        125.0 kB read, 500 B written, 12.55 GB/s\n"));
  CHECK_THAT(text, contains("energy      1.500 uJ, 150.0 mW on average\n"));
  CHECK_THAT(text, contains("slowest layers\n"
                            "  40.0 %  first: the arrays compute 75 % of its time\n"
                            "  30.0 %  third: the arrays compute 75 % of its time\n"
                            "  20.0 %  fourth: the arrays compute 75 % of its time\n"));
  CHECK_THAT(text,
             contains("bottleneck  the arrays wait for weights from DRAM 61 % of the time.\n"));
  CHECK_THAT(text, !contains("host link"));  // nothing went over it
}

TEST_CASE("floating point counts FLOPS, and a poorly filled array is named", "[cli][table]") {
  Json report = sample();
  report["layers"] = {layer("only", 4000, "bf16")};
  report["total"]["breakdown"] = {{"matrix_busy", 8000}, {"idle", 2000}};
  report["total"]["utilization"] = 0.2;
  report["total"]["host_read_bytes"] = 3000000;
  const std::string text = report_table(report, 100);
  CHECK_THAT(text, contains("2.000 TFLOPS"));
  CHECK_THAT(text, contains("host link   3.000 MB read, 0 B written, 300.00 GB/s"));
  CHECK_THAT(text, contains("the arrays compute 80 % of the time, with work for 25 % of their "
                            "multipliers."));
  CHECK_THAT(text, !contains("slowest"));  // of one
  report["total"]["utilization"] = 1e-4;
  CHECK_THAT(report_table(report, 100), contains("with work for less than 1 % of their"));
}

TEST_CASE("no line is wider than asked, whatever the names and numbers", "[cli][table]") {
  Json report = sample();
  report["layers"].push_back(layer(std::string(200, 'x') + "_end", 4300000000000));
  report["layers"].push_back(layer("größe_" + std::string(100, 'y'), 7));
  report["workload"]["name"] = "a workload with a name of many words that goes on and on and on";
  for (const std::size_t columns : {40U, 50U, 60U, 72U, 80U, 100U, 200U}) {
    CAPTURE(columns);
    const std::string text = report_table(report, columns);
    CHECK(widest(text) <= columns);
    CHECK_THAT(text, contains("x_end"));
    CHECK_THAT(text, contains("4300000000000"));
  }
  CHECK(widest(report_table(report, 10)) <= 40);
}

TEST_CASE("what a report does not have is left out", "[cli][table]") {
  Json report = sample();
  for (Json& row : report["layers"]) {
    row.erase("traffic");
    row.erase("breakdown");
    row.erase("utilization");
  }
  for (const char* key :
       {"dram_gb_per_s", "utilization", "breakdown", "energy_j", "achieved_tflops"}) {
    report["total"].erase(key);
  }
  const std::string text = report_table(report, 80);
  for (const char* gone :
       {"util", "DRAM GB/s", "energy", "throughput", "bottleneck", "null", "nan"}) {
    CHECK_THAT(text, !contains(gone));
  }
  CHECK_THAT(text, contains("first: bound by matrix"));
  CHECK_NOTHROW(report_table(Json::object(), 80));
  CHECK_NOTHROW(report_table(Json{{"layers", "none"}, {"total", 3}}, 80));
}

TEST_CASE("every class of cycles has words", "[cli][table]") {
  for (const char* name : {"matrix_busy", "vector_busy", "weight_load", "fill_drain",
                           "wait_weights", "wait_activations", "wait_output", "wait_dram",
                           "wait_host", "wait_store", "wait_cores", "launch", "idle"}) {
    CHECK(cycle_class_in_words(name) != name);
  }
  CHECK(cycle_class_in_words("something_new") == "something_new");
}

}  // namespace
}  // namespace tilewave
