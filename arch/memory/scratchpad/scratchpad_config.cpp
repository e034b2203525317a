// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/scratchpad/scratchpad_config.hpp"

#include <array>
#include <bit>
#include <nlohmann/json.hpp>
#include <string>

namespace tilewave {

namespace {

constexpr std::array kPorts{BankPorts::single, BankPorts::read_and_write, BankPorts::dual};
constexpr std::array kInterleavings{BankInterleaving::word, BankInterleaving::blocked,
                                    BankInterleaving::xor_swizzled};
constexpr std::array kArbitrations{BankArbitration::fixed_priority, BankArbitration::round_robin};

BankSwizzle read_swizzle(ObjectReader swizzle) {
  BankSwizzle s;
  s.bits = static_cast<unsigned>(swizzle.count("bits", {1, 16}, "bits of the row that are used"));
  s.row_shift = static_cast<unsigned>(swizzle.optional_count(
      "row_shift", 0, {0, kMaxSwizzleRowShift}, "lowest of these bits in the row"));
  s.bank_shift = static_cast<unsigned>(
      swizzle.optional_count("bank_shift", 0, {0, 15}, "lowest bit of the bank that they change"));
  swizzle.finish();
  return s;
}

void check_banks(ObjectReader& reader, const ScratchpadParams& p, Bytes capacity_bytes) {
  const bool swizzled = p.interleaving == BankInterleaving::xor_swizzled;
  if (swizzled && !std::has_single_bit(p.banks)) {
    reader.error("banks",
                 "must be a power of two for interleaving xor, is " + std::to_string(p.banks));
  } else if (swizzled && p.swizzle.bits + p.swizzle.bank_shift >= std::bit_width(p.banks)) {
    reader.error("swizzle", "bits + bank_shift must be at most log2(banks) = " +
                                std::to_string(std::bit_width(p.banks) - 1) + ", is " +
                                std::to_string(p.swizzle.bits + p.swizzle.bank_shift));
  }
  if (p.interleaving == BankInterleaving::blocked && capacity_bytes == 0) {
    reader.error("interleaving", "blocked needs a capacity: each bank holds a part of it");
  }
  const Bytes row = p.banks * p.bank_word_bytes;
  if (capacity_bytes % row != 0) {
    reader.error("banks", "banks x bank_word_bytes = " + std::to_string(row) +
                              " must divide the capacity of " + std::to_string(capacity_bytes) +
                              " bytes");
  }
}

}  // namespace

ScratchpadParams read_scratchpad(ObjectReader& reader, Bytes capacity_bytes) {
  const auto ports = named<BankPorts>(kPorts);
  const auto interleavings = named<BankInterleaving>(kInterleavings);
  const auto arbitrations = named<BankArbitration>(kArbitrations);
  ScratchpadParams p;
  p.banks = reader.count("banks", {1, kMaxBanks}, "banks that work side by side");
  p.bank_word_bytes = reader.count("bank_word_bytes", {1, kMaxBankWordBytes},
                                   "what a port of a bank moves in a cycle");
  p.ports = reader.optional_choice<BankPorts>(
      "ports", p.ports, ports, "ports of a bank: one for both ways, one each way, two for both");
  p.interleaving = reader.optional_choice<BankInterleaving>(
      "interleaving", p.interleaving, interleavings,
      "word: neighbouring words in neighbouring banks; blocked: a range of addresses a bank; xor: "
      "as word, with bits of the row folded in");
  const bool swizzled = p.interleaving == BankInterleaving::xor_swizzled;
  if (auto swizzle = reader.maybe_object("swizzle", "of interleaving xor")) {
    p.swizzle = read_swizzle(std::move(*swizzle));
    if (!swizzled) {
      p.swizzle = {};
      reader.no_effect("swizzle", "interleaving is not xor");
    }
  } else if (swizzled && !reader.has("swizzle")) {
    reader.error("swizzle", "is missing: interleaving is xor");
  }
  p.arbitration = reader.optional_choice<BankArbitration>(
      "arbitration", p.arbitration, arbitrations, "whom a bank serves when several ask");
  p.read_latency_cycles = reader.optional_count("read_latency_cycles", p.read_latency_cycles,
                                                {1, 10000}, "from the bank's cycle to the data");
  if (reader.ok()) check_banks(reader, p, capacity_bytes);
  if (!reader.ok()) return {};
  p.bank_bytes = capacity_bytes / p.banks;
  return p;
}

Json to_json(const ScratchpadParams& params) {
  Json json = {{"banks", params.banks},
               {"bank_word_bytes", params.bank_word_bytes},
               {"ports", to_string(params.ports)},
               {"interleaving", to_string(params.interleaving)},
               {"arbitration", to_string(params.arbitration)},
               {"read_latency_cycles", params.read_latency_cycles}};
  if (params.interleaving == BankInterleaving::xor_swizzled) {
    json["swizzle"] = {{"bits", params.swizzle.bits},
                       {"row_shift", params.swizzle.row_shift},
                       {"bank_shift", params.swizzle.bank_shift}};
  }
  return json;
}

}  // namespace tilewave
