// SPDX-License-Identifier: Apache-2.0
// Worker processes: each task is answered once or lost; who ends is replaced. The workers here are shell
// scripts that speak the same lines.
#include <map>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include "app/sweep/worker_pool.hpp"
#include "sim/diagnostics.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

std::vector<std::string> script(const std::string& on_task) {
  return {"/bin/sh", "-c", "echo ready; while read -r task; do " + on_task + "; done"};
}

struct Outcome {
  std::map<std::uint64_t, std::string> done, lost;
};

Outcome run(const std::vector<std::string>& command, std::size_t workers, std::uint64_t tasks,
            std::uint64_t stop_after = 1'000'000) {
  Outcome outcome;
  std::uint64_t next = 0;
  WorkerPool pool(command, workers);
  pool.run({.next = [&]() -> std::optional<WorkerTask> {
              if (next == tasks) return std::nullopt;
              const std::uint64_t number = next++;
              return WorkerTask{.number = number, .text = "task " + std::to_string(number)};
            },
            .done =
                [&](const WorkerTask& task, const std::string& result) {
                  CHECK(outcome.done.emplace(task.number, result).second);
                },
            .lost =
                [&](const WorkerTask& task, const std::string& why) {
                  CHECK(outcome.lost.emplace(task.number, why).second);
                },
            .go_on = [&] { return outcome.done.size() < stop_after; }});
  return outcome;
}

}  // namespace

TEST_CASE("every task is answered by its own result") {
  for (const std::size_t workers : {1U, 3U}) {
    const Outcome outcome = run(script("echo \"did $task\""), workers, 50);
    CHECK(outcome.lost.empty());
    REQUIRE(outcome.done.size() == 50);
    for (const auto& [number, text] : outcome.done)
      CHECK(text == "did task " + std::to_string(number));
  }
  CHECK(run(script("echo x"), 4, 0).done.empty());
}

TEST_CASE("a task that ends its worker is tried twice, then lost; the others are done") {
  const Outcome outcome =
      run(script("case $task in *3) kill -9 $$;; *5) exit 7;; *) echo ok;; esac"), 2, 10);
  CHECK(outcome.done.size() == 8);
  REQUIRE(outcome.lost.size() == 2);
  CHECK_THAT(outcome.lost.at(3), contains("was ended by signal 9"));
  CHECK(outcome.lost.at(5) == "ended with status 7");
}

TEST_CASE("a worker that ends once costs nothing") {
  const TemporaryFolder folder("sweep_workers");
  // mkdir succeeds the first time alone.
  const Outcome outcome =
      run(script("mkdir " + folder.file("once") + " 2>/dev/null && kill -9 $$; echo ok"), 2, 10);
  CHECK(outcome.done.size() == 10);
  CHECK(outcome.lost.empty());
}

TEST_CASE("answers may be large and come in parts") {
  const Outcome outcome =
      run(script("head -c 300000 /dev/zero | tr '\\0' x; printf y; echo z"), 2, 4);
  REQUIRE(outcome.done.size() == 4);
  for (const auto& [number, text] : outcome.done) CHECK(text == std::string(300000, 'x') + "yz");
}

TEST_CASE("a worker is replaced before it has left much memory behind") {
  const Outcome outcome = run(script("echo $$"), 1, WorkerPool::kTasksPerWorker + 10);
  std::map<std::string, std::uint64_t> tasks;
  for (const auto& [number, process] : outcome.done) ++tasks[process];
  CHECK(outcome.done.size() == WorkerPool::kTasksPerWorker + 10);
  CHECK(tasks.size() == 2);
  CHECK(tasks[outcome.done.at(0)] == WorkerPool::kTasksPerWorker);
}

TEST_CASE("workers that never start end the sweep with an error") {
  CHECK_THROWS_AS(run({"/bin/sh", "-c", "exit 3"}, 2, 5), SimulationError);
  CHECK_THROWS_AS(run({"/no/such/program"}, 2, 5), SimulationError);
}

TEST_CASE("a stop leaves what is not done") {
  const Outcome outcome = run(script("echo ok"), 1, 100, 10);
  CHECK(outcome.done.size() >= 10);
  CHECK(outcome.done.size() < 100);
}
