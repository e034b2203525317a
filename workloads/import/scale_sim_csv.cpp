// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/scale_sim_csv.hpp"

#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <utility>
#include <vector>

#include "sim/config/json_path.hpp"
#include "sim/config/text_file.hpp"
#include "workloads/import/csv_table.hpp"
#include "workloads/import/scale_sim_columns.hpp"
#include "workloads/ops/conv2d.hpp"
#include "workloads/ops/facts.hpp"
#include "workloads/unique_names.hpp"

namespace tilewave {
namespace {

using scale_sim::Column;
using scale_sim::ColumnMap;
using scale_sim::Form;

/// Something seen in several rows that is said once: the first row and how many there are.
struct Repeated {
  int line = 0;
  int rows = 0;
  std::string first;  ///< message, for the first row

  void add(int at_line, std::string message) {
    if (rows++ == 0) {
      line = at_line;
      first = std::move(message);
    }
  }
};

class Importer {
 public:
  Importer(const std::string& file, const ScaleSimOptions& options, Diagnostics& diagnostics)
      : file_(file), options_(options), diagnostics_(diagnostics) {}

  std::vector<Op> run(const std::vector<CsvRow>& rows);

 private:
  bool find_columns(const std::vector<CsvRow>& rows, std::size_t& first_layer);
  void take_header(const CsvRow& row, const scale_sim::HeaderReading& header);
  void add_layer(const CsvRow& row);
  [[nodiscard]] OpShape read_gemm(const CsvRow& row);
  [[nodiscard]] OpShape read_conv(const CsvRow& row);
  /// A number of the row. Optional columns have a `fallback`, taken if they or the cell are
  /// missing.
  Count number(const CsvRow& row, Column column, const Range& range,
               std::optional<Count> fallback = std::nullopt);
  Count whole_number(const CsvRow& row, std::string_view cell, const std::string& title,
                     const Range& range);
  void read_cells_without_title(const CsvRow& row, Conv2d* conv);
  void check_sparsity(const CsvRow& row, std::string_view cell);
  void check_name(const CsvRow& row, std::string_view name);
  void check_rounding(const CsvRow& row, const std::string& name, const Conv2d& conv);
  [[nodiscard]] std::string title_of(std::string_view key) const;
  void error(const CsvRow& row, std::string message) {
    diagnostics_.error(file_, "", std::move(message), row.line);
  }
  void warning(int line, std::string message) {
    diagnostics_.warning(file_, "", std::move(message), line);
  }
  void warn_once(std::string_view topic, const CsvRow& row, std::string message) {
    repeated_[std::string(topic)].add(row.line, std::move(message));
  }
  void report_repeated();

  const std::string& file_;
  const ScaleSimOptions& options_;
  Diagnostics& diagnostics_;
  ColumnMap columns_;
  UniqueNames names_;
  std::vector<Op> ops_;
  bool seen_gemm_ = false;
  std::map<std::string, Repeated> repeated_;
};

std::vector<Op> Importer::run(const std::vector<CsvRow>& rows) {
  std::size_t next = 0;
  if (!find_columns(rows, next)) return {};
  for (; next < rows.size(); ++next) {
    const CsvRow& row = rows[next];
    const auto header = scale_sim::read_header(row);
    if (header.is_header && header.missing.empty() && header.columns.position(Column::name) == 0) {
      take_header(row, header);  // a second table, as files put together have
    } else if (row.cells.size() == 1) {
      warning(row.line, fmt::format("the row has nothing but the name {}: taken as a section title "
                                    "and skipped",
                                    in_quotes(row.cells[0])));
    } else {
      add_layer(row);
    }
  }
  report_repeated();
  if (options_.batch && seen_gemm_) {
    diagnostics_.error("--batch", "",
                       fmt::format("{} has GEMM rows, which have no batch: change M", file_));
  }
  if (options_.batch_shares > 1 && seen_gemm_) {
    diagnostics_.error(file_, "",
                       fmt::format("has GEMM rows, which have no batch that {} chips could share "
                                   "(\"mapping.batch\": \"total\")",
                                   options_.batch_shares));
  }
  if (ops_.empty() && diagnostics_.ok()) diagnostics_.error(file_, "", "has no layers");
  return std::move(ops_);
}

bool Importer::find_columns(const std::vector<CsvRow>& rows, std::size_t& first_layer) {
  first_layer = 0;
  if (rows.empty()) {
    if (diagnostics_.ok()) diagnostics_.error(file_, "", "has no layers");
    return false;
  }
  const CsvRow& top = rows.front();
  const auto header = scale_sim::read_header(top);
  if (header.is_header && header.missing.empty()) {
    take_header(top, header);
    first_layer = 1;
    return true;
  }
  // SCALE-Sim drops the first line whatever it is. We do if it is not a layer.
  const bool top_is_layer = scale_sim::columns_by_position(top).has_value();
  first_layer = top_is_layer ? 0 : 1;
  for (std::size_t i = first_layer; i < rows.size(); ++i) {
    if (const auto map = scale_sim::columns_by_position(rows[i])) {
      columns_ = *map;
      const std::string_view order = map->form == Form::gemm
                                         ? "name, M, N, K"
                                         : "name, ifmap height, ifmap width, filter height, filter "
                                           "width, channels, filters, stride";
      if (top_is_layer) {
        warning(top.line, fmt::format("no header: this line is taken as a layer (SCALE-Sim would "
                                      "drop it), the columns as {}",
                                      order));
      } else if (header.is_header) {
        warning(top.line, fmt::format("the header has no column \"{}\": columns are taken by "
                                      "position, as {}",
                                      fmt::join(header.missing, "\", \""), order));
      } else {
        warning(
            top.line,
            fmt::format("the header is not known: columns are taken by position, as {}", order));
      }
      return true;
    }
  }
  diagnostics_.error(file_, "",
                     "neither a header nor a row of a SCALE-Sim topology: a row is a name and 3 "
                     "numbers (GEMM: M, N, K) or a name and 7 numbers (convolution: ifmap height, "
                     "ifmap width, filter height, filter width, channels, filters, stride)",
                     top.line);
  return false;
}

void Importer::take_header(const CsvRow& row, const scale_sim::HeaderReading& header) {
  columns_ = header.columns;
  if (!header.unknown.empty()) {
    warning(row.line, fmt::format("columns not known and ignored: \"{}\"",
                                  fmt::join(header.unknown, "\", \"")));
  }
  if (!header.repeated.empty()) {
    warning(row.line, fmt::format("columns given before and ignored: \"{}\"",
                                  fmt::join(header.repeated, "\", \"")));
  }
}

void Importer::add_layer(const CsvRow& row) {
  const std::size_t errors_before = diagnostics_.error_calls();
  const std::string_view given = row.at(columns_.position(Column::name).value_or(0));
  const bool has_name = columns_.has(Column::name) && !given.empty();
  check_name(row, has_name ? given : std::string_view());

  Op op;
  op.dtype = options_.dtype;
  op.shape = columns_.form == Form::gemm ? read_gemm(row) : read_conv(row);
  const std::string wanted =
      has_name ? std::string(given) : fmt::format("layer_{}", ops_.size() + 1);
  op.name = names_.add(wanted);
  if (op.name != wanted) {
    warn_once("duplicate", row,
              fmt::format("the name {} is taken, the layer is called {}", in_quotes(wanted),
                          in_quotes(op.name)));
  }
  // Sizes that are no numbers would only bring more faults of the same cell.
  if (diagnostics_.error_calls() == errors_before) {
    for (const ShapeFault& fault : check_shape(op.shape)) {
      const std::string title = title_of(fault.key);
      error(row, (title.empty() ? fmt::format("layer {}: ", in_quotes(op.name))
                                : fmt::format("column \"{}\": ", title)) +
                     fault.message);
    }
  }
  if (const auto* conv = std::get_if<Conv2d>(&op.shape);
      conv != nullptr && diagnostics_.error_calls() == errors_before) {
    check_rounding(row, op.name, *conv);
  }
  ops_.push_back(std::move(op));
}

OpShape Importer::read_gemm(const CsvRow& row) {
  seen_gemm_ = true;
  Gemm g;
  g.m = number(row, Column::m, kDimension);
  g.n = number(row, Column::n, kDimension);
  g.k = number(row, Column::k, kDimension);
  g.batch = number(row, Column::batch, kDimension, 1);
  read_cells_without_title(row, nullptr);
  return g;
}

OpShape Importer::read_conv(const CsvRow& row) {
  Conv2d v;
  v.h = number(row, Column::ifmap_height, kDimension);
  v.w = number(row, Column::ifmap_width, kDimension);
  v.r = number(row, Column::filter_height, kDimension);
  v.s = number(row, Column::filter_width, kDimension);
  v.c = number(row, Column::channels, kDimension);
  v.k = number(row, Column::filters, kDimension);
  if (columns_.has(Column::stride_height)) {
    v.stride[0] = number(row, Column::stride_height, kStep);
    v.stride[1] = number(row, Column::stride_width, kStep, v.stride[0]);
  } else {
    v.stride[0] = number(row, Column::stride, kStep);
    v.stride[1] = number(row, Column::stride_width, kStep, v.stride[0]);
  }
  v.n = number(row, Column::batch, kDimension, 1);
  v.n = options_.batch.value_or(v.n);
  if (v.n % options_.batch_shares != 0) {
    diagnostics_.error(file_, "",
                       fmt::format("has a batch of {}, which is no multiple of the {} chips that "
                                   "share it (\"mapping.batch\": \"total\")",
                                   v.n, options_.batch_shares),
                       row.line);
  }
  v.n = std::max<Count>(v.n / options_.batch_shares, 1);
  v.groups = number(row, Column::groups, kDimension, 1);
  const Count padding = number(row, Column::padding, kPadding, 0);
  v.padding[0] = number(row, Column::padding_height, kPadding, padding);
  v.padding[1] = number(row, Column::padding_width, kPadding, padding);
  v.dilation[0] = v.dilation[1] = number(row, Column::dilation, kStep, 1);
  v.ceil_output = options_.ceil;
  read_cells_without_title(row, &v);
  return v;
}

Count Importer::number(const CsvRow& row, Column column, const Range& range,
                       std::optional<Count> fallback) {
  const auto position = columns_.position(column);
  const std::string_view cell = position ? row.at(*position) : std::string_view();
  if (cell.empty() && fallback) return *fallback;
  const std::string title = columns_.title(column);
  if (cell.empty()) {
    error(row, fmt::format("column \"{}\" is empty", title));
    return range.min;
  }
  return whole_number(row, cell, title, range);
}

Count Importer::whole_number(const CsvRow& row, std::string_view cell, const std::string& title,
                             const Range& range) {
  if (!scale_sim::is_whole_number(cell)) {
    error(row, fmt::format("column \"{}\": must be a whole number, is {}", title, in_quotes(cell)));
    return range.min;
  }
  Count value = 0;
  const auto result = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (result.ec != std::errc() || !range.contains(value)) {
    error(row, fmt::format("column \"{}\": must be {}, is {}", title, range.text(), cell));
    return range.min;
  }
  return value;
}

/// Cells beyond the titled ones: a sparsity, the stride along the width (SCALE-Sim v2 reads a
/// number after the stride so), or a remark.
void Importer::read_cells_without_title(const CsvRow& row, Conv2d* conv) {
  if (const auto sparsity = columns_.position(Column::sparsity)) {
    check_sparsity(row, row.at(*sparsity));
  }
  std::size_t last_known = 0;
  for (const auto& position : columns_.positions) {
    if (position) last_known = std::max(last_known, *position);
  }
  const auto stride = columns_.position(Column::stride);
  for (std::size_t i = 1; i < row.cells.size(); ++i) {
    const std::string_view cell = row.at(i);
    const bool has_title = columns_.titles.empty()
                               ? i <= last_known
                               : i < columns_.titles.size() && !columns_.titles[i].empty();
    if (cell.empty() || has_title) continue;
    if (scale_sim::is_sparsity(cell)) {
      check_sparsity(row, cell);
    } else if (conv != nullptr && stride == i - 1 && !columns_.has(Column::stride_width) &&
               scale_sim::is_whole_number(cell)) {
      conv->stride[1] = whole_number(row, cell, "Stride Width", kStep);
    } else {
      warn_once("untitled", row,
                fmt::format("the cell {} has no column title and is ignored", in_quotes(cell)));
    }
  }
}

void Importer::check_sparsity(const CsvRow& row, std::string_view cell) {
  if (cell.empty()) return;
  if (!scale_sim::is_sparsity(cell)) {
    error(row, fmt::format("column \"{}\": must be N:M such as 2:4, is {}",
                           columns_.title(Column::sparsity), in_quotes(cell)));
    return;
  }
  const auto colon = cell.find(':');
  if (cell.substr(0, colon) != cell.substr(colon + 1)) {
    warn_once("sparsity", row,
              fmt::format("sparsity {} is not modelled yet: the layer is taken as dense", cell));
  }
}

void Importer::check_name(const CsvRow& row, std::string_view name) {
  if (columns_.form == Form::conv && name.find("DP") != std::string_view::npos) {
    warn_once("DP", row,
              fmt::format("the name {} has \"DP\" in it: SCALE-Sim makes one layer a channel of "
                          "this row, here it is taken as written; for a depthwise convolution add "
                          "a column \"Groups\" with the number of channels",
                          in_quotes(name)));
  }
  if (name.starts_with('#')) {
    warn_once("comment", row,
              fmt::format("the name {} starts with \"#\", but the format has no comments: the row "
                          "is taken as a layer",
                          in_quotes(name)));
  }
}

void Importer::check_rounding(const CsvRow& row, const std::string& name, const Conv2d& conv) {
  if (options_.ceil) return;
  Conv2d rounded_up = conv;
  rounded_up.ceil_output = true;
  const OutputSize here = conv_output(conv);
  const OutputSize there = conv_output(rounded_up);
  if (here.h != there.h || here.w != there.w) {
    warn_once("rounding", row,
              fmt::format("layer {}: the stride does not divide, the output is {} x {} rounded "
                          "down; SCALE-Sim rounds up ({} x {}), --scale-sim-ceil follows it",
                          in_quotes(name), here.h, here.w, there.h, there.w));
  }
}

/// The column a member of an op comes from.
std::string Importer::title_of(std::string_view key) const {
  static const std::map<std::string_view, Column> columns{
      {"m", Column::m},
      {"h", Column::ifmap_height},
      {"w", Column::ifmap_width},
      {"r", Column::filter_height},
      {"s", Column::filter_width},
      {"c", Column::channels},
      {"groups", Column::groups},
      {"batch", Column::batch},
      {"stride[0]", Column::stride},
      {"stride[1]", Column::stride_width},
  };
  const auto found = columns.find(key);
  return found == columns.end() ? std::string() : columns_.title(found->second);
}

void Importer::report_repeated() {
  for (const auto& [topic, seen] : repeated_) {
    const int others = seen.rows - 1;
    const std::string more =
        others == 0 ? "" : fmt::format(" (and {} more such row{})", others, others == 1 ? "" : "s");
    warning(seen.line, seen.first + more);
  }
}

}  // namespace

Workload import_scale_sim_csv(std::string_view text, const std::string& file,
                              const std::string& name, const ScaleSimOptions& options,
                              Diagnostics& diagnostics) {
  Workload workload{.name = name, .ops = {}};
  if (const auto checked = check_utf8(text, file, diagnostics)) {
    const std::vector<CsvRow> rows = read_csv(*checked, file, diagnostics);
    workload.ops = Importer(file, options, diagnostics).run(rows);
  }
  return workload;
}

}  // namespace tilewave
