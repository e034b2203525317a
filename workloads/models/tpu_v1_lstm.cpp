// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "workloads/models/model.hpp"
#include "workloads/models/network_builder.hpp"
#include "workloads/models/tpu_v1_parameters.hpp"

/// LSTM0 and LSTM1 of TPU v1's paper (N. Jouppi et al., ISCA 2017, table 1): 24 fully connected and
/// 34 vector layers with 52 million weights, 37 and 19 with 34 million; batches of 64 and 96. Their
/// ops a weight byte are their batches: each weight is read once, so a run is one time step of each
/// cell. How the layers hang together is not published; the assumptions stand at each network.
///
/// A cell: the input and its state of the step before lie side by side; each of the four gates is
/// a fully connected layer of its own on them (i, f, o with sigmoid, g with tanh). The states of the
/// step before come from outside, as the host keeps them between steps. Putting vectors side by side
/// is an op here ("concat") and no layer of the paper's: the machine's buffer is written in place.
namespace tilewave {
namespace {

class Cells {
 public:
  Cells(const char* name, const ModelParameters& p)
      : batch_(p.count("batch")), net_(name, batch_, p.dtype) {}

  /// A fully connected layer with a bias; `steps` on its sums.
  std::string dense(const std::string& name, const std::string& input, Count inputs, Count outputs,
                    std::vector<Epilogue> steps, const std::string& residual = "") {
    steps.insert(steps.begin(), Epilogue::bias);
    std::vector<std::string> from{input};
    if (!residual.empty()) from.push_back(residual);
    net_.add(name,
             Gemm{.m = batch_,
                  .n = outputs,
                  .k = inputs,
                  .transpose_b = true,
                  .epilogue = std::move(steps)},
             from);
    return name;
  }

  /// `known` values of `input`, the rest of `all` from outside.
  std::string beside(const std::string& name, const std::string& input, Count known, Count all) {
    net_.add(name, Concat{{batch_ * known, batch_ * (all - known)}}, {input, "input"});
    return name;
  }

  /// One vector layer of a cell; a missing second operand is a number.
  std::string vector(const std::string& name, ElementwiseKind kind, Count width,
                     const std::string& a, const std::string& b = "") {
    Elementwise op{
        .kind = kind, .elements = batch_ * width, .operands = Count{b.empty() ? 1U : 2U}};
    net_.add(name, op, b.empty() ? std::vector<std::string>{a} : std::vector<std::string>{a, b});
    return name;
  }

  Workload take() { return net_.take(); }

 private:
  Count batch_;
  NetworkBuilder net_;
};

/// Six layers of 1024 cells, as the LSTM layers of Google's translation system, of which the paper
/// calls one LSTM a subset (Wu et al., arXiv 1609.08144: 1024 cells a layer, residual sums from the
/// third layer on). 6 x 4 gates are the 24 fully connected layers; 5 vector layers a cell and 4
/// residual sums are the 34. The first layer has 1536 inputs (the attention's 1024 and 512 more):
/// that makes 52.4 million weights. Multiples of 256, as no MACs are unused (table 3).
Workload build_lstm0(const ModelParameters& p) {
  constexpr Count kHidden = 1024, kFirstInput = 1536, kLayers = 6, kFirstResidual = 2;
  using Kind = ElementwiseKind;
  Cells net("tpu_v1_lstm0", p);
  std::string below = "input";
  for (Count l = 0; l < kLayers; ++l) {
    const std::string cell = fmt::format("layer{}", l + 1);
    const auto of = [&](const char* part) { return cell + "." + part; };
    const Count inputs = (l == 0 ? kFirstInput : kHidden) + kHidden;
    const std::string x = l == 0 ? "input" : net.beside(of("inputs"), below, kHidden, inputs);
    const auto gate = [&](const char* name, Epilogue activation) {
      return net.dense(of(name), x, inputs, kHidden, {activation});
    };
    const auto i = gate("i", Epilogue::sigmoid), f = gate("f", Epilogue::sigmoid);
    const auto g = gate("g", Epilogue::tanh), o = gate("o", Epilogue::sigmoid);
    const auto kept = net.vector(of("kept"), Kind::mul, kHidden, f, "input");
    const auto added = net.vector(of("added"), Kind::mul, kHidden, i, g);
    const auto memory = net.vector(of("memory"), Kind::add, kHidden, kept, added);
    const auto squashed = net.vector(of("squashed"), Kind::tanh, kHidden, memory);
    std::string state = net.vector(of("state"), Kind::mul, kHidden, o, squashed);
    if (l >= kFirstResidual) {
      state = net.vector(of("residual"), Kind::residual, kHidden, state, below);
    }
    below = state;
  }
  return net.take();
}

/// Nine cells: 9 x 4 gates and one layer of 600 x 600, the matrix that the paper names (section 7),
/// are the 37 fully connected layers; two vector layers a cell (i g, and o times the memory; f c + i g
/// is the last step of the gate f) and one after the 600 x 600 are the 19. 1280 inputs and a state of 520 make 34.06 million weights in tiles that
/// leave 40 % of the array unused, as measured (table 3: 4.2 of 10.5 %).
Workload build_lstm1(const ModelParameters& p) {
  constexpr Count kFeatures = 600, kHidden = 520, kInput = 1280, kLayers = 9;
  using Kind = ElementwiseKind;
  Cells net("tpu_v1_lstm1", p);
  const auto features = net.dense("features", "input", kFeatures, kFeatures, {Epilogue::tanh});
  std::string below = net.vector("scaled", Kind::scale, kFeatures, features);
  Count width = kFeatures;
  for (Count l = 0; l < kLayers; ++l) {
    const std::string cell = fmt::format("layer{}", l + 1);
    const auto of = [&](const char* part) { return cell + "." + part; };
    constexpr Count kAll = kInput + kHidden;
    const auto x = net.beside(of("inputs"), below, width, kAll);
    const auto gate = [&](const char* name, std::vector<Epilogue> steps,
                          const std::string& residual = "") {
      return net.dense(of(name), x, kAll, kHidden, std::move(steps), residual);
    };
    const auto i = gate("i", {Epilogue::sigmoid}), g = gate("g", {Epilogue::tanh});
    const auto added = net.vector(of("added"), Kind::mul, kHidden, i, g);
    const auto memory = gate("f", {Epilogue::sigmoid, Epilogue::scale, Epilogue::residual}, added);
    const auto o = gate("o", {Epilogue::sigmoid});
    below = net.vector(of("state"), Kind::mul, kHidden, o, memory);
    width = kHidden;
  }
  return net.take();
}

}  // namespace

Model tpu_v1_lstm0() {
  return {"tpu_v1_lstm0", "TPU v1's LSTM0 (ISCA 2017), rebuilt", {tpu_v1_batch(64)}, build_lstm0};
}
Model tpu_v1_lstm1() {
  return {"tpu_v1_lstm1", "TPU v1's LSTM1 (ISCA 2017), rebuilt", {tpu_v1_batch(96)}, build_lstm1};
}

}  // namespace tilewave
