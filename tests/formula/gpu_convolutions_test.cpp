// SPDX-License-Identifier: Apache-2.0
// Convolutions and recurrent layers on GPUs by their arithmetic: what the gather of a tile reads, what
// goes to DRAM, how many products each algorithm does, and which way published effects go.
#include <set>
#include <string>

#include "support/catch.hpp"
#include "support/random_cases.hpp"

#include "arch/core/sm/window_accesses.hpp"
#include "workloads/kernels/gpu/conv_gemm.hpp"
#include "workloads/kernels/gpu/winograd.hpp"
#include "workloads/ops/conv2d.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

program::WindowTaps random_windows(RandomCases& c) {
  program::WindowTaps w;
  const auto axis = [&] {
    program::WindowTaps::Axis a;
    a.in = c.pick(5, 20);
    a.filter = c.pick(1, 3);
    a.stride = c.pick(1, 3);
    a.dilation = c.pick(1, 2);
    a.padding = c.pick(0, 2);
    a.out = (a.in + 2 * a.padding - (a.filter - 1) * a.dilation - 1) / a.stride + 1;
    return a;
  };
  w.rows = axis(), w.cols = axis();
  w.channels = c.one_of<Count>({1, 3, 8, 64, 100});
  w.row_channels = w.channels * c.pick(1, 2);
  w.planes = c.pick(0, 1) == 1;
  w.bits = c.one_of<unsigned>({8, 16, 32});
  const Count images = c.pick(1, 3), outputs = images * w.rows.out * w.cols.out;
  const Count taps = w.rows.filter * w.cols.filter * w.channels;
  const auto part = [&](Count extent) {
    const Count first = c.pick(0, extent - 1);
    Span span = Span::whole(extent);
    span.begin = Affine::constant(static_cast<std::int64_t>(first));
    span.length = static_cast<std::int64_t>(c.pick(1, extent - first));
    return span;
  };
  w.outputs = part(outputs);
  w.taps = part(taps);
  return w;
}

Json layer_of_one(const std::string& arch, OpShape shape, DataType type) {
  RunRequest request;
  request.arch = resolve_preset(arch);
  request.workload = {.name = "one",
                      .ops = {{.name = "op", .dtype = type, .shape = std::move(shape)}}};
  return simulate(request).report["layers"][0];
}

double time_of(const Json& layer) { return layer["time_s"].get<double>(); }

Conv2d conv(Count n, Count c, Count size, Count k, Count filter, Count stride = 1) {
  Conv2d v{.n = n, .c = c, .h = size, .w = size, .k = k, .r = filter, .s = filter};
  v.stride = {stride, stride};
  v.padding = {filter / 2, filter / 2};
  return v;
}

}  // namespace

TEST_CASE("a tile's gather reads the bytes of its windows, where they lie", "[gpu]") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    RandomCases cases(seed);
    const program::WindowTaps windows = random_windows(cases);
    INFO("seed " << seed);
    const LoopIndex index{};
    std::vector<MatrixAccess> accesses;
    append_window_accesses(windows, 0, index, accesses);
    Bytes bytes = 0;
    // Sectors of the tensor that they touch, in whole pieces of 8 rows.
    std::set<std::uint64_t> touched;
    for (const MatrixAccess& a : accesses) {
      bytes += a.bytes();
      const Count first = a.first_row / BlockCache::kPieceRows * BlockCache::kPieceRows;
      for (Count row = first; row < a.first_row + a.rows + BlockCache::kPieceRows; ++row) {
        const std::uint64_t start = a.address + row * a.pitch_bytes + a.first_byte;
        for (Bytes b = 0; b < a.row_bytes; ++b) touched.insert(start + b);
      }
    }
    CHECK(bytes == windows.bytes_at(index));
    for (Count i = 0; i < windows.blocks_at(index); ++i) {
      const program::RunBlock run = windows.block_at(index, i);
      for (Bytes b = 0; b < run.run_bytes; ++b) REQUIRE(touched.contains(run.offset + b));
    }
  }
}

TEST_CASE("an input that fits the L2 comes from DRAM once, whatever the filter", "[gpu]") {
  for (const auto& v : {conv(8, 64, 56, 64, 3), conv(4, 128, 28, 128, 5), conv(8, 256, 14, 256, 1),
                        conv(8, 64, 56, 128, 3, 2)}) {
    const Json layer = layer_of_one("a100_sxm_80gb", v, DataType::fp16);
    const auto read = layer["traffic"]["dram"]["read_bytes"].get<double>();
    const OpFacts f = facts({.name = "op", .dtype = DataType::fp16, .shape = v});
    INFO(v.c << " channels, " << v.r << " x " << v.s << ", stride " << v.stride[0]);
    CHECK(read >= 0.95 * static_cast<double>(f.input_bytes() + f.weight_bytes));
    CHECK(read <= 1.15 * static_cast<double>(f.input_bytes() + f.weight_bytes));
    // The L2 gives each pixel to each tap.
    CHECK(layer["traffic"]["l2"]["read_bytes"].get<double>() >
          0.8 * static_cast<double>(v.r * v.s) * static_cast<double>(f.input_bytes()) /
              static_cast<double>(v.stride[0] * v.stride[1]));
  }
}

TEST_CASE("products of each algorithm", "[gpu]") {
  const Conv2d v = conv(2, 32, 16, 64, 3);
  const Count direct = facts({.name = "op", .dtype = DataType::fp32, .shape = v}).macs;
  CHECK(forward_gemm(v, DataType::fp32, v.c).macs() == direct);
  // 16 for 4 outputs instead of 36, 36 for 16 instead of 144: where tiles cover the image exactly.
  CHECK(Winograd(2, v).product(DataType::fp32).macs() * 36 == direct * 16);
  CHECK(Winograd(4, v).product(DataType::fp32).macs() * 144 == direct * 36);
  // 14 x 14 outputs: patches of 8 x 16 and tiles of 4 x 4 cover 16 x 16.
  const Conv2d odd = conv(2, 32, 14, 64, 3);
  CHECK(Winograd(4, odd).product(DataType::fp32).macs() ==
        Winograd(4, v).product(DataType::fp32).macs());
  CHECK(Winograd(2, odd).product(DataType::fp32).macs() ==
        Winograd(2, v).product(DataType::fp32).macs());
  CHECK(!Winograd::fits(conv(2, 32, 16, 64, 3, 2)));
  CHECK(!Winograd::fits(conv(2, 32, 16, 64, 5)));
  // The gradient of the filters has as many.
  Conv2d gradient = v;
  gradient.weight_gradient = true;
  CHECK(weight_gradient_gemm(gradient, DataType::fp32, v.c).macs() == direct);
}

TEST_CASE("a transposed convolution of stride 1 is a forward one", "[gpu]") {
  Conv2d v = conv(2, 32, 14, 64, 3);
  v.transposed = true;
  v.padding = {0, 1};
  const auto forward = as_forward(v);
  REQUIRE(forward);
  CHECK(forward->padding == std::array<Count, 2>{2, 1});
  CHECK(conv_output(*forward).elements() == conv_output(v).elements());
  v.stride = {2, 1};
  CHECK(!as_forward(v));
}

TEST_CASE("published directions: layouts, types, algorithms", "[gpu]") {
  const Conv2d nhwc = conv(16, 128, 28, 128, 3);
  Conv2d nchw = nhwc;
  nchw.layout = Layout::nchw;
  const Json last = layer_of_one("v100_sxm2_16gb", nhwc, DataType::fp16);
  const Json planes = layer_of_one("v100_sxm2_16gb", nchw, DataType::fp16);
  // NVIDIA, 'Convolutional Layers User's Guide': NCHW is transformed before and after on tensor cores.
  CHECK(time_of(planes) > 1.1 * time_of(last));
  CHECK(planes["kernel"].get<std::string>().find("channels last") != std::string::npos);
  // The tensor cores have eight times the rate of the lanes; Winograd gives some of it back.
  const Json lanes = layer_of_one("v100_sxm2_16gb", nhwc, DataType::fp32);
  CHECK(time_of(lanes) > 2 * time_of(last));
  CHECK(time_of(lanes) < 8 * time_of(last));
  CHECK(lanes["kernel"].get<std::string>().find("Winograd") != std::string::npos);
  // A padded first layer: 3 channels cost as much as 8.
  const Json three = layer_of_one("v100_sxm2_16gb", conv(16, 3, 112, 64, 3), DataType::fp16);
  const Json eight = layer_of_one("v100_sxm2_16gb", conv(16, 8, 112, 64, 3), DataType::fp16);
  CHECK(three["kernel"].get<std::string>().find("padded") != std::string::npos);
  CHECK(time_of(three) > time_of(eight));
}

TEST_CASE("a depthwise convolution is bound by memory", "[gpu]") {
  Conv2d v = conv(64, 192, 56, 192, 3);
  v.groups = 192;
  for (const Layout layout : {Layout::nhwc, Layout::nchw}) {
    v.layout = layout;
    const Json layer = layer_of_one("a100_sxm_80gb", v, DataType::fp16);
    CHECK(layer["kernel"].get<std::string>().find("depthwise") != std::string::npos);
    CHECK(layer["traffic"]["dram"]["utilization"].get<double>() > 0.5);
    const OpFacts f = facts({.name = "op", .dtype = DataType::fp16, .shape = v});
    CHECK(layer["macs"].get<Count>() == f.macs);
  }
}

TEST_CASE("steps of a recurrent layer take as long each, and all are counted", "[gpu]") {
  const Recurrent few{
      .kind = RecurrentKind::lstm, .batch = 32, .input = 512, .hidden = 512, .steps = 8};
  Recurrent many = few;
  many.steps = 80;
  const Json short_run = layer_of_one("v100_sxm2_16gb", few, DataType::fp16);
  const Json long_run = layer_of_one("v100_sxm2_16gb", many, DataType::fp16);
  CHECK(long_run["macs"].get<Count>() == 10 * short_run["macs"].get<Count>());
  CHECK(long_run["kernels"].get<Count>() == 2 * 80 + 1);
  CHECK(time_of(long_run) > 7 * time_of(short_run));
  CHECK(time_of(long_run) < 10 * time_of(short_run));
}
