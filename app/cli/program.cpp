// SPDX-License-Identifier: Apache-2.0
#include "app/cli/program.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <new>

#include "app/cli/commands.hpp"
#include "app/cli/messages.hpp"
#include "app/cli/output_file.hpp"
#include "app/cli/terminal.hpp"
#include "app/simulate.hpp"
#include "app/sweep/worker.hpp"
#include "sim/config/json_path.hpp"
#include "sim/config/nearest.hpp"
#include "sim/diagnostics.hpp"
#include "tilewave/version.hpp"

namespace tilewave {
namespace {

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kWrongInput = 2;
constexpr int kInterrupted = 130;  // what a shell reports for a program that Ctrl-C ended

std::string program_help() {
  std::vector<NameAndWords> entries;
  for (const Command& command : commands()) {
    entries.push_back({command.syntax.name, command.syntax.summary});
  }
  return "Usage: tilewave COMMAND ...\n"
         "       tilewave COMMAND --help\n"
         "       tilewave --version | --help\n\n"
         "Tilewave simulates accelerators for machine learning cycle by cycle.\n\n"
         "Commands:\n" +
         two_columns(entries, 2, kTextColumns) +
         "\nExample:\n  tilewave run --arch tpu_v1 --workload resnet50 --out report.json\n\n"
         "Exit status: 0 done; 1 the simulation failed; 2 wrong usage or input;\n"
         "130 interrupted. Results go to standard output, all else to standard error.\n";
}

[[noreturn]] void fail_usage(const std::string& message) {
  throw ConfigError(
      Fault{.file = "", .path = "", .message = fmt::format("{} (see tilewave --help)", message)});
}

[[noreturn]] void fail_unknown(const std::string& word) {
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    names.push_back(command.syntax.name);
  }
  const bool is_option = word.starts_with('-');
  if (is_option) {
    names = {"--version", "--help"};
  }
  const auto nearest = nearest_name(word, std::span<const std::string>(names));
  fail_usage(fmt::format("unknown {} {}; there are {}{}", is_option ? "option" : "command",
                         in_quotes(word), fmt::join(names, ", "),
                         nearest ? fmt::format("; did you mean \"{}\"?", *nearest) : ""));
}

void dispatch(std::span<const std::string> words) {
  if (words.empty()) {
    fail_usage("no command is given");
  }
  const std::string& first = words.front();
  if (first == "--help" || first == "--version") {
    if (words.size() > 1) {
      fail_usage(fmt::format("{} stands alone, found {}", first, in_quotes(words[1])));
    }
    write_stdout(first == "--help" ? program_help() : fmt::format("tilewave {}\n", kVersion));
    return;
  }
  if (first == kWorkerWord && words.size() == 2) {
    serve_tasks(std::strtol(words[1].c_str(), nullptr, 10));
    return;
  }
  const auto all = commands();
  const auto command =
      std::ranges::find(all, first, [](const Command& c) { return c.syntax.name; });
  if (command == all.end()) {
    fail_unknown(first);
  }
  const auto rest = words.subspan(1);
  if (std::ranges::find(rest, "--help") != rest.end()) {
    write_stdout(help_text(command->syntax));
    return;
  }
  command->run(parse_arguments(command->syntax, rest));
}

}  // namespace

std::span<const Command> commands() {
  static const std::vector<Command> all{
      run_command(),  sweep_command(), compare_command(),  dram_command(),       list_command(),
      show_command(), check_command(), validate_command(), completion_command(), man_command()};
  return all;
}

int run_program(std::span<const std::string> words) noexcept {
  // `tilewave list arch | head -1` ends quietly, also where the parent ignores the signal.
  std::signal(SIGPIPE, SIG_DFL);
  try {
    dispatch(words);
    return kDone;
  } catch (const ConfigError& error) {
    print_error(error);
    return kWrongInput;
  } catch (const Interrupted& error) {
    print_error(error.what());
    return kInterrupted;
  } catch (const SimulationError& error) {
    print_error(error.what());
    return kFailed;
  } catch (const OutputError& error) {
    print_error(error.what());
    return kFailed;
  } catch (const std::bad_alloc&) {
    print_error("out of memory");
    return kFailed;
  } catch (const std::exception& error) {
    print_error(fmt::format("internal error, please report it: {}", error.what()));
    return kFailed;
  } catch (...) {
    print_error("internal error, please report it");
    return kFailed;
  }
}

}  // namespace tilewave
