// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "arch/memory/memory_port.hpp"
#include "sim/pipe.hpp"

namespace tilewave {

/// The answer to a MemoryRequest: data of a read, or the acknowledgement of a write.
struct MemoryResponse {
  std::uint64_t tag = 0;  ///< of the request
  Bytes bytes = 0;        ///< of the request
  bool write = false;
};

/// What connects a client (core, L1) with a server (interconnect, L2 slice, memory): requests one
/// way, responses the other. Each request is answered once; responses may come in any order.
struct MemoryLink {
  /// Requires depth >= 1 and latency_cycles >= 1, of each direction.
  MemoryLink(std::size_t depth, Cycle latency_cycles)
      : requests(depth, latency_cycles), responses(depth, latency_cycles) {}
  Pipe<MemoryRequest> requests;
  Pipe<MemoryResponse> responses;
};

/// A unit of the memory hierarchy: does all that happens at cycle `now` and returns the next cycle
/// at which it is to be called if nothing new arrives (kNever: only then). Units of a cycle may be
/// stepped in any order, and more often than needed: the outcome is the same.
class MemoryUnit {
 public:
  virtual ~MemoryUnit() = default;
  virtual Cycle step(Cycle now) = 0;
  /// Nothing is on its way through it.
  [[nodiscard]] virtual bool idle() const = 0;
};

}  // namespace tilewave
