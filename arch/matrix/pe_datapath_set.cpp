// SPDX-License-Identifier: Apache-2.0
#include "arch/matrix/pe_datapath_set.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <variant>
#include <vector>

namespace tilewave {
namespace {

using Integers = FoldNumbers<std::int32_t, std::int32_t>;

bool fits_16_bits(const Integers& numbers) {
  using Limits = std::numeric_limits<std::int16_t>;
  const auto all_fit = [](const std::vector<std::int32_t>& operands) {
    return std::all_of(operands.begin(), operands.end(), [](std::int32_t operand) {
      return operand >= Limits::min() && operand <= Limits::max();
    });
  };
  return all_fit(numbers.stationary) && all_fit(numbers.stream) && all_fit(numbers.stream_top);
}

}  // namespace

bool PeDatapathSet::prepare(const FoldValues* values) {
  const auto* integers = values == nullptr ? nullptr : std::get_if<Integers>(values);
  const bool floating = values != nullptr && integers == nullptr;
  std::unique_ptr<PeDatapath>& datapath = datapaths_[floating ? 1 : 0];
  if (!datapath) datapath = make(floating ? PeFormat::floating : PeFormat::narrow_integer);
  if (integers != nullptr && !wide_ && !fits_16_bits(*integers)) {
    datapath = datapath->widened();
    wide_ = true;
  }
  return floating;
}

void PeDatapathSet::shift_results() {
  for (auto& datapath : datapaths_) {
    if (datapath) datapath->shift_results();
  }
}

void PeDatapathSet::end_cycle() {
  for (auto& datapath : datapaths_) {
    if (datapath) datapath->end_cycle();
  }
}

std::unique_ptr<PeDatapath> PeDatapathSet::make(PeFormat format) const {
  return params_.dataflow == Dataflow::output_stationary
             ? make_output_datapath(params_, format)
             : make_stationary_datapath(params_, format);
}

}  // namespace tilewave
