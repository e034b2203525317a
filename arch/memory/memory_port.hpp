// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/units.hpp"

namespace tilewave {

/// What a client knows about the reuse of its bytes; caches may heed it.
enum class CacheHint : std::uint8_t {
  normal,
  streaming,   ///< used once: evicted first
  no_allocate  ///< not kept at all
};

/// A run of bytes at consecutive addresses.
struct MemoryRequest {
  std::uint64_t address = 0;
  Bytes bytes = 0;
  bool write = false;
  std::uint64_t tag = 0;  ///< the client's, returned with the response
  CacheHint hint = CacheHint::normal;
};

/// Who sends requests and gets the responses.
class MemoryClient {
 public:
  virtual ~MemoryClient() = default;
  /// The request `tag` is served; the client sees it from cycle `visible` on.
  virtual void on_response(std::uint64_t tag, Cycle visible) = 0;
  /// The port accepts requests again, from cycle `visible` on.
  virtual void on_ready(Cycle visible) = 0;
};

/// The core's side of the memory edge: plain C++, so that a core can be tested without a kernel.
class MemoryPort {
 public:
  virtual ~MemoryPort() = default;
  /// Whether it matters where bytes lie. If not (a link of bandwidth and latency only), a request
  /// may stand for bytes at scattered addresses.
  [[nodiscard]] virtual bool by_address() const { return true; }
  /// False while the memory holds the port back.
  [[nodiscard]] virtual bool can_send() const = 0;
  /// Sends a request. Returns true if it is already served (an ideal memory); then no response
  /// follows.
  virtual bool send(const MemoryRequest& request) = 0;
};

}  // namespace tilewave
