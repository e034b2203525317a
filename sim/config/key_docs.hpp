// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

namespace tilewave {

/// What a reader says about one key: the source of the reference of all keys.
struct KeyDoc {
  std::string path;           ///< `core.matrix_unit.rows`; `ops[].m` for all elements of an array
  std::string expects;        ///< "an integer from 1 to 65536"
  std::string default_value;  ///< as JSON; empty if `required` or if there is none
  bool required = false;
  std::string meaning;  ///< one line; the unit is in the key
};

/// The keys readers ask for, in the order of the first asking, each path once.
class KeyDocs {
 public:
  /// Array indices in the path are dropped.
  void add(KeyDoc doc);
  [[nodiscard]] const std::vector<KeyDoc>& all() const noexcept { return docs_; }

 private:
  std::vector<KeyDoc> docs_;
  std::unordered_set<std::string> paths_;
};

}  // namespace tilewave
