// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tilewave {

/// A result could not be written: disk full, connection lost (exit status 1).
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A file to be written whole or not at all. The text goes to a file beside the target, which then
/// takes the target's place: whoever looks, and whenever the program ends, sees the old file or the
/// new one. A target that is no regular file (/dev/null, a pipe) is written straight.
class OutputFile {
 public:
  /// Checks, before there is anything to write, that it will be possible. Throws ConfigError that
  /// names `option` if not: no such folder, a folder instead of a file, no permission.
  OutputFile(std::string option, const std::filesystem::path& target);
  ~OutputFile() { discard(); }
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Writes the text beside the target (or straight). Throws OutputError.
  void stage(std::string_view text);
  /// The same for text that comes in parts: `produce` gives each to the function that it gets.
  using TakePart = std::function<void(std::string_view part)>;
  void stage_parts(const std::function<void(const TakePart& take)>& produce);
  /// Puts what was staged in the target's place. Throws OutputError.
  void commit();
  /// Removes what was staged.
  void discard() noexcept;

  [[nodiscard]] const std::string& option() const noexcept { return option_; }
  /// The target with symbolic links followed.
  [[nodiscard]] const std::filesystem::path& target() const noexcept { return target_; }
  [[nodiscard]] bool is_straight() const noexcept { return straight_; }

 private:
  [[noreturn]] void fail(int error) const;

  std::string option_;
  std::string shown_;  ///< the target as the user wrote it
  std::filesystem::path target_;
  std::filesystem::path staged_;  ///< empty: nothing is staged
  bool straight_ = false;
};

/// The files of one run: all are written, or, if one cannot be, none is changed.
class OutputFiles {
 public:
  /// As OutputFile(); two options with the same target are an error too.
  void add(std::string option, const std::filesystem::path& target);
  [[nodiscard]] bool has(std::string_view option) const;
  /// The text for the target of `option`, which must have been added.
  void set(std::string_view option, std::string text);
  /// Ctrl-C waits until the files are complete. Throws OutputError.
  void write();

 private:
  struct Entry {
    OutputFile file;
    std::string text;
  };
  std::vector<Entry> entries_;
};

/// Writes to standard output and makes sure that it arrived. Throws OutputError.
void write_stdout(std::string_view text);

}  // namespace tilewave
