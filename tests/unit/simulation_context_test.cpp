// SPDX-License-Identifier: Apache-2.0
// Many simulations in one process: one after another, failing, and from several threads.
#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/script.hpp"

#include "sim/diagnostics.hpp"

namespace tilewave::test {
namespace {

/// Wakes itself `steps` times, `period` apart.
class Ticker final : public sc_core::sc_module {
 public:
  Ticker(sc_core::sc_module_name name, SimulationContext& context, int steps, Femtoseconds period)
      : sc_module(name), context_(context), left_(steps), period_(period) {
    SC_HAS_PROCESS(Ticker);
    SC_METHOD(step);
    sensitive << wake_;
  }
  std::vector<std::uint64_t> times;

 private:
  void step() {
    context_.guard([this] {
      times.push_back(context_.now().value);
      if (--left_ > 0) wake_.notify(SimulationContext::to_sc_time(period_));
    });
  }
  SimulationContext& context_;
  int left_;
  Femtoseconds period_;
  sc_core::sc_event wake_;
};

TEST_CASE("500 simulations, one after another", "[simulation]") {
  for (int run = 1; run <= 500; ++run) {
    SimulationContext context;
    CHECK(context.now() == Femtoseconds{0});  // each begins at zero
    const int steps = 1 + run % 7;
    const Femtoseconds period{static_cast<std::uint64_t>(run)};
    Ticker ticker("ticker", context, steps, period);
    context.run();
    CHECK(ticker.times.size() == static_cast<std::size_t>(steps));
    CHECK(context.now().value == period.value * static_cast<std::uint64_t>(steps - 1));
  }
}

TEST_CASE("time resolves a femtosecond", "[simulation]") {
  SimulationContext context;
  CHECK(sc_core::sc_get_time_resolution().to_seconds() == 1e-15);
  CHECK(SimulationContext::to_sc_time({1}) == sc_core::sc_get_time_resolution());
  Ticker ticker("ticker", context, 4, {1});
  context.run();
  CHECK(ticker.times == std::vector<std::uint64_t>{0, 1, 2, 3});
}

TEST_CASE("time is exact over hours", "[simulation]") {
  SimulationContext context;
  const Femtoseconds hours{18'000'000'000'000'000'001U};  // 5 h and a femtosecond
  Ticker ticker("ticker", context, 2, hours);
  context.run();
  CHECK(context.now() == hours);
}

struct OwnException {
  int value;
};

/// Runs a simulation in which `action` happens at 10 fs, and a process that would go on for long.
template <typename Action>
std::size_t run_with(Action&& action) {
  SimulationContext context;
  Script script("script", context);
  Ticker ticker("ticker", context, 1'000'000, {5});
  script.at({10}, action);
  try {
    context.run();
  } catch (...) {
    CHECK(context.now() == Femtoseconds{10});
    CHECK(ticker.times.size() <= 3);  // 0, 5 and perhaps 10: it was stopped
    throw;
  }
  return ticker.times.size();
}

TEST_CASE("an exception within a process arrives with its type", "[simulation]") {
  for (int round = 0; round < 3; ++round) {
    CHECK_THROWS_MATCHES(run_with([] { throw SimulationError("law violated"); }), SimulationError,
                         Catch::Matchers::Message("law violated"));
    CHECK_THROWS_AS(run_with([] { throw ConfigError(Fault{"x.json", "", "wrong"}); }), ConfigError);
    CHECK_THROWS_AS(run_with([] { throw std::bad_alloc(); }), std::bad_alloc);
    int value = 0;
    try {
      run_with([] { throw OwnException{42}; });
    } catch (const OwnException& e) {
      value = e.value;
    }
    CHECK(value == 42);
    // The next simulation knows nothing of it.
    SimulationContext context;
    Ticker ticker("ticker", context, 100, {3});
    CHECK_NOTHROW(context.run());
    CHECK(ticker.times.size() == 100);
  }
  CHECK(run_with([] {}) == 1'000'000);
}

TEST_CASE("errors of the kernel are exceptions, also those that would end the process",
          "[simulation]") {
  CHECK_THROWS_AS(run_with([] { SC_REPORT_ERROR("test", "an error"); }), sc_core::sc_report);
  CHECK_THROWS_AS(run_with([] { SC_REPORT_FATAL("test", "the end"); }), sc_core::sc_report);
  // Found before the first process runs: a port that is bound to nothing.
  SimulationContext context;
  struct Unbound : sc_core::sc_module {
    explicit Unbound(const sc_core::sc_module_name& name) : sc_module(name) {}
    sc_core::sc_port<sc_core::sc_interface> port;
  };
  Unbound unbound("unbound");
  CHECK_THROWS_AS(context.run(), sc_core::sc_report);
}

TEST_CASE("the first failure counts, and nothing runs after it", "[simulation]") {
  SimulationContext context;
  Script script("script", context);
  int ran = 0;
  script.at({1}, [&] { context.guard([] { throw std::runtime_error("first"); }); });
  script.at({1}, [&] { context.guard([] { throw std::runtime_error("second"); }); });
  script.at({2}, [&] { ++ran; });
  CHECK_THROWS_MATCHES(context.run(), std::runtime_error, Catch::Matchers::Message("first"));
  context.guard([&] { ++ran; });
  CHECK(ran == 0);
}

TEST_CASE("simulations of several threads run one at a time", "[simulation]") {
  constexpr int kThreads = 8, kRuns = 20;
  std::atomic<int> inside{0}, overlaps{0}, done{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int run = 0; run < kRuns; ++run) {
        const int steps = 10 + t;
        try {
          SimulationContext context;
          if (++inside > 1) ++overlaps;
          Ticker ticker("ticker", context, steps, {7});
          Script script("script", context);
          // Every third one fails.
          if (run % 3 == 0) script.at({14}, [] { throw SimulationError("on purpose"); });
          const auto leave = [&] { --inside; };
          try {
            context.run();
          } catch (...) {
            leave();
            throw;
          }
          if (ticker.times.size() == static_cast<std::size_t>(steps)) ++done;
          leave();
        } catch (const SimulationError&) {
          ++done;
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(overlaps == 0);
  CHECK(done == kThreads * kRuns);
}

}  // namespace
}  // namespace tilewave::test
