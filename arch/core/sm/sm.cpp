// SPDX-License-Identifier: Apache-2.0
#include "arch/core/sm/sm.hpp"

#include <utility>

namespace tilewave {

SmNews& Sm::news_before(Cycle now) {
  if (fresh_cycle_ == now || fresh_.empty()) return earlier_;
  if (earlier_.empty()) {
    std::swap(earlier_, fresh_);
    return earlier_;
  }
  earlier_.requests.insert(earlier_.requests.end(), fresh_.requests.begin(), fresh_.requests.end());
  earlier_.wants_block.insert(earlier_.wants_block.end(), fresh_.wants_block.begin(),
                              fresh_.wants_block.end());
  earlier_.finished.insert(earlier_.finished.end(), fresh_.finished.begin(), fresh_.finished.end());
  fresh_.clear();
  return earlier_;
}

}  // namespace tilewave
