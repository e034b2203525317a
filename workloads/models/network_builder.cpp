// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/network_builder.hpp"

#include <utility>

#include "workloads/ops/conv2d.hpp"
#include "workloads/ops/count_math.hpp"
#include "workloads/ops/pool.hpp"

namespace tilewave {

NetworkBuilder::NetworkBuilder(std::string name, Count batch, DataType dtype)
    : workload_{.name = std::move(name), .ops = {}}, batch_(batch), dtype_(dtype) {}

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
  if (activation == Activation::relu) gemm.epilogue.push_back(Epilogue::relu);
  add(name, gemm, {x.producer});
  return {name, outputs, 1, 1};
}

Feature NetworkBuilder::add_conv(const std::string& name, const Feature& x, Conv2d conv,
                                 Activation activation, const std::optional<Feature>& residual) {
  conv.n = batch_;
  conv.c = x.channels;
  conv.h = x.height;
  conv.w = x.width;
  conv.epilogue = {Epilogue::bias};
  std::vector<std::string> inputs{x.producer};
  if (residual) {
    conv.epilogue.push_back(Epilogue::residual);
    inputs.push_back(residual->producer);
  }
  if (activation == Activation::relu) conv.epilogue.push_back(Epilogue::relu);
  const OutputSize out = conv_output(conv);
  add(name, conv, std::move(inputs));
  return {name, out.c, out.h, out.w};
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

void NetworkBuilder::add(const std::string& name, OpShape shape, std::vector<std::string> inputs) {
  workload_.ops.push_back(
      {.name = name, .dtype = dtype_, .shape = std::move(shape), .inputs = std::move(inputs)});
}

}  // namespace tilewave
