// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/dram/dram_map_config.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "arch/memory/dram/dram_checks.hpp"
#include "sim/config/json_path.hpp"
#include "sim/config/nearest.hpp"

namespace tilewave {
namespace {

using Kind = DramAddressField::Kind;
constexpr std::size_t kKinds = 6;
/// In the order of Kind; the row is last: it may be no target of an XOR, since it has no limit.
constexpr std::array<Named<Kind>, kKinds> kNames{{{"column", Kind::column},
                                                  {"pseudo_channel", Kind::pseudo_channel},
                                                  {"rank", Kind::rank},
                                                  {"bank_group", Kind::bank_group},
                                                  {"bank", Kind::bank},
                                                  {"row", Kind::row}}};
constexpr Count kMaxShift = 63;

std::string_view name_of(Kind kind) { return kNames[static_cast<std::size_t>(kind)].first; }

/// "column:2" or "column".
struct Slice {
  Kind kind = Kind::column;
  std::optional<unsigned> bits;  ///< none: all that other slices leave
};

std::optional<Slice> parse_slice(ObjectReader& map, const std::string& text) {
  const auto colon = text.find(':');
  const std::string_view name = std::string_view(text).substr(0, colon);
  std::vector<std::string_view> names;
  Slice slice;
  bool known = false;
  for (const auto& [each, kind] : kNames) {
    names.push_back(each);
    if (each == name) slice.kind = kind, known = true;
  }
  if (!known) {
    const std::string near = suggestion(name, names);
    map.error("order", fmt::format("unknown field {}{}", in_quotes(name),
                                   near.empty() ? "; may be " + comma_list(names) : near));
    return std::nullopt;
  }
  if (colon != std::string::npos) {
    unsigned bits = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, bits);
    if (error != std::errc() || stop != end || bits < 1 || bits > kMaxShift) {
      map.error("order", fmt::format("{} must have from 1 to {} bits after the colon",
                                     in_quotes(text), kMaxShift));
      return std::nullopt;
    }
    slice.bits = bits;
  }
  return slice;
}

std::vector<Slice> read_order(ObjectReader& map) {
  std::vector<Slice> slices;
  const auto texts = map.optional_texts(
      "order",
      "slices of the address above the burst, lowest first, as \"column:2\"; without a "
      "number: the bits that are left");
  if (texts.empty() && map.ok())
    map.error("order", "is missing; it lists the slices of the address");
  for (const std::string& text : texts) {
    if (const auto slice = parse_slice(map, text)) slices.push_back(*slice);
  }
  return slices;
}

/// Rows are numbered from 0 to the last one, whatever their count, if the topmost slice counts groups
/// of as many as the slices below it hold: they must be whole.
void check_lower_rows(ObjectReader& map, const std::vector<Slice>& slices, Count rows) {
  unsigned bits = 0;
  for (std::size_t i = 0; i + 1 < slices.size(); ++i) {
    if (slices[i].kind == Kind::row) bits += slices[i].bits.value_or(0);
  }
  const Count group = Count{1} << std::min(Count{bits}, kMaxShift);
  if (rows % group != 0) {
    map.error("order", fmt::format("has {} bits of row below the topmost slice: {} must divide the "
                                   "{} rows",
                                   bits, group, rows));
  }
}

/// Gives slices without a number the bits that are left, and reports bits too many or too few.
std::vector<DramAddressField> resolve_order(ObjectReader& map, const std::vector<Slice>& slices,
                                            const DramOrganisation& organisation) {
  std::array<unsigned, kKinds> given{};
  std::array<unsigned, kKinds> open{};
  for (const Slice& slice : slices) {
    const auto kind = static_cast<std::size_t>(slice.kind);
    given[kind] += slice.bits.value_or(0);
    open[kind] += slice.bits ? 0U : 1U;
  }
  for (const auto& [name, kind] : kNames) {
    const auto index = static_cast<std::size_t>(kind);
    const unsigned all = dram_field_bits(organisation, kind);
    if (given[index] > all || (open[index] == 0 && given[index] < all)) {
      map.error("order", fmt::format("has {} bits of {}, which has {}", given[index], name, all));
    } else if (open[index] > 1) {
      map.error("order", fmt::format("has {} twice without a number of bits", name));
    }
  }
  if (slices.back().kind != Kind::row) {
    map.error("order", "must end with row, which takes all bits that are left of an address");
  }
  check_lower_rows(map, slices, organisation.rows);
  std::vector<DramAddressField> fields;
  if (!map.ok()) return fields;
  for (const Slice& slice : slices) {
    const auto kind = static_cast<std::size_t>(slice.kind);
    const unsigned left = dram_field_bits(organisation, slice.kind) - given[kind];
    const unsigned bits = slice.bits.value_or(left);
    if (bits > 0) fields.push_back({.kind = slice.kind, .bits = bits});
  }
  return fields;
}

void check_interleave(ObjectReader& map, Bytes bytes, const DramOrganisation& organisation) {
  const Bytes burst = organisation.burst_bytes();
  const std::string key = size_key(map, "interleave");
  if (bytes % burst != 0) {
    map.error(key, fmt::format("must be a multiple of the burst of {} bytes, is {}", burst, bytes));
  } else if (!std::has_single_bit(bytes / burst)) {
    map.error(
        "interleave_bytes",
        fmt::format("must be a power of two times the burst of {} bytes, is {}", burst, bytes));
  } else if (bytes > organisation.channel_bytes()) {
    map.error(key, fmt::format("must be at most a channel's {} bytes, is {}",
                               organisation.channel_bytes(), bytes));
  } else if (organisation.channel_bytes() % bytes != 0) {
    map.error(key, fmt::format("must divide a channel's {} bytes, is {}",
                               organisation.channel_bytes(), bytes));
  }
}

std::vector<DramAddressXor> read_xors(ObjectReader& map) {
  const std::span<const Named<Kind>> all(kNames);
  std::vector<DramAddressXor> xors;
  for (ObjectReader& each : map.optional_objects("xor", "target ^= source >> shift, one by one")) {
    DramAddressXor x;
    x.target = each.choice<Kind>("target", all.first(kKinds - 1), "the field that changes");
    x.source = each.choice<Kind>("source", all, "the field it is mixed with");
    x.shift = static_cast<unsigned>(
        each.optional_count("shift", 0, {0, kMaxShift}, "bits of the source left out below"));
    if (each.ok() && x.target == x.source) {
      each.error("source", "must be another field than the target, or two addresses become one");
    }
    each.finish();
    xors.push_back(x);
  }
  return xors;
}

}  // namespace

unsigned dram_field_bits(const DramOrganisation& o, DramAddressField::Kind kind) {
  const auto log2 = [](Count count) { return static_cast<unsigned>(std::bit_width(count) - 1); };
  switch (kind) {
    case Kind::column:
      return log2(o.row_bytes / o.burst_bytes());
    case Kind::pseudo_channel:
      return log2(o.pseudo_channels);
    case Kind::rank:
      return log2(o.ranks);
    case Kind::bank_group:
      return log2(o.bank_groups);
    case Kind::bank:
      return log2(o.banks);
    case Kind::row:
      return log2(std::bit_ceil(o.rows));
  }
  return 0;
}

DramAddressMap read_dram_map(ObjectReader map, const DramOrganisation& organisation,
                             bool organisation_known) {
  DramAddressMap m;
  m.interleave_bytes =
      map.optional_capacity("interleave", m.interleave_bytes, {1, Bytes{1} << 40},
                            "consecutive bytes of one channel; a power of two times the burst");
  m.channel_hash = map.optional_flag("channel_hash", m.channel_hash,
                                     "the block's channel is rotated by a hash of the bits above");
  const auto slices = read_order(map);
  m.xors = read_xors(map);
  map.finish();
  if (map.ok() && organisation_known) {
    check_interleave(map, m.interleave_bytes, organisation);
    m.fields = resolve_order(map, slices, organisation);
  }
  return m;
}

Json dram_map_to_json(const DramAddressMap& map) {
  Json order = Json::array();
  for (const DramAddressField& field : map.fields) {
    order.push_back(fmt::format("{}:{}", name_of(field.kind), field.bits));
  }
  Json xors = Json::array();
  for (const DramAddressXor& x : map.xors) {
    xors.push_back(
        {{"target", name_of(x.target)}, {"source", name_of(x.source)}, {"shift", x.shift}});
  }
  return {{"interleave_bytes", map.interleave_bytes},
          {"channel_hash", map.channel_hash},
          {"order", order},
          {"xor", xors}};
}

}  // namespace tilewave
