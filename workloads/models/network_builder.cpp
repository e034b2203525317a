// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/network_builder.hpp"

#include <algorithm>
#include <utility>

#include "workloads/ops/conv2d.hpp"
#include "workloads/ops/count_math.hpp"
#include "workloads/ops/pool.hpp"

namespace tilewave {
namespace {

void add_activation(Activation activation, std::vector<Epilogue>& list) {
  switch (activation) {
    case Activation::none:
      return;
    case Activation::relu:
      return list.push_back(Epilogue::relu);
    case Activation::silu:
      return list.push_back(Epilogue::silu);
    case Activation::sigmoid:
      return list.push_back(Epilogue::sigmoid);
    case Activation::hard_swish:
      return list.push_back(Epilogue::hard_swish);
    case Activation::hard_sigmoid:
      return list.push_back(Epilogue::hard_sigmoid);
  }
}

/// Of an activation that is not `none`.
ElementwiseKind elementwise_kind(Activation activation) {
  switch (activation) {
    case Activation::none:
    case Activation::relu:
      return ElementwiseKind::relu;
    case Activation::silu:
      return ElementwiseKind::silu;
    case Activation::sigmoid:
      return ElementwiseKind::sigmoid;
    case Activation::hard_swish:
      return ElementwiseKind::hard_swish;
    case Activation::hard_sigmoid:
      return ElementwiseKind::hard_sigmoid;
  }
  return ElementwiseKind::relu;
}

}  // namespace

NetworkBuilder::NetworkBuilder(std::string name, Count batch, DataType dtype, BatchNorm batch_norm)
    : workload_{.name = std::move(name), .ops = {}},
      batch_(batch),
      dtype_(dtype),
      batch_norm_(batch_norm) {}

Feature NetworkBuilder::input(Count channels, Count height, Count width) const {
  return {"input", channels, height, width};
}

Feature NetworkBuilder::conv(const std::string& name, const Feature& x, Count filters,
                             Window window, Activation activation,
                             const std::optional<Feature>& residual) {
  Conv2d conv;
  conv.k = filters;
  conv.r = conv.s = window.size;
  conv.stride = {window.stride, window.stride};
  conv.padding = {window.padding, window.padding};
  return add_conv(name, x, conv, activation, residual);
}

Feature NetworkBuilder::depthwise(const std::string& name, const Feature& x, Window window,
                                  Activation activation) {
  Conv2d conv;
  conv.k = conv.groups = x.channels;
  conv.r = conv.s = window.size;
  conv.stride = {window.stride, window.stride};
  conv.padding = {window.padding, window.padding};
  return add_conv(name, x, conv, activation, std::nullopt);
}

Feature NetworkBuilder::conv_line(const std::string& name, const Feature& x, Count filters,
                                  Line line, Count size, Activation activation) {
  Conv2d conv;
  conv.k = filters;
  const std::size_t axis = line == Line::vertical ? 0 : 1;
  (line == Line::vertical ? conv.r : conv.s) = size;
  conv.padding[axis] = size / 2;
  return add_conv(name, x, conv, activation, std::nullopt);
}

Feature NetworkBuilder::up_conv(const std::string& name, const Feature& x, Count filters,
                                Window window) {
  Conv2d conv;
  conv.k = filters;
  conv.r = conv.s = window.size;
  conv.stride = {window.stride, window.stride};
  conv.padding = {window.padding, window.padding};
  conv.transposed = true;
  return add_conv(name, x, conv, Activation::none, std::nullopt);
}

Feature NetworkBuilder::concat(const std::string& name, const std::vector<Feature>& parts) {
  Feature out{name, 0, parts.front().height, parts.front().width};
  for (const Feature& part : parts) {
    out.height = std::min(out.height, part.height);
    out.width = std::min(out.width, part.width);
  }
  Concat concat;
  std::vector<std::string> inputs;
  bool cropped = false;
  for (const Feature& part : parts) {
    out.channels += part.channels;
    concat.parts.push_back(product({batch_, part.channels, out.height, out.width}));
    inputs.push_back(part.producer);
    cropped = cropped || part.height != out.height || part.width != out.width;
  }
  add(name, std::move(concat), std::move(inputs)).partial_inputs = cropped;
  return out;
}

Feature NetworkBuilder::scale(const std::string& name, const Feature& x, const Feature& factors) {
  add(name,
      Elementwise{.kind = ElementwiseKind::mul,
                  .elements = product({batch_, x.channels, x.height, x.width}),
                  .operands = 2,
                  .second_elements = product({batch_, factors.channels})},
      {x.producer, factors.producer});
  return {name, x.channels, x.height, x.width};
}

Feature NetworkBuilder::squeeze_excite(const std::string& name, const Feature& x, Count squeezed,
                                       Activation inner, Activation gate) {
  Feature factors = global_average_pool(name + ".squeeze", x);
  factors = fully_connected(name + ".reduce", factors, squeezed, inner);
  factors = fully_connected(name + ".expand", factors, x.channels, gate);
  return scale(name + ".scale", x, factors);
}

Feature NetworkBuilder::average_pool(const std::string& name, const Feature& x, Window window) {
  Pool pool;
  pool.kind = PoolKind::average;
  pool.r = pool.s = window.size;
  pool.stride = {window.stride, window.stride};
  pool.padding = {window.padding, window.padding};
  return add_pool(name, x, pool);
}

Feature NetworkBuilder::max_pool(const std::string& name, const Feature& x, Window window) {
  Pool pool;
  pool.r = pool.s = window.size;
  pool.stride = {window.stride, window.stride};
  pool.padding = {window.padding, window.padding};
  return add_pool(name, x, pool);
}

Feature NetworkBuilder::global_average_pool(const std::string& name, const Feature& x) {
  Pool pool;
  pool.kind = PoolKind::average;
  pool.r = x.height;
  pool.s = x.width;
  return add_pool(name, x, pool);
}

Feature NetworkBuilder::fully_connected(const std::string& name, const Feature& x, Count outputs,
                                        Activation activation) {
  Gemm gemm;
  gemm.m = batch_;
  gemm.n = outputs;
  gemm.k = product({x.channels, x.height, x.width});
  gemm.transpose_b = true;
  gemm.epilogue = {Epilogue::bias};
  add_activation(activation, gemm.epilogue);
  add(name, gemm, {x.producer});
  return {name, outputs, 1, 1};
}

Feature NetworkBuilder::add_conv(const std::string& name, const Feature& x, Conv2d conv,
                                 Activation activation, const std::optional<Feature>& residual) {
  conv.n = batch_;
  conv.c = x.channels;
  conv.h = x.height;
  conv.w = x.width;
  if (batch_norm_ == BatchNorm::separate) {
    const OutputSize out = conv_output(conv);
    add(name, conv, {x.producer});
    return add_norm(name, {name, out.c, out.h, out.w}, activation, residual);
  }
  conv.epilogue = {Epilogue::bias};
  std::vector<std::string> inputs{x.producer};
  if (residual) {
    conv.epilogue.push_back(Epilogue::residual);
    inputs.push_back(residual->producer);
  }
  add_activation(activation, conv.epilogue);
  const OutputSize out = conv_output(conv);
  add(name, conv, std::move(inputs));
  return {name, out.c, out.h, out.w};
}

Feature NetworkBuilder::add_norm(const std::string& name, const Feature& x, Activation activation,
                                 const std::optional<Feature>& residual) {
  Feature y = x;
  const Count elements = product({batch_, x.channels, x.height, x.width});
  y.producer = name + ".norm";
  add(y.producer,
      Normalization{.kind = NormalizationKind::batchnorm,
                    .rows = product({batch_, x.height, x.width}),
                    .cols = x.channels,
                    .batch_statistics = true},
      {x.producer});
  if (residual) {
    add(name + ".sum", Elementwise{ElementwiseKind::residual, elements, 2},
        {y.producer, residual->producer});
    y.producer = name + ".sum";
  }
  if (activation == Activation::none) return y;
  add(name + ".activation", Elementwise{elementwise_kind(activation), elements, 1}, {y.producer});
  y.producer = name + ".activation";
  return y;
}

Feature NetworkBuilder::add_pool(const std::string& name, const Feature& x, const Pool& window) {
  Pool pool = window;
  pool.n = batch_;
  pool.c = x.channels;
  pool.h = x.height;
  pool.w = x.width;
  const OutputSize out = pool_output(pool);
  add(name, pool, {x.producer});
  return {name, out.c, out.h, out.w};
}

Op& NetworkBuilder::add(const std::string& name, OpShape shape, std::vector<std::string> inputs) {
  workload_.ops.push_back(
      {.name = name, .dtype = dtype_, .shape = std::move(shape), .inputs = std::move(inputs)});
  return workload_.ops.back();
}

}  // namespace tilewave
