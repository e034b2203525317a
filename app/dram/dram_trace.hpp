// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/dram/traffic.hpp"
#include "sim/diagnostics.hpp"
#include "sim/units.hpp"

namespace tilewave {

/// A trace of memory requests as Ramulator's are, a request a line, in either form:
///   LD 0x1A40    ST 6720      a load, a store
///   0x1A40 R     6720 W       the address first
/// Numbers are decimal, or hexadecimal after 0x; `#` begins a comment; empty lines are skipped. The
/// file, which may be a pipe, is read as requests are taken: what is kept of it is one buffer.
class TraceTraffic final : public TrafficSource {
 public:
  /// Reads up to the first request. A file that cannot be read, a wrong line before that request or
  /// a trace without one is reported, and nothing returned.
  [[nodiscard]] static std::unique_ptr<TraceTraffic> open(const std::string& file,
                                                          Diagnostics& diagnostics);

  /// Throws ConfigError with file and line for a line that is no request.
  [[nodiscard]] bool next(DramAccess& access) override;
  /// Of the bytes, if it is a regular file.
  [[nodiscard]] std::optional<double> share_taken() const override;

 private:
  static constexpr std::size_t kBufferBytes = 65536;
  static constexpr std::size_t kLongestLine = 4096;
  using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

  TraceTraffic(std::string name, File file, std::optional<Bytes> file_bytes);
  [[nodiscard]] bool read_access(DramAccess& access);
  [[nodiscard]] std::optional<std::string_view> next_line();
  void fill();
  [[noreturn]] void fail(const std::string& message) const;
  [[noreturn]] void fail_form(std::string_view line) const;
  [[nodiscard]] std::uint64_t address(std::string_view word) const;

  std::string name_;
  File file_;
  std::optional<Bytes> file_bytes_;
  std::array<char, kBufferBytes> buffer_{};
  std::size_t begin_ = 0, end_ = 0;  // what is left in the buffer
  bool at_end_ = false;              // of the file
  Bytes taken_bytes_ = 0;
  Count line_ = 0;
  std::optional<DramAccess> first_;  // read by open()
};

}  // namespace tilewave
