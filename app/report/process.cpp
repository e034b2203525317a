// SPDX-License-Identifier: Apache-2.0
#include "app/report/process.hpp"

#include <sys/resource.h>

namespace tilewave {

Bytes peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<Bytes>(usage.ru_maxrss) * 1024;  // Linux counts KiB
}

}  // namespace tilewave
