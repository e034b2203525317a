// SPDX-License-Identifier: Apache-2.0
#include "app/library/arch_family.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "sim/config/json_path.hpp"
#include "sim/config/nearest.hpp"

namespace tilewave {
namespace {

constexpr std::size_t kMostMembers = 10'000;

struct Parameter {
  std::string name;
  std::vector<std::pair<std::string, Json>> values;  ///< word in names, value
};

std::string as_word(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// `text` with each {parameter} replaced by what `word_of` gives for it; an unknown one is
/// reported.
std::string filled_in(std::string_view text,
                      const std::function<std::string(std::string_view)>& word_of) {
  std::string out;
  while (!text.empty()) {
    const auto open = text.find('{');
    const auto close = open == std::string_view::npos ? open : text.find('}', open);
    if (close == std::string_view::npos) {
      break;
    }
    out += text.substr(0, open);
    out += word_of(text.substr(open + 1, close - open - 1));
    text.remove_prefix(close + 1);
  }
  return out += text;
}

class FamilyReader {
 public:
  explicit FamilyReader(ObjectReader& family) : family_(family) {}

  std::vector<FamilyMember> read() {
    const std::string name = family_.text("name", "name of a member, with {parameter} in it");
    read_parameters();
    read_changes();
    family_.finish();
    if (family_.ok()) {
      check_name(name);
    }
    if (!family_.ok()) {
      return {};
    }
    std::vector<FamilyMember> members;
    std::set<std::string> names;
    const std::size_t count = combinations();
    for (std::size_t i = 0; i < count && family_.ok(); ++i) {
      members.push_back(member(name, i));
      if (!names.insert(members.back().name).second) {
        family_.error("name",
                      fmt::format("two members are called {}", in_quotes(members.back().name)));
      }
    }
    return family_.ok() ? members : std::vector<FamilyMember>{};
  }

 private:
  void read_parameters() {
    ObjectReader group = family_.object("parameters", "a list of values for each parameter");
    const Json* parameters = family_.maybe_any("parameters", "");
    if (parameters == nullptr || !parameters->is_object()) {
      return;
    }
    if (parameters->empty()) {
      family_.error("parameters", "must have a parameter, or all members would be the same");
    }
    for (const auto& [key, values] : parameters->items()) {
      Parameter& parameter = parameters_.emplace_back(Parameter{.name = key, .values = {}});
      if (values.is_array()) {
        for (const Json& value : values) {
          parameter.values.emplace_back(as_word(value), value);
        }
      } else if (values.is_object()) {
        for (const auto& [word, value] : values.items()) {
          parameter.values.emplace_back(word, value);
        }
      }
      const bool scalars = std::ranges::all_of(parameter.values, [](const auto& value) {
        return value.second.is_primitive() && !value.second.is_null();
      });
      if (parameter.values.empty() || !scalars) {
        group.error(key, "must be a list of values, or an object from words to values");
      }
    }
    if (combinations() > kMostMembers) {
      family_.error("parameters", fmt::format("make more than {} members", kMostMembers));
    }
  }

  void read_changes() {
    ObjectReader group = family_.object("set", "path and value of what a member changes");
    const Json* changes = family_.maybe_any("set", "");
    if (changes == nullptr || !changes->is_object()) {
      return;
    }
    for (const auto& [path, value] : changes->items()) {
      if (value.is_string() && !parameters_.empty()) {
        check_placeholders(group, path, value.get<std::string>());
      }
      changes_.emplace_back(path, value);
    }
  }

  void check_placeholders(ObjectReader& reader, const std::string& key, const std::string& text) {
    std::vector<std::string_view> known;
    for (const Parameter& parameter : parameters_) {
      known.push_back(parameter.name);
    }
    (void)filled_in(text, [&](std::string_view name) {
      if (std::ranges::find(known, name) == known.end()) {
        reader.error(key, fmt::format("{} is no parameter of the family{}", in_quotes(name),
                                      suggestion(name, known)));
      }
      return std::string();
    });
  }

  /// Each parameter must be in the name: else members would share one.
  void check_name(const std::string& name) {
    check_placeholders(family_, "name", name);
    for (const Parameter& parameter : parameters_) {
      if (name.find('{' + parameter.name + '}') == std::string::npos) {
        family_.error("name", fmt::format("must have {{{}}} in it, or members would share a name",
                                          parameter.name));
      }
    }
  }

  [[nodiscard]] std::size_t combinations() const {
    std::size_t count = 1;
    for (const Parameter& parameter : parameters_) {
      count = std::min(count * std::max<std::size_t>(parameter.values.size(), 1), kMostMembers + 1);
    }
    return count;
  }

  /// The member `index`; the last parameter varies fastest.
  [[nodiscard]] FamilyMember member(const std::string& name, std::size_t index) const {
    std::vector<std::pair<std::string_view, const std::pair<std::string, Json>*>> chosen;
    std::size_t block = combinations();
    for (const Parameter& parameter : parameters_) {
      const std::size_t count = parameter.values.size();
      block /= count;
      chosen.emplace_back(parameter.name, &parameter.values[index / block % count]);
    }
    const auto find = [&](std::string_view parameter) {
      return std::ranges::find(chosen, parameter, [](const auto& entry) { return entry.first; })
          ->second;
    };
    FamilyMember made;
    made.name = filled_in(name, [&](std::string_view p) { return find(p)->first; });
    for (const auto& [path, value] : changes_) {
      made.changes.emplace_back(path, value);
      if (!value.is_string()) {
        continue;
      }
      const auto text = value.get<std::string>();
      const bool only_placeholder =
          text.size() > 2 && text.front() == '{' && text.find('}') == text.size() - 1;
      made.changes.back().second =
          only_placeholder
              ? find(std::string_view(text).substr(1, text.size() - 2))->second
              : Json(filled_in(text, [&](std::string_view p) { return as_word(find(p)->second); }));
    }
    return made;
  }

  ObjectReader& family_;
  std::vector<Parameter> parameters_;
  std::vector<std::pair<std::string, Json>> changes_;
};

}  // namespace

std::vector<FamilyMember> read_family(ObjectReader family) { return FamilyReader(family).read(); }

}  // namespace tilewave
