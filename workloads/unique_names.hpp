// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

namespace tilewave {

/// Hands out names that differ: a name that is taken gets the first free of _2, _3, …
class UniqueNames {
 public:
  /// "input" means a tensor from outside (Op::inputs), so no op is called so.
  UniqueNames() : taken_{"input"} {}

  [[nodiscard]] bool is_taken(const std::string& name) const { return taken_.contains(name); }
  std::string add(const std::string& wanted) {
    std::string name = wanted;
    for (int i = 2; !taken_.insert(name).second; ++i) name = wanted + "_" + std::to_string(i);
    return name;
  }

 private:
  std::set<std::string> taken_;
};

}  // namespace tilewave
