// SPDX-License-Identifier: Apache-2.0
#include "app/sweep/database.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <utility>

namespace tilewave {
namespace {

/// How long to wait for a reader that holds the file (a checkpoint of its own).
constexpr int kBusyMs = 10'000;

}  // namespace

Database::Database(const std::filesystem::path& file) : file_(file.string()) {
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(file_.c_str(), &handle_, flags, nullptr) != SQLITE_OK) {
    const std::string why = handle_ == nullptr ? "out of memory" : sqlite3_errmsg(handle_);
    const int code = handle_ == nullptr ? SQLITE_NOMEM : sqlite3_errcode(handle_);
    sqlite3_close(handle_);
    throw StoreError(fmt::format("{} cannot be opened: {}", file_, why), code);
  }
  sqlite3_busy_timeout(handle_, kBusyMs);
}

Database::Database(Database&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), file_(std::move(other.file_)) {}

Database::~Database() { sqlite3_close(handle_); }

void Database::fail(const std::string& doing) const {
  throw StoreError(fmt::format("{} cannot be {}: {}", file_, doing, sqlite3_errmsg(handle_)),
                   sqlite3_errcode(handle_));
}

void Database::run(const std::string& sql) {
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail("written");
}

std::int64_t Database::pragma(const std::string& name) {
  Statement statement(*this, "PRAGMA " + name);
  return statement.step() ? statement.number(0) : 0;
}

Statement::Statement(Database& database, std::string_view sql) : database_(database) {
  const int size = static_cast<int>(sql.size());
  if (sqlite3_prepare_v2(database_.handle_, sql.data(), size, &handle_, nullptr) != SQLITE_OK) {
    database_.fail("read");
  }
}

Statement::~Statement() { sqlite3_finalize(handle_); }

void Statement::check(int code, const char* doing) {
  if (code != SQLITE_OK) database_.fail(doing);
}

Statement& Statement::bind(std::int64_t value) {
  check(sqlite3_bind_int64(handle_, next_++, value), "written");
  return *this;
}

Statement& Statement::bind(std::string_view text) {
  check(sqlite3_bind_text64(handle_, next_++, text.data(), text.size(), SQLITE_TRANSIENT,
                            SQLITE_UTF8),
        "written");
  return *this;
}

Statement& Statement::bind(const std::optional<std::string>& text) {
  if (text) return bind(std::string_view(*text));
  check(sqlite3_bind_null(handle_, next_++), "written");
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    reset();
    return false;
  }
  const bool reads = sqlite3_stmt_readonly(handle_) != 0;
  try {
    database_.fail(reads ? "read" : "written");
  } catch (...) {
    reset();  // also forgets the message, which is taken by now
    throw;
  }
}

void Statement::run() {
  while (step()) {
  }
}

void Statement::reset() {
  sqlite3_reset(handle_);
  next_ = 1;
}

std::int64_t Statement::number(int column) const { return sqlite3_column_int64(handle_, column); }

std::string Statement::text(int column) const {
  const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_, column));
  return text == nullptr ? std::string() : std::string(text, size);
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(handle_, column) == SQLITE_NULL;
}

}  // namespace tilewave
