// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "workloads/op.hpp"

namespace tilewave {

/// In what order the activations of image ops lie, followed from op to op: conv2d and pool name it,
/// pointwise ops (elementwise, batchnorm, quantize, concat) hand on that of what they read, all
/// others make something else of it. An op that reads another layout than its producer made would
/// read numbers that belong elsewhere, though it has as many elements.
class LayoutChain {
 public:
  /// What is wrong with what the op reads as its input `index`; nothing if that lies as the op wants
  /// it, or where there is only one channel or one pixel. `inputs`: who makes what it reads.
  [[nodiscard]] std::optional<std::string> fault(const Op& op, std::span<const std::string> inputs,
                                                 std::size_t index) const;
  void add(const Op& op, std::span<const std::string> inputs);

 private:
  struct Made {
    Layout layout;
    std::string by;  ///< the op that named the layout
  };
  /// The first of the op's inputs that has a layout.
  [[nodiscard]] const Made* handed_on(std::span<const std::string> inputs) const;
  [[nodiscard]] const Made* find(const std::string& name) const;

  std::map<std::string, Made> made_;
};

}  // namespace tilewave
