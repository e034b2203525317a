// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "arch/memory/scratchpad/bank_access.hpp"
#include "arch/memory/scratchpad/bank_geometry.hpp"

namespace tilewave {

/// Bank conflicts of vector accesses: which banks they ask how often, and the cycles this takes.
///
/// Modelled: the lanes of an access present their elements together; a bank moves one word a port
/// and cycle. Lanes that read the same word share one access (broadcast); lanes that write it share
/// one too, with byte enables, and of lanes that write the same byte the last wins. An element that
/// lies in several words takes one access of each. So
///     cycles = ceil(different words of the busiest bank / ports of a bank).
/// Not modelled: narrower datapaths (a unit that moves wide elements in phases asks for one access
/// a phase), reads and writes in one access, the network between lanes and banks.
///
/// Strided accesses have closed forms (gcd arithmetic where the banks are interleaved by words;
/// where a period of the pattern is cut, its part is counted); lists of addresses are counted.
/// Both must stay within the capacity, if it is stated: SimulationError otherwise. Keeps memory for
/// counting, so one object serves one thread, and allocates only when an access is larger than all
/// before.
class BankConflicts {
 public:
  explicit BankConflicts(const ScratchpadParams& params);

  [[nodiscard]] Count bank_of(std::uint64_t address) const noexcept {
    return geometry_.bank_of(address);
  }
  [[nodiscard]] const BankGeometry& geometry() const noexcept { return geometry_; }

  /// Load of an access: closed form.
  [[nodiscard]] BankLoad load(const StridedAccess& access);
  /// Words of each bank; `words` has a place for every bank.
  BankLoad words_per_bank(const StridedAccess& access, std::span<Count> words);
  /// The same for any addresses, an element at each of them, by counting.
  BankLoad words_per_bank(std::span<const std::uint64_t> addresses, Bytes element_bytes,
                          std::span<Count> words);

  [[nodiscard]] AccessCost cost(const BankLoad& load) const noexcept;
  [[nodiscard]] AccessCost cost(const StridedAccess& access) { return cost(load(access)); }
  [[nodiscard]] AccessCost cost(std::span<const std::uint64_t> addresses, Bytes element_bytes) {
    return cost(words_per_bank(addresses, element_bytes, counts_));
  }
  [[nodiscard]] Cycle access_cycles(std::span<const std::uint64_t> addresses, Bytes element_bytes) {
    return cost(addresses, element_bytes).cycles;
  }

  /// Cost of all vectors, from one period of the pattern. `interval`: cycles from one vector to the
  /// next that the asking unit needs by itself; `duration_cycles` counts the longer of the two.
  [[nodiscard]] StreamCost cost(const StreamAccess& stream, Cycle interval = 1);

  /// From a vector on, up to (not including) `end`, vectors repeat after `period`.
  struct Run {
    Count period, end;
  };
  /// Repeat the words of every bank.
  [[nodiscard]] Run bank_run(const StreamAccess& stream, Count vector) const noexcept;
  /// Repeat the cost.
  [[nodiscard]] Run cost_run(const StreamAccess& stream, Count vector) const noexcept;

 private:
  void check(const StridedAccess& access) const;
  void check_end(std::uint64_t end) const;
  [[nodiscard]] Count words_of(const StridedAccess& access) const noexcept;
  /// One run of words without a gap?
  [[nodiscard]] bool is_dense(const StridedAccess& access) const noexcept;
  [[nodiscard]] Count first_word(const StridedAccess& a) const noexcept {
    return geometry_.word_of(a.base_address);
  }
  [[nodiscard]] Count last_word(const StridedAccess& a) const noexcept {
    return geometry_.word_of(a.base_address + a.extent_bytes() - 1);
  }
  /// The busiest bank of an access with gaps, banks interleaved by words, if a formula says it.
  [[nodiscard]] Count busiest_by_gcd(const StridedAccess& access) const noexcept;
  [[nodiscard]] Count words_below(const StridedAccess& access, std::uint64_t word) const noexcept;
  void count_interleaved(const StridedAccess& access, std::span<Count> words) const noexcept;
  void count_blocked(const StridedAccess& access, std::span<Count> words) const noexcept;
  void add_words(std::uint64_t first, Count count, Count times,
                 std::span<Count> words) const noexcept;

  BankGeometry geometry_;
  std::vector<Count> counts_;         // of each bank
  std::vector<std::uint64_t> words_;  // of a list of addresses
};

}  // namespace tilewave
