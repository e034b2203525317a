// SPDX-License-Identifier: Apache-2.0
// Caches as files have them.
#include "arch/memory/cache/cache_config.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "support/catch.hpp"
#include "support/reader_fixture.hpp"

namespace tilewave::test {
namespace {

constexpr std::string_view kLeast = R"({
  "capacity_kib": 4, "ways": 4, "bank_bytes_per_cycle": 64, "hit_latency_cycles": 20, "mshrs": 16
})";
constexpr std::string_view kAll = R"({
  "capacity_mib": 40, "ways": 16, "line_bytes": 128, "sector_bytes": 64,
  "replacement": "random", "seed": 7, "write_policy": "write_through",
  "write_allocation": "no_allocate", "index_hash": "xor_fold",
  "slices": 80, "slice_interleave_bytes": 512, "partitions": 2, "far_latency_cycles": 200,
  "ports": 2, "banks": 3, "bank_bytes_per_cycle": 48, "bank_interleave_bytes": 128,
  "fill_bytes_per_cycle": 24, "hit_latency_cycles": 90, "tag_latency_cycles": 30,
  "mshrs": 192, "mshr_merges": 5, "hit_under_miss": true, "write_queue_depth": 32
})";

TEST_CASE("defaults are filled in", "[cache]") {
  ReaderFixture fixture(kLeast);
  const CacheParams c = read_cache(fixture.reader);
  CHECK(fixture.errors().empty());
  CHECK(c.capacity_bytes == 4096);
  CHECK(c.line_bytes == 128);
  CHECK(c.sector_bytes == 32);
  CHECK(c.sets() == 8);
  CHECK(c.sectors_per_line() == 4);
  CHECK(c.replacement == CacheReplacement::lru);
  CHECK(c.write_policy == CacheWritePolicy::write_back);
  CHECK(c.write_allocate);
  CHECK(c.index_hash == CacheIndexHash::none);
  CHECK(c.slices == 1);
  CHECK(c.ports == 1);
  CHECK(c.banks == 1);
  CHECK(c.bank_interleave_bytes == 32);
  CHECK(c.fill_bytes_per_cycle == 64);
  CHECK(c.tag_latency_cycles == 20);
  CHECK(c.mshr_merges == 0);
  CHECK_FALSE(c.hit_under_miss);
  CHECK(c.write_queue_depth == 4);
}

TEST_CASE("all keys are read, and written as they were read", "[cache]") {
  ReaderFixture fixture(kAll);
  const CacheParams c = read_cache(fixture.reader);
  CHECK(fixture.errors().empty());
  CHECK(c.capacity_bytes == Bytes{40} << 20U);
  CHECK(c.lines_per_slice() == 4096);
  CHECK(c.sets() == 256);
  CHECK(c.replacement == CacheReplacement::random);
  CHECK(c.seed == 7);
  CHECK(c.write_policy == CacheWritePolicy::write_through);
  CHECK_FALSE(c.write_allocate);
  CHECK(c.index_hash == CacheIndexHash::xor_fold);
  CHECK(c.slice_interleave_bytes == 512);
  CHECK(c.partitions == 2);
  CHECK(c.far_latency_cycles == 200);
  CHECK(c.bytes_per_cycle() == 144);
  CHECK(c.hit_under_miss);

  Json expected = fixture.json;
  expected.erase("capacity_mib");
  expected["capacity_bytes"] = Bytes{40} << 20U;
  CHECK(nlohmann::json(to_json(c)) == nlohmann::json(expected));
  for (const std::string_view text : {kLeast, kAll}) {
    ReaderFixture first(text);
    const Json written = to_json(read_cache(first.reader));
    ReaderFixture second(written.dump());
    CHECK(to_json(read_cache(second.reader)) == written);
    CHECK(second.errors().empty());
  }
}

TEST_CASE("each fault of a cache is reported at its key", "[cache]") {
  struct Row {
    const char* key;
    Json value;
    std::string error;
  };
  for (
      const Row& r : std::vector<Row>{
          {"ways", 0, "core.ways: must be from 1 to 4096, is 0"},
          {"ways", 64, "core.ways: must be at most the 32 lines there are, is 64"},
          {"ways", 5, "core.ways: must divide the 32 lines there are, is 5"},
          {"capacity_kib", 4.0625,
           "core.capacity_kib: 4160 bytes are no multiple of slices x line_bytes = 128"},
          {"slices", 3,
           "core.capacity_kib: 4096 bytes are no multiple of slices x line_bytes = 384"},
          {"slices", 16, "core.ways: must be at most the 2 lines of a slice, is 4"},
          {"partitions", 2, "core.partitions: must divide the 1 slices, is 2"},
          {"capacity_kib", 1 << 23,
           "core.capacity_kib: makes 67108864 lines a slice, at most 16777216 are allowed"},
          {"line_bytes", 96, "core.line_bytes: must be a power of two, is 96"},
          {"sector_bytes", 48, "core.sector_bytes: must be a power of two, is 48"},
          {"sector_bytes", 256, "core.sector_bytes: must be at most a line of 128 bytes, is 256"},
          {"sector_bytes", 2, "core.sector_bytes: makes 64 sectors a line, at most 32 are allowed"},
          {"replacement", "fifo", "core.replacement: must be one of lru, tree_plru, random"},
          {"write_policy", "back", "core.write_policy: must be one of write_back, write_through"},
          {"write_allocation", true, "core.write_allocation: must be one of allocate, no_allocate"},
          {"index_hash", "crc", "core.index_hash: must be one of none, xor_fold"},
          {"ports", 0, "core.ports: must be from 1 to 64, is 0"},
          {"banks", 0, "core.banks: must be from 1 to 1024, is 0"},
          {"bank_bytes_per_cycle", 0, "core.bank_bytes_per_cycle: must be from 1 to 1048576, is 0"},
          {"bank_interleave_bytes", 16,
           "core.bank_interleave_bytes: must be from a sector of 32 to a line of 128 bytes, is 16"},
          {"bank_interleave_bytes", 256,
           "core.bank_interleave_bytes: must be from a sector of 32 to a line of 128 bytes, is "
           "256"},
          {"hit_latency_cycles", 0, "core.hit_latency_cycles: must be from 1 to 100000, is 0"},
          {"tag_latency_cycles", 21,
           "core.tag_latency_cycles: must be at most hit_latency_cycles = 20, is 21"},
          {"mshrs", 0, "core.mshrs: must be from 1 to 4096, is 0"},
          {"write_queue_depth", 1,
           "core.write_queue_depth: must be at least 2, the runs of dirty sectors a line may have, "
           "is 1"},
          {"mshr", 4, "core.mshr: unknown key; did you mean \"mshrs\"?"},
      }) {
    INFO(r.key << ": " << r.value);
    Json json = Json::parse(kLeast);
    json[r.key] = r.value;
    const std::string errors =
        errors_of(json.dump(), [](ObjectReader& reader) { (void)read_cache(reader); });
    CHECK_THAT(errors, contains(r.error));
    CHECK(errors.find('\n') == std::string::npos);  // one message a cause
  }
  const auto errors_with = [](const Json& changes) {
    Json json = Json::parse(kLeast);
    json.update(changes);
    return errors_of(json.dump(), [](ObjectReader& reader) { (void)read_cache(reader); });
  };
  CHECK(errors_with({{"ways", 32}, {"replacement", "tree_plru"}}).empty());
  CHECK_THAT(errors_with({{"capacity_kib", 6}, {"ways", 6}, {"replacement", "tree_plru"}}),
             contains("core.ways: must be a power of two up to 64 for tree_plru, is 6"));
  CHECK_THAT(errors_with({{"capacity_kib", 16}, {"ways", 128}, {"replacement", "tree_plru"}}),
             contains("core.ways: must be a power of two up to 64 for tree_plru, is 128"));
  CHECK_THAT(errors_with({{"slices", 2}, {"slice_interleave_bytes", 64}}),
             contains("core.slice_interleave_bytes: must be at least a line of 128 bytes, is 64"));
  CHECK_THAT(errors_with({{"slices", 2}, {"slice_interleave_bytes", 384}}),
             contains("core.slice_interleave_bytes: must be a power of two, is 384"));
  CHECK(errors_with({{"slices", 2}, {"partitions", 2}, {"slice_interleave_bytes", 256}}).empty());
}

TEST_CASE("what is required is named when it is missing", "[cache]") {
  const std::string errors =
      errors_of("{}", [](ObjectReader& reader) { (void)read_cache(reader); });
  for (const char* key :
       {"capacity_bytes", "ways", "bank_bytes_per_cycle", "hit_latency_cycles", "mshrs"}) {
    CHECK_THAT(errors, contains(key));
  }
}

TEST_CASE("values set for a run that do nothing are named", "[cache]") {
  for (const auto& [key, value] :
       {std::pair{"seed", 3}, {"slice_interleave_bytes", 256}, {"far_latency_cycles", 10}}) {
    Json json = Json::parse(kLeast);
    json[key] = value;
    ReaderFixture fixture(json.dump());
    fixture.diagnostics.set_origin("x.json", std::string("core.") + key, kOverrideLabel);
    (void)read_cache(fixture.reader);
    REQUIRE(fixture.diagnostics.warnings().size() == 1);
    CHECK_THAT(fixture.diagnostics.warnings().front().message, contains("has no effect"));
    CHECK(fixture.diagnostics.ok());
  }
}

}  // namespace
}  // namespace tilewave::test
