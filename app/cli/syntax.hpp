// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewave {

/// An option of a command, as `--set PATH=VALUE`.
struct OptionSyntax {
  std::string name;      ///< without dashes
  std::string argument;  ///< "PATH=VALUE"; empty: the option is a flag
  std::string meaning;
  bool repeatable = false;
};

/// What a command takes, for parsing and for its help.
struct CommandSyntax {
  static constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();

  std::string name;
  std::string summary;   ///< a line for the list of commands
  std::string operands;  ///< "FILE..."; empty: none
  std::size_t least_operands = 0;
  std::size_t most_operands = 0;
  std::string about;                    ///< a paragraph
  std::vector<OptionSyntax> options{};  ///< --help is added
  std::vector<std::string> examples{};
};

/// What was given.
class Arguments {
 public:
  [[nodiscard]] bool has(std::string_view option) const { return values_.contains(option); }
  [[nodiscard]] std::optional<std::string> maybe(std::string_view option) const;
  [[nodiscard]] std::vector<std::string> all(std::string_view option) const;
  [[nodiscard]] const std::vector<std::string>& operands() const { return operands_; }

 private:
  friend Arguments parse_arguments(const CommandSyntax& syntax, std::span<const std::string> words);
  std::map<std::string, std::vector<std::string>, std::less<>> values_;  ///< a flag has none
  std::vector<std::string> operands_;
};

/// Throws ConfigError: an unknown option (with the nearest), one without its argument, twice given,
/// or the wrong number of operands.
[[nodiscard]] Arguments parse_arguments(const CommandSyntax& syntax,
                                        std::span<const std::string> words);

/// The page for COMMAND --help, at most 80 columns wide.
[[nodiscard]] std::string help_text(const CommandSyntax& syntax);

/// Entries of two columns: names, and words about them wrapped at `columns`.
struct NameAndWords {
  std::string name;
  std::string words;
};
[[nodiscard]] std::string two_columns(std::span<const NameAndWords> entries, std::size_t indent,
                                      std::size_t columns);

}  // namespace tilewave
