// SPDX-License-Identifier: Apache-2.0
// Banks of a core's buffers: what an operand stream finds in them sets the interval of its vectors.
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/machines.hpp"

#include "arch/core/systolic_core_params.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

Json banked(const std::string& buffer, const std::string& banking) {
  return with(small_machine(), {"core.buffers." + buffer + ".banks=null",
                                "core.buffers." + buffer + ".banking=" + banking});
}
Cycle interval(const Json& machine, Count m, Count n, Count k) {
  return fold_shape(resolve(machine).chip.core, DataType::int8, m, n, k, true, true).interval;
}

}  // namespace

TEST_CASE("banks beside each other take a vector a cycle, too few of them do not", "[core]") {
  struct Case {
    const char* banking;
    Cycle expected;  // for vectors of four int8 activations
  };
  for (const Case& c : {
           Case{R"({"banks": 4, "bank_word_bytes": 1})", 1},
           Case{R"({"banks": 1, "bank_word_bytes": 4})", 1},
           Case{R"({"banks": 2, "bank_word_bytes": 1})", 2},
           Case{R"({"banks": 2, "bank_word_bytes": 1, "ports": "2rw"})", 1},
           Case{R"({"banks": 4, "bank_word_bytes": 1, "interleaving": "blocked"})", 4},
           Case{R"({"banks": 4, "bank_word_bytes": 4, "interleaving": "blocked"})", 1},
           Case{R"({"banks": 1, "bank_word_bytes": 1})", 4},
       }) {
    INFO(c.banking);
    CHECK(interval(banked("activation", c.banking), 8, 4, 4) == c.expected);
  }
}

TEST_CASE("a vector that is no whole number of words straddles", "[core]") {
  // Three bytes at 0, 3, 6, …: the second lies in two words of one bank.
  CHECK(interval(banked("activation", R"({"banks": 1, "bank_word_bytes": 4})"), 8, 4, 3) == 2);
  CHECK(interval(banked("activation", R"({"banks": 2, "bank_word_bytes": 4})"), 8, 4, 3) == 1);
}

TEST_CASE("results go through the accumulators' banks", "[core]") {
  const auto four = R"({"banks": 4, "bank_word_bytes": 4})";  // four sums of 32 bits
  const auto two = R"({"banks": 2, "bank_word_bytes": 4})";
  CHECK(interval(banked("accumulator", four), 8, 4, 4) == 1);
  CHECK(interval(banked("accumulator", two), 8, 4, 4) == 2);
}

TEST_CASE("conflicts slow a run, and fast and detailed agree on by how much", "[core]") {
  const Workload gemm = gemm_workload(64, 16, 32);
  const Json good = banked("activation", R"({"banks": 4, "bank_word_bytes": 1})");
  const Json bad = banked("activation", R"({"banks": 1, "bank_word_bytes": 1})");
  CHECK(cycles(good, gemm) == cycles(small_machine(), gemm));
  CHECK(cycles(bad, gemm) > cycles(good, gemm));
  CHECK(comparable(run(bad, gemm))["total"]["cycles"] ==
        comparable(run(bad, gemm, Fidelity::detailed))["total"]["cycles"]);
}

TEST_CASE("banks given twice or for no buffer are errors", "[core]") {
  CHECK_THROWS_WITH(resolve(with(small_machine(), {"core.buffers.activation.banking={\"banks\": 2, "
                                                   "\"bank_word_bytes\": 1}"})),
                    contains("give banks or banking, not both"));
  CHECK_THROWS_WITH(resolve(banked("activation", R"({"banks": 3, "bank_word_bytes": 5})")),
                    contains("must divide the capacity"));
}
