// SPDX-License-Identifier: Apache-2.0
// Links, ports and queues.
#include "sim/resources.hpp"

#include <deque>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace tilewave::test {
namespace {

constexpr std::uint64_t kNs = 1'000'000;

TEST_CASE("a link serves transfers one after the other", "[resources]") {
  struct Row {
    std::uint64_t now_ns;
    Bytes bytes;
    std::uint64_t begin_ns, end_ns;
  };
  BandwidthServer link({1'000'000'000});  // a byte a nanosecond
  Bytes bytes = 0;
  std::uint64_t busy_ns = 0;
  for (const Row& r : {
           Row{10, 64, 10, 74},     // an idle link begins at once
           Row{10, 64, 74, 138},    // behind the first
           Row{100, 10, 138, 148},  // arrived while it is busy
           Row{148, 5, 148, 153},   // just as it falls idle
           Row{500, 0, 500, 500},   // nothing takes no time
           Row{500, 1, 500, 501},
       }) {
    INFO("at " << r.now_ns);
    const auto t = link.serve({r.now_ns * kNs}, r.bytes);
    CHECK(t.begin.value == r.begin_ns * kNs);
    CHECK(t.end.value == r.end_ns * kNs);
    bytes += r.bytes;
    busy_ns += r.end_ns - r.begin_ns;
    CHECK(link.bytes() == bytes);
    CHECK(link.busy().value == busy_ns * kNs);
  }
}

TEST_CASE("no link moves more than its bandwidth allows", "[resources]") {
  std::mt19937_64 random(1);
  const auto pick = [&](std::uint64_t low, std::uint64_t high) {
    return std::uniform_int_distribution<std::uint64_t>(low, high)(random);
  };
  for (int round = 0; round < 50; ++round) {
    const Bandwidth bandwidth{pick(1, 100'000'000'000)};
    BandwidthServer link(bandwidth);
    std::uint64_t now = 0, end = 0;
    for (int i = 0; i < 200; ++i) {
      now += pick(0, 3) == 0 ? pick(0, 1'000'000'000) : 0;
      const auto t = link.serve({now}, pick(0, 100));
      REQUIRE(t.begin.value >= now);
      REQUIRE(t.begin.value >= end);
      end = t.end.value;
    }
    const double most = static_cast<double>(bandwidth.bytes_per_s) * link.busy().seconds();
    REQUIRE(static_cast<double>(link.bytes()) <= most * (1 + 1e-12));
    REQUIRE(link.busy().value <= end);
  }
}

TEST_CASE("a port is busy for the cycles it is occupied", "[resources]") {
  Port port;
  CHECK(port.free_at(0));
  port.occupy(0, 5);
  CHECK_FALSE(port.free_at(4));
  CHECK(port.free_at(5));
  CHECK(port.free_from() == 5);
  port.occupy(20, 1);
  CHECK_FALSE(port.free_at(20));
  CHECK(port.free_at(21));
  port.occupy(30, 0);
  CHECK(port.free_at(30));
  CHECK(port.busy_cycles() == 6);
}

TEST_CASE("a queue hands out what came first", "[resources]") {
  BoundedQueue<int> queue(3);
  CHECK(queue.empty());
  CHECK(queue.depth() == 3);
  queue.push(1);
  queue.push(2);
  CHECK_FALSE(queue.full());
  queue.push(3);
  CHECK(queue.full());
  CHECK(queue.front() == 1);
  queue.pop();
  queue.push(4);  // into the place of the first
  CHECK(queue.size() == 3);
  CHECK(queue.at(0) == 2);
  CHECK(queue.at(1) == 3);
  CHECK(queue.at(2) == 4);
  queue.front() = 20;
  const BoundedQueue<int>& same = queue;
  CHECK(same.front() == 20);
  CHECK(same.at(2) == 4);
}

TEST_CASE("a queue does what a deque does", "[resources]") {
  std::mt19937_64 random(2);
  for (std::size_t depth = 1; depth <= 9; ++depth) {
    BoundedQueue<int> queue(depth);
    std::deque<int> expected;
    for (int i = 0; i < 500; ++i) {
      if (!queue.full() && (queue.empty() || random() % 2 == 0)) {
        queue.push(i);
        expected.push_back(i);
      } else {
        queue.pop();
        expected.pop_front();
      }
      REQUIRE(queue.size() == expected.size());
      REQUIRE(queue.empty() == expected.empty());
      REQUIRE(queue.full() == (expected.size() == depth));
      for (std::size_t k = 0; k < expected.size(); ++k) REQUIRE(queue.at(k) == expected[k]);
    }
  }
}

TEST_CASE("a queue's places are used again with what is in them", "[resources]") {
  BoundedQueue<std::vector<int>> queue(1);
  queue.push_slot().assign(100, 7);
  const int* memory = queue.front().data();
  queue.pop();
  CHECK(queue.push_slot().data() == memory);
}

TEST_CASE("a queue takes what can only be moved", "[resources]") {
  BoundedQueue<std::unique_ptr<std::string>> queue(2);
  queue.push(std::make_unique<std::string>("x"));
  CHECK(*queue.front() == "x");
}

TEST_CASE("misuse of a queue is an error", "[resources]") {
  BoundedQueue<int> queue(2);
  CHECK_THROWS_AS(queue.pop(), std::logic_error);
  queue.push(1);
  queue.push(2);
  CHECK_THROWS_AS(queue.push(3), std::logic_error);
  CHECK_THROWS_AS(queue.push_slot(), std::logic_error);
  CHECK(queue.size() == 2);  // as it was
  CHECK(queue.at(1) == 2);

  BoundedQueue<int> none(0);
  CHECK(none.empty());
  CHECK(none.full());
  CHECK_THROWS_AS(none.push(1), std::logic_error);
}

}  // namespace
}  // namespace tilewave::test
