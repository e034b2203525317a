// SPDX-License-Identifier: Apache-2.0
#include "workloads/op_list_reader.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "sim/config/json_path.hpp"
#include "sim/config/nearest.hpp"
#include "workloads/layout_chain.hpp"
#include "workloads/ops/facts.hpp"
#include "workloads/ops/kinds.hpp"
#include "workloads/unique_names.hpp"

namespace tilewave {
namespace {

std::string joined(const std::vector<std::string_view>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

class OpListReader {
 public:
  OpListReader(const WorkloadReadOptions& options, const OpDefaults& defaults,
               Diagnostics& diagnostics)
      : options_(options), defaults_(defaults), diagnostics_(diagnostics) {}

  std::vector<Op> read(std::vector<ObjectReader> readers);

 private:
  /// An op, where it stands, and the name it has in the file.
  struct Item {
    Op op;
    std::string path;
    std::string given_name;  ///< empty: none
  };

  std::optional<Item> read_op(ObjectReader& reader);
  void name_ops(std::vector<Item>& items);
  /// Names stand for earlier ops, and what these make has as many elements as is read.
  void check_inputs(const std::vector<Item>& items, bool shapes_ok);
  void check_chain(const Item& item, const std::map<std::string, OpFacts>& made);
  /// What it reads lies in memory as it wants it. `before`: the op that it reads if it names none.
  void check_layouts(const Item& item, const std::string& before, LayoutChain& layouts);
  void error(std::string path, std::string message) {
    diagnostics_.error(options_.file, std::move(path), std::move(message));
  }

  const WorkloadReadOptions& options_;
  const OpDefaults& defaults_;
  Diagnostics& diagnostics_;
};

std::vector<Op> OpListReader::read(std::vector<ObjectReader> readers) {
  std::vector<Item> items;
  const std::size_t errors_before = diagnostics_.error_calls();
  for (ObjectReader& reader : readers) {
    if (auto item = read_op(reader)) items.push_back(std::move(*item));
  }
  const bool shapes_ok = diagnostics_.error_calls() == errors_before;
  name_ops(items);
  // Of an op whose sizes are at fault, nothing can be said about how it chains; one that could not
  // be read may be the producer someone names.
  if (items.size() == readers.size()) check_inputs(items, shapes_ok);
  std::vector<Op> ops;
  for (Item& item : items) ops.push_back(std::move(item.op));
  return ops;
}

/// The op's kind, or nullptr after saying what is wrong with its name.
const OpKind* find_kind(ObjectReader& reader, const Diagnostics& diagnostics) {
  const std::size_t errors_before = diagnostics.error_calls();
  const std::string name = reader.text("op", "the kind of op");
  if (diagnostics.error_calls() != errors_before) return nullptr;
  std::vector<std::string_view> known;
  for (const OpKind& kind : op_kinds()) {
    if (kind.name == name) return &kind;
    known.push_back(kind.name);
  }
  reader.error("op", fmt::format("must be one of {}; is {}{}", joined(known), in_quotes(name),
                                 suggestion(name, known)));
  return nullptr;
}

std::optional<OpListReader::Item> OpListReader::read_op(ObjectReader& reader) {
  Item item;
  item.path = reader.path();
  // Not reader.ok(): the readers of all ops are made before the first is read.
  const std::size_t errors_before = diagnostics_.error_calls();
  // Without a known kind the other keys mean nothing: one fault is enough.
  const OpKind* kind = find_kind(reader, diagnostics_);
  if (kind == nullptr) return std::nullopt;

  Op& op = item.op;
  item.given_name = reader.optional_text("name", "", "unique; default: kind and position");
  op.dtype = reader.optional_choice<DataType>("dtype", defaults_.dtype, named(all_data_types()),
                                              "number format; default: the workload's");
  op.dtype = options_.dtype.value_or(op.dtype);
  op.inputs = reader.optional_texts(
      "inputs", "earlier ops whose results it reads, or \"input\" for a tensor from outside");
  op.partial_inputs =
      reader.optional_flag("partial_inputs", false, "inputs may be parts of the results they name");
  op.weights_of = reader.optional_text(
      "weights_of", "", "earlier op whose weights these are, not parameters of its own");
  op.shape = kind->read(reader);

  const bool can_compute = std::holds_alternative<Gemm>(op.shape);
  op.functional = reader.optional_flag("functional", defaults_.functional && can_compute,
                                       "compute the values too (gemm)");
  if (op.functional && !can_compute) {
    reader.error("functional",
                 fmt::format("values are computed for gemm only, not for {}", kind->name));
  }
  op.values_seed = reader.optional_count("values_seed", defaults_.values_seed, Range{},
                                         "of the random operands");
  if (reader.maybe_any("sparsity", "structured or random zeros: not there yet") != nullptr) {
    reader.error("sparsity", "is not supported yet");
  }
  reader.finish();

  // Sizes that are wrong one by one would only be reported twice.
  if (diagnostics_.error_calls() == errors_before) {
    for (const ShapeFault& fault : check_shape(op.shape)) {
      error(fault.key.empty() ? item.path : item.path + "." + fault.key, fault.message);
    }
  }
  return item;
}

void OpListReader::name_ops(std::vector<Item>& items) {
  std::map<std::string, std::string> first_use;  // name -> path of the op
  UniqueNames names;
  for (Item& item : items) {
    if (item.given_name.empty()) continue;
    item.op.name = item.given_name;
    const auto [first, is_new] = first_use.emplace(item.given_name, item.path);
    if (item.given_name == "input") {
      error(item.path + ".name", "\"input\" means a tensor from outside and cannot name an op");
    } else if (!is_new) {
      error(item.path + ".name", fmt::format("{} is the name of {} already; names must differ",
                                             in_quotes(item.given_name), first->second));
    }
    names.add(item.given_name);
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    Op& op = items[i].op;
    if (op.name.empty()) op.name = names.add(fmt::format("{}_{}", kind_name(op.shape), i));
  }
}

void OpListReader::check_inputs(const std::vector<Item>& items, bool shapes_ok) {
  std::map<std::string_view, std::size_t> position;
  for (std::size_t i = 0; i < items.size(); ++i) position.emplace(items[i].op.name, i);
  std::vector<std::string_view> earlier{"input"};
  std::map<std::string, OpFacts> made;
  LayoutChain layouts;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Op& op = items[i].op;
    bool named = true;
    for (std::size_t j = 0; j < op.inputs.size(); ++j) {
      const std::string& name = op.inputs[j];
      const auto found = position.find(name);
      const bool is_earlier = found != position.end() && found->second < i;
      if (name == "input" || is_earlier) continue;
      const std::string why =
          found == position.end()
              ? fmt::format("names no op, is {}{}", in_quotes(name), suggestion(name, earlier))
              : fmt::format("must name an earlier op, but {} is {}", in_quotes(name),
                            found->second == i ? "this op itself" : items[found->second].path);
      error(join_index(items[i].path + ".inputs", j), why);
      named = false;
    }
    if (!op.weights_of.empty()) {
      const auto found = position.find(op.weights_of);
      if (found == position.end() || found->second >= i) {
        error(items[i].path + ".weights_of",
              fmt::format("must name an earlier op, is {}{}", in_quotes(op.weights_of),
                          suggestion(op.weights_of, earlier)));
        named = false;
      }
    }
    if (shapes_ok) {
      const std::size_t errors_before = diagnostics_.error_calls();
      if (named) check_chain(items[i], made);
      const OpFacts own = facts(op);
      const bool reads_last = i > 0 && !own.inputs.empty() &&
                              made[items[i - 1].op.name].output_elements == own.inputs[0].elements;
      if (diagnostics_.error_calls() == errors_before) {
        check_layouts(items[i], reads_last ? items[i - 1].op.name : "input", layouts);
      }
      made[op.name] = own;
    }
    earlier.push_back(op.name);
  }
}

void OpListReader::check_chain(const Item& item, const std::map<std::string, OpFacts>& made) {
  const Op& op = item.op;
  const OpFacts own = facts(op);
  const std::vector<InputFacts>& inputs = own.inputs;
  if (op.inputs.size() > inputs.size()) {
    error(item.path + ".inputs",
          fmt::format("names {}, but this {} has {} input{}", op.inputs.size(), kind_name(op.shape),
                      inputs.size(), inputs.size() == 1 ? "" : "s"));
    return;
  }
  for (std::size_t j = 0; j < op.inputs.size(); ++j) {
    const auto producer = made.find(op.inputs[j]);
    if (producer == made.end()) continue;  // from outside
    const Count produced = producer->second.output_elements;
    const Count wanted = inputs[j].elements;
    if (produced == wanted || (op.partial_inputs && produced > wanted)) continue;
    const char* const hint =
        produced > wanted ? "; if it is a part of them, say \"partial_inputs\": true" : "";
    error(join_index(item.path + ".inputs", j),
          fmt::format("{} makes {} elements, this input has {}{}", in_quotes(op.inputs[j]),
                      produced, wanted, hint));
  }
  if (op.weights_of.empty()) return;
  const Count weights = made.at(op.weights_of).weight_elements;
  if (weights != own.weight_elements) {
    error(item.path + ".weights_of",
          fmt::format("{} has {} weights, this {} has {}", in_quotes(op.weights_of), weights,
                      kind_name(op.shape), own.weight_elements));
  }
}

void OpListReader::check_layouts(const Item& item, const std::string& before,
                                 LayoutChain& layouts) {
  const bool named = !item.op.inputs.empty();
  const std::vector<std::string> inputs = named ? item.op.inputs : std::vector{before};
  for (std::size_t j = 0; j < inputs.size(); ++j) {
    if (const auto fault = layouts.fault(item.op, inputs, j)) {
      error(named ? join_index(item.path + ".inputs", j) : item.path, *fault);
    }
  }
  layouts.add(item.op, inputs);
}

}  // namespace

std::vector<Op> read_ops(std::vector<ObjectReader> readers, const WorkloadReadOptions& options,
                         const OpDefaults& defaults, Diagnostics& diagnostics) {
  return OpListReader(options, defaults, diagnostics).read(std::move(readers));
}

}  // namespace tilewave
