// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace tilewave {

/// JSON whose objects keep the order in which keys were written, so that what is shown reads like
/// what was given. Forward declaration only: include <nlohmann/json.hpp> where values are touched.
using Json = nlohmann::ordered_json;

}  // namespace tilewave
