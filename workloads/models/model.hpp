// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/values.hpp"
#include "workloads/op.hpp"

/// A network of the model zoo: a name, the parameters it takes, and a function that builds its ops.
/// One file a network; registry.cpp lists them.
namespace tilewave {

/// Something a user may choose about a network: a whole number, or one of some words.
struct ModelParameter {
  std::string_view name;
  std::string_view meaning;
  Count default_count = 0;
  Range range{};
  /// Not empty: the parameter is one of these, the first is the default.
  std::vector<std::string_view> words{};
};

/// The values chosen, complete and within their ranges.
class ModelParameters {
 public:
  DataType dtype = DataType::int8;

  /// Throws SimulationError for a parameter the network does not declare.
  [[nodiscard]] Count count(std::string_view name) const;
  [[nodiscard]] const std::string& word(std::string_view name) const;
  void set(std::string_view name, Count value) { counts_[std::string(name)] = value; }
  void set(std::string_view name, std::string value) {
    words_[std::string(name)] = std::move(value);
  }

 private:
  std::map<std::string, Count, std::less<>> counts_;
  std::map<std::string, std::string, std::less<>> words_;
};

struct Model {
  std::string_view name;
  std::string_view description;            ///< one line, for `tilewave list models`
  std::vector<ModelParameter> parameters;  ///< besides dtype, which all have
  Workload (*build)(const ModelParameters&);
};

/// "batch": images (or rows) worked on together.
[[nodiscard]] ModelParameter batch_parameter();

inline constexpr Count kMaxSequence = 100'000'000;
/// "seq_len": tokens (or samples) of a sequence.
[[nodiscard]] ModelParameter seq_len_parameter();
/// "layers": how many blocks, 0 for all; layer_count() is what it comes to.
[[nodiscard]] ModelParameter layers_parameter();
[[nodiscard]] Count layer_count(const ModelParameters& parameters, Count all);

// The networks.
[[nodiscard]] Model alexnet();
[[nodiscard]] Model vgg16();
[[nodiscard]] Model resnet18();
[[nodiscard]] Model resnet50();
[[nodiscard]] Model mobilenet_v2();
[[nodiscard]] Model inception_v3();
[[nodiscard]] Model mobilenet_v3_large();
[[nodiscard]] Model efficientnet_b0();
[[nodiscard]] Model unet();
[[nodiscard]] Model vit_b16();
[[nodiscard]] Model bert_base();
[[nodiscard]] Model bert_large();
[[nodiscard]] Model gpt2();
[[nodiscard]] Model gpt2_medium();
[[nodiscard]] Model gpt2_large();
[[nodiscard]] Model gpt2_xl();
[[nodiscard]] Model gpt3_175b();
[[nodiscard]] Model t5_base();
[[nodiscard]] Model llama2_7b();
[[nodiscard]] Model llama2_13b();
[[nodiscard]] Model llama2_70b();
[[nodiscard]] Model llama3_8b();
[[nodiscard]] Model llama3_70b();
[[nodiscard]] Model mixtral_8x7b();
[[nodiscard]] Model deepseek_v3();
[[nodiscard]] Model dlrm();
[[nodiscard]] Model wavenet();
[[nodiscard]] Model mlp();
[[nodiscard]] Model tpu_v1_mlp0();
[[nodiscard]] Model tpu_v1_mlp1();
[[nodiscard]] Model tpu_v1_lstm0();
[[nodiscard]] Model tpu_v1_lstm1();
[[nodiscard]] Model tpu_v1_cnn0();
[[nodiscard]] Model tpu_v1_cnn1();

}  // namespace tilewave
