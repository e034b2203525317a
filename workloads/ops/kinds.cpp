// SPDX-License-Identifier: Apache-2.0
#include "workloads/ops/kinds.hpp"

#include <array>

#include "workloads/ops/all.hpp"

namespace tilewave {
namespace {

template <NormalizationKind kind>
OpShape read_kind(ObjectReader& reader) {
  return read_normalization(kind, reader);
}

template <CollectiveKind kind>
OpShape read_kind(ObjectReader& reader) {
  return read_collective(kind, reader);
}

template <RecurrentKind kind>
OpShape read_kind(ObjectReader& reader) {
  return read_recurrent(kind, reader);
}

}  // namespace

std::span<const OpKind> op_kinds() {
  using enum NormalizationKind;
  using enum RecurrentKind;
  using enum CollectiveKind;
  static constexpr std::array kinds{
      OpKind{"gemm", [](ObjectReader& r) -> OpShape { return read_gemm(r); }},
      OpKind{"conv2d", [](ObjectReader& r) -> OpShape { return read_conv2d(r); }},
      OpKind{"conv1d", [](ObjectReader& r) -> OpShape { return read_conv1d(r); }},
      OpKind{"conv3d", [](ObjectReader& r) -> OpShape { return read_conv3d(r); }},
      OpKind{"attention", [](ObjectReader& r) -> OpShape { return read_attention(r); }},
      OpKind{"moe", [](ObjectReader& r) -> OpShape { return read_moe(r); }},
      OpKind{"lstm", read_kind<lstm>},
      OpKind{"gru", read_kind<gru>},
      OpKind{"rnn", read_kind<rnn>},
      OpKind{"pool", [](ObjectReader& r) -> OpShape { return read_pool(r); }},
      OpKind{"softmax", read_kind<softmax>},
      OpKind{"layernorm", read_kind<layernorm>},
      OpKind{"rmsnorm", read_kind<rmsnorm>},
      OpKind{"batchnorm", read_kind<batchnorm>},
      OpKind{"rotary", [](ObjectReader& r) -> OpShape { return read_rotary(r); }},
      OpKind{"reduce", [](ObjectReader& r) -> OpShape { return read_reduce(r); }},
      OpKind{"embedding", [](ObjectReader& r) -> OpShape { return read_embedding(r); }},
      OpKind{"transpose", [](ObjectReader& r) -> OpShape { return read_transpose(r); }},
      OpKind{"concat", [](ObjectReader& r) -> OpShape { return read_concat(r); }},
      OpKind{"quantize", [](ObjectReader& r) -> OpShape { return read_quantize(false, r); }},
      OpKind{"dequantize", [](ObjectReader& r) -> OpShape { return read_quantize(true, r); }},
      OpKind{"optimizer", [](ObjectReader& r) -> OpShape { return read_optimizer(r); }},
      OpKind{"all_reduce", read_kind<all_reduce>},
      OpKind{"all_gather", read_kind<all_gather>},
      OpKind{"reduce_scatter", read_kind<reduce_scatter>},
      OpKind{"elementwise", [](ObjectReader& r) -> OpShape { return read_elementwise(r); }},
  };
  return kinds;
}

std::string_view kind_name(const OpShape& shape) {
  struct Namer {
    std::string_view operator()(const Gemm&) const { return "gemm"; }
    std::string_view operator()(const Conv1d&) const { return "conv1d"; }
    std::string_view operator()(const Conv2d&) const { return "conv2d"; }
    std::string_view operator()(const Conv3d&) const { return "conv3d"; }
    std::string_view operator()(const Attention&) const { return "attention"; }
    std::string_view operator()(const Moe&) const { return "moe"; }
    std::string_view operator()(const Recurrent& op) const { return to_string(op.kind); }
    std::string_view operator()(const Pool&) const { return "pool"; }
    std::string_view operator()(const Normalization& op) const { return to_string(op.kind); }
    std::string_view operator()(const Rotary&) const { return "rotary"; }
    std::string_view operator()(const Reduce&) const { return "reduce"; }
    std::string_view operator()(const Embedding&) const { return "embedding"; }
    std::string_view operator()(const Transpose&) const { return "transpose"; }
    std::string_view operator()(const Concat&) const { return "concat"; }
    std::string_view operator()(const Quantize& op) const {
      return op.back ? "dequantize" : "quantize";
    }
    std::string_view operator()(const Optimizer&) const { return "optimizer"; }
    std::string_view operator()(const Collective& op) const { return to_string(op.kind); }
    std::string_view operator()(const Elementwise&) const { return "elementwise"; }
  };
  return std::visit(Namer{}, shape);
}

}  // namespace tilewave
