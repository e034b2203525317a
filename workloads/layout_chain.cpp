// SPDX-License-Identifier: Apache-2.0
#include "workloads/layout_chain.hpp"

#include <fmt/format.h>

#include "sim/config/json_path.hpp"
#include "workloads/ops/conv2d.hpp"
#include "workloads/ops/pool.hpp"

namespace tilewave {

namespace {

/// One channel or one pixel: both layouts are the same.
bool same_in_all(Count channels, Count h, Count w) { return channels == 1 || h * w == 1; }

/// The layout that the op reads, where one can be told from the other.
std::optional<Layout> wanted_layout(const Op& op) {
  const auto of = [](const auto& v) -> std::optional<Layout> {
    if (same_in_all(v.c, v.h, v.w)) return std::nullopt;
    return v.layout;
  };
  if (const auto* conv = std::get_if<Conv2d>(&op.shape)) return of(*conv);
  if (const auto* pool = std::get_if<Pool>(&op.shape)) return of(*pool);
  return std::nullopt;
}

bool is_pointwise(const Op& op) {
  if (const auto* v = std::get_if<Normalization>(&op.shape)) {
    return v->kind == NormalizationKind::batchnorm;
  }
  return std::holds_alternative<Elementwise>(op.shape) ||
         std::holds_alternative<Quantize>(op.shape) || std::holds_alternative<Concat>(op.shape);
}

/// The layout that the op gives its result, where one can be told from the other.
std::optional<Layout> result_layout(const Op& op) {
  if (const auto* conv = std::get_if<Conv2d>(&op.shape)) {
    if (conv->weight_gradient) return std::nullopt;  // makes filters
    const auto out = conv_output(*conv);
    if (same_in_all(conv->k, out.h, out.w)) return std::nullopt;
    return conv->layout;
  }
  if (const auto* pool = std::get_if<Pool>(&op.shape)) {
    const auto out = pool_output(*pool);
    const bool whole = pool->backward ? same_in_all(pool->c, pool->h, pool->w)
                                      : same_in_all(pool->c, out.h, out.w);
    if (!whole) return pool->layout;
  }
  return std::nullopt;
}

}  // namespace

const LayoutChain::Made* LayoutChain::find(const std::string& name) const {
  const auto found = made_.find(name);
  return found == made_.end() ? nullptr : &found->second;
}

const LayoutChain::Made* LayoutChain::handed_on(std::span<const std::string> inputs) const {
  for (const std::string& name : inputs) {
    if (const Made* made = find(name)) return made;
  }
  return nullptr;
}

void LayoutChain::add(const Op& op, std::span<const std::string> inputs) {
  if (const auto layout = result_layout(op)) {
    made_[op.name] = {.layout = *layout, .by = op.name};
  } else if (const Made* made = is_pointwise(op) ? handed_on(inputs) : nullptr) {
    made_[op.name] = *made;
  }
}

std::optional<std::string> LayoutChain::fault(const Op& op, std::span<const std::string> inputs,
                                              std::size_t index) const {
  const std::string& producer = inputs[index];
  const Made* made = find(producer);
  if (made == nullptr) return std::nullopt;
  std::string reads;
  if (const auto wanted = wanted_layout(op)) {
    if (*wanted == made->layout) return std::nullopt;
    reads = fmt::format("{} reads {}", in_quotes(op.name), to_string(*wanted));
  } else if (is_pointwise(op) && index > 0) {
    const Made* first = handed_on(inputs.first(index));
    if (first == nullptr || first->layout == made->layout) return std::nullopt;
    reads = fmt::format("{} also reads {} of {}", in_quotes(op.name), to_string(first->layout),
                        in_quotes(first->by));
  } else {
    return std::nullopt;
  }
  const std::string by = made->by == producer ? "" : fmt::format(" (from {})", in_quotes(made->by));
  return fmt::format("{} makes {}{}, but {}; give both the same layout, or put a transpose between",
                     in_quotes(producer), to_string(made->layout), by, reads);
}

}  // namespace tilewave
