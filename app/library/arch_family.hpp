// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/config/json.hpp"
#include "sim/config/reader.hpp"

namespace tilewave {

/// One machine of a family: what it is called and what it changes in the file.
struct FamilyMember {
  std::string name;
  std::vector<std::pair<std::string, Json>> changes;  ///< path and value
};

/// The machines that a file with a "family" stands for, one for each combination of parameters:
///
///   "family": { "name": "array_{size}_{flow}",
///               "parameters": { "size": [8, 16], "flow": { "ws": "weight_stationary" } },
///               "set": { "core.matrix_unit.rows": "{size}" } }
///
/// A parameter is a list of values, or an object from the words for the name to values. {size} in
/// "name" is replaced by the word (or the value), in a text of "set" by the value; a text that is
/// nothing but one such placeholder becomes the value itself, with its type. All faults are
/// reported; then nothing is returned. `family` reads that object.
[[nodiscard]] std::vector<FamilyMember> read_family(ObjectReader family);

}  // namespace tilewave
