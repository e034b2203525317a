// SPDX-License-Identifier: Apache-2.0
#include "support/scale_sim_table.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace tilewave::test {
namespace {

constexpr std::string_view kHeader =
    "dataflow,rows,cols,kind,m,n,k,input_h,input_w,filter_h,filter_w,channels,filters,stride_h,"
    "stride_w,bandwidth,compute_cycle_index";

/// Cells of one line, taken one after another.
class Cells {
 public:
  explicit Cells(const std::string& line) : stream_(line) {}
  std::string text() {
    std::string cell;
    if (!std::getline(stream_, cell, ',')) throw std::runtime_error("scale_sim_v2.csv: short row");
    return cell;
  }
  /// 0 if the cell is empty.
  Count number() {
    const std::string cell = text();
    return cell.empty() ? 0 : std::stoull(cell);
  }

 private:
  std::istringstream stream_;
};

}  // namespace

std::vector<ScaleSimRow> scale_sim_table() {
  std::ifstream file(TILEWAVE_TEST_DIR "/data/scale_sim_v2.csv");
  std::vector<ScaleSimRow> table;
  std::string line;
  bool header_seen = false;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.starts_with('#')) continue;
    if (!header_seen) {
      if (line != kHeader) throw std::runtime_error("scale_sim_v2.csv: other columns");
      header_seen = true;
      continue;
    }
    Cells cells(line);
    ScaleSimRow row;
    row.line = number;
    row.dataflow = cells.text();
    row.rows = cells.number();
    row.cols = cells.number();
    row.is_conv = cells.text() == "conv";
    row.m = cells.number();
    row.n = cells.number();
    row.k = cells.number();
    row.input_h = cells.number();
    row.input_w = cells.number();
    row.filter_h = cells.number();
    row.filter_w = cells.number();
    row.channels = cells.number();
    row.filters = cells.number();
    row.stride_h = cells.number();
    row.stride_w = cells.number();
    row.user_bandwidth = cells.text() == "user";
    row.compute_cycle_index = cells.number();
    table.push_back(row);
  }
  if (table.size() != 220) throw std::runtime_error("scale_sim_v2.csv: not 220 rows");
  return table;
}

}  // namespace tilewave::test
