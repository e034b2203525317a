// SPDX-License-Identifier: Apache-2.0
#include "app/cli/syntax.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <fmt/format.h>

#include "app/cli/terminal.hpp"
#include "app/cli/text.hpp"
#include "sim/config/json_path.hpp"
#include "sim/config/nearest.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {
namespace {

namespace po = boost::program_options;

// What Boost calls the words that are no options. Nobody types this as an option.
constexpr const char* kOperands = " operands";
constexpr std::size_t kWidestNames = 26;

[[noreturn]] void fail(const CommandSyntax& syntax, const std::string& message) {
  throw ConfigError(
      Fault{.file = "",
            .path = "",
            .message = fmt::format("{} (see tilewave {} --help)", message, syntax.name)});
}

const OptionSyntax* find_option(const CommandSyntax& syntax, std::string_view name) {
  const auto found = std::ranges::find(syntax.options, name, &OptionSyntax::name);
  return found == syntax.options.end() ? nullptr : &*found;
}

[[noreturn]] void fail_unknown(const CommandSyntax& syntax, const std::string& given) {
  const std::string bare = given.substr(std::min(given.find_first_not_of('-'), given.size()));
  std::vector<std::string> names{"help"};
  for (const OptionSyntax& option : syntax.options) {
    names.push_back(option.name);
  }
  const auto nearest = nearest_name(bare, std::span<const std::string>(names));
  fail(syntax, fmt::format("unknown option {}{}", given,
                           nearest ? fmt::format("; did you mean --{}?", *nearest) : ""));
}

po::variables_map parse(const CommandSyntax& syntax, std::span<const std::string> words) {
  po::options_description known;
  for (const OptionSyntax& option : syntax.options) {
    if (option.argument.empty()) {
      known.add_options()(option.name.c_str(), "");
    } else if (option.repeatable) {
      known.add_options()(option.name.c_str(), po::value<std::vector<std::string>>(), "");
    } else {
      known.add_options()(option.name.c_str(), po::value<std::string>(), "");
    }
  }
  known.add_options()(kOperands, po::value<std::vector<std::string>>(), "");
  po::positional_options_description positions;
  positions.add(kOperands, -1);
  namespace style = po::command_line_style;
  po::variables_map values;
  po::store(po::command_line_parser(std::vector<std::string>(words.begin(), words.end()))
                .options(known)
                .positional(positions)
                .style(style::unix_style & ~style::allow_guessing)
                .run(),
            values);
  return values;
}

}  // namespace

std::optional<std::string> Arguments::maybe(std::string_view option) const {
  const auto found = values_.find(option);
  if (found == values_.end() || found->second.empty()) {
    return std::nullopt;
  }
  return found->second.front();
}

std::vector<std::string> Arguments::all(std::string_view option) const {
  const auto found = values_.find(option);
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

Arguments parse_arguments(const CommandSyntax& syntax, std::span<const std::string> words) {
  Arguments arguments;
  po::variables_map values;
  try {
    values = parse(syntax, words);
  } catch (const po::unknown_option& error) {
    fail_unknown(syntax, error.get_option_name());
  } catch (const po::multiple_occurrences& error) {
    fail(syntax, fmt::format("{} is given twice", error.get_option_name()));
  } catch (const po::error_with_option_name& error) {
    const std::string name = error.get_option_name();
    const OptionSyntax* option =
        find_option(syntax, name.substr(std::min(name.find_first_not_of('-'), name.size())));
    if (option == nullptr) {
      fail_unknown(syntax, name);
    }
    fail(syntax, option->argument.empty()
                     ? fmt::format("{} takes no argument", name)
                     : fmt::format("{} needs an argument: {}", name, option->argument));
  } catch (const po::error& error) {
    fail(syntax, error.what());
  }
  for (const auto& [name, value] : values) {
    if (name == kOperands) {
      arguments.operands_ = value.as<std::vector<std::string>>();
      continue;
    }
    const OptionSyntax* option = find_option(syntax, name);
    auto& given = arguments.values_[name];
    if (option != nullptr && option->repeatable) {
      given = value.as<std::vector<std::string>>();
    } else if (option != nullptr && !option->argument.empty()) {
      given = {value.as<std::string>()};
    }
  }
  const auto& operands = arguments.operands_;
  if (operands.size() > syntax.most_operands) {
    fail(syntax, fmt::format("unexpected argument {}", in_quotes(operands[syntax.most_operands])));
  }
  if (operands.size() < syntax.least_operands) {
    fail(syntax, fmt::format("tilewave {} needs {}", syntax.name, syntax.operands));
  }
  return arguments;
}

std::string two_columns(std::span<const NameAndWords> entries, std::size_t indent,
                        std::size_t columns) {
  std::size_t widest = 0;
  for (const NameAndWords& entry : entries) {
    widest = std::max(widest, width_of(entry.name));
  }
  const std::size_t second = indent + std::min(widest, kWidestNames) + 2;
  std::string out;
  for (const NameAndWords& entry : entries) {
    std::string line(indent, ' ');
    line += entry.name;
    // A long name has a line of its own.
    const bool is_long = width_of(line) + 2 > second;
    if (!entry.words.empty()) {
      line = is_long ? line.append("\n").append(second, ' ') : left(line, second);
      line += wrapped(entry.words, columns, second, second);
    }
    out += line.append("\n");
  }
  return out;
}

std::string help_text(const CommandSyntax& syntax) {
  std::string usage = "tilewave " + syntax.name;
  usage += syntax.operands.empty() ? "" : " " + syntax.operands;
  usage += syntax.options.empty() ? "" : " [OPTION]...";
  std::vector<NameAndWords> options;
  for (const OptionSyntax& option : syntax.options) {
    const std::string name =
        "--" + option.name + (option.argument.empty() ? "" : " " + option.argument);
    options.push_back({name, option.meaning});
  }
  options.push_back({"--help", "this page"});
  constexpr std::size_t kUsageIndent = 7;  // under what follows "Usage: "
  std::string out = "Usage: " + wrapped(usage, kTextColumns, kUsageIndent, kUsageIndent) + "\n\n" +
                    wrapped(syntax.about, kTextColumns, 0) + "\n\n" + "Options:\n" +
                    two_columns(options, 2, kTextColumns) + "\n" +
                    (syntax.examples.size() > 1 ? "Examples:\n" : "Example:\n");
  for (const std::string& example : syntax.examples) {
    out += "  " + example + '\n';
  }
  return out;
}

}  // namespace tilewave
