// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace tilewave {

/// First word of the command line of a worker, `tilewave --sweep-worker PARENT`: not for people.
inline constexpr std::string_view kWorkerWord = "--sweep-worker";
/// What a worker says when it is ready for tasks.
inline constexpr std::string_view kWorkerReady = "ready";

/// The process of a worker: reads a task a line on standard input, answers each by its result on standard
/// output (run_point.hpp), ends with the input. `parent` is the process it works for: it ends with that, too, even
/// in the middle of a run. What anything else prints goes to standard error. Ctrl-C is the parent's.
void serve_tasks(long parent);

}  // namespace tilewave
