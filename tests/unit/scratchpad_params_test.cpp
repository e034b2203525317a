// SPDX-License-Identifier: Apache-2.0
// Keys of a scratchpad in a file: defaults, faults, and the round trip.
#include <nlohmann/json.hpp>
#include <string>

#include "support/catch.hpp"
#include "support/reader_fixture.hpp"

#include "arch/memory/scratchpad/bank_arbiter.hpp"
#include "arch/memory/scratchpad/scratchpad_config.hpp"

namespace tilewave::test {
namespace {

ScratchpadParams read(std::string_view text, Bytes capacity_bytes = 0) {
  ReaderFixture fixture(text);
  const auto params = read_scratchpad(fixture.reader, capacity_bytes);
  fixture.reader.finish();
  CHECK(fixture.errors().empty());
  return params;
}

TEST_CASE("a scratchpad needs banks and their width, the rest has defaults", "[scratchpad]") {
  const auto p = read(R"({"banks": 32, "bank_word_bytes": 4})");
  CHECK(p == ScratchpadParams{.banks = 32, .bank_word_bytes = 4});
  CHECK(p.bytes_per_cycle() == 128);
  CHECK(p.ports == BankPorts::single);
  CHECK(p.interleaving == BankInterleaving::word);
  CHECK(p.arbitration == BankArbitration::fixed_priority);
  CHECK(p.read_latency_cycles == 1);
  CHECK(p.bank_bytes == 0);
}

TEST_CASE("every key of a scratchpad is read and written again", "[scratchpad]") {
  const auto p = read(R"({"banks": 8, "bank_word_bytes": 16, "ports": "2rw", "interleaving": "xor",
                          "swizzle": {"bits": 2, "row_shift": 1, "bank_shift": 1},
                          "arbitration": "round_robin", "read_latency_cycles": 4})",
                      4096);
  CHECK(p == ScratchpadParams{.banks = 8,
                              .bank_word_bytes = 16,
                              .bank_bytes = 512,
                              .ports = BankPorts::dual,
                              .interleaving = BankInterleaving::xor_swizzled,
                              .swizzle = {.bits = 2, .row_shift = 1, .bank_shift = 1},
                              .arbitration = BankArbitration::round_robin,
                              .read_latency_cycles = 4});
  CHECK(p.bytes_per_cycle() == 256);
  CHECK(read(to_json(p).dump(), 4096) == p);
  const auto blocked = read(
      R"({"banks": 4, "bank_word_bytes": 16, "ports": "1r1w", "interleaving": "blocked"})", 262144);
  CHECK(blocked.bank_bytes == 65536);
  CHECK(blocked.bytes_per_cycle() == 64);
  CHECK(read(to_json(blocked).dump(), 262144) == blocked);
}

TEST_CASE("a swizzle without effect is dropped", "[scratchpad]") {
  const auto p = read(R"({"banks": 8, "bank_word_bytes": 4, "swizzle": {"bits": 3}})");
  CHECK(p == ScratchpadParams{.banks = 8, .bank_word_bytes = 4});
}

TEST_CASE("faults of a scratchpad are named", "[scratchpad]") {
  struct Case {
    const char* text;
    Bytes capacity_bytes;
    const char* fault;
  };
  for (const Case& c : {
           Case{R"({"bank_word_bytes": 4})", 0, "core.banks: is missing"},
           Case{R"({"banks": 0, "bank_word_bytes": 4})", 0, "core.banks: must be from 1 to 65536"},
           Case{R"({"banks": 4})", 0, "core.bank_word_bytes: is missing"},
           Case{R"({"banks": 4, "bank_word_bytes": 4, "ports": "3rw"})", 0, "core.ports: "},
           Case{R"({"banks": 4, "bank_word_bytes": 4, "read_latency_cycles": 0})", 0,
                "core.read_latency_cycles: must be from 1 to 10000"},
           Case{R"({"banks": 4, "bank_word_bytes": 4, "interleaving": "blocked"})", 0,
                "core.interleaving: blocked needs a capacity"},
           Case{R"({"banks": 3, "bank_word_bytes": 4})", 64,
                "core.banks: banks x bank_word_bytes = 12 must divide the capacity of 64 bytes"},
           Case{R"({"banks": 4, "bank_word_bytes": 4, "interleaving": "xor"})", 0,
                "core.swizzle: is missing: interleaving is xor"},
           Case{R"({"banks": 6, "bank_word_bytes": 4, "interleaving": "xor",
                    "swizzle": {"bits": 1}})",
                0, "core.banks: must be a power of two for interleaving xor, is 6"},
           Case{R"({"banks": 8, "bank_word_bytes": 4, "interleaving": "xor",
                    "swizzle": {"bits": 2, "bank_shift": 2}})",
                0, "core.swizzle: bits + bank_shift must be at most log2(banks) = 3, is 4"},
           Case{R"({"banks": 8, "bank_word_bytes": 4, "interleaving": "xor",
                    "swizzle": {"bits": 3, "row_shift": 9}})",
                0, "core.swizzle.row_shift: must be from 0 to 8"},
       }) {
    INFO(c.text);
    ScratchpadParams params;
    const auto errors = errors_of(c.text, [&](ObjectReader& reader) {
      params = read_scratchpad(reader, c.capacity_bytes);
      reader.finish();
    });
    CHECK_THAT(errors, contains(c.fault));
    CHECK_NOTHROW(check_scratchpad(params));
  }
}

TEST_CASE("parameters that no file could give are refused", "[scratchpad]") {
  const auto faulty = [](auto&& change) {
    ScratchpadParams p{.banks = 8, .bank_word_bytes = 4};
    change(p);
    CHECK_THROWS_AS(check_scratchpad(p), SimulationError);
    CHECK_THROWS_AS(BankArbiter(p, 1), SimulationError);
  };
  faulty([](auto& p) { p.banks = 0; });
  faulty([](auto& p) { p.bank_word_bytes = 0; });
  faulty([](auto& p) { p.bank_bytes = 10; });
  faulty([](auto& p) { p.interleaving = BankInterleaving::blocked; });
  faulty([](auto& p) {
    p.banks = 6;
    p.interleaving = BankInterleaving::xor_swizzled;
  });
  faulty([](auto& p) {
    p.interleaving = BankInterleaving::xor_swizzled;
    p.swizzle.bits = 4;
  });
  faulty([](auto& p) { p.read_latency_cycles = 0; });
}

}  // namespace
}  // namespace tilewave::test
