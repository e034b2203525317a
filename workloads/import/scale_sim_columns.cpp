// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/scale_sim_columns.hpp"

#include <algorithm>
#include <cctype>
#include <span>

namespace tilewave::scale_sim {
namespace {

/// The usual title of a column, and what else people write, in small letters and digits only.
struct Spelling {
  Column column;
  std::string_view usual;
  std::vector<std::string_view> others;
};

const std::vector<Spelling>& spellings(Form form) {
  static const std::vector<Spelling> gemm{
      {Column::name, "Layer name", {"layername", "layer", "name", "layerid", "layers"}},
      {Column::m, "M", {"m"}},
      {Column::n, "N", {"n"}},
      {Column::k, "K", {"k"}},
      {Column::batch, "Batch Size", {"batchsize", "batch", "b"}},
      {Column::sparsity, "Sparsity", {"sparsity", "sparsityratio", "sparsitynm"}},
  };
  static const std::vector<Spelling> conv{
      {Column::name, "Layer name", {"layername", "layer", "name", "layerid", "layers"}},
      {Column::ifmap_height,
       "IFMAP Height",
       {"ifmapheight", "ifmaph", "inputheight", "inputh", "imageheight", "height", "ih", "h"}},
      {Column::ifmap_width,
       "IFMAP Width",
       {"ifmapwidth", "ifmapw", "inputwidth", "inputw", "imagewidth", "width", "iw", "w"}},
      {Column::filter_height,
       "Filter Height",
       {"filterheight", "filterh", "filth", "kernelheight", "kernelh", "fh", "kh", "r"}},
      {Column::filter_width,
       "Filter Width",
       {"filterwidth", "filterw", "filtw", "kernelwidth", "kernelw", "fw", "kw", "s"}},
      {Column::channels,
       "Channels",
       {"channels", "channel", "numchannels", "inputchannels", "inchannels", "cin", "ic", "c"}},
      {Column::filters,
       "Num Filter",
       {"numfilter", "numfilters", "numoffilters", "numberoffilters", "numfilt", "filters",
        "outputchannels", "outchannels", "cout", "oc", "k"}},
      {Column::stride, "Strides", {"strides", "stride"}},
      {Column::stride_height, "Stride Height", {"strideheight", "strideh", "stridey", "sh"}},
      {Column::stride_width, "Stride Width", {"stridewidth", "stridew", "stridex", "sw"}},
      {Column::batch, "Batch Size", {"batchsize", "batch", "n", "b"}},
      {Column::groups, "Groups", {"groups", "group", "numgroups"}},
      {Column::padding, "Padding", {"padding", "pad"}},
      {Column::padding_height, "Padding Height", {"paddingheight", "paddingh", "padh"}},
      {Column::padding_width, "Padding Width", {"paddingwidth", "paddingw", "padw"}},
      {Column::dilation, "Dilation", {"dilation"}},
      {Column::sparsity, "Sparsity", {"sparsity", "sparsityratio", "sparsitynm"}},
  };
  return form == Form::gemm ? gemm : conv;
}

constexpr std::array kGemmNeeds{Column::m, Column::n, Column::k};
constexpr std::array kConvNeeds{Column::ifmap_height, Column::ifmap_width, Column::filter_height,
                                Column::filter_width, Column::channels,    Column::filters};

std::string plain(std::string_view title) {
  std::string out;
  for (const char c : title) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) out += static_cast<char>(std::tolower(byte));
  }
  return out;
}

std::string usual_title(Form form, Column column) {
  for (const Spelling& s : spellings(form)) {
    if (s.column == column) return std::string(s.usual);
  }
  return {};
}

HeaderReading read_as(Form form, const CsvRow& row) {
  HeaderReading reading;
  reading.columns.form = form;
  reading.columns.titles = row.cells;
  std::size_t known = 0;
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    const std::string title = plain(row.cells[i]);
    if (title.empty()) continue;
    const auto& table = spellings(form);
    const auto found = std::ranges::find_if(table, [&](const Spelling& s) {
      return std::ranges::find(s.others, title) != s.others.end();
    });
    if (found == table.end()) {
      reading.unknown.push_back(row.cells[i]);
      continue;
    }
    auto& position = reading.columns.positions[static_cast<std::size_t>(found->column)];
    if (position) {
      reading.repeated.push_back(row.cells[i]);
    } else {
      position = i;
      ++known;
    }
  }
  reading.is_header = known >= 2;
  const auto need = [&](Column column) {
    if (!reading.columns.has(column)) reading.missing.push_back(usual_title(form, column));
  };
  if (form == Form::gemm) {
    std::ranges::for_each(kGemmNeeds, need);
  } else {
    std::ranges::for_each(kConvNeeds, need);
    if (!reading.columns.has(Column::stride_height)) need(Column::stride);
  }
  return reading;
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string ColumnMap::title(Column column) const {
  const auto at = position(column);
  if (at && *at < titles.size() && !titles[*at].empty()) return titles[*at];
  return usual_title(form, column);
}

HeaderReading read_header(const CsvRow& row) {
  HeaderReading gemm = read_as(Form::gemm, row);
  HeaderReading conv = read_as(Form::conv, row);
  // N and K are columns of a convolution too: a GEMM header has all three and no filter.
  const bool is_gemm = gemm.missing.empty() && !conv.columns.has(Column::filter_height);
  return is_gemm ? gemm : conv;
}

std::optional<ColumnMap> columns_by_position(const CsvRow& row) {
  std::size_t numbers = 0;
  while (is_whole_number(row.at(numbers + 1))) ++numbers;
  ColumnMap map;
  std::size_t at = 0;
  const auto place = [&](Column column) { map.positions[static_cast<std::size_t>(column)] = at++; };
  place(Column::name);
  if (numbers == 3) {
    map.form = Form::gemm;
    std::ranges::for_each(kGemmNeeds, place);
    return map;
  }
  if (numbers == 7 || numbers == 8) {
    map.form = Form::conv;
    std::ranges::for_each(kConvNeeds, place);
    place(Column::stride);
    return map;
  }
  return std::nullopt;
}

bool is_whole_number(std::string_view cell) {
  const auto point = cell.find('.');
  if (point == std::string_view::npos) return is_digits(cell);
  const std::string_view decimals = cell.substr(point + 1);
  return is_digits(cell.substr(0, point)) &&
         std::ranges::all_of(decimals, [](char c) { return c == '0'; });
}

bool is_sparsity(std::string_view cell) {
  const auto colon = cell.find(':');
  return colon != std::string_view::npos && is_digits(cell.substr(0, colon)) &&
         is_digits(cell.substr(colon + 1));
}

}  // namespace tilewave::scale_sim
