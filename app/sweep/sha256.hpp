// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace tilewave {

/// SHA-256 (FIPS 180-4) of the bytes, as 64 hexadecimal digits. Names what a result was made from; no secret
/// hangs on it.
[[nodiscard]] std::string sha256(std::string_view bytes);

}  // namespace tilewave
