// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
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
    if (taken_.insert(wanted).second) return wanted;
    // From where the last search for this name ended: a million equal ones take no longer than others.
    int& number = next_.try_emplace(wanted, 2).first->second;
    std::string name;
    do {
      name = wanted + "_" + std::to_string(number++);
    } while (!taken_.insert(name).second);
    return name;
  }

 private:
  std::set<std::string> taken_;
  std::map<std::string, int> next_;  ///< number to try, of names that were wanted again
};

}  // namespace tilewave
