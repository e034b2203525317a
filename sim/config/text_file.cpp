// SPDX-License-Identifier: Apache-2.0
#include "sim/config/text_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <system_error>

namespace tilewave {
namespace {

namespace fs = std::filesystem;

/// Bytes of the UTF-8 character at the start of `text`; 0 if it is malformed, overlong, a surrogate
/// or beyond U+10FFFF (RFC 3629, section 4).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto continues = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i <= to; ++i) {
      if ((byte(i) & 0xC0U) != 0x80U) {
        return false;
      }
    }
    return true;
  };
  const unsigned first = byte(0);
  if (first < 0x80) {
    return 1;
  }
  if (first >= 0xC2 && first <= 0xDF) {
    return continues(1, 1) ? 2 : 0;
  }
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) > 0x9F;
    return continues(1, 2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool overlong = first == 0xF0 && byte(1) < 0x90;
    const bool beyond = first == 0xF4 && byte(1) > 0x8F;
    return continues(1, 3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

std::string reason(int error) { return std::generic_category().message(error); }

std::string too_large(std::size_t max_bytes) {
  constexpr std::size_t kMib = std::size_t{1} << 20U;
  return max_bytes % kMib == 0 ? fmt::format("is larger than {} MiB", max_bytes / kMib)
                               : fmt::format("is larger than {} bytes", max_bytes);
}

/// A descriptor that the process was started with, by one of its names.
bool is_descriptor(const fs::path& path) {
  const std::string name = path.lexically_normal().string();
  return name == "/dev/stdin" || name.starts_with("/dev/fd/") || name.starts_with("/proc/self/fd/");
}

}  // namespace

TextPosition position_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start =
      before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const std::string_view in_line = before.substr(line_start);
  const auto characters = std::count_if(in_line.begin(), in_line.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  });
  return {static_cast<int>(lines) + 1, static_cast<int>(characters) + 1};
}

bool check_input_file(const fs::path& path, Diagnostics& diagnostics) {
  std::error_code error;
  const auto status = fs::status(path, error);
  const char* fault = nullptr;
  if (status.type() == fs::file_type::not_found) {
    fault = "no such file";
  } else if (fs::is_directory(status)) {
    fault = "is a directory, not a file";
  } else if (status.type() == fs::file_type::none) {
    diagnostics.error(path.string(), "", fmt::format("cannot be opened: {}", error.message()));
    return false;
  } else if (!fs::is_regular_file(status) && !(fs::is_fifo(status) && is_descriptor(path))) {
    fault = "is no regular file";
  }
  if (fault != nullptr) diagnostics.error(path.string(), "", fault);
  return fault == nullptr;
}

std::optional<std::string> read_file(const std::filesystem::path& path, Diagnostics& diagnostics,
                                     std::size_t max_bytes) {
  if (!check_input_file(path, diagnostics)) {
    return std::nullopt;
  }
  const std::string name = path.string();
  std::error_code no_size;
  const auto size = fs::file_size(path, no_size);  // a pipe has none, a file of /proc says 0
  if (!no_size && size > max_bytes) {
    diagnostics.error(name, "", too_large(max_bytes));
    return std::nullopt;
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(name.c_str(), "rb"),
                                                             &std::fclose);
  if (file == nullptr) {
    diagnostics.error(name, "", fmt::format("cannot be opened: {}", reason(errno)));
    return std::nullopt;
  }
  // In pieces: a pipe has no size to ask for, and a file may grow.
  std::string text;
  text.reserve(no_size ? 0 : static_cast<std::size_t>(size));
  std::array<char, 65536> piece{};
  while (text.size() <= max_bytes) {
    const std::size_t count = std::fread(piece.data(), 1, piece.size(), file.get());
    text.append(piece.data(), count);
    if (count < piece.size()) {
      break;
    }
  }
  if (std::ferror(file.get()) != 0) {
    diagnostics.error(name, "", fmt::format("cannot be read: {}", reason(errno)));
    return std::nullopt;
  }
  if (text.size() > max_bytes) {
    diagnostics.error(name, "", too_large(max_bytes));
    return std::nullopt;
  }
  return text;
}

std::optional<std::string_view> check_utf8(std::string_view text, const std::string& name,
                                           Diagnostics& diagnostics) {
  if (text.starts_with("\xEF\xBB\xBF")) {
    text.remove_prefix(3);
  }
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    diagnostics.error(name, "", "is UTF-16; save it as UTF-8");
    return std::nullopt;
  }
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = text[at] == '\0' ? 0 : utf8_length(text.substr(at));
    if (length == 0) {
      const TextPosition position = position_of(text, at);
      const auto byte = static_cast<unsigned char>(text[at]);
      diagnostics.error(name, "",
                        byte == 0 ? "a NUL byte: this is no text file"
                                  : fmt::format("the byte 0x{:02x} here is not UTF-8", byte),
                        position.line, position.column);
      return std::nullopt;
    }
    at += length;
  }
  return text;
}

}  // namespace tilewave
