// SPDX-License-Identifier: Apache-2.0
#include "workloads/mapping/nest.hpp"

namespace tilewave {

namespace {

std::uint8_t bit(int position) { return static_cast<std::uint8_t>(1U << position); }

}  // namespace

const char* to_string(LoopId id) {
  switch (id) {
    case LoopId::group:
      return "group";
    case LoopId::m_block:
      return "m_block";
    case LoopId::m:
      return "m";
    case LoopId::n:
      return "n";
    case LoopId::k:
      return "k";
  }
  return "?";
}

int Nest::position(LoopId id) const {
  for (int p = 0; p < depth(); ++p) {
    if (loops_[static_cast<std::size_t>(p)].id == id) return p;
  }
  return -1;
}

Count Nest::count(LoopId id) const {
  const int p = position(id);
  return p < 0 ? 1 : loops_[static_cast<std::size_t>(p)].count;
}

Count Nest::parts(LoopSet depends, int level) const {
  Count parts = 1;
  for (int p = level + 1; p < depth(); ++p) {
    const auto& loop = loops_[static_cast<std::size_t>(p)];
    if (depends.has(loop.id)) parts *= loop.count;
  }
  return parts;
}

Count Nest::fetches(LoopSet depends, int level) const {
  Count fetches = 1;
  for (int p = 0; p <= level; ++p) {
    const auto& loop = loops_[static_cast<std::size_t>(p)];
    if (!depends.has(loop.id)) fetches *= loop.count;
  }
  return fetches;
}

program::Condition Nest::fetch_when(LoopSet depends, int level) const {
  program::Condition when;
  for (int p = level + 1; p < depth(); ++p) {
    if (!depends.has(loops_[static_cast<std::size_t>(p)].id)) {
      when.first = static_cast<std::uint8_t>(when.first | bit(p));
    }
  }
  return when;
}

program::Condition Nest::first_inside(int level) const {
  program::Condition when;
  for (int p = level + 1; p < depth(); ++p) {
    when.first = static_cast<std::uint8_t>(when.first | bit(p));
  }
  return when;
}

program::Condition Nest::last_inside(int level) const {
  program::Condition when;
  for (int p = level + 1; p < depth(); ++p) {
    when.last = static_cast<std::uint8_t>(when.last | bit(p));
  }
  return when;
}

Affine Nest::part_index(LoopSet depends, int level) const {
  Affine index;
  std::int64_t step = 1;
  for (int p = depth() - 1; p > level; --p) {
    const auto& loop = loops_[static_cast<std::size_t>(p)];
    if (!depends.has(loop.id)) continue;
    index.plus(p, step);
    step *= static_cast<std::int64_t>(loop.count);
  }
  return index;
}

void Nest::add(Affine& affine, LoopId id, std::int64_t step) const {
  const int p = position(id);
  if (p >= 0) affine.plus(p, step);
}

std::string Nest::order_in_words() const {
  std::string words;
  for (const auto& loop : loops_) {
    if (loop.count > 1) words += (words.empty() ? "" : ", ") + std::string(to_string(loop.id));
  }
  return words.empty() ? "single tile" : words;
}

std::vector<program::Node> Nest::wrap(std::vector<program::Node> body) const {
  for (int p = depth() - 1; p >= 0; --p) {
    const auto& loop = loops_[static_cast<std::size_t>(p)];
    program::Loop outer{
        .name = to_string(loop.id), .index = p, .count = loop.count, .body = std::move(body)};
    body.clear();
    body.emplace_back(std::move(outer));
  }
  return body;
}

}  // namespace tilewave
