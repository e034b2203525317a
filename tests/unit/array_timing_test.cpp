// SPDX-License-Identifier: Apache-2.0
// Timing of the array as tables worked out by hand, for both variants.
#include <memory>
#include <string>
#include <vector>

#include "support/array_driver.hpp"
#include "support/catch.hpp"

#include "arch/matrix/array_model.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave::test {
namespace {

using Maker = std::unique_ptr<ArrayModel> (*)(const ArrayParams&);
struct Variant {
  const char* name;
  Maker make;
};
constexpr Variant kVariants[] = {{"fold by fold", make_fold_array}, {"PE by PE", make_pe_array}};

constexpr auto kOs = Dataflow::output_stationary;
constexpr auto kWs = Dataflow::weight_stationary;
constexpr auto kIs = Dataflow::input_stationary;
constexpr auto kShift = OutputDrain::shift;
constexpr auto kDirect = OutputDrain::direct;
constexpr bool kSingle = false, kDouble = true;  // weight_double_buffer
constexpr bool kApart = false, kOverlap = true;  // fold_overlap

/// A fold that uses all of the array. Arguments in the order stream, interval, load cycles.
ArrayFold whole(const ArrayParams& params, Count stream, Cycle interval = 1, Cycle load = 0) {
  ArrayFold fold;
  fold.shape = {params.rows, params.cols, stream, interval, load, true, true};
  return fold;
}

struct Case {
  const char* name;
  ArrayParams params;
  std::vector<ArrayFold> folds;
  std::vector<FoldEvents> events;  ///< load begin, load end, stream begin, stream end, completion
};

void check(const Case& expected) {
  for (const Variant& variant : kVariants) {
    INFO(expected.name << ", " << variant.name << ", " << to_string(expected.params));
    std::vector<ArrayFold> folds = expected.folds;
    const auto array = variant.make(expected.params);
    const ArrayRun run = drive_array(*array, expected.params, folds);
    REQUIRE(run.folds.size() == expected.events.size());
    for (std::size_t i = 0; i < folds.size(); ++i) {
      INFO("fold " << i);
      CHECK(to_string(run.folds[i]) == to_string(expected.events[i]));
    }
  }
}

TEST_CASE("one output-stationary fold", "[array]") {
  // The last of T vectors enters in cycle T - 1 and is at the far corner R + C - 2 cycles later.
  const ArrayParams p2{2, 2, kOs, kSingle, kApart, kDirect};
  check({"2x2x2", p2, {whole(p2, 2)}, {{0, 0, 0, 2, 4}}});
  const ArrayParams p4{4, 4, kOs, kSingle, kApart, kDirect};
  check({"4x4x4", p4, {whole(p4, 4)}, {{0, 0, 0, 4, 10}}});
  check({"a vector every third cycle", p4, {whole(p4, 4, 3)}, {{0, 0, 0, 12, 16}}});
  const ArrayParams p4s{4, 4, kOs, kSingle, kApart, kShift};
  check({"shift: R cycles more", p4s, {whole(p4s, 4)}, {{0, 0, 0, 4, 14}}});
  const ArrayParams row{1, 8, kOs, kSingle, kApart, kDirect};
  check({"1x8", row, {whole(row, 3)}, {{0, 0, 0, 3, 3 + 1 + 8 - 2}}});
  const ArrayParams column{8, 1, kOs, kSingle, kApart, kShift};
  check({"8x1", column, {whole(column, 3)}, {{0, 0, 0, 3, 3 + 16 + 1 - 2}}});
  const ArrayParams one{1, 1, kOs, kSingle, kApart, kDirect};
  check({"the entry is the last to be free", one, {whole(one, 5, 4)}, {{0, 0, 0, 20, 20}}});
}

TEST_CASE("one weight- or input-stationary fold", "[array]") {
  for (const Dataflow dataflow : {kWs, kIs}) {
    const ArrayParams p{4, 4, dataflow, kSingle, kApart, kShift};
    check({"T + 2R + C - 2", p, {whole(p, 4, 1, 4)}, {{0, 4, 4, 8, 14}}});
    check({"a load path narrower than a row", p, {whole(p, 4, 1, 11)}, {{0, 11, 11, 15, 21}}});
    check({"a vector every other cycle", p, {whole(p, 4, 2, 4)}, {{0, 4, 4, 12, 17}}});
    const ArrayParams wide{2, 7, dataflow, kDouble, kOverlap, kShift};
    check({"2x7", wide, {whole(wide, 3, 1, 2)}, {{0, 2, 2, 5, 2 + 3 + 2 + 7 - 2}}});
  }
}

TEST_CASE("an edge fold crosses the whole array", "[array]") {
  for (const Dataflow dataflow : {kWs, kIs, kOs}) {
    const bool os = dataflow == kOs;
    const ArrayParams p{4, 4, dataflow, kSingle, kApart, kDirect};
    ArrayFold edge = whole(p, 4, 1, os ? 0 : 4);
    edge.shape.rows_used = 1;
    edge.shape.cols_used = 2;
    check(
        {"1x2 of 4x4", p, {edge}, {os ? FoldEvents{0, 0, 0, 4, 10} : FoldEvents{0, 4, 4, 8, 14}}});
  }
}

TEST_CASE("weight-stationary folds one after another", "[array]") {
  const auto params = [](bool double_buffer, bool overlap) {
    return ArrayParams{4, 4, kWs, double_buffer, overlap, kShift};
  };
  const auto three = [](const ArrayParams& p, Count stream, Cycle interval, Cycle load) {
    return std::vector<ArrayFold>(3, whole(p, stream, interval, load));
  };
  const ArrayParams plain = params(kSingle, kApart);
  check({"nothing overlaps: T + 2R + C - 2 a fold",
         plain,
         three(plain, 4, 1, 4),
         {{0, 4, 4, 8, 14}, {14, 18, 18, 22, 28}, {28, 32, 32, 36, 42}}});
  const ArrayParams overlap = params(kSingle, kOverlap);
  check({"overlap: T + load a fold",
         overlap,
         three(overlap, 4, 1, 4),
         {{0, 4, 4, 8, 14}, {8, 12, 12, 16, 22}, {16, 20, 20, 24, 30}}});
  check({"overlap: T I + load a fold",
         overlap,
         three(overlap, 4, 3, 6),
         {{0, 6, 6, 18, 22}, {18, 24, 24, 36, 40}, {36, 42, 42, 54, 58}}});
  const ArrayParams buffered = params(kDouble, kApart);
  check({"double buffer: T + R + C - 2 a fold",
         buffered,
         three(buffered, 4, 1, 4),
         {{0, 4, 4, 8, 14}, {4, 8, 14, 18, 24}, {14, 18, 24, 28, 34}}});
  const ArrayParams both = params(kDouble, kOverlap);
  check({"both: T a fold",
         both,
         three(both, 10, 1, 4),
         {{0, 4, 4, 14, 20}, {4, 8, 14, 24, 30}, {14, 18, 24, 34, 40}}});
  check({"both: T I a fold",
         both,
         three(both, 4, 3, 4),
         {{0, 4, 4, 16, 20}, {4, 8, 16, 28, 32}, {16, 20, 28, 40, 44}}});
  check({"both: load a fold",
         both,
         three(both, 2, 1, 4),
         {{0, 4, 4, 6, 12}, {4, 8, 8, 10, 16}, {8, 12, 12, 14, 20}}});
  check({"both: a narrow load path",
         both,
         three(both, 2, 2, 9),
         {{0, 9, 9, 13, 18}, {9, 18, 18, 22, 27}, {18, 27, 27, 31, 36}}});
}

TEST_CASE("output-stationary folds one after another", "[array]") {
  const auto params = [](bool overlap, OutputDrain drain) {
    return ArrayParams{4, 4, kOs, kSingle, overlap, drain};
  };
  const auto three = [](const ArrayParams& p, Count stream, Cycle interval) {
    return std::vector<ArrayFold>(3, whole(p, stream, interval));
  };
  const ArrayParams direct_apart = params(kApart, kDirect);
  check({"T + R + C - 2 a fold",
         direct_apart,
         three(direct_apart, 4, 1),
         {{0, 0, 0, 4, 10}, {0, 0, 10, 14, 20}, {0, 0, 20, 24, 30}}});
  const ArrayParams shift_apart = params(kApart, kShift);
  check({"shift: T + 2R + C - 2 a fold",
         shift_apart,
         three(shift_apart, 4, 1),
         {{0, 0, 0, 4, 14}, {0, 0, 14, 18, 28}, {0, 0, 28, 32, 42}}});
  const ArrayParams direct = params(kOverlap, kDirect);
  check({"overlap: T a fold, as short as one vector",
         direct,
         three(direct, 1, 1),
         {{0, 0, 0, 1, 7}, {0, 0, 1, 2, 8}, {0, 0, 2, 3, 9}}});
  const ArrayParams shift = params(kOverlap, kShift);
  check({"overlap, shift: R a fold if T is less",
         shift,
         three(shift, 1, 1),
         {{0, 0, 0, 1, 11}, {0, 0, 4, 5, 15}, {0, 0, 8, 9, 19}}});
  check({"overlap, shift: T I a fold if that is more",
         shift,
         three(shift, 3, 2),
         {{0, 0, 0, 6, 15}, {0, 0, 6, 12, 21}, {0, 0, 12, 18, 27}}});
  // The last vector counts, not the end of its interval: 1 + 4 <= 5 + 0, and 1 + 4 <= 2 + 4.
  check({"shift: intervals that differ",
         shift,
         {whole(shift, 2), whole(shift, 1, 4)},
         {{0, 0, 0, 2, 12}, {0, 0, 5, 9, 16}}});
  check({"shift: a slow fold begins under the drain",
         shift,
         {whole(shift, 2), whole(shift, 2, 4)},
         {{0, 0, 0, 2, 12}, {0, 0, 2, 10, 17}}});
}

TEST_CASE("output-stationary folds that share their sums", "[array]") {
  const ArrayParams apart{4, 4, kOs, kSingle, kApart, kDirect};
  std::vector<ArrayFold> chain(3, whole(apart, 4));
  chain[0].shape.last = chain[1].shape.first = chain[1].shape.last = chain[2].shape.first = false;
  check({"the chain streams as one fold, also without overlap",
         apart,
         chain,
         {{0, 0, 0, 4, 10}, {0, 0, 4, 8, 14}, {0, 0, 8, 12, 18}}});

  const ArrayParams shift{4, 4, kOs, kSingle, kOverlap, kShift};
  std::vector<ArrayFold> folds(3, whole(shift, 1));
  folds[1].shape.last = folds[2].shape.first = false;
  // Fold 1 leaves its sums inside, so it need not wait for fold 0's drain registers, which fold 2
  // does. It is done in cycle 8, and counted once fold 0 is, too.
  check({"only the fold that drains waits for the drain registers",
         shift,
         folds,
         {{0, 0, 0, 1, 11}, {0, 0, 1, 2, 11}, {0, 0, 4, 5, 15}}});
}

TEST_CASE("an array whose operands pass several PEs in a cycle", "[array]") {
  // 4 x 4, 2 hops a cycle: a load takes 4 / 2 cycles at least; the last vector crosses 7 diagonals in
  // 4 cycles, and a shifted result 4 + 7 hops in 6.
  const ArrayParams ws{4, 4, kWs, kDouble, kOverlap, kShift, 2};
  check({"weight stationary",
         ws,
         {whole(ws, 4, 1, 2), whole(ws, 4, 1, 2)},
         {{0, 2, 2, 6, 9}, {2, 4, 6, 10, 13}}});
  const ArrayParams os{4, 4, kOs, kSingle, kApart, kShift, 2};
  check({"output stationary", os, {whole(os, 4)}, {{0, 0, 0, 4, 9}}});
  // 20 hops: all of the array in a cycle; the entry is what takes time.
  const ArrayParams at_once{4, 4, kWs, kSingle, kApart, kShift, 20};
  check({"one cycle across",
         at_once,
         {whole(at_once, 4, 1, 1), whole(at_once, 4, 2, 1)},
         {{0, 1, 1, 5, 5}, {5, 6, 6, 14, 14}}});
}

TEST_CASE("operands that come late", "[array]") {
  const ArrayParams p{4, 4, kWs, kDouble, kOverlap, kShift};
  std::vector<ArrayFold> folds(3, whole(p, 4, 1, 4));
  folds[1].stationary_at = 20;
  folds[2].stream_at = 100;
  check({"loads and streams wait each for their own",
         p,
         folds,
         {{0, 4, 4, 8, 14}, {20, 24, 24, 28, 34}, {24, 28, 100, 104, 110}}});
}

TEST_CASE("an array at rest has no events", "[array]") {
  for (const Variant& variant : kVariants) {
    INFO(variant.name);
    const ArrayParams p{4, 4, kWs, kDouble, kOverlap, kShift};
    const auto array = variant.make(p);
    array->advance(7);
    CHECK(array->next_event(7) == kNever);
    CHECK(array->can_load(7));
    CHECK_FALSE(array->can_stream(7, whole(p, 4, 1, 4).shape));
    CHECK_FALSE(array->in_flight(7));
    std::vector<ArrayFold> folds{whole(p, 4, 1, 4)};
    folds[0].stationary_at = 7;
    CHECK(drive_array(*array, p, folds).folds[0].completion == 7 + 14);
    CHECK(array->macs_done() == 4 * 4 * 4);
    CHECK(array->next_event(21) == kNever);
  }
}

TEST_CASE("calls that break the contract are refused", "[array]") {
  for (const Variant& variant : kVariants) {
    INFO(variant.name);
    const ArrayParams ws{4, 4, kWs, kDouble, kOverlap, kShift};
    const FoldShape fold = whole(ws, 4, 1, 4).shape;
    const auto array = variant.make(ws);
    CHECK_THROWS_AS(variant.make({0, 4, kWs, true, true, kShift}), SimulationError);
    CHECK_THROWS_AS(variant.make({4, 4, kWs, true, true, kShift, 0}), SimulationError);

    CHECK_THROWS_AS(array->start_stream(0, fold, nullptr), SimulationError);
    FoldShape fast = fold;
    fast.load_cycles = 3;
    CHECK_THROWS_AS(array->start_load(0, fast, nullptr), SimulationError);
    FoldShape tall = fold;
    tall.rows_used = 5;
    CHECK_THROWS_AS(array->start_load(0, tall, nullptr), SimulationError);
    FoldValues no_operands = FoldNumbers<float, float>{};
    CHECK_THROWS_AS(array->start_load(0, fold, &no_operands), SimulationError);

    array->start_load(0, fold, nullptr);
    CHECK_THROWS_AS(array->start_load(0, fold, nullptr), SimulationError);
    array->advance(3);
    CHECK_THROWS_AS(array->start_stream(3, fold, nullptr), SimulationError);
    array->advance(4);
    FoldShape other = fold;
    other.cols_used = 1;
    CHECK_THROWS_AS(array->start_stream(4, other, nullptr), SimulationError);
    array->start_stream(4, fold, nullptr);

    const ArrayParams os{4, 4, kOs, kSingle, kOverlap, kDirect};
    const auto sums = variant.make(os);
    FoldShape part = whole(os, 1).shape;
    part.first = false;
    CHECK_THROWS_AS(sums->start_stream(0, part, nullptr), SimulationError);
    part.first = true;
    part.last = false;
    sums->start_stream(0, part, nullptr);
    sums->advance(1);
    CHECK_THROWS_AS(sums->start_stream(1, part, nullptr), SimulationError);
    part.first = false;
    part.rows_used = 2;
    CHECK_THROWS_AS(sums->start_stream(1, part, nullptr), SimulationError);
  }
}

TEST_CASE("names of output drains", "[array]") {
  CHECK(tilewave::to_string(kShift) == "shift");
  CHECK(tilewave::to_string(kDirect) == "direct");
}

}  // namespace
}  // namespace tilewave::test
