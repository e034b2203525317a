// SPDX-License-Identifier: Apache-2.0
#include "app/cli/man_page.hpp"

#include <fmt/format.h>

#include "app/cli/commands.hpp"
#include "tilewave/version.hpp"

namespace tilewave {
namespace {

/// Text as roff: what would be a request or an escape is not.
std::string roff(std::string_view text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    line_begins = c == '\n';
  }
  return out;
}

std::string section_of(const CommandSyntax& syntax) {
  std::string text =
      fmt::format(".SS \"tilewave {}{}{}\"\n{}\n", syntax.name, syntax.operands.empty() ? "" : " ",
                  roff(syntax.operands), roff(syntax.about));
  for (const OptionSyntax& option : syntax.options) {
    text += fmt::format(".TP\n\\fB\\-\\-{}\\fR", roff(option.name));
    if (!option.argument.empty()) text += fmt::format(" \\fI{}\\fR", roff(option.argument));
    text += fmt::format("\n{}\n", roff(option.meaning));
  }
  if (syntax.examples.empty()) return text;
  text += ".PP\n.nf\n";
  for (const std::string& example : syntax.examples) text += roff(example) + "\n";
  return text + ".fi\n";
}

}  // namespace

std::string man_page() {
  std::string page = fmt::format(
      ".TH TILEWAVE 1 \"\" \"tilewave {}\" \"User Commands\"\n"
      ".SH NAME\ntilewave \\- simulate accelerators for machine learning cycle by cycle\n"
      ".SH SYNOPSIS\n.B tilewave\n.I COMMAND\n.RI [ OPTION ]...\n"
      ".SH DESCRIPTION\nA machine and a workload go in, as presets or JSON files; cycles, "
      "utilization, traffic, stalls and energy come out.\n"
      ".SH COMMANDS\n",
      roff(kVersion));
  for (const Command& command : commands()) page += section_of(command.syntax);
  return page +
         ".SH EXIT STATUS\n0 done; 1 the simulation failed; 2 wrong usage or input; 130 "
         "interrupted.\n";
}

}  // namespace tilewave
