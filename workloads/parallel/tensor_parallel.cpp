// SPDX-License-Identifier: Apache-2.0
#include "workloads/parallel/tensor_parallel.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "workloads/ops/epilogue.hpp"
#include "workloads/ops/gemm.hpp"

namespace tilewave {

namespace {

constexpr int kOutside = -1;

/// Products that an op list's weights multiply: no batch of them, nothing stored at a pitch.
const Gemm* weight_product(const Op& op) {
  const auto* gemm = std::get_if<Gemm>(&op.shape);
  const bool plain = gemm != nullptr && !gemm->b_is_activation && gemm->batch == 1 &&
                     !gemm->transpose_a && gemm->lda == 0 && gemm->ldb == 0 && gemm->ldc == 0;
  return plain && !op.functional ? gemm : nullptr;
}

ElementwiseKind pass_of(Epilogue step) {
  switch (step) {
    case Epilogue::bias:
      return ElementwiseKind::bias;
    case Epilogue::relu:
      return ElementwiseKind::relu;
    case Epilogue::gelu:
      return ElementwiseKind::gelu;
    case Epilogue::silu:
      return ElementwiseKind::silu;
    case Epilogue::tanh:
      return ElementwiseKind::tanh;
    case Epilogue::sigmoid:
      return ElementwiseKind::sigmoid;
    case Epilogue::residual:
      return ElementwiseKind::residual;
    case Epilogue::scale:
    case Epilogue::requantize:
      return ElementwiseKind::scale;
    case Epilogue::hard_swish:
      return ElementwiseKind::hard_swish;
    case Epilogue::hard_sigmoid:
      return ElementwiseKind::hard_sigmoid;
  }
  return ElementwiseKind::copy;
}

class Splitter {
 public:
  Splitter(const Workload& workload, Count chips)
      : ops_(workload.ops), chips_(chips), split_(ops_.size()), readers_(ops_.size()) {
    find_producers();
    choose();
  }

  std::vector<Op> run() {
    for (std::size_t i = 0; i < ops_.size(); ++i) place(i);
    return std::move(out_);
  }

 private:
  struct Reader {
    std::size_t op, input;
  };

  void find_producers() {
    std::map<std::string, int> by_name;
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      const OpFacts f = facts(ops_[i]);
      std::vector<int> producers(f.inputs.size(), kOutside);
      for (std::size_t k = 0; k < std::min(producers.size(), ops_[i].inputs.size()); ++k) {
        const auto found = by_name.find(ops_[i].inputs[k]);
        if (found != by_name.end()) producers[k] = found->second;
      }
      if (ops_[i].inputs.empty() && i > 0 && !producers.empty() &&
          facts(ops_[i - 1]).output_elements == f.inputs[0].elements) {
        producers[0] = static_cast<int>(i) - 1;
      }
      for (std::size_t k = 0; k < producers.size(); ++k) {
        if (producers[k] != kOutside) {
          readers_[static_cast<std::size_t>(producers[k])].push_back({i, k});
        }
      }
      by_name[ops_[i].name] = static_cast<int>(i);
      producers_.push_back(std::move(producers));
    }
  }

  [[nodiscard]] bool divides(Count size) const { return size % chips_ == 0; }
  [[nodiscard]] bool reads_split(std::size_t i, std::size_t input) const {
    const int producer = producers_[i].at(input);
    return producer != kOutside && split_[static_cast<std::size_t>(producer)];
  }
  /// A product whose weights are split by rows: what it multiplies is split.
  [[nodiscard]] bool by_rows(std::size_t i) const {
    return weight_product(ops_[i]) != nullptr && reads_split(i, 0);
  }

  /// Could have its columns split if what it reads is (a product: is not) and its readers take it.
  [[nodiscard]] bool candidate(std::size_t i) const {
    const Op& op = ops_[i];
    if (const Gemm* gemm = weight_product(op)) {
      return divides(gemm->n) && !by_rows(i) && !has_epilogue(gemm->epilogue, Epilogue::residual);
    }
    if (const auto* a = std::get_if<Attention>(&op.shape)) {
      return !a->backward && divides(a->heads) && divides(a->kv_heads);
    }
    if (const auto* r = std::get_if<Rotary>(&op.shape)) return divides(r->rows);
    if (const auto* e = std::get_if<Elementwise>(&op.shape)) {
      return divides(e->elements) && e->second_elements == 0;
    }
    return false;
  }
  [[nodiscard]] bool stays(std::size_t i) const {
    if (readers_[i].empty()) return false;
    const bool attention = std::holds_alternative<Attention>(ops_[i].shape);
    if (weight_product(ops_[i]) == nullptr) {
      for (std::size_t k = 0; k < producers_[i].size(); ++k) {
        // Keys and values from outside are a cache that is split as well.
        const bool cache = attention && k > 0 && producers_[i][k] == kOutside;
        if (!cache && !reads_split(i, k)) return false;
      }
    }
    return std::all_of(readers_[i].begin(), readers_[i].end(), [&](const Reader& reader) {
      const Gemm* gemm = weight_product(ops_[reader.op]);
      if (gemm != nullptr) {
        return reader.input == 0 && divides(gemm->k) && !ops_[reader.op].partial_inputs;
      }
      return static_cast<bool>(split_[reader.op]);
    });
  }
  /// All that could be, less what cannot for its neighbours, until nothing changes.
  void choose() {
    for (std::size_t i = 0; i < ops_.size(); ++i) split_[i] = candidate(i);
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < ops_.size(); ++i) {
        if (!split_[i] || stays(i)) continue;
        split_[i] = false;
        changed = true;
      }
    }
  }

  void place(std::size_t i) {
    Op op = ops_[i];
    for (std::string& input : op.inputs) {
      const auto renamed = renamed_.find(input);
      if (renamed != renamed_.end()) input = renamed->second;
    }
    if (by_rows(i)) return place_by_rows(std::move(op));
    if (split_[i]) share(op);
    out_.push_back(std::move(op));
  }

  void share(Op& op) const {
    if (auto* gemm = std::get_if<Gemm>(&op.shape)) gemm->n /= chips_;
    if (auto* attention = std::get_if<Attention>(&op.shape)) {
      attention->heads /= chips_;
      attention->kv_heads /= chips_;
    }
    if (auto* rotary = std::get_if<Rotary>(&op.shape)) rotary->rows /= chips_;
    if (auto* elementwise = std::get_if<Elementwise>(&op.shape)) elementwise->elements /= chips_;
  }

  /// The product of a share of the rows, the sum over the chips, and the epilogue as passes.
  void place_by_rows(Op op) {
    auto& gemm = std::get<Gemm>(op.shape);
    gemm.k /= chips_;
    const Count elements = gemm.m * gemm.n;
    const auto steps = std::exchange(gemm.epilogue, {});
    const std::string name = op.name;
    std::string residual = "input";
    if (has_epilogue(steps, Epilogue::residual) && op.inputs.size() > 1) {
      residual = op.inputs[1];
    }
    if (op.inputs.size() > 1) op.inputs.resize(1);
    const DataType dtype = op.dtype;
    out_.push_back(std::move(op));
    std::string last =
        add(name, "all_reduce", dtype, Collective{CollectiveKind::all_reduce, elements}, {name});
    for (const Epilogue step : steps) {
      const bool two = step == Epilogue::residual;
      std::vector<std::string> inputs{last};
      if (two) inputs.push_back(residual);
      last = add(name, std::string(to_string(step)), dtype,
                 Elementwise{pass_of(step), elements, two ? Count{2} : Count{1}}, inputs);
    }
    renamed_[name] = last;
  }
  std::string add(const std::string& of, const std::string& what, DataType dtype, OpShape shape,
                  std::vector<std::string> inputs) {
    out_.push_back({.name = of + "." + what,
                    .dtype = dtype,
                    .shape = std::move(shape),
                    .inputs = std::move(inputs)});
    return out_.back().name;
  }

  const std::vector<Op>& ops_;
  Count chips_;
  std::vector<bool> split_;  // an op's result, by columns
  std::vector<std::vector<Reader>> readers_;
  std::vector<std::vector<int>> producers_;
  std::vector<Op> out_;
  std::map<std::string, std::string> renamed_;  // results that come out of an all_reduce
};

}  // namespace

Workload tensor_parallel(const Workload& workload, Count chips) {
  return {workload.name, Splitter(workload, chips).run()};
}

}  // namespace tilewave
