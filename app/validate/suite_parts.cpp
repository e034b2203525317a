// SPDX-License-Identifier: Apache-2.0
#include "app/validate/suite_parts.hpp"

#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <span>

#include "arch/core/layer_record.hpp"
#include "sim/config/json_path.hpp"
#include "sim/config/nearest.hpp"

namespace tilewave {
namespace {

constexpr std::array kKinds{
    QuantityKind::time_us,        QuantityKind::cycles,          QuantityKind::tops,
    QuantityKind::speedup,        QuantityKind::cycle_share_pct, QuantityKind::useful_macs_pct,
    QuantityKind::unused_macs_pct};

std::vector<Named<CycleClass>> cycle_classes() {
  std::vector<Named<CycleClass>> table;
  for (std::size_t i = 0; i < kCycleClasses; ++i) {
    const auto cycle_class = static_cast<CycleClass>(i);
    table.emplace_back(to_string(cycle_class), cycle_class);
  }
  return table;
}

Quantity read_quantity(ObjectReader& reader) {
  Quantity quantity;
  quantity.kind = reader.choice<QuantityKind>(
      "quantity",
      std::span<const Named<QuantityKind>>(named(std::span<const QuantityKind>(kKinds))),
      "what of our run it is compared with");
  const auto table = cycle_classes();
  for (const CycleClass cycle_class : reader.optional_choices<CycleClass>(
           "classes", std::span<const Named<CycleClass>>(table),
           "of cycle_share_pct: the classes of the breakdown that count")) {
    quantity.classes.emplace_back(to_string(cycle_class));
  }
  const bool wants_classes = quantity.kind == QuantityKind::cycle_share_pct;
  if (reader.ok() && wants_classes == quantity.classes.empty()) {
    reader.error("classes", wants_classes ? "are missing: cycle_share_pct is a share of some"
                                          : "are for cycle_share_pct only");
  }
  return quantity;
}

ErrorLimits read_limits(ObjectReader& reader, const ColumnCheck& check) {
  ErrorLimits limits;
  auto object = reader.maybe_object("limit", "errors that we hold ourselves to");
  if (!object) return limits;
  const RealRange range = RealRange::non_negative();
  limits.mean = object->maybe_number("mean", range, "of the mean absolute error");
  limits.median = object->maybe_number("median", range, "of the median absolute error");
  limits.each = object->maybe_number("each", range, "of every row's error");
  limits.each_column =
      object->optional_text("each_column", "", "column with the limit of the row's error");
  check.column(*object, "each_column", limits.each_column);
  object->finish();
  return limits;
}

}  // namespace

std::string ColumnCheck::fault(const std::string& name) const {
  if (name.empty()) return "a '$' is followed by a column's name";
  // Without columns the table could not be read: that is the fault to mend.
  if (table_.columns.empty() || table_.has(name)) return {};
  const std::vector<std::string_view> names(table_.columns.begin(), table_.columns.end());
  return fmt::format("{} has no column {}{}", table_.file, in_quotes(name),
                     suggestion(name, names));
}

void ColumnCheck::column(ObjectReader& reader, std::string_view key,
                         const std::string& name) const {
  if (name.empty()) return;
  if (const std::string words = fault(name); !words.empty()) reader.error(key, words);
}

void ColumnCheck::text(ObjectReader& reader, std::string_view key, std::string_view text) const {
  for (const std::string& name : columns_in(text)) {
    if (const std::string words = fault(name); !words.empty()) reader.error(key, words);
  }
}

void ColumnCheck::value(Diagnostics& diagnostics, const std::string& file, const std::string& path,
                        const Json& value) const {
  if (value.is_string()) {
    for (const std::string& name : columns_in(value.get<std::string>())) {
      if (const std::string words = fault(name); !words.empty()) {
        diagnostics.error(file, path, words);
      }
    }
  } else if (value.is_object()) {
    for (const auto& [key, item] : value.items()) {
      this->value(diagnostics, file, join_key(path, key), item);
    }
  } else if (value.is_array()) {
    std::size_t index = 0;
    for (const Json& item : value) {
      this->value(diagnostics, file, join_index(path, index++), item);
    }
  }
}

std::vector<RowFilter> read_filters(ObjectReader& parent, std::string_view key,
                                    const ColumnCheck& check) {
  std::vector<RowFilter> filters;
  for (ObjectReader& reader : parent.optional_objects(key, "rows, by what is in a column")) {
    RowFilter filter;
    filter.column = reader.text("column", "of the table");
    filter.values = reader.optional_texts("values", "that match; none: any but an empty one");
    check.column(reader, "column", filter.column);
    // Why rows are left out belongs beside the rule.
    (void)reader.optional_text("reason", "", "for people");
    reader.finish();
    filters.push_back(std::move(filter));
  }
  return filters;
}

std::vector<Measurement> read_measurements(ObjectReader& suite, const ColumnCheck& check) {
  std::vector<Measurement> measurements;
  for (ObjectReader& reader :
       suite.objects("measured", {.min = 1, .max = kMaxCount}, "columns that are compared")) {
    Measurement m;
    m.column = reader.text("column", "of the table, with the measured values");
    m.name = reader.optional_text("name", "", "shown; default: the column");
    if (m.name.empty()) m.name = m.column;
    check.column(reader, "column", m.column);
    m.quantity = read_quantity(reader);
    m.limits = read_limits(reader, check);
    reader.finish();
    measurements.push_back(std::move(m));
  }
  return measurements;
}

std::vector<Overhead> read_overheads(ObjectReader& suite, const ColumnCheck& check) {
  std::vector<Overhead> overheads;
  for (ObjectReader& reader :
       suite.optional_objects("overhead", "time that is in a measurement and not in our run")) {
    Overhead overhead;
    overhead.us = reader.number("us", RealRange::non_negative(), "added to our time");
    overhead.reason = reader.text("reason", "what it is and where the figure is from");
    overhead.where = read_filters(reader, "where", check);
    reader.finish();
    overheads.push_back(std::move(overhead));
  }
  return overheads;
}

std::vector<KnownReason> read_reasons(ObjectReader& suite, const ColumnCheck& check) {
  std::vector<KnownReason> reasons;
  for (ObjectReader& reader : suite.optional_objects("reasons", "why some rows differ")) {
    KnownReason reason;
    reason.reason = reader.text("reason", "shown beside these rows");
    reason.where = read_filters(reader, "where", check);
    reader.finish();
    reasons.push_back(std::move(reason));
  }
  return reasons;
}

}  // namespace tilewave
