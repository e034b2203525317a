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
    if (at(p).id == id) return p;
  }
  return -1;
}

Count Nest::count(LoopId id) const {
  const int p = position(id);
  return p < 0 ? 1 : at(p).count;
}

Count Nest::held(LoopSet depends, int level) const {
  Count tiles = 1;
  for (int p = level + 1; p < depth(); ++p) {
    if (depends.has(at(p).id)) tiles *= at(p).count;
  }
  return tiles;
}

Count Nest::fetches(LoopSet depends, int level) const {
  Count fetches = 1;
  for (int p = 0; p <= level; ++p) {
    if (!depends.has(at(p).id)) fetches *= at(p).count;
  }
  return fetches;
}

Count Nest::uses(LoopSet depends, int level) const {
  Count uses = 1;
  for (int p = level + 1; p < depth(); ++p) {
    if (!depends.has(at(p).id)) uses *= at(p).count;
  }
  return uses;
}

Count Nest::rounds(int level) const {
  Count rounds = 1;
  for (int p = 0; p <= level; ++p) rounds *= at(p).count;
  return rounds;
}

int Nest::set_loop(LoopSet depends, int level) const {
  if (level < 0 || uses(depends, level) == 1) return -1;
  for (int p = 0; p < level; ++p) {
    if (at(p).count > 1) return -1;
  }
  return at(level).count > 1 ? level : -1;
}

program::Condition Nest::fetch_when(LoopSet depends, int level) const {
  program::Condition when;
  for (int p = level + 1; p < depth(); ++p) {
    if (!depends.has(at(p).id)) when.first = static_cast<std::uint8_t>(when.first | bit(p));
  }
  return when;
}

program::Condition Nest::release_when(LoopSet depends, int level) const {
  program::Condition when;
  when.last = fetch_when(depends, level).first;
  return when;
}

Affine Nest::fetch_number(LoopSet depends, int level) const {
  Affine number;
  std::int64_t step = 1;
  for (int p = depth() - 1; p >= 0; --p) {
    if (p > level && !depends.has(at(p).id)) continue;
    number.plus(p, step);
    step *= static_cast<std::int64_t>(at(p).count);
  }
  return number;
}

Affine Nest::rounds_before(int level) const {
  Affine number;
  std::int64_t step = 1;
  for (int p = level; p >= 0; --p) {
    number.plus(p, step);
    step *= static_cast<std::int64_t>(at(p).count);
  }
  return number;
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
  when.last = first_inside(level).first;
  return when;
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
