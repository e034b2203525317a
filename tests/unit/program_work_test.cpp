// SPDX-License-Identifier: Apache-2.0
// Work counted from a loop nest, against the sizes of the whole problem; programs printed for
// people.
#include <random>
#include <string>
#include <vector>

#include "support/catch.hpp"

#include "arch/program/program.hpp"

namespace tilewave::test {
namespace {

using program::Condition;
using program::Instruction;
using program::Kernel;
using program::Loop;
using program::Space;
using program::UnitKind;
using program::Work;

struct Tiling {
  Count m, n, k, tm, tn, tk;
  Space a_space = Space::dram, c_space = Space::dram;
};

/// C[m x n] = A[m x k] B[k x n] in loops over tiles, C stored and squashed (two lane operations an
/// element) once a tile is complete.
Kernel tiled_gemm(const Tiling& t) {
  Kernel kernel;
  kernel.name = "product";
  kernel.description = "a tiled product";
  kernel.tensors = {{"A", t.a_space, 0x1000, t.m * t.k},
                    {"B", Space::dram, 0x20000, t.k * t.n},
                    {"C", t.c_space, 0x3000, t.m * t.n * 2}};
  kernel.slots = {{"weights", "weight", 2, 64, 1}};
  const Span m = Span::tile(0, t.tm, t.m), n = Span::tile(1, t.tn, t.n),
             k = Span::tile(2, t.tk, t.k);
  const auto make = [](std::string label, UnitKind unit) {
    Instruction i;
    i.label = std::move(label);
    i.unit = unit;
    return i;
  };
  Instruction a = make("fetch A", UnitKind::load), b = make("fetch B", UnitKind::load);
  a.region = {.tensor = 0, .shape = program::StridedRows{{{m, t.k}}, k}};
  b.region = {.tensor = 1, .shape = program::StridedRows{{{k, t.n}}, n}};
  b.queue = 1;
  program::SlotUse use;
  use.acquire = {.first = 4};
  use.produce = true;
  b.slots = {use};
  Instruction multiply = make("multiply", UnitKind::matrix);
  multiply.m.factors = {m};
  multiply.n.factors = {n};
  multiply.k.factors = {k};
  program::SlotUse read;
  read.wait = true;
  read.part = 3;
  read.stage = Affine::of_loop(2, 1);
  read.release = {.last = 2};
  multiply.slots = {read};
  Instruction squash = make("squash", UnitKind::vector);
  squash.when = {.last = 4};
  squash.elements.factors = {m, n};
  squash.operations_per_element = 2;
  Instruction store = make("store C", UnitKind::store);
  store.when = {.last = 4};
  store.region = {.tensor = 2,
                  .shape = program::StridedRows{{{m, 2 * t.n}, {n, 2}}, Span::whole(2)}};
  kernel.body = {Loop{.name = "m",
                      .index = 0,
                      .count = ceil_div(t.m, t.tm),
                      .body = {Loop{.name = "n",
                                    .index = 1,
                                    .count = ceil_div(t.n, t.tn),
                                    .body = {Loop{.name = "k",
                                                  .index = 2,
                                                  .count = ceil_div(t.k, t.tk),
                                                  .body = {a, b, multiply, squash, store}}}}}}};
  return kernel;
}

TEST_CASE("work of a tiled product is that of its elements", "[program]") {
  std::mt19937_64 random(5);
  const auto pick = [&](Count high) {
    return std::uniform_int_distribution<Count>(1, high)(random);
  };
  for (int i = 0; i < 200; ++i) {
    Tiling t{
        .m = pick(20), .n = pick(20), .k = pick(20), .tm = pick(8), .tn = pick(8), .tk = pick(8)};
    if (i % 2 == 1) t.a_space = Space::host;
    if (i % 3 == 1) t.c_space = Space::host;
    // A tile of A comes once for each tile of n, of B once for each tile of m.
    const Count m_tiles = ceil_div(t.m, t.tm), n_tiles = ceil_div(t.n, t.tn);
    const Bytes a_bytes = n_tiles * t.m * t.k, b_bytes = m_tiles * t.n * t.k;
    const Bytes c_bytes = 2 * t.m * t.n;

    const Work work = count_work(tiled_gemm(t));
    REQUIRE(work.macs == t.m * t.n * t.k);
    REQUIRE(work.vector_operations == 2 * t.m * t.n);
    REQUIRE(work.instructions == m_tiles * n_tiles * (3 * ceil_div(t.k, t.tk) + 2));
    const bool a_host = t.a_space == Space::host, c_host = t.c_space == Space::host;
    REQUIRE(work.host_read_bytes == (a_host ? a_bytes : 0));
    REQUIRE(work.dram_read_bytes == b_bytes + (a_host ? 0 : a_bytes));
    REQUIRE(work.host_write_bytes == (c_host ? c_bytes : 0));
    REQUIRE(work.dram_write_bytes == (c_host ? 0 : c_bytes));
  }
}

TEST_CASE("a kernel without instructions does nothing", "[program]") {
  const Work work = program::count_work({});
  CHECK(work.macs + work.instructions + work.vector_operations + work.dram_read_bytes +
            work.dram_write_bytes + work.host_read_bytes + work.host_write_bytes ==
        0);
}

TEST_CASE("counts are 64 bits wide", "[program]") {
  Kernel kernel;
  Instruction i;
  i.unit = UnitKind::matrix;
  const auto size = Span::whole(Count{1} << 20);
  i.m.factors = i.n.factors = i.k.factors = {size};
  kernel.body = {Loop{.name = "m", .index = 0, .count = 5, .body = {i}}};
  CHECK(program::count_work(kernel).macs == 5 * (Count{1} << 60));
}

TEST_CASE("a printed program names what is in it", "[program]") {
  const std::string text = program::to_text(
      {{tiled_gemm({.m = 7, .n = 5, .k = 9, .tm = 4, .tn = 2, .tk = 3, .a_space = Space::host})}});
  for (const char* part : {
           "kernel \"product\" dtype int8: a tiled product",
           "tensor A in host at 0x1000, 63 bytes",
           "tensor B in dram at 0x20000, 45 bytes",
           "slot weights in weight: 2 x 64 bytes",
           "for m (i0) in 0..2",
           "for n (i1) in 0..3",
           "for k (i2) in 0..3",
           "load.0 \"fetch A\" host:A",
           "load.1 \"fetch B\" dram:B",
           "matrix.0 \"multiply\"",
           "vector.0 \"squash\" when last(i2)",
           "operations 2",
           "store.0 \"store C\" when last(i2) dram:C",
           // Spans: where they begin, how long they are, and what cuts them.
           "m [0+4*i0,+4)&[0,7)",
           "pitch 5",
           "weights acquire first(i2) produce",
           "weights stage 0+1*i2 wait part 3 release last(i1)",
       }) {
    CHECK_THAT(text, contains(part));
  }
  // An instruction a line, indented by its loops.
  CHECK_THAT(text, contains("\n        matrix.0"));
}

TEST_CASE("a printed window says which pixels need its rows", "[program]") {
  Kernel kernel;
  kernel.tensors = {{"A", Space::dram, 0, 100}};
  Instruction load;
  load.region.tensor = 0;
  load.region.shape = program::WindowRows{.outputs = Span::tile(0, 4, 8), .row_bytes = 30};
  kernel.body = {load};
  CHECK_THAT(program::to_text({{kernel}}),
             contains("input rows of output pixels [0+4*i0,+4)&[0,8), 30 bytes each"));
  std::get<Instruction>(kernel.body[0]).region.offset_bytes = Affine::of_loop(1, 500, 7);
  CHECK_THAT(program::to_text({{kernel}}), contains("dram:A from byte 7+500*i1 input rows"));
}

}  // namespace
}  // namespace tilewave::test
