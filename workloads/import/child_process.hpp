// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tilewave {

struct ChildOutput {
  int status = 0;  ///< exit status; 128 + signal if a signal ended it
  std::string out, err;
};

/// Runs a program (looked up in PATH) with nothing on its standard input and waits for its end. Nothing:
/// it could not be started. What it writes beyond `most_bytes` is read and dropped.
[[nodiscard]] std::optional<ChildOutput> run_child(const std::vector<std::string>& words,
                                                   std::size_t most_bytes);

}  // namespace tilewave
