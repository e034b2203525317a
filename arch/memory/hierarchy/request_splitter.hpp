// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "arch/memory/cache/slice_hash.hpp"
#include "arch/memory/memory_link.hpp"
#include "sim/resources.hpp"

namespace tilewave {

/// The way from a core's DMA into a shared cache: requests of any size go in, chunks that lie in
/// one slice go out, and a request is answered when all its chunks are.
///
/// Modelled: requests in order of arrival, a bounded number at a time; one chunk a cycle; the
/// longer way to slices of another partition than the client's. Not modelled: several requests cut
/// at a time. Timing: a request sent at x is seen at x + 1, its chunks leave from then on, one a
/// cycle as far as the link takes them; with the last response seen at y, the client sees its own
/// at y + 1 + the extra cycles of that chunk's slice.
class RequestSplitter final : public MemoryPort {
 public:
  struct Params {
    std::size_t requests = 64;  ///< taken and not yet answered; as many more wait in front
    Bytes chunk_bytes = 128;    ///< chunks end at multiples of it
    SliceHash slices;
    SlicePlacement placement;
    Count partition = 0;  ///< of the client
  };
  /// `clock` tells the cycle in which the client sends. The link must outlive the splitter.
  RequestSplitter(MemoryLink& below, const Params& params, std::function<Cycle()> clock);

  void connect(MemoryClient& client) { client_ = &client; }
  void set_wake(std::function<void(Cycle)> wake) { wake_ = std::move(wake); }

  /// If not, the client is told when there is a place: also if it was given back in this very cycle.
  [[nodiscard]] bool can_send() const override;
  bool send(const MemoryRequest& request) override;

  /// As MemoryUnit::step, but that it does not ask to be called while the link takes nothing: then
  /// whoever takes from the link at cycle x has it called at x + 1 (held_back()).
  Cycle step(Cycle now);
  [[nodiscard]] bool held_back() const noexcept { return held_back_; }
  [[nodiscard]] bool idle() const { return requests_.empty() && free_.size() == held_.size(); }

  [[nodiscard]] Count requests() const noexcept { return accepted_; }
  [[nodiscard]] Count responses() const noexcept { return answered_; }
  [[nodiscard]] Bytes read_bytes() const noexcept { return read_bytes_; }    ///< answered
  [[nodiscard]] Bytes write_bytes() const noexcept { return write_bytes_; }  ///< answered
  [[nodiscard]] const Count& chunks() const noexcept { return chunks_; }
  /// How many requests wait or are under way.
  [[nodiscard]] std::string describe() const;

 private:
  struct Held {
    MemoryRequest request;
    Bytes unanswered = 0;
    Cycle done = 0;
  };
  /// In a chunk's tag: the request's place, and the slice.
  static constexpr unsigned kSliceShift = 32;

  void receive(Cycle now);
  void cut(Cycle now);

  MemoryLink& below_;
  Params params_;
  std::function<Cycle()> clock_;
  MemoryClient* client_ = nullptr;
  std::function<void(Cycle)> wake_;
  mutable Pipe<MemoryRequest> requests_;  // to ask for a place settles its credits
  std::vector<Held> held_;
  std::vector<std::uint32_t> free_;  // places of held_
  std::uint32_t cutting_ = 0;        // place of the request that is cut
  MemoryRequest rest_{};             // what is left of it; no bytes: none is
  Cycle cut_free_ = 0;
  bool held_back_ = false;
  Count accepted_ = 0, answered_ = 0, chunks_ = 0;
  Bytes read_bytes_ = 0, write_bytes_ = 0;
};

}  // namespace tilewave
