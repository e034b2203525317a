// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arch/memory/cache/cache_params.hpp"
#include "sim/config/reader.hpp"

namespace tilewave {

/// Reads and checks a cache, and finishes the reader. All faults go to the reader's diagnostics;
/// what is returned then must not be built.
[[nodiscard]] CacheParams read_cache(ObjectReader& reader);

/// The cache as a file has it, every default filled in.
[[nodiscard]] Json to_json(const CacheParams& cache);

}  // namespace tilewave
