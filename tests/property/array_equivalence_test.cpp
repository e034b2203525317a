// SPDX-License-Identifier: Apache-2.0
// The array fold by fold and the array PE by PE are one machine: same cycle of every event, same
// counts, same numbers, and the numbers of a plain product. An event the fold-by-fold array allowed
// too early would show as a wrong number, for the PEs do not protect their registers.
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "support/array_driver.hpp"
#include "support/catch.hpp"

#include "arch/matrix/array_model.hpp"
#include "arch/matrix/number_formats.hpp"

namespace tilewave::test {
namespace {

using Ints = FoldNumbers<std::int32_t, std::int32_t>;
using Floats = FoldNumbers<float, float>;

enum class Numbers { none, int8, int16, int32, fp16, bf16 };

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : engine_(seed) {}

  /// Uniform in [low, high].
  std::uint64_t between(std::uint64_t low, std::uint64_t high) {
    return low + engine_() % (high - low + 1);
  }
  bool chance(unsigned percent) { return between(1, 100) <= percent; }

  ArrayParams params() {
    ArrayParams params;
    params.rows = chance(20) ? 1 : between(1, 12);
    params.cols = chance(20) ? 1 : between(1, 12);
    params.dataflow = static_cast<Dataflow>(between(0, 2));
    params.weight_double_buffer = chance(50);
    params.fold_overlap = chance(60);
    params.output_drain = chance(60) ? OutputDrain::shift : OutputDrain::direct;
    params.hops_per_cycle = chance(50) ? 1 : between(2, 5);
    return params;
  }

  std::vector<ArrayFold> folds(const ArrayParams& params) {
    const bool os = params.dataflow == Dataflow::output_stationary;
    const bool starved = chance(40);
    std::vector<ArrayFold> folds(between(1, 5));
    Numbers numbers = any_numbers();
    bool first = true;
    for (std::size_t i = 0; i < folds.size(); ++i) {
      FoldShape& shape = folds[i].shape;
      shape.rows_used = chance(50) ? params.rows : between(1, params.rows);
      shape.cols_used = chance(50) ? params.cols : between(1, params.cols);
      shape.stream = chance(30) ? between(1, 3) : between(1, 20);
      shape.interval = chance(60) ? 1 : between(2, 4);
      if (os) {
        shape.first = first;
        shape.last = first = chance(60);
        if (!shape.first) {
          shape.rows_used = folds[i - 1].shape.rows_used;
          shape.cols_used = folds[i - 1].shape.cols_used;
        }
      } else {
        shape.load_cycles = ceil_div(params.rows, params.hops_per_cycle) +
                            (chance(50) ? 0 : between(0, 3 * params.rows));
      }
      if (starved) {
        folds[i].stationary_at = chance(50) ? 0 : between(0, 150);
        folds[i].stream_at = chance(50) ? 0 : between(0, 150);
      }
      if (shape.first && chance(30)) numbers = any_numbers();
      // A chain may go on with larger integers; only its sums have to stay of one kind.
      if (numbers == Numbers::int8 && chance(20)) numbers = Numbers::int32;
      fill(params, folds[i], numbers);
    }
    return folds;
  }

 private:
  Numbers any_numbers() { return static_cast<Numbers>(between(0, 5)); }

  std::int32_t integer(Numbers numbers) {
    const auto bits = static_cast<std::uint32_t>(engine_());
    if (numbers == Numbers::int8) return static_cast<std::int8_t>(bits);
    if (numbers == Numbers::int16) return static_cast<std::int16_t>(bits);
    return static_cast<std::int32_t>(bits);
  }

  float floating(Numbers numbers) {
    const double value = static_cast<double>(static_cast<std::int64_t>(engine_())) * 0x1p-60;
    return quantize(value, numbers == Numbers::fp16 ? DataType::fp16 : DataType::bf16);
  }

  void fill(const ArrayParams& params, ArrayFold& fold, Numbers numbers) {
    if (numbers == Numbers::none) return;
    const bool os = params.dataflow == Dataflow::output_stationary;
    const FoldShape& shape = fold.shape;
    const auto fill_all = [&](auto& operands, auto any) {
      operands.stationary.resize(os ? 0 : shape.rows_used * shape.cols_used);
      operands.stream.resize(shape.stream * shape.rows_used);
      operands.stream_top.resize(os ? shape.stream * shape.cols_used : 0);
      for (auto* vector : {&operands.stationary, &operands.stream, &operands.stream_top}) {
        for (auto& operand : *vector) operand = any();
      }
    };
    if (numbers == Numbers::fp16 || numbers == Numbers::bf16) {
      fold.values.emplace(Floats{});
      fill_all(std::get<Floats>(*fold.values), [&] { return floating(numbers); });
    } else {
      fold.values.emplace(Ints{});
      fill_all(std::get<Ints>(*fold.values), [&] { return integer(numbers); });
    }
  }

  std::mt19937_64 engine_;
};

std::int32_t plus_product(std::int32_t sum, std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(std::int64_t{sum} + std::int64_t{a} * std::int64_t{b});
}
float plus_product(float sum, float a, float b) {
  const float product = a * b;
  return sum + product;
}

/// The product by its definition; `sums` carries an output-stationary chain.
template <typename T>
std::vector<T> plain_product(bool os, const FoldShape& shape, const FoldNumbers<T, T>& fold,
                             std::vector<T>& sums) {
  const Count rows = shape.rows_used;
  const Count cols = shape.cols_used;
  if (os) {
    if (shape.first) sums.assign(rows * cols, T{0});
    for (Count r = 0; r < rows; ++r) {
      for (Count c = 0; c < cols; ++c) {
        for (Count v = 0; v < shape.stream; ++v) {
          T& sum = sums[r * cols + c];
          sum = plus_product(sum, fold.stream[v * rows + r], fold.stream_top[v * cols + c]);
        }
      }
    }
    return shape.last ? sums : std::vector<T>{};
  }
  std::vector<T> result(shape.stream * cols, T{0});
  for (Count v = 0; v < shape.stream; ++v) {
    for (Count c = 0; c < cols; ++c) {
      T& sum = result[v * cols + c];
      for (Count r = 0; r < rows; ++r) {
        sum = plus_product(sum, fold.stream[v * rows + r], fold.stationary[r * cols + c]);
      }
    }
  }
  return result;
}

/// First fold whose result is not that of the plain product; -1 if there is none.
int first_wrong(const ArrayParams& params, const std::vector<ArrayFold>& folds) {
  const bool os = params.dataflow == Dataflow::output_stationary;
  std::vector<std::int32_t> int_sums;
  std::vector<float> float_sums;
  for (std::size_t i = 0; i < folds.size(); ++i) {
    if (!folds[i].values) continue;
    bool right = false;
    if (const auto* ints = std::get_if<Ints>(&*folds[i].values)) {
      right = ints->result == plain_product(os, folds[i].shape, *ints, int_sums);
    } else {
      const auto& floats = std::get<Floats>(*folds[i].values);
      right = floats.result == plain_product(os, folds[i].shape, floats, float_sums);
    }
    if (!right) return static_cast<int>(i);
  }
  return -1;
}

std::string describe(const ArrayParams& params, const std::vector<ArrayFold>& folds,
                     const ArrayRun& fast, const ArrayRun& detailed) {
  std::string text = to_string(params) + "\n";
  for (std::size_t i = 0; i < folds.size(); ++i) {
    text += "fold " + std::to_string(i) + ": " + to_string(folds[i].shape) + " stationary at " +
            std::to_string(folds[i].stationary_at) + " stream at " +
            std::to_string(folds[i].stream_at) + "\n  fold by fold: " + to_string(fast.folds[i]) +
            "\n  PE by PE:     " + to_string(detailed.folds[i]) + "\n";
  }
  return text;
}

Count macs_of(const std::vector<ArrayFold>& folds) {
  Count macs = 0;
  for (const ArrayFold& fold : folds) {
    macs += fold.shape.rows_used * fold.shape.cols_used * fold.shape.stream;
  }
  return macs;
}

TEST_CASE("fold by fold and PE by PE give the same cycles, counts and numbers", "[array]") {
  constexpr std::uint64_t kCases = 50000;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    Generator generator(seed);
    const ArrayParams params = generator.params();
    std::vector<ArrayFold> fast_folds = generator.folds(params);
    std::vector<ArrayFold> detailed_folds = fast_folds;
    INFO("seed " << seed << ": " << to_string(params));
    const auto fast_array = make_fold_array(params);
    const ArrayRun fast = drive_array(*fast_array, params, fast_folds);
    const auto detailed_array = make_pe_array(params);
    const ArrayRun detailed = drive_array(*detailed_array, params, detailed_folds);
    if (!(fast == detailed)) FAIL(describe(params, fast_folds, fast, detailed));
    if (fast.macs != macs_of(fast_folds)) FAIL(describe(params, fast_folds, fast, detailed));
    if (first_wrong(params, fast_folds) >= 0) FAIL(describe(params, fast_folds, fast, detailed));
    if (first_wrong(params, detailed_folds) >= 0) {
      FAIL("PE by PE: wrong numbers\n" << describe(params, fast_folds, fast, detailed));
    }
  }
  SUCCEED(kCases << " cases agree");
}

TEST_CASE("the fold-by-fold array wakes a few times a fold, however long folds are", "[array]") {
  Generator generator(1);
  for (int i = 0; i < 300; ++i) {
    const ArrayParams params = generator.params();
    std::vector<ArrayFold> folds = generator.folds(params);
    for (ArrayFold& fold : folds) {
      fold.values.reset();
      fold.shape.stream *= 1000000;
    }
    const auto array = make_fold_array(params);
    // Two operands to arrive; load, stream, completion and the drain registers to wait for.
    CHECK(drive_array(*array, params, folds).wakeups <= 6 * folds.size() + 1);
  }
}

}  // namespace
}  // namespace tilewave::test
