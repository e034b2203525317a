// SPDX-License-Identifier: Apache-2.0
#include "workloads/mapping/gemm_operands.hpp"

namespace tilewave {

namespace {

class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  /// Whole number in [-limit, limit].
  std::int32_t whole(std::int32_t limit) {
    return static_cast<std::int32_t>(next() % static_cast<std::uint64_t>(2 * limit + 1)) - limit;
  }

 private:
  std::uint64_t state_;
};

}  // namespace

std::shared_ptr<program::GemmValues> make_gemm_values(const Gemm& gemm, DataType type,
                                                      std::uint64_t seed) {
  auto values = std::make_shared<program::GemmValues>();
  values->integer = is_integer(type);
  values->batch = gemm.batch;
  values->m = gemm.m, values->n = gemm.n, values->k = gemm.k;
  SplitMix64 random(seed);
  const std::int32_t limit = !values->integer ? 8 : type == DataType::int4 ? 7 : 127;
  const auto fill = [&](Count elements, auto& ints, auto& floats) {
    for (Count i = 0; i < elements; ++i) {
      const std::int32_t x = random.whole(limit);
      if (values->integer) {
        ints.push_back(x);
      } else {
        floats.push_back(static_cast<float>(x));
      }
    }
  };
  fill(gemm.batch * gemm.m * gemm.k, values->a_ints, values->a_floats);
  fill(gemm.batch * gemm.k * gemm.n, values->b_ints, values->b_floats);
  const Count results = gemm.batch * gemm.m * gemm.n;
  if (values->integer) {
    values->c_ints.assign(results, 0);
  } else {
    values->c_floats.assign(results, 0.0F);
  }
  return values;
}

}  // namespace tilewave
