// SPDX-License-Identifier: Apache-2.0
// Layouts: the same bytes asked for, other bursts and rows of the DRAM, in numbers.
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/machines.hpp"

namespace tilewave::test {
namespace {

/// What the DRAM did for the first op.
struct DramTraffic {
  Count read_bytes, write_bytes, burst_bytes, row_hits, row_accesses;
};

/// A 32 x 32 machine with small buffers on a channel of DDR4-3200: bursts of 64 bytes, rows of 8 KiB.
Json ddr4_machine() {
  return with(
      small_machine(),
      {"core.matrix_unit.rows=32", "core.matrix_unit.cols=32",
       "core.buffers.activation.capacity_bytes=65536",
       "core.buffers.accumulator.capacity_bytes=32768", "core.buffers.weight.capacity_bytes=32768",
       "core.dma.outstanding=16", "core.dma.request_bytes=1024",
       R"(memory.dram={"preset": "ddr4_3200", "channels": 1, "latency_ns": 20})"});
}

DramTraffic traffic(const Json& op, const std::vector<std::string>& sets = {}) {
  const Json report = run(with(ddr4_machine(), sets), workload_of({{"ops", Json::array({op})}}));
  const Json& dram = report["layers"][0]["traffic"]["dram"];
  return {dram["read_bytes"].get<Count>(), dram["write_bytes"].get<Count>(),
          dram["burst_bytes"].get<Count>(), dram["row_hits"].get<Count>(),
          dram["row_hits"].get<Count>() + dram["row_closed"].get<Count>() +
              dram["row_conflicts"].get<Count>()};
}

double hit_rate(const DramTraffic& t) {
  return static_cast<double>(t.row_hits) / static_cast<double>(t.row_accesses);
}

Json gemm(Count m, Count n, Count k, const Json& more = Json::object()) {
  Json op = {{"op", "gemm"}, {"m", m}, {"n", n}, {"k", k}};
  op.update(more);
  return op;
}

Json conv(const char* layout, const Json& more = Json::object()) {
  Json op = {{"op", "conv2d"}, {"c", 64}, {"h", 28},           {"w", 28},         {"k", 64},
             {"r", 3},         {"s", 3},  {"padding", {1, 1}}, {"layout", layout}};
  op.update(more);
  return op;
}

TEST_CASE("rows of 32 bytes at a pitch take a burst each, of rows of the DRAM as far apart") {
  // A: 256 rows of 32 bytes. B: 32 x 32 bytes. C: 256 rows of 32 bytes.
  const auto dense = traffic(gemm(256, 32, 32));
  CHECK(dense.read_bytes == 256 * 32 + 32 * 32);
  CHECK(dense.write_bytes == 256 * 32);
  CHECK(dense.burst_bytes == 256 * 32 + 32 * 32 + 256 * 32);  // each byte once
  const auto pitched = traffic(gemm(256, 32, 32, {{"lda", 64}, {"ldc", 64}}));
  CHECK(pitched.read_bytes == dense.read_bytes);
  CHECK(pitched.write_bytes == dense.write_bytes);
  CHECK(pitched.burst_bytes == 256 * 64 + 32 * 32 + 256 * 64);
  CHECK(hit_rate(pitched) > 0.9);  // 128 of them in a row
  const auto far = traffic(gemm(256, 32, 32, {{"lda", 1 << 20}}));
  CHECK(far.read_bytes == dense.read_bytes);
  CHECK(far.burst_bytes == 256 * 64 + 32 * 32 + 256 * 32);
  // Each row of A is in another row of the DRAM: of its bursts none finds its row open.
  CHECK(far.row_accesses - far.row_hits >= 256);
  CHECK(dense.row_accesses - dense.row_hits <= 16);
}

TEST_CASE("weights laid out in tiles are read in whole bursts, plain ones are not") {
  const auto tiled = traffic(gemm(64, 512, 512));
  const auto plain = traffic(gemm(64, 512, 512), {"mapping.weights_layout=plain"});
  CHECK(tiled.read_bytes == plain.read_bytes);
  // 32 of each row of 512 weights: half a burst.
  CHECK(plain.burst_bytes - tiled.burst_bytes == 512 * 512);
}

TEST_CASE("a transposed operand is as many bytes in other bursts") {
  // A tile of 32 x 32 bytes: 32 runs of half a burst, or one run of 1024 bytes.
  const auto rows = traffic(gemm(32, 32, 4096));
  const auto columns = traffic(gemm(32, 32, 4096, {{"transpose_a", true}}));
  CHECK(rows.read_bytes == columns.read_bytes);
  CHECK(rows.burst_bytes - columns.burst_bytes == 32 * 4096);
}

TEST_CASE("channel planes take more bursts than channels last") {
  const auto nhwc = traffic(conv("nhwc")), nchw = traffic(conv("nchw"));
  CHECK(nhwc.read_bytes == nchw.read_bytes);
  CHECK(nhwc.write_bytes == nchw.write_bytes);
  // Some rows of 28 bytes a plane at a time.
  CHECK(nchw.burst_bytes > nhwc.burst_bytes * 5 / 4);
  // A pool the same.
  const Json pool = {{"op", "pool"}, {"kind", "max"}, {"c", 64}, {"h", 28},
                     {"w", 28},      {"r", 2},        {"s", 2},  {"stride", {2, 2}}};
  Json planes = pool;
  planes["layout"] = "nchw";
  CHECK(traffic(pool).read_bytes == traffic(planes).read_bytes);
  CHECK(traffic(planes).burst_bytes > traffic(pool).burst_bytes * 5 / 4);
}

TEST_CASE("a strided 1 x 1 convolution reads the pixels it needs, a burst each") {
  const auto t =
      traffic(conv("nhwc", {{"r", 1}, {"s", 1}, {"stride", {2, 2}}, {"padding", {0, 0}}}));
  // 14 x 14 pixels of 64 channels, each one aligned burst; weights 64 x 64; results 14 x 14 x 64.
  CHECK(t.read_bytes == 14 * 14 * 64 + 64 * 64);
  CHECK(t.write_bytes == 14 * 14 * 64);
  CHECK(t.burst_bytes >= t.read_bytes + t.write_bytes);
}

TEST_CASE("a result must be read at the pitch it was written with") {
  const Json ops = {{"ops",
                     {{{"op", "gemm"}, {"name", "a"}, {"m", 8}, {"n", 8}, {"k", 8}, {"ldc", 16}},
                      {{"op", "gemm"}, {"name", "b"}, {"m", 8}, {"n", 8}, {"k", 8}}}}};
  CHECK_THROWS_WITH(run(ddr4_machine(), workload_of(ops)),
                    Catch::Contains("reads a tensor of 64 places (lda, ldc), but \"a\" writes one "
                                    "of 128 (ldc)"));
  Json agreed = ops;
  agreed["ops"][1]["lda"] = 16;
  CHECK_NOTHROW(run(ddr4_machine(), workload_of(agreed)));
}

}  // namespace
}  // namespace tilewave::test
