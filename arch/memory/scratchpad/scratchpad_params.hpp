// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/units.hpp"

namespace tilewave {

/// Ports of each bank: one for reads and writes, one for each of them, or two for both.
enum class BankPorts : std::uint8_t { single, read_and_write, dual };
[[nodiscard]] std::string_view to_string(BankPorts ports);

/// Which bank holds word w of the scratchpad (B banks of D words).
///   word:         w % B; neighbouring words lie in neighbouring banks
///   blocked:      w / D; each bank holds a range of addresses
///   xor_swizzled: w % B, exclusive-or bits of the row w / B (BankSwizzle)
enum class BankInterleaving : std::uint8_t { word, blocked, xor_swizzled };
[[nodiscard]] std::string_view to_string(BankInterleaving interleaving);

/// Who of several requesters a port of a bank serves.
///   fixed_priority: the first in the order in which the requesters are named
///   round_robin:    the next one, in that order, after the one served last by this port
enum class BankArbitration : std::uint8_t { fixed_priority, round_robin };
[[nodiscard]] std::string_view to_string(BankArbitration arbitration);

/// bank ^= ((row >> row_shift) & (2^bits - 1)) << bank_shift. The swizzle that CUTLASS calls
/// <b, m, s> on byte addresses is, for rows of 2^(m + s) bytes and words of 2^w bytes, bits b,
/// row_shift 0, bank_shift m - w.
struct BankSwizzle {
  unsigned bits = 0;
  unsigned row_shift = 0;
  unsigned bank_shift = 0;
  friend bool operator==(const BankSwizzle&, const BankSwizzle&) = default;
};

// Bounds that keep a period of the bank pattern within 64 bits.
inline constexpr Count kMaxBanks = 65536;
inline constexpr Bytes kMaxBankWordBytes = 65536;
inline constexpr unsigned kMaxSwizzleRowShift = 8;

/// How an on-chip SRAM is cut into banks and what each of them can do in a cycle.
struct ScratchpadParams {
  Count banks = 1;            ///< >= 1; xor_swizzled: a power of two
  Bytes bank_word_bytes = 4;  ///< what a port of a bank moves in a cycle, >= 1
  Bytes bank_bytes = 0;       ///< capacity of a bank, whole words; 0: not stated (not for blocked)
  BankPorts ports = BankPorts::single;
  BankInterleaving interleaving = BankInterleaving::word;
  BankSwizzle swizzle{};  ///< of xor_swizzled
  BankArbitration arbitration = BankArbitration::fixed_priority;
  Cycle read_latency_cycles = 1;  ///< from the cycle of the grant to the data, >= 1; pipelined

  /// Ports of a bank that take a read (or a write).
  [[nodiscard]] Count ports_for() const noexcept { return ports == BankPorts::dual ? 2 : 1; }
  /// All ports of a bank.
  [[nodiscard]] Count ports_per_bank() const noexcept { return ports == BankPorts::single ? 1 : 2; }
  /// Most bytes read (or written) in a cycle.
  [[nodiscard]] Bytes bytes_per_cycle() const noexcept {
    return banks * bank_word_bytes * ports_for();
  }
  friend bool operator==(const ScratchpadParams&, const ScratchpadParams&) = default;
};

/// What the fields say above holds; throws SimulationError otherwise.
void check_scratchpad(const ScratchpadParams& params);

}  // namespace tilewave
