// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "arch/core/dma_path.hpp"
#include "arch/core/job.hpp"
#include "arch/core/systolic_core_params.hpp"
#include "arch/memory/memory_port.hpp"
#include "arch/program/run_cursor.hpp"
#include "sim/diagnostics.hpp"
#include "sim/resources.hpp"

namespace tilewave {

/// One DMA engine: a queue of tile transfers, cut into requests of bounded size, a bounded number
/// of them in flight. Transfers start in order, as soon as their buffer stage is free (loads) or
/// filled (stores), and complete in order; requests of the next one may follow while earlier ones
/// are out. A request covers the next bytes of the tile, which may lie scattered: it goes out run by
/// run of consecutive addresses, and is in flight until the last run is served. A memory to which
/// addresses mean nothing gets it whole. Not modelled: descriptor fetch, address translation.
class DmaEngine {
 public:
  /// `id` marks the tags of its requests.
  DmaEngine(std::string name, int id, const DmaParams& params);

  [[nodiscard]] bool full() const { return jobs_.full(); }
  [[nodiscard]] bool empty() const { return jobs_.empty(); }
  void push(const Job& job);

  /// Where requests go; null if the machine has no such link.
  struct Ports {
    MemoryPort* dram = nullptr;
    MemoryPort* host = nullptr;
    MemoryPort* link = nullptr;
    [[nodiscard]] MemoryPort* to(program::Space space) const {
      if (space == program::Space::link) return link;
      return space == program::Space::host ? host : dram;
    }
  };
  /// Sends at most one run; true if it did or a transfer began. `may_start(job)`: earlier kernels
  /// allow it.
  template <typename MayStart>
  bool send_one(Cycle now, SlotTable& slots, const Ports& ports, DmaPath& path,
                MayStart&& may_start);
  /// A run of the tag's transfer is served.
  void on_response(std::uint64_t tag);

  /// Takes the oldest transfer if it is complete.
  template <typename OnComplete>
  bool retire(Cycle now, SlotTable& slots, OnComplete&& on_complete);

  [[nodiscard]] static int engine_of(std::uint64_t tag) {
    return static_cast<int>(tag >> kEngineShift);
  }
  /// The transfer of which something is still to be sent; null if there is none.
  [[nodiscard]] const Job* next_to_send() const {
    return sending_ < jobs_.size() ? &jobs_.at(sending_).job : nullptr;
  }
  /// No transfer has begun, or all that have are complete.
  [[nodiscard]] bool quiet() const noexcept {
    return outstanding_ == 0 && sending_ == 0 && (jobs_.empty() || !jobs_.front().started);
  }
  /// Calls see(job) for each transfer that waits, oldest first.
  template <typename See>
  void for_each_job(See&& see) {
    for (std::size_t i = 0; i < jobs_.size(); ++i) see(jobs_.at(i).job);
  }
  /// Requests in flight.
  [[nodiscard]] Count outstanding() const noexcept { return outstanding_; }
  /// The oldest transfer not complete; the queue must not be empty.
  [[nodiscard]] const Job& oldest() const { return jobs_.front().job; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] Bytes bytes() const noexcept { return bytes_; }
  [[nodiscard]] const Bytes& bytes_counter() const noexcept { return bytes_; }

 private:
  struct Transfer {
    Job job;
    bool started = false;
    Cycle start_cycle = 0;
    Bytes sent_bytes = 0;
    Count in_flight = 0;  // runs
    program::RunCursor cursor;
  };
  /// Bits of a tag: which engine, which request, which transfer (numbers wrap).
  static constexpr unsigned kEngineShift = 48, kRequestShift = 32;

  std::size_t open_request();
  void close_request_if_served(std::size_t request);
  program::ByteRun next_run(Transfer& t, bool by_address);

  std::string name_;
  std::uint64_t id_;
  DmaParams params_;
  BoundedQueue<Transfer> jobs_;
  std::uint64_t retired_ = 0;      // number of the front transfer
  std::size_t sending_ = 0;        // index of the transfer whose requests are being sent
  std::vector<Count> unserved_;    // runs of each request in flight
  std::vector<std::size_t> free_;  // requests not in flight
  std::size_t request_ = 0;        // the one whose runs are being sent
  Bytes request_left_ = 0;         // of its bytes not yet sent
  Count outstanding_ = 0;
  Bytes bytes_ = 0;
};

inline DmaEngine::DmaEngine(std::string name, int id, const DmaParams& params)
    : name_(std::move(name)),
      id_(static_cast<std::uint64_t>(id)),
      params_(params),
      jobs_(params.queue_depth) {}

inline void DmaEngine::push(const Job& job) {
  auto& t = jobs_.push_slot();
  t.job = job;
  t.started = false;
  t.sent_bytes = 0;
  t.in_flight = 0;
}

inline std::size_t DmaEngine::open_request() {
  ++outstanding_;
  if (free_.empty()) {
    unserved_.push_back(0);
    return unserved_.size() - 1;
  }
  const std::size_t request = free_.back();
  free_.pop_back();
  return request;
}

inline void DmaEngine::close_request_if_served(std::size_t request) {
  if (unserved_[request] > 0 || (request == request_ && request_left_ > 0)) return;
  free_.push_back(request);
  --outstanding_;
}

inline void DmaEngine::on_response(std::uint64_t tag) {
  const auto number = static_cast<std::uint32_t>(tag), front = static_cast<std::uint32_t>(retired_);
  --jobs_.at(number - front).in_flight;
  const std::size_t request = (tag >> kRequestShift) & 0xffff;
  --unserved_[request];
  close_request_if_served(request);
}

inline program::ByteRun DmaEngine::next_run(Transfer& t, bool by_address) {
  return by_address ? t.cursor.next(request_left_) : program::ByteRun{t.sent_bytes, request_left_};
}

template <typename MayStart>
bool DmaEngine::send_one(Cycle now, SlotTable& slots, const Ports& ports, DmaPath& path,
                         MayStart&& may_start) {
  if (sending_ == jobs_.size()) return false;
  Transfer& t = jobs_.at(sending_);
  if (!t.started) {
    if (!may_start(t.job)) return false;
    for (const auto& use : t.job.uses()) {
      if (!slots.ready(use)) return false;
    }
    for (const auto& use : t.job.uses()) slots.acquire(use);
    t.started = true;
    t.start_cycle = now;
    if (t.job.bytes == 0) {
      ++sending_;
      return true;
    }
  }
  MemoryPort* link = ports.to(t.job.space);
  if (link == nullptr) {
    throw SimulationError("program: " + name_ + " is to use a link that this machine lacks");
  }
  MemoryPort& port = *link;
  const bool begins = request_left_ == 0;
  if ((begins && outstanding_ >= params_.outstanding) || !port.can_send()) return false;
  if (!path.free_at(now)) return false;
  if (t.sent_bytes == 0 && port.by_address()) {
    t.cursor = program::RunCursor(t.job.instruction->region, t.job.index);
  }
  if (begins) {
    request_ = open_request();
    request_left_ = std::min(params_.request_bytes, t.job.bytes - t.sent_bytes);
  }
  const program::ByteRun run = next_run(t, port.by_address());
  path.take(now, run.bytes);
  const std::size_t request = request_;
  ++t.in_flight;
  ++unserved_[request];
  t.sent_bytes += run.bytes;
  request_left_ -= run.bytes;
  const std::uint64_t number = static_cast<std::uint32_t>(retired_ + sending_);
  const std::uint64_t tag = (id_ << kEngineShift) | (request << kRequestShift) | number;
  const bool served = port.send({.address = t.job.tensor_address + run.offset,
                                 .bytes = run.bytes,
                                 .write = t.job.instruction->unit == program::UnitKind::store,
                                 .tag = tag});
  if (t.sent_bytes == t.job.bytes) ++sending_;
  if (served) on_response(tag);
  return true;
}

template <typename OnComplete>
bool DmaEngine::retire(Cycle now, SlotTable& slots, OnComplete&& on_complete) {
  if (jobs_.empty()) return false;
  Transfer& t = jobs_.front();
  if (!t.started || t.sent_bytes < t.job.bytes || t.in_flight > 0) return false;
  for (const auto& use : t.job.uses()) {
    slots.produce(use);
    slots.release(use);
  }
  bytes_ += t.job.bytes;
  on_complete(t.job, t.start_cycle, now);
  jobs_.pop();
  ++retired_;
  --sending_;
  return true;
}

}  // namespace tilewave
