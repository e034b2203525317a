// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/training.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/diagnostics.hpp"
#include "workloads/ops/all.hpp"
#include "workloads/ops/count_math.hpp"
#include "workloads/ops/epilogue.hpp"

namespace tilewave {
namespace {

/// The gradient of a result: who makes it, and how much of what is made is meant.
struct Gradient {
  std::string producer;
  Count elements = 0;
  bool part = false;  ///< of what the producer makes
};

bool is_linear(Epilogue step) {
  return step == Epilogue::bias || step == Epilogue::residual || step == Epilogue::scale ||
         step == Epilogue::requantize;
}

class BackwardPass {
 public:
  BackwardPass(const Workload& forward, OptimizerKind optimizer)
      : forward_(forward), optimizer_(optimizer), out_(forward) {}

  Workload run() {
    for (const Op& op : forward_.ops) facts_.emplace(op.name, facts(op));
    for (auto op = forward_.ops.rbegin(); op != forward_.ops.rend(); ++op) differentiate(*op);
    for (auto& [weights, gradient] : updates_) {
      add("optimizer." + weights, Optimizer{optimizer_, gradient.elements}, {gradient});
    }
    if (vector_parameters_ > 0) {
      add("optimizer.vectors", Optimizer{optimizer_, vector_parameters_},
          {outside(vector_parameters_)});
    }
    return std::move(out_);
  }

 private:
  static Gradient outside(Count elements) { return {"input", elements, false}; }

  /// Adds an op that reads these; what it makes.
  Gradient add(const std::string& name, OpShape shape, const std::vector<Gradient>& inputs,
               const std::string& weights_of = {}) {
    Op op{.name = name, .dtype = dtype_, .shape = std::move(shape), .weights_of = weights_of};
    for (const Gradient& input : inputs) {
      op.inputs.push_back(input.producer);
      op.partial_inputs = op.partial_inputs || input.part;
    }
    const Count made = facts(op).output_elements;
    out_.ops.push_back(std::move(op));
    return {name, made, false};
  }

  /// A result of the forward pass as `op` reads it.
  [[nodiscard]] Gradient saved(const Op& op, std::size_t input) const {
    return {op.inputs.at(input), facts_.at(op.name).inputs.at(input).elements, op.partial_inputs};
  }

  /// Adds a reader's gradient of one of its inputs to what others gave.
  void pass_on(const Op& reader, std::size_t input, Gradient gradient) {
    const std::string& producer = reader.inputs.at(input);
    if (producer == "input") return;
    const Count whole = facts_.at(producer).output_elements;
    const auto others = gradients_.find(producer);
    if (others == gradients_.end() && gradient.elements == whole) {
      gradients_.emplace(producer, std::move(gradient));
      return;
    }
    // The sum with the others', or, of a part, with the loss's gradient of all of it.
    const Gradient first = others == gradients_.end() ? outside(whole) : others->second;
    const std::string name = "grad." + producer + ".sum" + std::to_string(++sums_[producer]);
    gradients_[producer] =
        add(name,
            Elementwise{.kind = ElementwiseKind::add,
                        .elements = whole,
                        .operands = 2,
                        .second_elements = gradient.elements == whole ? 0 : gradient.elements},
            {first, gradient});
  }

  void differentiate(const Op& op) {
    dtype_ = op.dtype;
    const auto found = gradients_.find(op.name);
    const Gradient gradient =
        found == gradients_.end() ? outside(facts_.at(op.name).output_elements) : found->second;
    vector_parameters_ = sum({vector_parameters_, facts_.at(op.name).bias_elements});
    std::visit([&](const auto& shape) { backward(op, shape, gradient); }, op.shape);
  }

  /// Through the epilogue of an op with `rows` x `cols` results; the gradient of the bare sums.
  Gradient through(const Op& op, const std::vector<Epilogue>& epilogue, Count rows, Count cols,
                   Gradient gradient) {
    const std::string name = "grad." + op.name;
    for (const Epilogue step : epilogue) {
      if (is_linear(step)) continue;
      const Count elements = product({rows, cols});
      gradient = add(name + "." + std::string(to_string(step)),
                     Elementwise{ElementwiseKind::mul, elements, 2},
                     {gradient, {op.name, elements, false}});
    }
    if (has_epilogue(epilogue, Epilogue::residual)) pass_on(op, op.inputs.size() - 1, gradient);
    if (has_epilogue(epilogue, Epilogue::bias)) {
      add(name + ".bias", Reduce{ReduceKind::sum, cols, rows}, {gradient});
    }
    return gradient;
  }

  void backward(const Op& op, const Gemm& forward, Gradient gradient) {
    gradient = through(op, forward.epilogue, product({forward.batch, forward.m}), forward.n,
                       std::move(gradient));
    const Gemm to_a{.m = forward.m,
                    .n = forward.k,
                    .k = forward.n,
                    .batch = forward.batch,
                    .transpose_b = !forward.transpose_b,
                    .b_is_activation = forward.b_is_activation};
    Gemm to_b{.m = forward.k, .n = forward.n, .k = forward.m, .batch = forward.batch};
    to_b.transpose_a = !forward.transpose_a;
    to_b.b_is_activation = true;
    const std::string name = "grad." + op.name;
    const Gradient of_b =
        add(name + (forward.b_is_activation ? ".b" : ".weights"), to_b, {saved(op, 0), gradient});
    if (forward.b_is_activation) {
      pass_on(op, 1, of_b);
      pass_on(op, 0, add(name + ".a", to_a, {gradient, saved(op, 1)}));
      return;
    }
    updates_.emplace_back(op.name, of_b);
    if (op.inputs.at(0) == "input") return;
    pass_on(op, 0, add(name + ".input", to_a, {gradient}, op.name));
  }

  void backward(const Op& op, const Conv2d& forward, Gradient gradient) {
    const OutputSize out = conv_output(forward);
    gradient =
        through(op, forward.epilogue, product({out.n, out.h, out.w}), out.c, std::move(gradient));
    const std::string name = "grad." + op.name;
    Conv2d to_weights = forward;
    to_weights.epilogue.clear();
    to_weights.weight_gradient = true;
    updates_.emplace_back(op.name, add(name + ".weights", to_weights, {saved(op, 0), gradient}));
    if (op.inputs.at(0) == "input") return;
    Conv2d to_input = to_weights;
    to_input.weight_gradient = false;
    to_input.transposed = true;
    to_input.c = out.c, to_input.h = out.h, to_input.w = out.w, to_input.k = forward.c;
    // Rows and columns that the forward windows did not reach for the stride.
    const OutputSize reached = conv_output(to_input);
    to_input.output_padding = {forward.h - reached.h, forward.w - reached.w};
    pass_on(op, 0, add(name + ".input", to_input, {gradient}, op.name));
  }

  void backward(const Op& op, const Pool& forward, const Gradient& gradient) {
    Pool pool = forward;
    pool.backward = true;
    std::vector<Gradient> inputs{gradient};
    if (pool.kind == PoolKind::max) inputs.push_back(saved(op, 0));
    pass_on(op, 0, add("grad." + op.name, pool, inputs));
  }

  void backward(const Op& op, const Normalization& forward, const Gradient& gradient) {
    Normalization normalization = forward;
    normalization.backward = true;
    const Gradient kept = forward.kind == NormalizationKind::softmax
                              ? Gradient{op.name, gradient.elements, false}
                              : saved(op, 0);
    pass_on(op, 0, add("grad." + op.name, normalization, {gradient, kept}));
  }

  void backward(const Op& op, const Attention& forward, const Gradient& gradient) {
    Attention attention = forward;
    attention.backward = true;
    const OpFacts& sizes = facts_.at(op.name);
    const Gradient made = add(
        "grad." + op.name, attention,
        {saved(op, 0), saved(op, 1), saved(op, 2), gradient, {op.name, gradient.elements, false}});
    for (std::size_t i = 0; i < sizes.inputs.size(); ++i) {
      pass_on(op, i, {made.producer, sizes.inputs[i].elements, true});
    }
  }

  void backward(const Op& op, const Elementwise& forward, const Gradient& gradient) {
    constexpr auto mul = ElementwiseKind::mul;
    const std::string name = "grad." + op.name;
    const Count elements = forward.elements;
    if (forward.operands == 1) {
      pass_on(op, 0, add(name, Elementwise{mul, elements, 2}, {gradient, saved(op, 0)}));
      return;
    }
    const bool is_product = forward.kind == mul;
    Gradient of_second = gradient;
    if (is_product) {
      pass_on(op, 0, add(name + ".first", forward, {gradient, saved(op, 1)}));
      of_second = add(name + ".second", Elementwise{mul, elements, 2}, {gradient, saved(op, 0)});
    } else {
      pass_on(op, 0, gradient);
    }
    const Count second = facts_.at(op.name).inputs.at(1).elements;
    if (second != elements) {
      of_second =
          add(name + ".broadcast", Reduce{ReduceKind::sum, second, elements / second}, {of_second});
    }
    pass_on(op, 1, of_second);
  }

  void backward(const Op& op, const Embedding& forward, const Gradient& gradient) {
    const Count elements = product({forward.rows, forward.width});
    add("grad." + op.name, Elementwise{ElementwiseKind::add, elements, 2},
        {outside(elements), gradient});
    vector_parameters_ = sum({vector_parameters_, product({forward.table_rows, forward.width})});
  }

  void backward(const Op& op, const Concat& forward, const Gradient& gradient) {
    for (std::size_t i = 0; i < forward.parts.size(); ++i) {
      pass_on(op, i, {gradient.producer, forward.parts[i], true});
    }
  }

  template <typename Other>
  void backward(const Op& op, const Other&, const Gradient&) {
    throw SimulationError("training: there is no gradient of op \"" + op.name + "\"");
  }

  const Workload& forward_;
  OptimizerKind optimizer_;
  Workload out_;
  DataType dtype_ = DataType::int8;
  std::map<std::string, OpFacts> facts_;
  std::map<std::string, Gradient> gradients_;
  std::map<std::string, int> sums_;
  std::vector<std::pair<std::string, Gradient>> updates_;
  Count vector_parameters_ = 0;
};

}  // namespace

ModelParameter training_parameter() {
  return {.name = "phase",
          .meaning = "the forward pass, or a training step: forward, gradients, optimizer",
          .words = {"inference", "training"}};
}

bool is_training(const ModelParameters& parameters) {
  return parameters.word("phase") == "training";
}

Workload training_step(const Workload& forward, OptimizerKind optimizer) {
  return BackwardPass(forward, optimizer).run();
}

}  // namespace tilewave
