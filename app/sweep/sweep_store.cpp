// SPDX-License-Identifier: Apache-2.0
#include "app/sweep/sweep_store.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <utility>

#include "sim/diagnostics.hpp"
#include "tilewave/version.hpp"

namespace tilewave {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOption = "--out";
constexpr std::int64_t kApplication = 0x54575357;  // "TWSW": tells our files from other databases
constexpr std::int64_t kFormat = 1;                // of the tables below

constexpr const char* kTables = R"(
CREATE TABLE store (version TEXT NOT NULL);
CREATE TABLE sweeps (sweep INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
                     definition TEXT NOT NULL);
CREATE TABLE points (sweep INTEGER NOT NULL, point INTEGER NOT NULL, parameters TEXT NOT NULL,
                     key TEXT, objectives TEXT, error TEXT, lost INTEGER NOT NULL,
                     PRIMARY KEY (sweep, point)) WITHOUT ROWID;
CREATE TABLE results (key TEXT NOT NULL UNIQUE, total TEXT NOT NULL, warnings TEXT, report TEXT);
CREATE VIEW sweep_rows AS
  SELECT p.sweep, p.point, p.parameters, p.objectives, r.total, p.error, r.warnings, r.report, p.key
  FROM points p LEFT JOIN results r ON r.key = p.key AND p.error IS NULL;
)";

[[noreturn]] void refuse(const fs::path& file, const std::string& why) {
  throw ConfigError(
      Fault{.file = kOption, .path = "", .message = fmt::format("{} {}", file.string(), why)});
}

/// Null: none. What is from outside (an error with a path in it) may not be UTF-8.
std::optional<std::string> text_of(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json json_of(const Statement& row, int column) {
  return row.is_null(column) ? Json() : Json::parse(row.text(column));
}

/// A transaction; undone unless commit() is reached.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(database) {
    database_.run("BEGIN IMMEDIATE");
  }
  ~Transaction() {
    if (open_) {
      try {
        database_.run("ROLLBACK");
      } catch (const StoreError&) {  // NOLINT: the first error is the one to tell
      }
    }
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit() {
    database_.run("COMMIT");
    open_ = false;
  }

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace

SweepStore::SweepStore(const fs::path& folder, const SweepIdentity& identity, bool resume)
    : folder_(folder), file_(folder / kFile), lock_(std::make_unique<FolderLock>(folder, kOption)) {
  try {
    prepare(identity, resume);
  } catch (const StoreError& error) {
    // Before the first result, what is wrong is the place that was named.
    if (error.code() == SQLITE_NOTADB) refuse(file_, "is no database of results");
    throw ConfigError(Fault{.file = kOption, .path = "", .message = error.what()});
  }
}

void SweepStore::prepare(const SweepIdentity& identity, bool resume) {
  database_.emplace(file_);
  // Without a table it is new, also if a program that was killed here has set its journal mode.
  Statement tables(*database_, "SELECT 1 FROM sqlite_master LIMIT 1");
  const bool is_new = !tables.step();
  tables.reset();
  if (!is_new) check_version();
  // What is committed outlives the process (not always a power cut, which loses the last ones alone).
  database_->run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  Transaction transaction(*database_);
  if (database_->pragma("application_id") != kApplication) {
    database_->run(
        fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplication, kFormat));
    database_->run(kTables);
    Statement(*database_, "INSERT INTO store VALUES (?)").bind(kVersion).run();
  }
  Statement any(*database_, "SELECT 1 FROM points LIMIT 1");
  had_results_ = any.step();
  any.reset();
  if (had_results_ && !resume) {
    refuse(folder_, "has results of a sweep: --resume goes on with it, or choose another folder");
  }
  Statement(*database_, "INSERT OR IGNORE INTO sweeps (hash, name, definition) VALUES (?, ?, ?)")
      .bind(std::string_view(identity.hash))
      .bind(std::string_view(identity.name))
      .bind(std::string_view(identity.definition))
      .run();
  Statement find(*database_, "SELECT sweep FROM sweeps WHERE hash = ?");
  if (find.bind(std::string_view(identity.hash)).step()) sweep_ = find.number(0);
  find.reset();
  transaction.commit();

  has_.emplace(*database_, "SELECT lost FROM points WHERE sweep = ? AND point = ?");
  find_.emplace(*database_, "SELECT total, warnings, report FROM results WHERE key = ?");
  put_point_.emplace(*database_, "INSERT OR REPLACE INTO points VALUES (?, ?, ?, ?, ?, ?, ?)");
  // A report that comes later is added; else equal input has equal results.
  put_result_.emplace(*database_,
                      "INSERT INTO results VALUES (?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET "
                      "report = coalesce(report, excluded.report)");
}

void SweepStore::check_version() {
  if (database_->pragma("application_id") != kApplication) {
    refuse(file_, "is no database of results");
  }
  if (const auto format = database_->pragma("user_version"); format != kFormat) {
    refuse(file_,
           fmt::format("has format {}, this program reads and writes {}: choose another folder",
                       format, kFormat));
  }
  Statement version(*database_, "SELECT version FROM store");
  const std::string writer = version.step() ? version.text(0) : "";
  if (writer != kVersion) {
    refuse(file_,
           fmt::format("is from version {}, this is {}: results of two versions are not mixed, "
                       "choose another folder",
                       writer, kVersion));
  }
}

bool SweepStore::has(std::uint64_t point) {
  has_->bind(sweep_).bind(static_cast<std::int64_t>(point));
  const bool kept = has_->step() && has_->number(0) == 0;
  has_->reset();
  return kept;
}

std::optional<PointResult> SweepStore::result_of(const std::string& key) {
  std::optional<PointResult> result;
  if (find_->bind(std::string_view(key)).step()) {
    result.emplace();
    result->key = key;
    result->total = json_of(*find_, 0);
    if (const Json warnings = json_of(*find_, 1); !warnings.is_null()) {
      warnings.get_to(result->warnings);
    }
    result->report = json_of(*find_, 2);
  }
  find_->reset();
  return result;
}

void SweepStore::put(const PointResult& result) {
  Transaction transaction(*database_);
  const auto or_null = [](const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
  };
  if (!result.total.is_null()) {
    put_result_->bind(std::string_view(result.key))
        .bind(text_of(result.total))
        .bind(result.warnings.empty() ? std::nullopt : text_of(Json(result.warnings)))
        .bind(text_of(result.report))
        .run();
  }
  put_point_->bind(sweep_)
      .bind(static_cast<std::int64_t>(result.number))
      .bind(text_of(result.parameters))
      .bind(or_null(result.key))
      .bind(text_of(result.objectives))
      .bind(or_null(result.error))
      .bind(std::int64_t{result.lost})
      .run();
  transaction.commit();
}

void SweepStore::each(const std::function<void(const PointResult&)>& take) {
  Statement rows(*database_,
                 "SELECT point, parameters, key, objectives, error, total, warnings, "
                 "(SELECT lost FROM points p WHERE p.sweep = r.sweep AND p.point = r.point) "
                 "FROM sweep_rows r WHERE sweep = ? ORDER BY point");
  rows.bind(sweep_);
  while (rows.step()) {
    PointResult result;
    result.number = static_cast<std::uint64_t>(rows.number(0));
    result.parameters = json_of(rows, 1);
    result.key = rows.text(2);
    result.objectives = json_of(rows, 3);
    result.error = rows.text(4);
    result.total = json_of(rows, 5);
    if (const Json warnings = json_of(rows, 6); !warnings.is_null()) {
      warnings.get_to(result.warnings);
    }
    result.lost = rows.number(7) != 0;
    take(result);
  }
}

}  // namespace tilewave
