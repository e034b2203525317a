// SPDX-License-Identifier: Apache-2.0
#include "sim/diagnostics.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace tilewave {
namespace {

void append_printable(std::string& out, std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
}

std::string join_lines(const std::vector<Fault>& faults, std::size_t not_kept) {
  std::string text;
  for (const Fault& fault : faults) {
    if (!text.empty()) {
      text += '\n';
    }
    text += format(fault);
  }
  if (not_kept > 0) {
    text += fmt::format("\n... and {} more", not_kept);
  }
  return text;
}

/// Is `path` the value at `prefix` or below it?
bool is_at_or_below(std::string_view path, std::string_view prefix) {
  if (!path.starts_with(prefix)) {
    return false;
  }
  return prefix.empty() || path.size() == prefix.size() || path[prefix.size()] == '.' ||
         path[prefix.size()] == '[';
}

/// False: there was no room. A fault that is there already is kept once.
bool keep(std::vector<Fault>& kept, Fault fault) {
  if (kept.size() >= Diagnostics::kMaxKept) {
    return false;
  }
  if (std::find(kept.begin(), kept.end(), fault) != kept.end()) {
    return true;
  }
  kept.push_back(std::move(fault));
  return true;
}

}  // namespace

std::string format(const Fault& fault) {
  std::string text;
  append_printable(text, fault.file);
  if (fault.line > 0) {
    text += fmt::format("{}{}", text.empty() ? "line " : ":", fault.line);
    if (fault.column > 0) {
      text += fmt::format(":{}", fault.column);
    }
  }
  if (!fault.path.empty()) {
    text += text.empty() ? "" : ": ";
    append_printable(text, fault.path);
  }
  text += text.empty() ? "" : ": ";
  append_printable(text, fault.message);
  return text;
}

ConfigError::ConfigError(std::vector<Fault> faults, std::size_t not_kept)
    : std::runtime_error(join_lines(faults, not_kept)), faults_(std::move(faults)) {}

void Diagnostics::error(std::string file, std::string path, std::string message, int line,
                        int column) {
  error(Fault{std::move(file), std::move(path), std::move(message), line, column});
}

void Diagnostics::error(Fault fault) {
  ++error_calls_;
  // A file may have millions of faults, and finding where each is from takes time.
  if (errors_.size() >= kMaxKept) {
    ++errors_dropped_;
    return;
  }
  relabel(fault);
  if (!keep(errors_, std::move(fault))) {
    ++errors_dropped_;
  }
}

void Diagnostics::warning(std::string file, std::string path, std::string message, int line,
                          int column) {
  warning(Fault{std::move(file), std::move(path), std::move(message), line, column});
}

void Diagnostics::warning(Fault fault) {
  relabel(fault);
  keep(warnings_, std::move(fault));
}

bool Diagnostics::retract_error(Fault fault) {
  relabel(fault);
  const auto it = std::find(errors_.begin(), errors_.end(), fault);
  if (it == errors_.end()) {
    return false;
  }
  errors_.erase(it);
  return true;
}

void Diagnostics::set_origin(std::string file, std::string path, std::string label) {
  origins_.push_back({std::move(file), std::move(path), std::move(label)});
}

void Diagnostics::throw_if_errors() const {
  if (!ok()) {
    throw ConfigError(errors_, errors_dropped_);
  }
}

std::string Diagnostics::origin(const std::string& file, const std::string& path) const {
  const Origin* best = nullptr;
  for (const Origin& origin : origins_) {
    const bool longer = best == nullptr || origin.path.size() >= best->path.size();
    if (longer && origin.file == file && is_at_or_below(path, origin.path)) {
      best = &origin;
    }
  }
  return best == nullptr ? std::string() : best->label;
}

void Diagnostics::relabel(Fault& fault) const {
  if (std::string label = origin(fault.file, fault.path); !label.empty()) {
    fault.file = std::move(label);
    fault.line = 0;
    fault.column = 0;
  }
}

}  // namespace tilewave
