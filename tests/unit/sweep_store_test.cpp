// SPDX-License-Identifier: Apache-2.0
// The store of a sweep: what is put stays, who may open it, and what is told when it cannot be.
#include "app/sweep/sweep_store.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include "app/sweep/database.hpp"
#include "app/sweep/sha256.hpp"
#include "sim/diagnostics.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

const SweepIdentity kSweep{.hash = "h1", .name = "s", .definition = "{}"};
const SweepIdentity kOther{.hash = "h2", .name = "s", .definition = "{}"};

PointResult result(std::uint64_t number, const std::string& key, int cycles) {
  return {.number = number,
          .parameters = {{"x", number}},
          .key = key,
          .objectives = {{"total.cycles", cycles}},
          .total = {{"cycles", cycles}, {"energy_j", 0.1}},
          .report = {},
          .warnings = {},
          .error = {}};
}

std::string lines(SweepStore& store) {
  std::string all;
  store.each([&](const PointResult& point) { all += to_line(point) + "\n"; });
  return all;
}

std::string refusal(const std::string& folder, bool resume) {
  try {
    const SweepStore store(folder, kSweep, resume);
    return "opened";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("what is put is there when the store is opened again") {
  const TemporaryFolder folder("sweep_store");
  std::string before;
  {
    SweepStore store(folder.file("out"), kSweep, false);
    CHECK_FALSE(store.had_results());
    CHECK_FALSE(store.has(3));
    store.put(result(3, "k3", 30));
    PointResult failed = result(1, "k1", 0);
    failed.total = failed.objectives = Json();
    failed.error = "it is wrong\nin two ways";
    store.put(failed);
    CHECK(store.has(3));
    CHECK(store.has(1));
    before = lines(store);
  }
  SweepStore store(folder.file("out"), kSweep, true);
  CHECK(store.had_results());
  CHECK(store.has(3));
  CHECK(store.has(1));
  CHECK_FALSE(store.has(2));
  CHECK(lines(store) == before);
  CHECK(before ==
        "{\"point\":1,\"parameters\":{\"x\":1},\"key\":\"k1\",\"error\":\"it is wrong\\nin two "
        "ways\"}\n"
        "{\"point\":3,\"parameters\":{\"x\":3},\"key\":\"k3\",\"objectives\":{\"total.cycles\":30},"
        "\"total\":{\"cycles\":30,\"energy_j\":0.1}}\n");
}

TEST_CASE("a point whose process was lost is to be run again") {
  const TemporaryFolder folder("sweep_store");
  SweepStore store(folder.file("out"), kSweep, false);
  PointResult lost = result(0, "", 0);
  lost.total = lost.objectives = Json();
  lost.error = "the process ended";
  lost.lost = true;
  store.put(lost);
  CHECK_FALSE(store.has(0));
  store.put(result(0, "k", 7));
  CHECK(store.has(0));
  CHECK_THAT(lines(store), contains("\"cycles\":7"));
}

TEST_CASE("another sweep in the same folder sees results of equal input, not the points") {
  const TemporaryFolder folder("sweep_store");
  {
    SweepStore store(folder.file("out"), kSweep, false);
    PointResult with_warning = result(0, "k", 7);
    with_warning.warnings = {"careful"};
    store.put(with_warning);
  }
  SweepStore store(folder.file("out"), kOther, true);
  CHECK_FALSE(store.has(0));
  CHECK(lines(store).empty());
  const auto found = store.result_of("k");
  REQUIRE(found);
  CHECK(found->total == Json{{"cycles", 7}, {"energy_j", 0.1}});
  CHECK(found->warnings == std::vector<std::string>{"careful"});
  CHECK(found->report.is_null());
  CHECK_FALSE(store.result_of("other"));
  // The whole report may come later.
  PointResult with_report = result(0, "k", 7);
  with_report.report = {{"total", {{"cycles", 7}}}};
  store.put(with_report);
  CHECK(store.result_of("k")->report == with_report.report);
}

TEST_CASE("who may open a store") {
  const TemporaryFolder folder("sweep_store");
  const std::string out = folder.file("out");
  SECTION("results are not run over without resume") {
    { SweepStore(out, kSweep, false).put(result(0, "k", 1)); }
    CHECK_THAT(refusal(out, false), contains("has results of a sweep: --resume goes on"));
    CHECK(refusal(out, true) == "opened");
  }
  SECTION("one sweep at a time") {
    const SweepStore store(out, kSweep, false);
    CHECK_THAT(refusal(out, true),
               contains("is in use by another sweep (process " + std::to_string(getpid()) + ")"));
  }
  SECTION("the lock goes with a process that is killed") {
    const pid_t child = fork();
    if (child == 0) {
      const SweepStore store(out, kSweep, false);
      kill(getpid(), SIGKILL);
    }
    REQUIRE(waitpid(child, nullptr, 0) == child);
    CHECK(refusal(out, true) == "opened");
  }
  SECTION("also one that was killed before it had made its tables") {
    std::filesystem::create_directory(out);
    Database(std::filesystem::path(out) / SweepStore::kFile).run("PRAGMA journal_mode = WAL");
    CHECK(std::filesystem::file_size(std::filesystem::path(out) / SweepStore::kFile) > 0);
    CHECK(refusal(out, true) == "opened");
  }
  SECTION("another format, another version, no store") {
    const auto change = [&](const std::string& sql) {
      { const SweepStore store(out, kSweep, false); }
      Database(std::filesystem::path(out) / SweepStore::kFile).run(sql);
    };
    change("PRAGMA user_version = 7");
    CHECK_THAT(refusal(out, true), contains("has format 7, this program reads and writes 1"));
    std::filesystem::remove_all(out);
    change("UPDATE store SET version = '0.0.9'");
    CHECK_THAT(refusal(out, true), contains("is from version 0.0.9, this is "));
    std::filesystem::remove_all(out);
    change("PRAGMA application_id = 5");
    CHECK_THAT(refusal(out, true), contains("is no database of results"));
    std::ofstream(std::filesystem::path(out) / SweepStore::kFile) << std::string(4096, 'x');
    CHECK_THAT(refusal(out, true), contains("is no database of results"));
  }
  SECTION("a place that is none") {
    folder.write("file", "");
    CHECK_THAT(refusal(folder.file("file"), false), contains("--out: " + folder.file("file")));
    CHECK_THAT(refusal("/proc/no_such_folder", false), contains("cannot be made"));
  }
}

TEST_CASE("a full disk is an error, and what was put before stays") {
  const TemporaryFolder folder("sweep_store");
  const std::string out = folder.file("out");
  const pid_t child = fork();
  if (child == 0) {
    SweepStore store(out, kSweep, false);
    store.put(result(0, "k0", 1));
    // Files may not grow any more: as on a full disk, SQLite's writes fail.
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{.rlim_cur = 4096, .rlim_max = RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      store.put(result(1, "k1", 1));
    } catch (const StoreError& error) {
      _exit(std::string(error.what()).find("sweep.sqlite cannot be written: ") != std::string::npos
                ? 0
                : 1);
    }
    _exit(2);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  SweepStore store(out, kSweep, true);
  CHECK(store.has(0));
  CHECK_FALSE(store.has(1));
}

TEST_CASE("SHA-256 has the values of the standard") {
  // FIPS 180-4's examples (NIST, "SHA256.pdf"), and a million of 'a'.
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256(std::string(1'000'000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}
