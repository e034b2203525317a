// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "arch/memory/dram/address_map.hpp"
#include "arch/memory/dram/dram_counts.hpp"
#include "arch/memory/dram/dram_timing_tables.hpp"

/// A stretch: what a channel does while it takes in the next bursts of one direction. It follows
/// from the channel's state and these bursts alone, so a stretch that begins like one seen before
/// ends like it, and need not be done burst by burst (DramMemo). "Like": times count from the
/// stretch's begin, those that are over are equal; of rows it matters only which are equal; banks are
/// told apart by an XOR with the first one, which leaves all relations between them as they are.
namespace tilewave {

/// What came (or will come) into a channel in a row, within an aligned block of bursts.
struct DramPiece {
  std::uint64_t burst = 0;  ///< of the first
  int place = 0, count = 0;
  AddressMap::Coordinates block{};  ///< of the block's first burst
};

/// What waits in a channel, by the order in which it came: the burst that came last has place
/// kPlaces - 1, the next ones will have kPlaces and so on.
struct DramWaiting {
  static constexpr int kPlaces = 128;
  DramTick now = 0;
  bool write = false;
  Uint128 waiting = 0;     ///< by place
  Uint128 classified = 0;  ///< a command for it has gone
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
  Uint128 waiting = 0, classified = 0;
  std::vector<std::uint16_t> done;  ///< of each place, from the begin to its last data; 0: not yet
  std::vector<std::uint32_t> state;
  DramCounts counts;
  DramTick since_column = 0;  ///< from the last RD or WR to the end
  DramTick last_data = 0;     ///< from the begin
};

}  // namespace tilewave
