// SPDX-License-Identifier: Apache-2.0
// What ops move and how long they take, on a machine with room on chip, in numbers.
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/machines.hpp"

#include "workloads/ops/facts.hpp"

namespace tilewave::test {
namespace {

/// 16 x 16 PEs, 1 MiB for activations, results not kept between ops.
Json machine(const std::vector<std::string>& sets = {}) {
  Json json =
      with(small_machine(), {"core.matrix_unit.rows=16", "core.matrix_unit.cols=16",
                             "core.buffers.activation.capacity_bytes=1048576",
                             "core.buffers.accumulator.capacity_bytes=262144",
                             "core.buffers.weight.capacity_bytes=262144",
                             "core.vector_unit.lanes=64", "memory.dram.bandwidth_gb_per_s=8"});
  return with(json, sets);
}

struct Moved {
  Bytes read, write;
  Count macs;
  Json layer;
};
Moved moved(const Json& op, const std::vector<std::string>& sets = {}) {
  const Json report = run(machine(sets), workload_of({{"ops", Json::array({op})}}));
  const Json& layer = report["layers"][0];
  return {layer["traffic"]["dram"]["read_bytes"].get<Bytes>(),
          layer["traffic"]["dram"]["write_bytes"].get<Bytes>(), layer["macs"].get<Count>(), layer};
}

Json attention(const char* algorithm, const Json& more = Json::object()) {
  Json op = {{"op", "attention"}, {"batch", 2},   {"heads", 8},     {"kv_heads", 2},
             {"q_len", 64},       {"kv_len", 64}, {"head_dim", 32}, {"algorithm", algorithm}};
  op.update(more);
  return op;
}

constexpr Bytes kQ = 2 * 8 * 64 * 32, kKv = 2 * 2 * 64 * 32, kScores = 2 * 8 * 64 * 64;

TEST_CASE("flash attention moves Q, K, V and the result, nothing else", "[ops]") {
  const auto flash = moved(attention("flash"));
  CHECK(flash.read == kQ + 2 * kKv);
  CHECK(flash.write == kQ);
  CHECK(flash.macs == 2 * 8 * 64 * 64 * 2 * 32);
}

TEST_CASE("unfused attention moves scores and probabilities, too, each both ways", "[ops]") {
  const auto unfused = moved(attention("unfused"));
  CHECK(unfused.read == kQ + 2 * kKv + 2 * kScores);
  CHECK(unfused.write == kQ + 2 * kScores);
  CHECK(unfused.layer["cycles"].get<Cycle>() >
        moved(attention("flash")).layer["cycles"].get<Cycle>());
}

TEST_CASE("where scores do not fit, flash reads K and V again for each run of queries", "[ops]") {
  // 256 queries of four heads on 1024 keys: 1 MiB of scores, in 32 KiB at a time or less.
  const Json op = attention(
      "flash", {{"batch", 1}, {"kv_heads", 2}, {"q_len", 256}, {"kv_len", 1024}, {"causal", true}});
  const std::vector<std::string> small{"core.buffers.activation.capacity_bytes=65536"};
  const auto in_pieces = moved(op, small);
  CHECK(in_pieces.write == 8 * 256 * 32);
  const Bytes once = 8 * 256 * 32 + 2 * 2 * 1024 * 32;
  CHECK(in_pieces.read > once);
  // A piece sees only the keys up to its last query.
  const auto all = moved(
      attention("flash", {{"batch", 1}, {"kv_heads", 2}, {"q_len", 256}, {"kv_len", 1024}}), small);
  CHECK(in_pieces.read < all.read);
  CHECK(in_pieces.macs < all.macs);
}

TEST_CASE("flash in very many runs goes through memory instead", "[ops]") {
  // Two queries' scores at a time: 8192 runs.
  const Json op = attention("flash", {{"batch", 1},
                                      {"heads", 4},
                                      {"kv_heads", 4},
                                      {"q_len", 4096},
                                      {"kv_len", 4096},
                                      {"head_dim", 4}});
  const auto m = moved(op, {"core.buffers.activation.capacity_bytes=20000"});
  CHECK(m.write == 4 * 4096 * 4 + 2 * Bytes{4} * 4096 * 4096);
  CHECK(m.layer["kernel"].get<std::string>().starts_with("3 kernels"));
}

TEST_CASE("decoding reads the keys and values of the context once", "[ops]") {
  const auto decode = moved(attention("flash", {{"q_len", 1}, {"kv_len", 500}}));
  CHECK(decode.read == 2 * 8 * 32 + 2 * 2 * 2 * 500 * 32);
  CHECK(decode.write == 2 * 8 * 32);
  // With a window only the keys in it.
  const auto window =
      moved(attention("flash", {{"q_len", 1}, {"kv_len", 500}, {"causal", true}, {"window", 100}}));
  CHECK(window.read == 2 * 8 * 32 + 2 * 2 * 2 * 100 * 32);
}

TEST_CASE("normalization and softmax are bound by memory", "[ops]") {
  for (const char* op : {"layernorm", "softmax", "rmsnorm"}) {
    const auto m =
        moved({{"op", op}, {"rows", 4096}, {"cols", 256}}, {"core.vector_unit.lanes=512"});
    INFO(op);
    CHECK(m.read == 4096 * 256);
    CHECK(m.write == 4096 * 256);
    CHECK(m.layer["bound"] == "dram");
    CHECK(m.layer["traffic"]["dram"]["utilization"].get<double>() > 0.9);
  }
}

TEST_CASE("without fusion each step of an epilogue reads and writes the result", "[ops]") {
  const Json op = {
      {"op", "gemm"}, {"m", 128}, {"n", 64}, {"k", 64}, {"epilogue", {"relu", "scale"}}};
  const auto fused = moved(op), apart = moved(op, {"mapping.fusion=off"});
  CHECK(apart.read - fused.read == 2 * 128 * 64);
  CHECK(apart.write - fused.write == 2 * 128 * 64);
  CHECK(apart.macs == fused.macs);
  CHECK(apart.layer["cycles"].get<Cycle>() > fused.layer["cycles"].get<Cycle>());
}

TEST_CASE("experts without tokens are not read", "[ops]") {
  const Json op = {
      {"op", "moe"},  {"tokens", 8}, {"hidden", 32},  {"ffn", 64},
      {"experts", 4}, {"top_k", 1},  {"gated", true}, {"tokens_per_expert", {5, 0, 3, 0}}};
  const auto m = moved(op);
  CHECK(m.macs == 8 * 3 * 32 * 64);
  CHECK(m.read == 8 * 32 + 2 * 3 * 32 * 64);  // tokens; the weights of two experts
  CHECK(m.write == 8 * 32);
}

TEST_CASE("a recurrent layer reads the weights of the state each step, those of the input once",
          "[ops]") {
  const Json op = {{"op", "lstm"}, {"batch", 4}, {"input", 32}, {"hidden", 16}, {"steps", 5}};
  const auto m = moved(op);
  CHECK(m.macs == 5 * 4 * 4 * 16 * (32 + 16));
  CHECK(m.read == 5 * 4 * 32 + 4 * 16 * 32 + 5 * 4 * 16 * 16);
  CHECK(m.write == 5 * 4 * 16);
}

TEST_CASE("a recurrent layer of too many steps is refused", "[ops]") {
  const Json op = {{"op", "rnn"}, {"input", 4}, {"hidden", 4}, {"steps", 20'001}};
  CHECK_THROWS_WITH(moved(op), Catch::Contains("steps is 20001, at most 20000"));
}

TEST_CASE("an embedding reads the rows it gathers, not the table", "[ops]") {
  const auto m = moved({{"op", "embedding"}, {"rows", 10}, {"width", 64}, {"table_rows", 100000}});
  CHECK(m.read == 10 * 64 + 10 * 4);
  CHECK(m.write == 10 * 64);
}

TEST_CASE("results that stay on chip are counted with what they save", "[ops]") {
  const Json ops = {{"ops",
                     {{{"op", "gemm"}, {"name", "a"}, {"m", 64}, {"n", 32}, {"k", 16}},
                      {{"op", "gemm"}, {"name", "b"}, {"m", 64}, {"n", 8}, {"k", 32}}}}};
  const Json kept = run(machine(), workload_of(ops));
  CHECK(kept["total"]["kept_results"] == 1);
  CHECK(kept["total"]["kept_saved_bytes"] == 2 * 64 * 32);
  const Json moved = run(machine({"mapping.keep_results=false"}), workload_of(ops));
  CHECK(moved["total"]["kept_results"] == 0);
  CHECK(moved["total"]["dram_read_bytes"].get<Bytes>() -
            kept["total"]["dram_read_bytes"].get<Bytes>() ==
        64 * 32);
}

}  // namespace
}  // namespace tilewave::test
