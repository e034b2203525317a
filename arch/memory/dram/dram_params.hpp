// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/units.hpp"

/// What a DRAM is: organisation, timing, rules between commands, controller, address map. Plain
/// data, read from configs/dram (dram_config.hpp); nothing here is derived from anything else here.
namespace tilewave {

/// Levels of the hierarchy that timing rules are about, outermost first. A level that a standard
/// does not have counts one. `rank` is also the stack ID of HBM3 and HBM4.
enum class DramLevel : std::uint8_t { channel, pseudo_channel, rank, bank_group, bank };
inline constexpr std::size_t kDramLevels = 5;
[[nodiscard]] std::string_view to_string(DramLevel level);

/// Commands. `_ap` closes the row by itself (auto-precharge).
enum class DramCommand : std::uint8_t {
  act,
  pre,
  pre_all,
  rd,
  wr,
  rd_ap,
  wr_ap,
  ref_all,
  ref_bank
};
inline constexpr std::size_t kDramCommands = 9;
/// "ACT", "PRE", "PREA", "RD", "WR", "RDA", "WRA", "REFab", "REFpb".
[[nodiscard]] std::string_view to_string(DramCommand command);

/// All counts but channels and rows are powers of two (a stack of 24 GB has three quarters of the rows
/// of one of 32).
struct DramOrganisation {
  Count channels = 1;
  Count pseudo_channels = 1;  ///< of a channel; each has a data bus of its own
  Count ranks = 1;            ///< of a pseudo-channel; they share its data bus
  Count bank_groups = 1;      ///< of a rank
  Count banks = 1;            ///< of a bank group
  Count rows = 1;             ///< of a bank
  Bytes row_bytes = 0;        ///< page of a bank, as the pseudo-channel sees it
  Count data_bits = 0;        ///< data bus of a pseudo-channel
  Count burst_length = 0;     ///< beats of a RD or WR

  [[nodiscard]] Bytes burst_bytes() const noexcept { return data_bits * burst_length / 8; }
  [[nodiscard]] Count banks_per_channel() const noexcept {
    return pseudo_channels * ranks * bank_groups * banks;
  }
  [[nodiscard]] Bytes channel_bytes() const noexcept {
    return banks_per_channel() * rows * row_bytes;
  }
};

/// After any of `from` at a node of `level`, any of `to` at the same node (or, with `sibling`, at
/// another node of the same parent) waits `cycles`. With a window w it counts from the w-th last of
/// `from` (tFAW: window 4).
struct DramTimingRule {
  DramLevel level = DramLevel::channel;
  std::vector<DramCommand> from, to;
  std::string expression;  ///< as written: "nCWL + nBL + nWTRS"
  std::int64_t cycles = 0;
  unsigned window = 1;
  bool sibling = false;
};

/// What is common to all parts of a standard.
struct DramStandard {
  std::string name;  ///< "hbm2"
  /// Row commands (ACT, PRE, REF) and column commands (RD, WR) go over buses of their own, one a
  /// cycle each; else one command of any kind a cycle.
  bool split_command_bus = false;
  /// PRE may also go on the falling edge of the clock (HBM3, HBM4): time is counted in half cycles.
  bool half_cycle_precharge = false;
  /// Half cycles for which a command occupies its bus, if not one cycle (2).
  std::map<DramCommand, unsigned> command_half_cycles;
  /// A command of several cycles takes effect with its last one, else with its first: timings count
  /// from and to that one.
  bool effect_at_last_cycle = false;
  DramLevel refresh_all_scope = DramLevel::channel;  ///< what a REFab covers
  bool has_refresh_bank = false;                     ///< the standard has REFpb
  /// Expressions of timings as written; DramParams has what they come to.
  std::string read_latency{}, write_latency{}, refresh_all_interval{}, refresh_bank_interval{};
};

enum class DramScheduler {
  fr_fcfs,      ///< row hits first, then the oldest; at most row_hit_cap hits pass an older request
  ready_first,  ///< whatever command can go now, of the oldest request that has one
  fcfs          ///< the oldest request of each bank
};
enum class DramPagePolicy {
  open,   ///< a row stays open until another one is needed
  closed  ///< closed (auto-precharge) once no waiting request wants it
};
enum class DramRefresh { none, all_bank, per_bank };

struct DramControllerParams {
  DramScheduler scheduler = DramScheduler::fr_fcfs;
  Count row_hit_cap = 64;
  /// A direction (reads, writes) that waits so long while the other one is served gets its turn: what
  /// it has waiting then. 0: no limit.
  Count max_wait_cycles = 2000;
  DramPagePolicy page_policy = DramPagePolicy::open;
  DramRefresh refresh = DramRefresh::all_bank;
  Count read_queue = 64;   ///< bursts a channel holds
  Count write_queue = 64;  ///< bursts a channel holds
  /// Writes are drained from more than this share of the queue down to less than that one; and
  /// whenever no read waits.
  double write_high_watermark = 0.8;
  double write_low_watermark = 0.2;
};

/// One slice of address bits, lowest first, above the burst.
struct DramAddressField {
  enum class Kind : std::uint8_t { column, pseudo_channel, rank, bank_group, bank, row };
  Kind kind = Kind::column;
  unsigned bits = 0;
};
/// target ^= source >> shift, cut to the target's bits.
struct DramAddressXor {
  DramAddressField::Kind target = DramAddressField::Kind::bank,
                         source = DramAddressField::Kind::row;
  unsigned shift = 0;
};
/// Bytes -> channel, and the address within the channel -> the rest.
struct DramAddressMap {
  Bytes interleave_bytes = 256;  ///< consecutive bytes of one channel; a multiple of the burst
  /// Which channel a block goes to is rotated by a hash of the upper address bits, so that strides
  /// spread over any number of channels; each group of `channels` blocks still has one on each.
  bool channel_hash = true;
  std::vector<DramAddressField> fields;  ///< lowest first; the row has no limit of bits
  std::vector<DramAddressXor> xors;
};

/// Energy by command at the device; the boundary is stated in the preset.
struct DramEnergy {
  double activate_pj = 0;      ///< an ACT and its PRE
  double read_pj_per_bit = 0;  ///< array to pins, without I/O
  double write_pj_per_bit = 0;
  double io_pj_per_bit = 0;    ///< drivers, receivers, termination
  double refresh_all_pj = 0;   ///< a REFab of its scope
  double refresh_bank_pj = 0;  ///< a REFpb
  double background_mw = 0;    ///< of a channel, at all times
};

struct DramParams {
  std::string name;  ///< "hbm2_2000"
  DramStandard standard;
  double data_rate_mbps = 0;  ///< per pin
  DramOrganisation organisation;
  std::map<std::string, std::int64_t> timing_cycles;  ///< "nCL": 14; "nBL" is the data bus's
  std::vector<DramTimingRule> rules;
  std::int64_t read_latency_cycles = 0;   ///< RD to the last data
  std::int64_t write_latency_cycles = 0;  ///< WR to the last data
  std::int64_t refresh_all_interval_cycles = 0;
  std::int64_t refresh_bank_interval_cycles = 0;  ///< from one bank to the next
  DramControllerParams controller;
  DramAddressMap map;
  DramEnergy energy;

  /// Timing by name. Throws std::out_of_range: the reader has checked the names rules use.
  [[nodiscard]] std::int64_t timing(const std::string& parameter) const {
    return timing_cycles.at(parameter);
  }
  /// Command clock, which the timings count: a burst occupies the data bus for nBL of its cycles.
  [[nodiscard]] Frequency clock() const {
    return {static_cast<std::uint64_t>(data_rate_mbps * 1e3 * static_cast<double>(timing("nBL")) /
                                           static_cast<double>(organisation.burst_length) +
                                       0.5)};
  }
  /// All channels: data_rate x data_bits.
  [[nodiscard]] double peak_gb_per_s() const noexcept {
    const auto& o = organisation;
    return data_rate_mbps * 1e6 *
           static_cast<double>(o.data_bits * o.pseudo_channels * o.channels) / 8 * 1e-9;
  }
  /// Longest of the rules, without windows, from a command to another; 0: none.
  [[nodiscard]] std::int64_t longest_rule(DramCommand from, DramCommand to) const;
  /// Share of the time for which refreshes keep banks from working.
  [[nodiscard]] double refresh_share() const;
  /// From a read's arrival at an idle channel whose row is closed to its last data.
  [[nodiscard]] std::int64_t closed_read_latency_cycles() const {
    return longest_rule(DramCommand::act, DramCommand::rd) + read_latency_cycles;
  }
  [[nodiscard]] Bytes capacity_bytes() const noexcept {
    return organisation.channel_bytes() * organisation.channels;
  }
};

}  // namespace tilewave
