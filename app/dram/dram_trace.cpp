// SPDX-License-Identifier: Apache-2.0
#include "app/dram/dram_trace.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <system_error>
#include <utility>

#include "sim/config/json_path.hpp"

namespace tilewave {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string reason(int error) { return std::generic_category().message(error); }

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// Takes the first word off; an empty one if there is none.
std::string_view take_word(std::string_view& text) {
  std::size_t begin = 0;
  while (begin < text.size() && is_space(text[begin])) ++begin;
  std::size_t end = begin;
  while (end < text.size() && !is_space(text[end])) ++end;
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

}  // namespace

TraceTraffic::TraceTraffic(std::string name, File file, std::optional<Bytes> file_bytes)
    : name_(std::move(name)), file_(std::move(file)), file_bytes_(file_bytes) {}

std::unique_ptr<TraceTraffic> TraceTraffic::open(const std::string& file,
                                                 Diagnostics& diagnostics) {
  std::error_code ignored;
  const auto status = fs::status(file, ignored);
  if (!fs::exists(status) || fs::is_directory(status)) {
    diagnostics.error(file, "", fs::exists(status) ? "is a directory, not a file" : "no such file");
    return nullptr;
  }
  std::optional<Bytes> bytes;
  if (fs::is_regular_file(status)) {
    bytes = fs::file_size(file, ignored);
  }
  File stream(std::fopen(file.c_str(), "rb"), &std::fclose);
  if (stream == nullptr) {
    diagnostics.error(file, "", fmt::format("cannot be opened: {}", reason(errno)));
    return nullptr;
  }
  std::unique_ptr<TraceTraffic> trace(new TraceTraffic(file, std::move(stream), bytes));
  try {
    DramAccess first;
    if (trace->read_access(first)) {
      trace->first_ = first;
      return trace;
    }
    diagnostics.error(file, "", "has no request");
  } catch (const ConfigError& error) {
    for (const Fault& fault : error.faults()) diagnostics.error(fault);
  }
  return nullptr;
}

bool TraceTraffic::next(DramAccess& access) {
  if (first_) {
    access = *std::exchange(first_, std::nullopt);
    return true;
  }
  return read_access(access);
}

bool TraceTraffic::read_access(DramAccess& access) {
  while (const auto line = next_line()) {
    std::string_view rest = line->substr(0, line->find('#'));
    const std::string_view first = take_word(rest);
    if (first.empty()) continue;
    const std::string_view second = take_word(rest);
    if (second.empty() || !take_word(rest).empty()) fail_form(*line);
    if (first == "LD" || first == "ST") {
      access = {.address = address(second), .write = first == "ST"};
    } else if (second == "R" || second == "W") {
      access = {.address = address(first), .write = second == "W"};
    } else {
      fail_form(*line);
    }
    return true;
  }
  return false;
}

/// Valid until the next call.
std::optional<std::string_view> TraceTraffic::next_line() {
  const auto* found =
      static_cast<const char*>(std::memchr(buffer_.data() + begin_, '\n', end_ - begin_));
  if (found == nullptr && !at_end_) {
    fill();
    found = static_cast<const char*>(std::memchr(buffer_.data() + begin_, '\n', end_ - begin_));
  }
  const std::size_t end =
      found != nullptr ? static_cast<std::size_t>(found - buffer_.data()) : end_;
  if (found == nullptr && begin_ == end_) return std::nullopt;
  ++line_;
  std::string_view line(buffer_.data() + begin_, end - begin_);
  if (line.size() > kLongestLine) {
    fail(fmt::format("is longer than {} characters: this is no trace", kLongestLine));
  }
  const std::size_t next = found != nullptr ? end + 1 : end;
  taken_bytes_ += next - begin_;
  begin_ = next;
  if (line_ == 1 && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  return line;
}

/// Moves what is left to the front and fills the rest of the buffer.
void TraceTraffic::fill() {
  std::copy(buffer_.data() + begin_, buffer_.data() + end_, buffer_.data());
  end_ -= begin_;
  begin_ = 0;
  const std::size_t wanted = buffer_.size() - end_;
  const std::size_t count = std::fread(buffer_.data() + end_, 1, wanted, file_.get());
  end_ += count;
  at_end_ = count < wanted;
  // A signal that interrupts a pipe ends the trace: whoever takes requests knows of it.
  if (std::ferror(file_.get()) != 0 && errno != EINTR) {
    throw ConfigError(Fault{
        .file = name_, .path = "", .message = fmt::format("cannot be read: {}", reason(errno))});
  }
}

std::optional<double> TraceTraffic::share_taken() const {
  if (!file_bytes_ || *file_bytes_ == 0) return std::nullopt;
  return std::min(static_cast<double>(taken_bytes_) / static_cast<double>(*file_bytes_), 1.0);
}

std::uint64_t TraceTraffic::address(std::string_view word) const {
  const bool hexadecimal = word.starts_with("0x") || word.starts_with("0X");
  const std::string_view digits = word.substr(hexadecimal ? 2 : 0);
  std::uint64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, value, hexadecimal ? 16 : 10);
  if (result.ec == std::errc::result_out_of_range) {
    fail(fmt::format("{} is more than 64 bits", in_quotes(word)));
  }
  if (result.ec != std::errc() || result.ptr != end) {
    fail(fmt::format("{} is no address: digits, or 0x and hexadecimal digits", in_quotes(word)));
  }
  return value;
}

void TraceTraffic::fail_form(std::string_view line) const {
  fail(fmt::format(R"(must be "LD ADDRESS", "ST ADDRESS", "ADDRESS R" or "ADDRESS W", is {})",
                   in_quotes(line)));
}

void TraceTraffic::fail(const std::string& message) const {
  constexpr Count kMost = std::numeric_limits<int>::max();
  throw ConfigError(Fault{.file = name_,
                          .path = "",
                          .message = message,
                          .line = static_cast<int>(std::min(line_, kMost))});
}

}  // namespace tilewave
