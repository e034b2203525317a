// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "arch/memory/dram/address_map.hpp"
#include "arch/memory/dram/dram_counts.hpp"
#include "arch/memory/dram/dram_timing_tables.hpp"
#include "arch/memory/dram/dram_words.hpp"

/// A stretch: what a channel does while it takes in the next bursts of one direction. It follows
/// from the channel's state and these bursts alone, so a stretch that begins like one seen before
/// ends like it, and need not be done burst by burst (DramMemo). "Like": times count from the
/// stretch's begin, those that are over are equal; of rows it matters only which are equal; banks are
/// told apart by an XOR with the first one, which leaves all relations between them as they are.
namespace tilewave {

/// Places of bursts that came one after another, a bit each.
class DramPlaces {
 public:
  static constexpr int kPlaces = 256;
  void set(int place) noexcept { words_[index(place)] |= bit(place); }
  [[nodiscard]] bool test(int place) const noexcept {
    return (words_[index(place)] & bit(place)) != 0;
  }
  /// The first from `place` on; kPlaces: none.
  [[nodiscard]] int first_from(int place) const noexcept {
    for (std::size_t w = index(place); w < words_.size(); ++w) {
      const std::uint64_t left = w == index(place) ? words_[w] & ~(bit(place) - 1) : words_[w];
      if (left != 0) return static_cast<int>(w) * 64 + std::countr_zero(left);
    }
    return kPlaces;
  }
  /// The last before `place`, which is above 0; -1: none.
  [[nodiscard]] int last_before(int place) const noexcept {
    const int last = place - 1;
    for (std::size_t w = index(last) + 1; w-- > 0;) {
      const std::uint64_t left =
          w == index(last) ? words_[w] & (bit(last) | (bit(last) - 1)) : words_[w];
      if (left != 0) return static_cast<int>(w) * 64 + 63 - std::countl_zero(left);
    }
    return -1;
  }
  [[nodiscard]] const std::array<std::uint64_t, kPlaces / 64>& words() const noexcept {
    return words_;
  }

 private:
  [[nodiscard]] static std::size_t index(int place) noexcept {
    return static_cast<std::size_t>(place) / 64;
  }
  [[nodiscard]] static std::uint64_t bit(int place) noexcept {
    return std::uint64_t{1} << (static_cast<unsigned>(place) & 63U);
  }
  std::array<std::uint64_t, kPlaces / 64> words_{};
};

/// A command that went, or a request that was answered from the write queue.
struct DramEvent {
  enum class What : std::uint8_t { command, forwarded_read, merged_write };
  /// What the burst of a command found, if it was its first one.
  enum class Found : std::uint8_t { nothing_new, row_open, no_row, other_row };
  DramTick tick = 0;
  std::uint64_t order = 0;  ///< of acceptance: RD and WR
  What what = What::command;
  DramCommand command = DramCommand::act;
  Found found = Found::nothing_new;
  /// Takes it back.
  void subtract_from(DramCounts& counts) const noexcept;
};

/// What came (or will come) into a channel in a row, within an aligned block of bursts.
struct DramPiece {
  std::uint64_t burst = 0;  ///< of the first
  int place = 0, count = 0;
  AddressMap::Coordinates block{};  ///< of the block's first burst
};

/// What waits in a channel, by the order in which it came: the burst that came last has place
/// kPlaces - 1, the next ones will have kPlaces and so on.
struct DramWaiting {
  static constexpr int kPlaces = DramPlaces::kPlaces;
  DramTick now = 0;
  bool write = false;
  DramPlaces waiting;
  DramPlaces classified;  ///< a command for it has gone
  std::vector<DramPiece> pieces;
  std::vector<std::uint64_t> opener;  ///< of each bank: DramChannel's order of it; 0: none
  struct Run {
    int end;  ///< one past its last place; it begins where the one before ends
    std::uint32_t owner;
  };
  std::vector<Run> owners;
};

/// The next bursts that come.
struct DramInput {
  int bursts = 0;                 ///< when so many have come the stretch ends
  std::vector<DramPiece> pieces;  ///< and one more, which may come in the same tick
};

/// How a stretch names banks, rows and refreshes.
struct DramFrame {
  std::size_t turn = 0;              ///< XOR of banks
  std::vector<std::uint16_t> banks;  ///< that take part
  std::vector<std::int64_t> rows;
  std::vector<std::uint16_t> scopes;  ///< of refreshes that are due soon
};

/// What a stretch comes to.
struct DramOutcome {
  DramTick ticks = 0;
  int taken = 0;  ///< bursts that came in: DramInput::bursts, or one more
  DramPlaces waiting{}, classified{};
  std::vector<std::int16_t> done;  ///< of each place, from the begin to its last data; 0: not yet
  std::vector<std::int16_t>
      served_before;  ///< of each place, and all: places before it that are done
  std::vector<DramWord> state;
  DramCounts counts;
  std::vector<DramEvent> events;  ///< ticks from the begin
  DramTick since_column = 0;      ///< from the last RD or WR to the end
  DramTick last_data = 0;         ///< from the begin; 0: nothing was served
};

}  // namespace tilewave
