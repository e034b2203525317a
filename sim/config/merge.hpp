// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "sim/config/json.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {

/// `base` changed by `overlay`: objects merge key by key, anything else replaces, null removes the
/// key (RFC 7386). A capacity given in another unit replaces the one in `base`: `capacity_kib`
/// takes the place of `capacity_mib`, as both say the same thing.
[[nodiscard]] Json deep_merge(Json base, const Json& overlay);

/// Sets the value at `path` (`core.matrix_unit.rows`, `ops[2].m`, `ops.2.m`) as a merge with an
/// object holding just this would, except that an object replaces the one there. Objects on the way
/// are made where there are none; array elements must exist. Reports at `label` and returns false
/// if there is no such place. `document` is the file name under which `root` will be read: faults
/// found in this value then name `label` instead.
bool set_value(Json& root, std::string_view path, Json value, Diagnostics& diagnostics,
               const std::string& document = "", const std::string& label = "--set");

/// set_value from `PATH=VALUE`. VALUE is JSON if it parses, else a string; but what begins with
/// `{`, `[` or `"` must be sound JSON. White space around both is dropped.
bool set_path(Json& root, std::string_view assignment, Diagnostics& diagnostics,
              const std::string& document = "", const std::string& label = "--set");

}  // namespace tilewave
