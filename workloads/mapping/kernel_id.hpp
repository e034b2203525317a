// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "arch/program/data_type.hpp"

namespace tilewave {

/// What a kernel is called, which op it belongs to.
struct KernelId {
  std::string name;
  int layer = 0;
  DataType dtype = DataType::int8;
};

}  // namespace tilewave
