// SPDX-License-Identifier: Apache-2.0
// What TPU v1's paper says of its machine, in numbers: rates by data type, whole tiles of weights,
// when the results of a layer can be read and leave.
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/machines.hpp"

namespace tilewave::test {
namespace {

/// A memory that is never what limits.
Json fast_memory(Json machine) {
  return with(std::move(machine), {"memory.dram.model=ideal", "memory.host.bandwidth_gb_per_s=1e6",
                                   "memory.host.latency_ns=0"});
}

Json gemm(Count m, Count n, Count k, const char* name, const char* input = "input") {
  return {{"op", "gemm"}, {"name", name}, {"m", m}, {"n", n}, {"k", k}, {"inputs", {input}}};
}

Json layers(const Json& machine, std::vector<Json> ops) {
  return run(machine, workload_of({{"ops", ops}})).at("layers");
}

Count of(const Json& layer, const char* path) {
  return layer.at(Json::json_pointer(path)).get<Count>();
}

}  // namespace

TEST_CASE("TPU v1 does 92 TOPS in int8, half of it with one operand of 16 bits, a quarter with two",
          "[tpu_v1]") {
  const Json machine = fast_memory(load_preset("tpu_v1"));
  const auto tops = [&](DataType type) {
    const Json report = run(machine, gemm_workload(2048, 2048, 8192, type));
    return report.at("total").at("achieved_tflops").get<double>();
  };
  const double peak = 2 * 256 * 256 * 0.7e-3;  // 91.75
  CHECK(std::abs(peak - 92) < 0.3);
  const double int8 = tops(DataType::int8);
  CHECK(int8 > 0.97 * peak);
  CHECK(int8 <= peak);
  CHECK(std::abs(tops(DataType::int16xint8) / int8 - 0.5) < 0.005);
  CHECK(std::abs(tops(DataType::int8xint16) / int8 - 0.5) < 0.005);
  CHECK(std::abs(tops(DataType::int16) / int8 - 0.25) < 0.005);
}

TEST_CASE("weights of mixed integers take the bytes of their own width", "[tpu_v1]") {
  const auto weights = [](const char* type) {
    Json op = gemm(64, 512, 512, "a");
    op["dtype"] = type;
    return of(layers(load_preset("tpu_v1"), {op}).at(0), "/traffic/dram/read_bytes");
  };
  CHECK(weights("int16xint8") == 512 * 512);
  CHECK(weights("int8xint16") == 2 * 512 * 512);
}

TEST_CASE("a matrix of 600 x 600 moves nine whole tiles of weights", "[tpu_v1]") {
  const auto read = [](const char* layout, Count n, Count k) {
    const Json machine =
        with(load_preset("tpu_v1"), {std::string("mapping.weights_layout=") + layout});
    return of(layers(machine, {gemm(96, n, k, "a")}).at(0), "/traffic/dram/read_bytes");
  };
  CHECK(read("whole_tiles", 600, 600) == 9 * 65536);
  CHECK(read("tiled", 600, 600) == 600 * 600);
  CHECK(read("whole_tiles", 512, 256) == 2 * 65536);  // no edges, no padding
  CHECK(read("whole_tiles", 1, 1) == 65536);
}

TEST_CASE("whole tiles are for machines with a weight FIFO", "[tpu_v1]") {
  CHECK_THROWS_AS(resolve(with(small_machine(), {"mapping.weights_layout=whole_tiles"})),
                  ConfigError);
}

TEST_CASE("a layer begins so long after the array took in the last of the one before", "[tpu_v1]") {
  const std::vector<Json> chain{gemm(64, 256, 256, "a"), gemm(64, 256, 256, "b", "a")};
  const std::vector<Json> apart{gemm(64, 256, 256, "a"), gemm(64, 256, 256, "b")};
  const auto total = [](const std::vector<Json>& ops, const char* latency) {
    const Json machine = with(fast_memory(load_preset("tpu_v1")),
                              {std::string("core.read_after_write_cycles=") + latency,
                               "mapping.host_results=streamed", "memory.dram.model=ideal"});
    return of(layers(machine, ops).at(1), "/start_cycle") +
           of(layers(machine, ops).at(1), "/cycles");
  };
  // The array takes 64 vectors and their diagonals of 511, the vector unit the rest: less than 3000.
  const Count without = total(chain, "0");
  CHECK(total(chain, "100") == without);
  const Count at_3000 = total(chain, "3000");
  CHECK(at_3000 > without);
  CHECK(total(chain, "5000") == at_3000 + 2000);
  CHECK(total(apart, "5000") == total(apart, "0"));  // nothing of a's is read
}

TEST_CASE("results for the host leave after the layer, as a whole", "[tpu_v1]") {
  const auto layer = [](const char* how) {
    const Json machine = with(load_preset("tpu_v1"), {std::string("mapping.host_results=") + how,
                                                      "core.read_after_write_cycles=0"});
    return layers(machine, {gemm(1024, 2048, 512, "a")}).at(0);
  };
  const Json streamed = layer("streamed"), whole = layer("whole");
  const Count bytes = 1024 * 2048;
  CHECK(of(streamed, "/traffic/host/write_bytes") == bytes);
  CHECK(of(whole, "/traffic/host/write_bytes") == bytes);
  // 14 GB/s are 20 bytes a cycle; nothing else goes on meanwhile.
  const auto write_cycles = static_cast<double>(bytes) / 20;
  CHECK(static_cast<double>(of(whole, "/breakdown/wait_host")) > write_cycles);
  CHECK(of(whole, "/cycles") > of(streamed, "/cycles"));
  CHECK(of(whole, "/breakdown/matrix_busy") == of(streamed, "/breakdown/matrix_busy"));
}

TEST_CASE("results too large for the buffer are streamed as ever", "[tpu_v1]") {
  const std::vector<Json> ops{gemm(16384, 2048, 256, "a")};  // 32 MiB of results, 24 MiB of buffer
  const auto cycles_of = [&](const char* how) {
    return of(layers(with(load_preset("tpu_v1"), {std::string("mapping.host_results=") + how}), ops)
                  .at(0),
              "/cycles");
  };
  CHECK(cycles_of("whole") == cycles_of("streamed"));
}

}  // namespace tilewave::test
