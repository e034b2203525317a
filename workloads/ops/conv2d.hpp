// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/config/reader.hpp"
#include "workloads/op.hpp"
#include "workloads/ops/shape_fault.hpp"
#include "workloads/ops/window.hpp"

namespace tilewave {

/// Batch, channels, height and width of a result.
struct OutputSize {
  Count n = 0, c = 0, h = 0, w = 0;
  [[nodiscard]] Count elements() const;
};

/// 2-D convolution of an n x c x h x w input with k filters of (c / groups) x r x s.
///
///   oh, ow  = outputs of the two axes (see WindowAxis)
///   MACs    = n oh ow k (c / groups) r s; taps that lie on padding count: a matrix unit does them
///   FLOPs   = 2 MACs + (number of epilogues) n oh ow k
///   input   = n c h w, of which n c (touched rows) (touched columns) are read: a 1 x 1 filter at
///             stride 2 reads a quarter of the pixels
///   weights = k (c / groups) r s, bias = k, output = n k oh ow
///   second input = n k oh ow with a residual, else none
/// groups == c is a depthwise convolution.
///
/// Transposed: oh = (h - 1) stride - 2 padding + (r - 1) dilation + output_padding + 1, ow likewise;
///   MACs    = n h w k (c / groups) r s; taps that fall on what the padding cuts off count
///   input   = n c h w, weights and output as above
///
/// weight_gradient: inputs = x as above and n k oh ow of the output's gradient, MACs as above, no
///   weights, output = k (c / groups) r s
[[nodiscard]] OpFacts count_facts(const Conv2d& conv);
[[nodiscard]] ShapeFaults find_faults(const Conv2d& conv);

/// Groups divide the channels of the input and the output.
void check_groups(Count groups, Count c, Count k, ShapeFaults& faults);

[[nodiscard]] Conv2d read_conv2d(ObjectReader& reader);
void write_shape(const Conv2d& conv, Json& json);
[[nodiscard]] OutputSize conv_output(const Conv2d& conv);

[[nodiscard]] std::string_view to_string(Layout layout);
[[nodiscard]] Layout read_layout(ObjectReader& reader);

/// The sliding window of a conv2d or a pool along height and width.
[[nodiscard]] WindowAxis height_axis(const Conv2d& conv);
[[nodiscard]] WindowAxis width_axis(const Conv2d& conv);

}  // namespace tilewave
