// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/registry.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "sim/config/json_path.hpp"
#include "sim/config/nearest.hpp"
#include "workloads/ops/facts.hpp"

namespace tilewave {
namespace {

/// A chip's part of the batch.
Count share_of(Count batch, Count shares, ObjectReader& reader) {
  if (batch % shares != 0) {
    reader.error("batch", fmt::format("must be a multiple of the {} chips that share it "
                                      "(\"mapping.batch\": \"total\"), is {}",
                                      shares, batch));
  }
  return batch / shares;
}

ModelParameters read_parameters(const Model& model, ObjectReader& reader, Count batch_shares) {
  ModelParameters values;
  values.dtype = reader.optional_choice<DataType>("dtype", DataType::int8, named(all_data_types()),
                                                  "number format of all ops");
  for (const ModelParameter& parameter : model.parameters) {
    if (parameter.words.empty()) {
      Count value = reader.optional_count(parameter.name, parameter.default_count, parameter.range,
                                          parameter.meaning);
      if (parameter.name == "batch") value = share_of(value, batch_shares, reader);
      values.set(parameter.name, value);
    } else {
      std::vector<Named<std::size_t>> table;
      for (const std::string_view word : parameter.words) table.emplace_back(word, table.size());
      const auto index = reader.optional_choice<std::size_t>(
          parameter.name, 0, std::span<const Named<std::size_t>>(table), parameter.meaning);
      values.set(parameter.name, std::string(parameter.words[index]));
    }
  }
  reader.finish();
  return values;
}

template <typename Map>
const auto& value_of(const Map& map, std::string_view name) {
  const auto found = map.find(name);
  if (found == map.end()) {
    throw SimulationError(
        fmt::format("a network asks for its parameter \"{}\", which it does not "
                    "declare",
                    name));
  }
  return found->second;
}

}  // namespace

Count ModelParameters::count(std::string_view name) const { return value_of(counts_, name); }
const std::string& ModelParameters::word(std::string_view name) const {
  return value_of(words_, name);
}

ModelParameter batch_parameter() {
  return {.name = "batch",
          .meaning = "images (or rows) worked on together",
          .default_count = 1,
          .range = {.min = 1, .max = 1'000'000}};
}

ModelParameter seq_len_parameter() {
  return {.name = "seq_len",
          .meaning = "tokens (wavenet: samples) of a sequence",
          .default_count = 512,
          .range = {.min = 1, .max = kMaxSequence}};
}

ModelParameter layers_parameter() {
  return {.name = "layers",
          .meaning = "blocks; 0: as many as the network has",
          .default_count = 0,
          .range = {.min = 0, .max = 10'000}};
}

Count layer_count(const ModelParameters& parameters, Count all) {
  const Count layers = parameters.count("layers");
  return layers == 0 ? all : layers;
}

std::span<const Model> models() {
  static const std::vector<Model> all{alexnet(),
                                      vgg16(),
                                      resnet18(),
                                      resnet50(),
                                      inception_v3(),
                                      mobilenet_v2(),
                                      mobilenet_v3_large(),
                                      efficientnet_b0(),
                                      unet(),
                                      vit_b16(),
                                      bert_base(),
                                      bert_large(),
                                      gpt2(),
                                      gpt2_medium(),
                                      gpt2_large(),
                                      gpt2_xl(),
                                      gpt3_175b(),
                                      t5_base(),
                                      llama2_7b(),
                                      llama2_13b(),
                                      llama2_70b(),
                                      llama3_8b(),
                                      llama3_70b(),
                                      mixtral_8x7b(),
                                      deepseek_v3(),
                                      dlrm(),
                                      wavenet(),
                                      mlp(),
                                      tpu_v1_mlp0(),
                                      tpu_v1_mlp1(),
                                      tpu_v1_lstm0(),
                                      tpu_v1_lstm1(),
                                      tpu_v1_cnn0(),
                                      tpu_v1_cnn1()};
  return all;
}

const Model* find_model(std::string_view name) {
  const auto all = models();
  const auto found = std::ranges::find(all, name, &Model::name);
  return found == all.end() ? nullptr : &*found;
}

Workload build_model(std::string_view name, ObjectReader& reader, Diagnostics& diagnostics,
                     Count batch_shares) {
  const Model* model = find_model(name);
  if (model == nullptr) {
    std::vector<std::string_view> names;
    for (const Model& m : models()) names.push_back(m.name);
    reader.error("model",
                 fmt::format("there is no network {}{}", in_quotes(name), suggestion(name, names)));
    return {};
  }
  const ModelParameters parameters = read_parameters(*model, reader, batch_shares);
  if (!reader.ok()) return {};
  Workload workload = model->build(parameters);
  for (const Op& op : workload.ops) {
    const ShapeFaults faults = check_shape(op.shape);
    if (faults.empty()) continue;
    // One parameter too large makes most ops too large: the first says enough.
    const ShapeFault& fault = faults.front();
    diagnostics.error(reader.file(), reader.path(),
                      fmt::format("{} with these parameters: op \"{}\": {}{}{}", name, op.name,
                                  fault.key, fault.key.empty() ? "" : " ", fault.message));
    break;
  }
  return workload;
}

}  // namespace tilewave
