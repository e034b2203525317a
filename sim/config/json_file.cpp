// SPDX-License-Identifier: Apache-2.0
#include "sim/config/json_file.hpp"

#include <cstddef>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/config/json_cache.hpp"
#include "sim/config/json_path.hpp"
#include "sim/config/syntax_error.hpp"
#include "sim/config/text_file.hpp"

namespace tilewave {
namespace {

/// Characters of a text; whoever advances it leaves the place and the line with `Place`, so that
/// the handler of parse events knows where it is.
struct Place {
  const char* at = nullptr;
  int line = 1;
};
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, Place* place) : at_(at), place_(place) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    place_->line += *at_ == '\n' ? 1 : 0;
    place_->at = ++at_;
    return *this;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  Place* place_;
};

/// Builds a Json from parse events. The library's own builder would keep the last of two equal keys
/// without a word and nest without limit.
class Builder {
 public:
  Builder(std::string_view text, const std::string& name, const Place& place,
          Diagnostics& diagnostics)
      : text_(text), name_(name), place_(place), diagnostics_(diagnostics) {}

  Json take() { return std::move(root_); }

  // Events; false ends the parse. The names are the library's.
  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(Json::number_integer_t value) { return add(value); }
  bool number_unsigned(Json::number_unsigned_t value) { return add(value); }
  bool number_float(Json::number_float_t value, const Json::string_t&) { return add(value); }
  bool string(Json::string_t& value) { return add(std::move(value)); }
  bool binary(Json::binary_t&) { return false; }  // not in text
  bool start_object(std::size_t) { return open(Json::object()); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(Json::string_t& key) {
    Level& level = open_.back();
    auto& members = level.value->get_ref<Json::object_t&>();
    const auto [seen, is_new] = level.keys.try_emplace(key, Seen{members.size(), place_.line});
    if (!is_new) {
      diagnostics_.error(
          name_, join_key(path(), key),
          fmt::format("the key is given twice; the first is in line {}", seen->second.line),
          place_.line);
    } else {
      // The vector's own emplace_back: the map's insertion looks through all keys again.
      static_cast<Json::object_t::Container&>(members).emplace_back(key, nullptr);
    }
    level.member = seen->second.index;
    level.key = std::move(key);
    level.after_key = true;
    all_sound();
    return true;
  }

  bool parse_error(std::size_t read, const std::string&, const nlohmann::detail::exception& cause) {
    constexpr int kNumberOverflow = 406;
    ParseState state;
    if (!open_.empty()) {
      const Level& level = open_.back();
      state.inside =
          level.value->is_object() ? ParseState::Inside::object : ParseState::Inside::array;
      state.opened_line = level.line;
      state.after_key = level.after_key;
      state.key = level.key;
    }
    state.value_done = open_.empty() && has_root_;
    state.number_too_large = cause.id == kNumberOverflow;
    const SyntaxError found = explain_syntax_error(text_, sound_end_, read, state);
    const TextPosition position = position_of(text_, found.offset);
    diagnostics_.error(name_, "", found.message, position.line, position.column);
    return false;
  }

 private:
  struct Seen {
    std::size_t index;  ///< among the members
    int line;
  };
  /// An object or array that is not closed yet. `value` stays where it is: only the innermost one
  /// grows.
  struct Level {
    Json* value;
    int line;
    std::unordered_map<std::string, Seen> keys;
    std::size_t member = 0;
    std::string key;
    bool after_key = false;
  };

  Json* place_value(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      has_root_ = true;
      return &root_;
    }
    Level& level = open_.back();
    level.after_key = false;
    if (level.value->is_array()) {
      level.value->push_back(std::move(value));
      return &level.value->back();
    }
    auto& members = level.value->get_ref<Json::object_t&>();
    Json& slot = (members.begin() + static_cast<std::ptrdiff_t>(level.member))->second;
    slot = std::move(value);
    return &slot;
  }

  bool add(Json value) {
    const bool is_number = value.is_number();
    if (!has_room()) return false;
    place_value(std::move(value));
    if (is_number) {
      // The parser has read one character more. It is sound only if the parse goes on.
      sound_end_ = sound_if_going_on_;
      sound_if_going_on_ = offset() - 1;
    } else {
      all_sound();
    }
    return true;
  }

  bool open(Json empty) {
    if (open_.size() >= kMaxJsonDepth) {
      const TextPosition position = position_of(text_, offset() - 1);
      diagnostics_.error(
          name_, "", fmt::format("objects and arrays are nested more than {} deep", kMaxJsonDepth),
          position.line, position.column);
      return false;
    }
    if (!has_room()) return false;
    Json* value = place_value(std::move(empty));
    open_.push_back({value, place_.line, {}, 0, {}, false});
    all_sound();
    return true;
  }

  /// For one more value.
  bool has_room() {
    if (++values_ <= kMaxJsonValues) return true;
    diagnostics_.error(name_, "", fmt::format("has more than {} values", kMaxJsonValues),
                       place_.line);
    return false;
  }

  bool close() {
    open_.pop_back();
    all_sound();
    return true;
  }

  [[nodiscard]] std::size_t offset() const {
    return static_cast<std::size_t>(place_.at - text_.data());
  }

  void all_sound() { sound_end_ = sound_if_going_on_ = offset(); }

  /// JSON path of the innermost open value.
  [[nodiscard]] std::string path() const {
    std::string path;
    for (std::size_t i = 0; i + 1 < open_.size(); ++i) {
      const Level& level = open_[i];
      path = level.value->is_array() ? join_index(path, level.value->size() - 1)
                                     : join_key(path, level.key);
    }
    return path;
  }

  std::string_view text_;
  const std::string& name_;
  const Place& place_;
  Diagnostics& diagnostics_;
  Json root_;
  bool has_root_ = false;
  std::size_t values_ = 0;
  std::size_t sound_end_ = 0;  ///< what is before was understood
  std::size_t sound_if_going_on_ = 0;
  std::vector<Level> open_;
};

}  // namespace

std::optional<Json> parse_json(std::string_view text, const std::string& name,
                               Diagnostics& diagnostics) {
  const auto checked = check_utf8(text, name, diagnostics);
  if (!checked) {
    return std::nullopt;
  }
  if (checked->find_first_not_of(" \t\r\n") == std::string_view::npos) {
    diagnostics.error(name, "", checked->empty() ? "is empty" : "is empty but for white space");
    return std::nullopt;
  }
  Place place{checked->data(), 1};
  Builder builder(*checked, name, place, diagnostics);
  const CountingIterator begin(checked->data(), &place);
  const CountingIterator end(checked->data() + checked->size(), &place);
  if (!Json::sax_parse(begin, end, &builder)) {
    return std::nullopt;
  }
  return builder.take();
}

std::optional<Json> load_json_file(const std::filesystem::path& path, Diagnostics& diagnostics) {
  const auto shared = load_shared_json(path, diagnostics);
  if (shared == nullptr) return std::nullopt;
  // Where nobody else has it, it need not be copied: it may be large. It was made as a plain Json.
  if (shared.use_count() == 1) return std::move(const_cast<Json&>(*shared));  // NOLINT
  return *shared;
}

}  // namespace tilewave
