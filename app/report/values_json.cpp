// SPDX-License-Identifier: Apache-2.0
#include "app/report/values_json.hpp"

#include <nlohmann/json.hpp>
#include <numeric>

namespace tilewave {

namespace {

template <typename T>
Json nested(const std::vector<T>& elements, Count batch, Count rows, Count cols) {
  Json out = Json::array();
  std::size_t at = 0;
  for (Count b = 0; b < batch; ++b) {
    Json matrix = Json::array();
    for (Count r = 0; r < rows; ++r) {
      Json row = Json::array();
      for (Count c = 0; c < cols; ++c) row.push_back(elements[at++]);
      matrix.push_back(std::move(row));
    }
    out.push_back(std::move(matrix));
  }
  return out;
}

template <typename T>
Json write(const program::GemmValues& v, const std::vector<T>& a, const std::vector<T>& b,
           const std::vector<T>& c) {
  Json json = {{"c_sum", std::accumulate(c.begin(), c.end(), 0.0)}};
  if (a.size() + b.size() + c.size() > kMostValues) return json;
  json["a"] = nested(a, v.batch, v.m, v.k);
  json["b"] = nested(b, v.batch, v.k, v.n);
  json["c"] = nested(c, v.batch, v.m, v.n);
  return json;
}

}  // namespace

Json values_json(const program::GemmValues& v) {
  return v.integer ? write(v, v.a_ints, v.b_ints, v.c_ints)
                   : write(v, v.a_floats, v.b_floats, v.c_floats);
}

}  // namespace tilewave
