// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/scratchpad/scratchpad_params.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <fmt/format.h>

#include "sim/diagnostics.hpp"

namespace tilewave {

std::string_view to_string(BankPorts ports) {
  static constexpr std::array<std::string_view, 3> kNames{"1rw", "1r1w", "2rw"};
  return kNames[static_cast<std::size_t>(ports)];
}

std::string_view to_string(BankInterleaving interleaving) {
  static constexpr std::array<std::string_view, 3> kNames{"word", "blocked", "xor"};
  return kNames[static_cast<std::size_t>(interleaving)];
}

std::string_view to_string(BankArbitration arbitration) {
  static constexpr std::array<std::string_view, 2> kNames{"fixed_priority", "round_robin"};
  return kNames[static_cast<std::size_t>(arbitration)];
}

void check_scratchpad(const ScratchpadParams& p) {
  const auto demand = [](bool holds, const std::string& rule) {
    if (!holds) throw SimulationError("scratchpad: " + rule);
  };
  demand(p.banks >= 1 && p.banks <= kMaxBanks, fmt::format("1 to {} banks", kMaxBanks));
  demand(p.bank_word_bytes >= 1 && p.bank_word_bytes <= kMaxBankWordBytes,
         fmt::format("words of 1 to {} bytes", kMaxBankWordBytes));
  demand(p.bank_bytes % p.bank_word_bytes == 0, "a bank holds whole words");
  demand(p.interleaving != BankInterleaving::blocked || p.bank_bytes > 0,
         "blocked banks have a capacity");
  if (p.interleaving == BankInterleaving::xor_swizzled) {
    demand(std::has_single_bit(p.banks), "a swizzle wants a power of two of banks");
    demand(p.swizzle.row_shift <= kMaxSwizzleRowShift,
           fmt::format("row_shift is at most {}", kMaxSwizzleRowShift));
    demand(p.swizzle.bits + p.swizzle.bank_shift < std::bit_width(p.banks),
           "a swizzle stays within the banks");
  }
  demand(p.read_latency_cycles >= 1, "data comes after the cycle of the grant");
}

}  // namespace tilewave
