// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "app/cli/program.hpp"

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  return tilewave::run_program(words);
}
