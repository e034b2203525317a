// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/cache/cache_config.hpp"

#include <array>
#include <bit>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace tilewave {
namespace {

constexpr Count kMaxSectors = 32;  // of a line: a mask of 32 bits
constexpr Count kMaxPlruWays = 64;
constexpr Count kMaxLines = Count{1} << 24;  // of a slice; each costs about 30 bytes
constexpr Range kLatency{1, 100'000};
constexpr Range kPortBytes{1, 1U << 20};

constexpr std::array<Named<CacheReplacement>, 3> kReplacements{
    {{"lru", CacheReplacement::lru},
     {"tree_plru", CacheReplacement::tree_plru},
     {"random", CacheReplacement::random}}};
constexpr std::array<Named<CacheWritePolicy>, 2> kWritePolicies{
    {{"write_back", CacheWritePolicy::write_back},
     {"write_through", CacheWritePolicy::write_through}}};
constexpr std::array<Named<bool>, 2> kWriteAllocations{
    {{"allocate", true}, {"no_allocate", false}}};
constexpr std::array<Named<CacheIndexHash>, 2> kIndexHashes{
    {{"none", CacheIndexHash::none}, {"xor_fold", CacheIndexHash::xor_fold}}};

template <typename E, std::size_t N>
std::string_view name_in(const std::array<Named<E>, N>& table, E value) {
  for (const auto& [name, each] : table) {
    if (each == value) return name;
  }
  return {};
}

/// The key that gave the capacity, for messages.
std::string capacity_key(const ObjectReader& reader) {
  for (const SizeUnit& unit : kSizeUnits) {
    std::string key = fmt::format("capacity{}", unit.suffix);
    if (reader.has(key)) return key;
  }
  return {};
}

Bytes power_of_two(ObjectReader& reader, std::string_view key, Bytes default_value, Range range,
                   std::string_view meaning) {
  const Bytes value =
      reader.optional_count(key, default_value, range, fmt::format("{}; a power of two", meaning));
  // A default may come from a faulty value, which is reported already.
  if (reader.has(key) && !std::has_single_bit(value)) {
    reader.error(key, fmt::format("must be a power of two, is {}", value));
  }
  return value;
}

void read_lines(ObjectReader& reader, CacheParams& c) {
  c.capacity_bytes =
      reader.capacity("capacity", {1, Bytes{1} << 40}, "data it holds, all slices together");
  c.ways = reader.count("ways", {1, 4096}, "lines of a set");
  c.line_bytes =
      power_of_two(reader, "line_bytes", c.line_bytes, {1, 65536}, "bytes that a tag is for");
  c.sector_bytes = power_of_two(reader, "sector_bytes", c.sector_bytes, {1, 65536},
                                "part of a line that is fetched, valid and dirty by itself");
  c.replacement = reader.optional_choice<CacheReplacement>(
      "replacement", c.replacement, kReplacements, "which line of a set makes room");
  c.seed = reader.optional_count("seed", c.seed, {0, kMaxCount}, "of replacement random");
  if (c.replacement != CacheReplacement::random) {
    reader.no_effect("seed", "replacement is not random");
  }
  c.write_policy = reader.optional_choice<CacheWritePolicy>("write_policy", c.write_policy,
                                                            kWritePolicies, "where writes stay");
  c.write_allocate =
      reader.optional_choice<bool>("write_allocation", c.write_allocate, kWriteAllocations,
                                   "whether a write that misses takes a line, or goes below");
  c.index_hash = reader.optional_choice<CacheIndexHash>(
      "index_hash", c.index_hash, kIndexHashes, "how the set of a line is found from its number");
}

void read_timing(ObjectReader& reader, CacheParams& c) {
  c.ports = reader.optional_count("ports", c.ports, {1, 64}, "tag look-ups a cycle, of a slice");
  c.banks = reader.optional_count("banks", c.banks, {1, 1024}, "data banks of a slice");
  c.bank_bytes_per_cycle = reader.count("bank_bytes_per_cycle", kPortBytes, "width of a bank");
  c.bank_interleave_bytes =
      power_of_two(reader, "bank_interleave_bytes", c.sector_bytes, {1, 65536},
                   "consecutive bytes of a line in one bank; default: a sector");
  c.fill_bytes_per_cycle =
      reader.optional_count("fill_bytes_per_cycle", c.bytes_per_cycle(), {1, kPortBytes.max * 1024},
                            "port for fills; default: as wide as all banks");
  c.hit_latency_cycles =
      reader.count("hit_latency_cycles", kLatency, "from the look-up to the response");
  c.tag_latency_cycles = reader.optional_count(
      "tag_latency_cycles", c.hit_latency_cycles, kLatency,
      "from the look-up to the request below, on a miss; default: hit_latency_cycles");
  c.mshrs = reader.count("mshrs", {1, 4096}, "lines that wait for fills at a time, of a slice");
  c.mshr_merges = reader.optional_count("mshr_merges", c.mshr_merges, {0, 1024},
                                        "further look-ups that may wait for the same line");
  c.hit_under_miss = reader.optional_flag(
      "hit_under_miss", c.hit_under_miss,
      "hits may pass one request that waits for an MSHR, a merge, a way or the write queue");
  c.write_queue_depth = reader.optional_count("write_queue_depth", c.sectors_per_line(), {1, 65536},
                                              "writes on their way below, one a run of sectors");
}

void read_slices(ObjectReader& reader, CacheParams& c) {
  c.slices = reader.optional_count("slices", c.slices, {1, 65536},
                                   "equal parts, each for some of the addresses");
  c.partitions = reader.optional_count("partitions", c.partitions, {1, 65536},
                                       "groups of slices; a client is near to one of them");
  const Bytes interleave = power_of_two(reader, "slice_interleave_bytes", c.line_bytes,
                                        {1, Bytes{1} << 30}, "consecutive bytes of one slice");
  c.far_latency_cycles =
      reader.optional_count("far_latency_cycles", c.far_latency_cycles, {0, kLatency.max},
                            "added to an access to a slice of another partition");
  if (c.slices > 1) {
    c.slice_interleave_bytes = interleave;
    if (interleave < c.line_bytes) {
      reader.error(
          "slice_interleave_bytes",
          fmt::format("must be at least a line of {} bytes, is {}", c.line_bytes, interleave));
    }
  } else {
    reader.no_effect("slice_interleave_bytes", "there is one slice");
  }
  if (c.slices % c.partitions != 0) {
    reader.error("partitions",
                 fmt::format("must divide the {} slices, is {}", c.slices, c.partitions));
  }
  if (c.partitions == 1) reader.no_effect("far_latency_cycles", "there is one partition");
}

void check_lines(ObjectReader& reader, const CacheParams& c) {
  if (c.sector_bytes > c.line_bytes) {
    reader.error("sector_bytes", fmt::format("must be at most a line of {} bytes, is {}",
                                             c.line_bytes, c.sector_bytes));
  } else if (c.sectors_per_line() > kMaxSectors) {
    reader.error("sector_bytes", fmt::format("makes {} sectors a line, at most {} are allowed",
                                             c.sectors_per_line(), kMaxSectors));
  }
  const Bytes slice_lines = c.slices * c.line_bytes;
  if (c.capacity_bytes % slice_lines != 0) {
    reader.error(capacity_key(reader), fmt::format("{} bytes are no multiple of slices x "
                                                   "line_bytes = {}",
                                                   c.capacity_bytes, slice_lines));
  } else if (c.lines_per_slice() > kMaxLines) {
    reader.error(capacity_key(reader), fmt::format("makes {} lines a slice, at most {} are allowed",
                                                   c.lines_per_slice(), kMaxLines));
  } else if (c.ways > c.lines_per_slice()) {
    reader.error("ways", fmt::format("must be at most the {} lines {}, is {}", c.lines_per_slice(),
                                     c.slices > 1 ? "of a slice" : "there are", c.ways));
  } else if (c.lines_per_slice() % c.ways != 0) {
    reader.error("ways", fmt::format("must divide the {} lines {}, is {}", c.lines_per_slice(),
                                     c.slices > 1 ? "of a slice" : "there are", c.ways));
  }
  if (c.replacement == CacheReplacement::tree_plru &&
      (!std::has_single_bit(c.ways) || c.ways > kMaxPlruWays)) {
    reader.error("ways", fmt::format("must be a power of two up to {} for tree_plru, is {}",
                                     kMaxPlruWays, c.ways));
  }
}

void check_timing(ObjectReader& reader, const CacheParams& c) {
  if (c.bank_interleave_bytes < c.sector_bytes || c.bank_interleave_bytes > c.line_bytes) {
    reader.error("bank_interleave_bytes",
                 fmt::format("must be from a sector of {} to a line of {} bytes, is {}",
                             c.sector_bytes, c.line_bytes, c.bank_interleave_bytes));
  }
  if (c.tag_latency_cycles > c.hit_latency_cycles) {
    reader.error("tag_latency_cycles", fmt::format("must be at most hit_latency_cycles = {}, is {}",
                                                   c.hit_latency_cycles, c.tag_latency_cycles));
  }
  const Count runs = ceil_div(c.sectors_per_line(), Count{2});
  if (c.write_queue_depth < runs) {
    reader.error(
        "write_queue_depth",
        fmt::format("must be at least {}, the runs of dirty sectors a line may have, is {}", runs,
                    c.write_queue_depth));
  }
}

}  // namespace

CacheParams read_cache(ObjectReader& reader) {
  CacheParams c;
  read_lines(reader, c);
  read_slices(reader, c);
  read_timing(reader, c);
  if (reader.ok()) check_lines(reader, c);
  if (reader.ok()) check_timing(reader, c);
  reader.finish();
  return c;
}

Json to_json(const CacheParams& c) {
  Json json = {{"capacity_bytes", c.capacity_bytes},
               {"ways", c.ways},
               {"line_bytes", c.line_bytes},
               {"sector_bytes", c.sector_bytes},
               {"replacement", name_in(kReplacements, c.replacement)},
               {"seed", c.seed},
               {"write_policy", name_in(kWritePolicies, c.write_policy)},
               {"write_allocation", name_in(kWriteAllocations, c.write_allocate)},
               {"index_hash", name_in(kIndexHashes, c.index_hash)},
               {"slices", c.slices}};
  if (c.slices > 1) json["slice_interleave_bytes"] = c.slice_interleave_bytes;
  json.update({{"partitions", c.partitions},
               {"far_latency_cycles", c.far_latency_cycles},
               {"ports", c.ports},
               {"banks", c.banks},
               {"bank_bytes_per_cycle", c.bank_bytes_per_cycle},
               {"bank_interleave_bytes", c.bank_interleave_bytes},
               {"fill_bytes_per_cycle", c.fill_bytes_per_cycle},
               {"hit_latency_cycles", c.hit_latency_cycles},
               {"tag_latency_cycles", c.tag_latency_cycles},
               {"mshrs", c.mshrs},
               {"mshr_merges", c.mshr_merges},
               {"hit_under_miss", c.hit_under_miss},
               {"write_queue_depth", c.write_queue_depth}});
  return json;
}

}  // namespace tilewave
