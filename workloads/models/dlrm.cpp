// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <fmt/format.h>
#include <vector>

#include "workloads/models/model.hpp"
#include "workloads/models/network_builder.hpp"
#include "workloads/ops/count_math.hpp"

namespace tilewave {
namespace {

constexpr Count kWidth = 128;
constexpr Count kDenseFeatures = 13;
/// Rows of the tables: values of the Criteo Terabyte data set, at most 40 million a table
/// (slot_size_array of NVIDIA-Merlin/HugeCTR, samples/dlrm/dgx_a100.py).
constexpr std::array<Count, 26> kTableRows{
    39'884'406, 39'043,     17'289,     7'420,      20'263,  3,      7'120, 1'543, 63,
    38'532'951, 2'953'546,  403'346,    10,         2'208,   11'938, 155,   4,     976,
    14,         39'979'771, 25'641'295, 39'664'984, 585'935, 12'972, 108,   36};
constexpr Count kVectors = kTableRows.size() + 1;
/// Products of two different vectors.
constexpr Count kPairs = kVectors * (kVectors - 1) / 2;

/// DLRM (M. Naumov et al., arXiv 1906.00091) with the sizes of MLPerf's first recommendation
/// benchmark (facebookresearch/dlrm, bench/run_and_time.sh: bottom 13-512-256-128, top
/// 1024-1024-512-256-1 behind the 479 numbers of the interaction).
Workload build(const ModelParameters& p) {
  constexpr auto relu = Activation::relu;
  const Count batch = p.count("batch");
  NetworkBuilder net("dlrm", batch, p.dtype);
  Feature dense = net.input(kDenseFeatures, 1, 1);
  dense = net.fully_connected("bottom1", dense, 512, relu);
  dense = net.fully_connected("bottom2", dense, 256, relu);
  dense = net.fully_connected("bottom3", dense, kWidth, relu);
  std::vector<Feature> vectors{dense};
  for (std::size_t i = 0; i < kTableRows.size(); ++i) {
    const std::string name = fmt::format("table{}", i + 1);
    net.add(name, Embedding{.rows = batch, .width = kWidth, .table_rows = kTableRows[i]},
            {"input"});
    vectors.push_back({name, kWidth, 1, 1});
  }
  const Feature all = net.concat("vectors", vectors);
  // Each vector times each; of the product only what is below the diagonal is used.
  net.add("interaction",
          Gemm{.m = kVectors,
               .n = kVectors,
               .k = kWidth,
               .batch = batch,
               .transpose_b = true,
               .b_is_activation = true},
          {all.producer, all.producer});
  net.add("features", Concat{{product({batch, kWidth}), product({batch, kPairs})}},
          {dense.producer, "interaction"})
      .partial_inputs = true;
  Feature x{"features", kWidth + kPairs, 1, 1};
  x = net.fully_connected("top1", x, 1024, relu);
  x = net.fully_connected("top2", x, 1024, relu);
  x = net.fully_connected("top3", x, 512, relu);
  x = net.fully_connected("top4", x, 256, relu);
  net.fully_connected("top5", x, 1, Activation::sigmoid);
  return net.take();
}

}  // namespace

Model dlrm() {
  return {
      "dlrm", "DLRM, MLPerf's sizes: 26 tables of 128 elements a row", {batch_parameter()}, build};
}

}  // namespace tilewave
