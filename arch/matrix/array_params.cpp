// SPDX-License-Identifier: Apache-2.0
#include "arch/matrix/array_params.hpp"

namespace tilewave {

std::string_view to_string(OutputDrain drain) {
  switch (drain) {
    case OutputDrain::shift:
      return "shift";
    case OutputDrain::direct:
      return "direct";
  }
  return "unknown";
}

}  // namespace tilewave
