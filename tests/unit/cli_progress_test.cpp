// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "support/catch.hpp"

#include "app/cli/progress.hpp"
#include "app/cli/text.hpp"

namespace tilewave {
namespace {

Progress sample() {
  return {.layers_done = 22,
          .layers = 54,
          .layer = "layer3.0.conv2",
          .share = 0.42,
          .cycles_per_s = 12.3e6,
          .seconds_left = 83};
}

TEST_CASE("a progress line has all of it on 80 columns", "[cli][progress]") {
  CHECK(progress_text(sample(), 79) ==
        "[####......]  42 %  layer 23 of 54 layer3.0.conv2  12.30 Mcycles/s  1:23 left");
}

TEST_CASE("a narrow terminal gets the more important parts", "[cli][progress]") {
  CHECK(progress_text(sample(), 60) ==
        " 42 %  layer 23 of 54 layer…onv2  12.30 Mcycles/s  1:23 left");
  CHECK(progress_text(sample(), 45) == " 42 %  layer 23 of 54 layer3…conv2  1:23 left");
  CHECK(progress_text(sample(), 24) == " 42 %  layer 23 of 54");
  for (std::size_t columns = 1; columns < 120; ++columns) {
    CAPTURE(columns);
    CHECK(width_of(progress_text(sample(), columns)) <= columns);
  }
}

TEST_CASE("what is not known is left out", "[cli][progress]") {
  Progress progress = sample();
  progress.layer.clear();
  progress.seconds_left.reset();
  CHECK(progress_text(progress, 79) == "[####......]  42 %  layer 23 of 54  12.30 Mcycles/s");
  progress.seconds_left = 3723;
  CHECK_THAT(progress_text(progress, 79), test::contains("  1:02:03 left"));
  progress.layers_done = progress.layers = 54;
  CHECK_THAT(progress_text(progress, 79), test::contains("layer 54 of 54"));
}

}  // namespace
}  // namespace tilewave
