// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/scratchpad/bank_conflicts.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <utility>

#include "sim/diagnostics.hpp"

namespace tilewave {

namespace {

/// Sum of floor((offset + i step) / divisor) for i = 0 .. count - 1, by Euclid's algorithm.
Count floor_sum(Count count, Count divisor, Count step, Count offset) {
  Count sum = 0;
  while (count > 0) {
    sum += count * (count - 1) / 2 * (step / divisor) + count * (offset / divisor);
    step %= divisor;
    offset %= divisor;
    const Count top = step * count + offset;
    count = top / divisor;
    offset = top % divisor;
    std::swap(divisor, step);  // divisor 0 only with count 0
  }
  return sum;
}

BankLoad sum_up(std::span<const Count> words) {
  BankLoad load;
  for (const Count count : words) {
    load.words += count;
    load.busiest = std::max(load.busiest, count);
  }
  return load;
}

}  // namespace

BankConflicts::BankConflicts(const ScratchpadParams& params)
    : geometry_(params), counts_(params.banks) {}

AccessCost BankConflicts::cost(const BankLoad& load) const noexcept {
  const auto& p = geometry_.params();
  return {.words = load.words,
          .cycles = ceil_div(load.busiest, p.ports_for()),
          .ideal_cycles = ceil_div(load.words, p.banks * p.ports_for())};
}

// ---- Any addresses: counting -----------------------------------------------------------------

BankLoad BankConflicts::words_per_bank(std::span<const std::uint64_t> addresses,
                                       Bytes element_bytes, std::span<Count> words) {
  if (addresses.empty() || element_bytes == 0) {
    throw SimulationError("scratchpad: an access has at least one lane and one byte");
  }
  words_.clear();
  for (const std::uint64_t address : addresses) {
    check_end(address + element_bytes);
    const std::uint64_t last = geometry_.word_of(address + element_bytes - 1);
    for (auto word = geometry_.word_of(address); word <= last; ++word) words_.push_back(word);
  }
  std::sort(words_.begin(), words_.end());
  words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
  std::fill(words.begin(), words.end(), 0);
  for (const std::uint64_t word : words_) ++words[geometry_.bank_of_word(word)];
  return sum_up(words);
}

// ---- Strided accesses: closed forms ----------------------------------------------------------
//
// W bytes a word, B banks; L lanes, stride s, elements of e bytes, base b. Two cases:
//  - dense, s < e + W: fewer than W bytes lie between two elements, so no word is skipped. The
//    access is one run of words.
//  - with gaps, s >= e + W: no word has bytes of two elements. What a bank is asked is the sum over
//    the elements, and the pattern of the banks repeats after P = Q / gcd(s, Q) lanes, Q the bytes
//    after which the banks repeat (Q = W B, more if swizzled).

BankLoad BankConflicts::load(const StridedAccess& access) {
  check(access);
  const auto& p = geometry_.params();
  if (p.interleaving == BankInterleaving::word) {
    const Count words = words_of(access);
    if (is_dense(access)) return {words, ceil_div(words, p.banks)};
    if (const Count busiest = busiest_by_gcd(access); busiest > 0) return {words, busiest};
  } else if (p.interleaving == BankInterleaving::blocked &&
             geometry_.bank_of_word(first_word(access)) ==
                 geometry_.bank_of_word(last_word(access))) {
    const Count words = words_of(access);
    return {words, words};
  }
  return words_per_bank(access, counts_);
}

BankLoad BankConflicts::words_per_bank(const StridedAccess& access, std::span<Count> words) {
  check(access);
  std::fill(words.begin(), words.end(), 0);
  if (geometry_.params().interleaving == BankInterleaving::blocked) {
    count_blocked(access, words);
  } else {
    count_interleaved(access, words);
  }
  return sum_up(words);
}

bool BankConflicts::is_dense(const StridedAccess& a) const noexcept {
  return a.lanes == 1 || a.lane_stride_bytes < a.element_bytes + geometry_.params().bank_word_bytes;
}

// Different words. With gaps: each element has floor((x + e - 1) / W) - floor(x / W) + 1, x = b + i s
// taken modulo W.
Count BankConflicts::words_of(const StridedAccess& a) const noexcept {
  if (is_dense(a)) return last_word(a) - first_word(a) + 1;
  const Bytes word = geometry_.params().bank_word_bytes;
  const Bytes step = a.lane_stride_bytes % word, base = a.base_address % word;
  return a.lanes + floor_sum(a.lanes, word, step, base + a.element_bytes - 1) -
         floor_sum(a.lanes, word, step, base);
}

// With gaps, word w is asked by the elements that start in the W + e - 1 bytes (w W - e, w W + W).
// In a period the starts are, modulo Q = W B, all x with x = b modulo G = gcd(s, Q), once each. The
// bank whose window begins soonest before one of them, gap = (b + e - 1) mod gcd(W, G), sees most:
// floor((W + e - 2 - gap) / G) + 1. Whole periods add up. A part of one adds one to some banks if
// words have one place (s a multiple of W) and elements of one period do not overlap modulo Q
// (n words each, n W <= G).
Count BankConflicts::busiest_by_gcd(const StridedAccess& a) const noexcept {
  const auto& p = geometry_.params();
  const Bytes word = p.bank_word_bytes, period_bytes = geometry_.period_bytes();
  const Bytes divisor = std::gcd(a.lane_stride_bytes, period_bytes);
  const Count period = period_bytes / divisor;
  const Bytes gap = (a.base_address + a.element_bytes - 1) % std::gcd(word, divisor);
  const Count of_period = (word + a.element_bytes - 2 - gap) / divisor + 1;
  if (a.lanes % period == 0) return a.lanes / period * of_period;
  const Count words = (a.base_address % word + a.element_bytes - 1) / word + 1;
  if (a.lane_stride_bytes % word == 0 && words * word <= divisor) return a.lanes / period + 1;
  return 0;
}

// `count` words from `first` on, each `times` times; whole rows ask every bank once.
void BankConflicts::add_words(std::uint64_t first, Count count, Count times,
                              std::span<Count> words) const noexcept {
  const Count banks = geometry_.params().banks;
  const std::uint64_t end = first + count;
  while (first < end) {
    if (first % banks == 0 && end - first >= banks) {
      const Count rows = (end - first) / banks;
      for (Count& each : words) each += rows * times;
      first += rows * banks;
    } else {
      words[geometry_.bank_of_word(first++)] += times;
    }
  }
}

void BankConflicts::count_interleaved(const StridedAccess& a,
                                      std::span<Count> words) const noexcept {
  if (is_dense(a)) {
    add_words(first_word(a), last_word(a) - first_word(a) + 1, 1, words);
    return;
  }
  const Bytes period_bytes = geometry_.period_bytes();
  const Count period = period_bytes / std::gcd(a.lane_stride_bytes, period_bytes);
  const Count different = std::min(a.lanes, period);
  for (Count lane = 0; lane < different; ++lane) {
    const std::uint64_t first = geometry_.word_of(a.address(lane));
    const std::uint64_t last = geometry_.word_of(a.address(lane) + a.element_bytes - 1);
    add_words(first, last - first + 1, a.lanes / period + (lane < a.lanes % period ? 1 : 0), words);
  }
}

// Words of the access below `word`.
Count BankConflicts::words_below(const StridedAccess& a, std::uint64_t word) const noexcept {
  if (word <= first_word(a)) return 0;
  if (word > last_word(a)) return words_of(a);
  if (is_dense(a)) return word - first_word(a);
  StridedAccess below = a;  // the elements that begin below
  const std::uint64_t address = word * geometry_.params().bank_word_bytes;
  below.lanes = std::min(a.lanes, ceil_div(address - a.base_address, a.lane_stride_bytes));
  const std::uint64_t end = last_word(below) + 1;
  return words_of(below) - (end > word ? end - word : 0);
}

void BankConflicts::count_blocked(const StridedAccess& a, std::span<Count> words) const noexcept {
  const Count first = geometry_.bank_of_word(first_word(a)),
              last = geometry_.bank_of_word(last_word(a));
  Count below = 0;
  for (Count bank = first; bank <= last; ++bank) {
    const Count all = words_below(a, (bank + 1) * geometry_.words_per_bank());
    words[bank] = all - below;
    below = all;
  }
}

// ---- Checks ----------------------------------------------------------------------------------

void BankConflicts::check(const StridedAccess& access) const {
  if (access.lanes == 0 || access.element_bytes == 0) {
    throw SimulationError("scratchpad: an access has at least one lane and one byte");
  }
  check_end(access.base_address + access.extent_bytes());
}

void BankConflicts::check_end(std::uint64_t end) const {
  if (const Bytes capacity = geometry_.capacity_bytes(); capacity > 0 && end > capacity) {
    throw SimulationError(
        fmt::format("scratchpad: access up to byte {} of {}", end, geometry_.capacity_bytes()));
  }
}

}  // namespace tilewave
