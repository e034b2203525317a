// SPDX-License-Identifier: Apache-2.0
#include "app/cli/completion.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/commands.hpp"

namespace tilewave {
namespace {

constexpr std::string_view kListing = "tilewave list ";

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

bool is_placeholder(const std::string& word) {
  return std::ranges::none_of(word, [](char c) { return c >= 'a' && c <= 'z'; });
}

/// A word in single quotes, for any of the shells.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::string option_words(const CommandSyntax& syntax) {
  std::string words;
  for (const OptionSyntax& option : syntax.options) words += fmt::format("--{} ", option.name);
  return words + "--help";
}

/// Sets COMPREPLY to what `c` has for the word under the cursor.
std::string bash_reply(const Completions& c) {
  std::string words = fmt::format("{}", fmt::join(c.words, " "));
  for (const std::string& list : c.lists) {
    words += fmt::format("{}$(_tilewave_names {})", words.empty() ? "" : " ", list);
  }
  if (words.empty() && !c.files) return "COMPREPLY=()";
  std::string reply;
  if (!words.empty()) reply = fmt::format("COMPREPLY=($(compgen -W \"{}\" -- \"$cur\"))", words);
  if (c.files) {
    reply += fmt::format("{}_tilewave_files", words.empty() ? "COMPREPLY=(); " : "; ");
  }
  return reply;
}

std::string bash_script() {
  std::string script =
      "# Completion of tilewave for bash; made by `tilewave completion bash`.\n"
      "_tilewave_names() {\n"
      "  \"${COMP_WORDS[0]}\" list \"$1\" --json 2>/dev/null |\n"
      "    sed -n 's/.*\"name\": \"\\(.*\\)\".*/\\1/p'\n"
      "}\n"
      "_tilewave_files() {\n"
      "  local IFS=$'\\n'\n"
      "  COMPREPLY+=($(compgen -f -- \"$cur\"))\n"
      "  compopt -o filenames 2>/dev/null || :\n"  // zsh has none
      "}\n"
      "_tilewave() {\n"
      "  local cur=\"${COMP_WORDS[COMP_CWORD]}\" prev=\"\"\n"
      "  ((COMP_CWORD > 0)) && prev=\"${COMP_WORDS[COMP_CWORD - 1]}\"\n"
      // bash takes --option=value for three words
      "  [[ $cur == = ]] && cur=\"\"\n"
      "  [[ $prev == = ]] && prev=\"${COMP_WORDS[COMP_CWORD - 2]}\"\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then\n";
  std::string names;
  for (const Command& command : commands()) names += command.syntax.name + " ";
  script += fmt::format(
      "    COMPREPLY=($(compgen -W \"{}--help --version\" -- \"$cur\"))\n    return\n  fi\n"
      "  case \"${{COMP_WORDS[1]}}\" in\n",
      names);
  for (const Command& command : commands()) {
    const CommandSyntax& syntax = command.syntax;
    script += fmt::format("    {})\n      case \"$prev\" in\n", syntax.name);
    for (const OptionSyntax& option : syntax.options) {
      if (option.argument.empty()) continue;
      script += fmt::format("        --{}) {}; return ;;\n", option.name,
                            bash_reply(completions_of(option.argument, option.meaning)));
    }
    script += "      esac\n";
    script += fmt::format(
        "      if [[ $cur == -* ]]; then\n"
        "        COMPREPLY=($(compgen -W \"{}\" -- \"$cur\"))\n      else\n        {}\n"
        "      fi ;;\n",
        option_words(syntax), bash_reply(completions_of(syntax.operands, syntax.about)));
  }
  return script + "  esac\n}\ncomplete -F _tilewave tilewave\n";
}

std::string fish_script() {
  std::string script =
      "# Completion of tilewave for fish; made by `tilewave completion fish`.\n"
      "function __tilewave_names\n"
      "  tilewave list $argv[1] --json 2>/dev/null | sed -n 's/.*\"name\": \"\\(.*\\)\".*/\\1/p'\n"
      "end\n"
      "complete -c tilewave -f\n";
  const auto values = [](const Completions& c) {
    std::string words = fmt::format("{}", fmt::join(c.words, " "));
    for (const std::string& list : c.lists) {
      words += fmt::format("{}(__tilewave_names {})", words.empty() ? "" : " ", list);
    }
    return words.empty() ? std::string() : fmt::format(" -a \"{}\"", words);
  };
  for (const Command& command : commands()) {
    const CommandSyntax& syntax = command.syntax;
    script += fmt::format("complete -c tilewave -n __fish_use_subcommand -a {} -d {}\n",
                          syntax.name, quoted(syntax.summary));
    const std::string within =
        fmt::format("complete -c tilewave -n \"__fish_seen_subcommand_from {}\"", syntax.name);
    script += within + " -l help -d 'this page'\n";
    const Completions operands = completions_of(syntax.operands, syntax.about);
    if (operands.files || !values(operands).empty()) {
      script += fmt::format("{}{}{}\n", within, operands.files ? " -F" : "", values(operands));
    }
    for (const OptionSyntax& option : syntax.options) {
      const Completions c = completions_of(option.argument, option.meaning);
      script += fmt::format("{} -l {}{}{} -d {}\n", within, option.name,
                            option.argument.empty() ? "" : (c.files ? " -r -F" : " -x"), values(c),
                            quoted(option.meaning));
    }
  }
  return script;
}

}  // namespace

Completions completions_of(std::string_view argument, std::string_view meaning) {
  Completions c;
  for (const std::string& alternative : split(argument, '|')) {
    for (const std::string& word : split(alternative, ' ')) {
      if (is_placeholder(word)) {
        c.files = c.files || word.starts_with("FILE") || word == "DIR";
      } else {
        c.words.push_back(word);
      }
    }
  }
  if (c.files || argument == "T" || argument.starts_with('[')) {
    for (std::size_t at = meaning.find(kListing); at != std::string_view::npos;
         at = meaning.find(kListing, at)) {
      at += kListing.size();
      const auto end =
          std::ranges::find_if(meaning.substr(at), [](char x) { return x < 'a' || x > 'z'; });
      c.lists.emplace_back(
          meaning.substr(at, static_cast<std::size_t>(end - meaning.substr(at).begin())));
    }
  }
  return c;
}

const std::vector<std::string_view>& completion_shells() {
  static const std::vector<std::string_view> shells{"bash", "zsh", "fish"};
  return shells;
}

std::string completion_script(std::string_view shell) {
  if (shell == "fish") return fish_script();
  if (shell == "bash") return bash_script();
  // zsh runs bash's functions; as an autoloaded file it is called itself the first time.
  return "#compdef tilewave\nautoload -U +X bashcompinit && bashcompinit\n" + bash_script() +
         "[[ ${zsh_eval_context[-1]} == loadautofunc ]] && _bash_complete -F _tilewave\n";
}

}  // namespace tilewave
