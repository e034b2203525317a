// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace tilewave {

/// The store could not be read or written: a full disk, a fault of the file (exit status 1).
class StoreError : public std::runtime_error {
 public:
  StoreError(const std::string& message, int sqlite_code)
      : std::runtime_error(message), code_(sqlite_code) {}
  [[nodiscard]] int code() const noexcept { return code_; }

 private:
  int code_;
};

/// An SQLite database file. What fails throws StoreError with the file's name.
class Database {
 public:
  /// Opens the file; makes it if it is not there.
  explicit Database(const std::filesystem::path& file);
  ~Database();
  Database(Database&& other) noexcept;
  Database& operator=(Database&&) = delete;
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Statements without parameters and results.
  void run(const std::string& sql);
  /// The number that `PRAGMA name` gives.
  [[nodiscard]] std::int64_t pragma(const std::string& name);

  [[noreturn]] void fail(const std::string& doing) const;

 private:
  friend class Statement;
  sqlite3* handle_ = nullptr;
  std::string file_;
};

/// A prepared statement: bind its parameters (from 1) in order, step, read columns (from 0), reset.
class Statement {
 public:
  Statement(Database& database, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(std::int64_t value);
  Statement& bind(std::string_view text);
  /// NULL where there is none.
  Statement& bind(const std::optional<std::string>& text);

  /// True: there is a row. False: done, and reset.
  bool step();
  /// step() to the end.
  void run();
  void reset();

  [[nodiscard]] std::int64_t number(int column) const;
  /// Empty for NULL.
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] bool is_null(int column) const;

 private:
  void check(int code, const char* doing);

  Database& database_;
  sqlite3_stmt* handle_ = nullptr;
  int next_ = 1;
};

}  // namespace tilewave
