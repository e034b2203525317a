// SPDX-License-Identifier: Apache-2.0
#include "sim/config/key_docs.hpp"

#include <string_view>
#include <utility>

namespace tilewave {
namespace {

std::string without_indices(std::string_view path) {
  std::string out;
  for (std::size_t at = 0; at < path.size(); ++at) {
    out += path[at];
    if (path[at] == '[') {
      while (at + 1 < path.size() && path[at + 1] >= '0' && path[at + 1] <= '9') {
        ++at;
      }
    }
  }
  return out;
}

}  // namespace

void KeyDocs::add(KeyDoc doc) {
  doc.path = without_indices(doc.path);
  if (paths_.insert(doc.path).second) {
    docs_.push_back(std::move(doc));
  }
}

}  // namespace tilewave
