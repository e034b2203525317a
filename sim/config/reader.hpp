// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/config/json.hpp"
#include "sim/config/key_docs.hpp"
#include "sim/config/values.hpp"
#include "sim/diagnostics.hpp"
#include "sim/units.hpp"

namespace tilewave {

/// A value and its name in files.
template <typename E>
using Named = std::pair<std::string_view, E>;

/// The table for choice() of an enum that has to_string().
template <typename E>
[[nodiscard]] std::vector<Named<E>> named(std::span<const E> values) {
  std::vector<Named<E>> table;
  for (const E value : values) {
    table.emplace_back(to_string(value), value);
  }
  return table;
}

/// The one way parameters are read from a JSON object. Each getter names a key, what is allowed and
/// what it means; a fault is reported with file, path, value and what is allowed, and a harmless
/// value within the range returned, so that one pass reports everything. finish() reports keys
/// nobody asked for: call it once all keys are read.
///
///   ObjectReader unit(json, "x.json", "core.matrix_unit", diagnostics);
///   params.rows = unit.count("rows", {1, 65536}, "PEs along the reduction");
///   params.dataflow = unit.optional_choice<Dataflow>(
///       "dataflow", Dataflow::ws, {{"weight_stationary", Dataflow::ws}}, "which operand stays");
///   unit.finish();
///
/// A reader of something that is missing or no object is silent: its one fault is reported already.
/// `source`, `sources`, `note` and `comment` may stand in any object and are ignored. The JSON must
/// outlive the reader.
class ObjectReader {
 public:
  /// `file` and `path` say in messages where `object` is from; `docs` records the keys asked for.
  ObjectReader(const Json& object, std::string file, std::string path, Diagnostics& diagnostics,
               KeyDocs* docs = nullptr);
  ObjectReader(ObjectReader&&) noexcept = default;
  ObjectReader& operator=(ObjectReader&&) noexcept = default;
  ObjectReader(const ObjectReader&) = delete;
  ObjectReader& operator=(const ObjectReader&) = delete;
  ~ObjectReader() = default;

  // One value. Plain name: the key must be there. optional_: else the default. maybe_: else
  // nothing.
  Count count(std::string_view key, Range range, std::string_view meaning);
  Count optional_count(std::string_view key, Count default_value, Range range,
                       std::string_view meaning);
  std::optional<Count> maybe_count(std::string_view key, Range range, std::string_view meaning);

  double number(std::string_view key, RealRange range, std::string_view meaning);
  double optional_number(std::string_view key, double default_value, RealRange range,
                         std::string_view meaning);
  std::optional<double> maybe_number(std::string_view key, RealRange range,
                                     std::string_view meaning);

  bool flag(std::string_view key, std::string_view meaning);
  bool optional_flag(std::string_view key, bool default_value, std::string_view meaning);

  /// Text that is not empty (the default may be).
  std::string text(std::string_view key, std::string_view meaning);
  std::string optional_text(std::string_view key, std::string_view default_value,
                            std::string_view meaning);

  template <typename E>
  E choice(std::string_view key, std::span<const Named<E>> table, std::string_view meaning) {
    return table[choose(key, names_in(table), meaning)].second;
  }
  template <typename E>
  E choice(std::string_view key, std::initializer_list<Named<E>> table, std::string_view meaning) {
    return choice<E>(key, std::span<const Named<E>>(table.begin(), table.size()), meaning);
  }
  template <typename E>
  E optional_choice(std::string_view key, E default_value, std::span<const Named<E>> table,
                    std::string_view meaning) {
    std::string_view default_name;
    for (const Named<E>& entry : table) {
      default_name = entry.second == default_value ? entry.first : default_name;
    }
    const auto index = choose_or(key, default_name, names_in(table), meaning);
    return index ? table[*index].second : default_value;
  }
  template <typename E>
  E optional_choice(std::string_view key, E default_value, std::initializer_list<Named<E>> table,
                    std::string_view meaning) {
    return optional_choice<E>(key, default_value,
                              std::span<const Named<E>>(table.begin(), table.size()), meaning);
  }

  /// Exactly one of `<stem>_bytes`, `<stem>_kib`, `<stem>_mib`, `<stem>_gib`; the range is in
  /// bytes. Fractions are allowed if they come to whole bytes.
  Bytes capacity(std::string_view stem, Range range, std::string_view meaning);
  Bytes optional_capacity(std::string_view stem, Bytes default_value, Range range,
                          std::string_view meaning);
  std::optional<Bytes> maybe_capacity(std::string_view stem, Range range, std::string_view meaning);

  // Objects within.
  ObjectReader object(std::string_view key, std::string_view meaning);
  /// An object that is not there is read as {}: all its defaults.
  ObjectReader optional_object(std::string_view key, std::string_view meaning);
  std::optional<ObjectReader> maybe_object(std::string_view key, std::string_view meaning);
  /// An array of objects; elements that are none are reported and left out.
  std::vector<ObjectReader> objects(std::string_view key, Range length, std::string_view meaning);
  std::vector<ObjectReader> optional_objects(std::string_view key, std::string_view meaning);
  /// An object whose keys are free names and whose values are objects, in the order written.
  std::vector<std::pair<std::string, ObjectReader>> object_map(std::string_view key,
                                                               std::string_view meaning);
  std::vector<std::pair<std::string, ObjectReader>> optional_object_map(std::string_view key,
                                                                        std::string_view meaning);

  // Arrays and maps of values. After a fault in length: `length.min` harmless values.
  std::vector<Count> counts(std::string_view key, Range length, Range range,
                            std::string_view meaning);
  std::vector<Count> optional_counts(std::string_view key, std::vector<Count> default_value,
                                     Range length, Range range, std::string_view meaning);
  template <std::size_t N>
  std::array<Count, N> counts(std::string_view key, Range range, std::string_view meaning) {
    return as_array<N>(counts(key, {N, N}, range, meaning));
  }
  template <std::size_t N>
  std::array<Count, N> optional_counts(std::string_view key,
                                       const std::array<Count, N>& default_value, Range range,
                                       std::string_view meaning) {
    return as_array<N>(
        optional_counts(key, {default_value.begin(), default_value.end()}, {N, N}, range, meaning));
  }
  std::vector<double> numbers(std::string_view key, Range length, RealRange range,
                              std::string_view meaning);
  /// Strings that are not empty; nothing there: none.
  std::vector<std::string> optional_texts(std::string_view key, std::string_view meaning);
  /// Names out of the table; nothing there: none.
  template <typename E>
  std::vector<E> optional_choices(std::string_view key, std::span<const Named<E>> table,
                                  std::string_view meaning) {
    std::vector<E> chosen;
    for (const std::size_t index : choose_each(key, names_in(table), meaning)) {
      chosen.push_back(table[index].second);
    }
    return chosen;
  }
  template <typename E>
  std::vector<E> optional_choices(std::string_view key, std::initializer_list<Named<E>> table,
                                  std::string_view meaning) {
    return optional_choices<E>(key, std::span<const Named<E>>(table.begin(), table.size()),
                               meaning);
  }
  /// An object of numbers, as `"throughput": {"int8": 1}`, in the order written. With `names`, only
  /// these keys may occur. The first form wants at least one entry.
  std::vector<std::pair<std::string, double>> number_map(std::string_view key,
                                                         std::span<const std::string_view> names,
                                                         RealRange range, std::string_view meaning);
  std::vector<std::pair<std::string, double>> optional_number_map(
      std::string_view key, std::span<const std::string_view> names, RealRange range,
      std::string_view meaning);

  /// The value itself, for a key whose form the caller knows; nullptr if it is not there.
  const Json* maybe_any(std::string_view key, std::string_view meaning);

  /// Reports the keys that nobody asked for, each with the nearest one that may stand here.
  void finish();

  /// Is the key given? Does not count as asking for it.
  [[nodiscard]] bool has(std::string_view key) const;
  /// No fault reported since this reader was made, here or below: are checks across keys sensible?
  [[nodiscard]] bool ok() const;
  /// For checks across keys: reports at this key, or "key.name" below it, or with "" at the object.
  void error(std::string_view key, std::string message);
  void warning(std::string_view key, std::string message);
  /// Says that a value does nothing here, if the user set it for this run (kOverrideLabel): a preset
  /// may carry values that a variant of it needs.
  void no_effect(std::string_view key, std::string_view reason);

  [[nodiscard]] const std::string& file() const noexcept { return source_->file; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] std::string path_of(std::string_view key) const;

 private:
  /// What all readers of one file share.
  struct Source {
    std::string file;
    Diagnostics* diagnostics;
    KeyDocs* docs;
  };
  /// A fault "is missing" that a misspelt key may explain better.
  struct Missing {
    std::vector<std::string> keys;
    Fault fault;
  };

  /// `object` is nullptr for a reader that is silent.
  ObjectReader(std::shared_ptr<const Source> source, const Json* object, std::string path);

  template <typename E>
  static std::vector<std::string_view> names_in(std::span<const Named<E>> table) {
    std::vector<std::string_view> names;
    for (const Named<E>& entry : table) {
      names.push_back(entry.first);
    }
    return names;
  }
  template <std::size_t N>
  static std::array<Count, N> as_array(const std::vector<Count>& values) {
    std::array<Count, N> out{};
    for (std::size_t i = 0; i < N; ++i) {
      out[i] = values[i];
    }
    return out;
  }

  // The getters' common parts; `required` decides whether a missing key is a fault.
  template <typename Expects, typename Default>
  const Json* ask(std::string_view key, bool required, std::string_view meaning, Expects&& expects,
                  Default&& default_value);
  template <typename T, typename Expects, typename Default, typename Check>
  std::optional<T> read(std::string_view key, bool required, std::string_view meaning,
                        Expects&& expects, Default&& default_value, Check&& check);
  template <typename T, typename Check>
  std::optional<std::vector<T>> read_array(std::string_view key, bool required, Range length,
                                           std::string_view items, std::string_view default_value,
                                           std::string_view meaning, T harmless, Check&& check);
  std::optional<Bytes> read_capacity(std::string_view stem, bool required, Range range,
                                     std::string_view default_value, std::string_view meaning);
  std::optional<ObjectReader> read_object(std::string_view key, bool required,
                                          std::string_view meaning);
  std::vector<ObjectReader> read_objects(std::string_view key, bool required, Range length,
                                         std::string_view meaning);
  std::vector<std::pair<std::string, ObjectReader>> read_object_map(std::string_view key,
                                                                    bool required,
                                                                    std::string_view meaning);
  std::vector<std::pair<std::string, double>> read_number_map(
      std::string_view key, bool required, std::span<const std::string_view> names, RealRange range,
      std::string_view meaning);
  std::size_t choose(std::string_view key, const std::vector<std::string_view>& names,
                     std::string_view meaning);
  std::optional<std::size_t> choose_or(std::string_view key, std::string_view default_name,
                                       const std::vector<std::string_view>& names,
                                       std::string_view meaning);
  std::vector<std::size_t> choose_each(std::string_view key,
                                       const std::vector<std::string_view>& names,
                                       std::string_view meaning);

  [[nodiscard]] const Json* find(std::string_view key) const;
  void know(std::string_view key);
  void report_missing(std::vector<std::string> keys, std::string path, std::string message);
  void error_at(std::string path, std::string message);

  std::shared_ptr<const Source> source_;
  const Json* object_;  ///< nullptr: silent
  std::string path_;
  std::size_t error_calls_before_ = 0;
  std::vector<std::string> known_;
  std::vector<Missing> missing_;
};

}  // namespace tilewave
