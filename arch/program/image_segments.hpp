// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "sim/units.hpp"

namespace tilewave::program {

/// Things numbered image by image: a run of them is the end of one image, some whole images and the
/// beginning of another.
struct ImageSegment {
  Count image = 0;           ///< the first image
  Count images = 1;          ///< so many, one after another
  Count begin = 0, end = 0;  ///< of each, the things [begin, end)
};

class ImageSegments {
 public:
  /// Things [first, first + count), `per_image` of them an image.
  ImageSegments(Count first, Count count, Count per_image) {
    if (count == 0) return;
    const Count last = first + count;  // past the end
    const Count head = first / per_image, tail = last / per_image;
    if (head == tail) {
      add({head, 1, first % per_image, last % per_image});
      return;
    }
    Count whole = head;
    if (first % per_image != 0) {
      add({head, 1, first % per_image, per_image});
      ++whole;
    }
    if (tail > whole) add({whole, tail - whole, 0, per_image});
    if (last % per_image != 0) add({tail, 1, 0, last % per_image});
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const ImageSegment& operator[](std::size_t i) const { return segments_.at(i); }
  [[nodiscard]] const ImageSegment* begin() const noexcept { return segments_.data(); }
  [[nodiscard]] const ImageSegment* end() const noexcept { return segments_.data() + size_; }

 private:
  void add(const ImageSegment& segment) { segments_.at(size_++) = segment; }
  std::array<ImageSegment, 3> segments_{};
  std::size_t size_ = 0;
};

}  // namespace tilewave::program
