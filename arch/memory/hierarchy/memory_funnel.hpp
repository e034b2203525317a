// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "arch/memory/memory_link.hpp"

namespace tilewave {

/// The way from the slices of a cache to the one port of the memory below: fills and write-backs go
/// out round robin over the slices, answers come back to the slice that asked.
///
/// Modelled: as many requests a cycle as the port takes (each slice sends one a cycle at most); a
/// bounded number unanswered; requests of one slice that wait and are adjacent in address, of the
/// same kind, go as one (the DRAM's controllers would find them next to each other in their queue).
/// Not modelled: wires and their width between slices and memory. Timing: a request visible at x
/// goes at x if the port is free; an answer that the port shows at y is in the slice's link at y.
class MemoryFunnel final : public MemoryClient {
 public:
  struct Params {
    std::size_t outstanding = 64;  ///< requests of slices not yet answered
    Bytes merged_bytes = 512;      ///< largest request made of several
  };
  /// The links and the port must outlive it.
  MemoryFunnel(std::vector<MemoryLink*> links, MemoryPort& port, const Params& params);
  void set_wake(std::function<void(Cycle)> wake) { wake_ = std::move(wake); }

  void on_response(std::uint64_t tag, Cycle visible) override;
  void on_ready(Cycle visible) override;

  /// As MemoryUnit::step; what the port answers has it woken.
  Cycle step(Cycle now);
  [[nodiscard]] bool idle() const;

  [[nodiscard]] Bytes read_bytes() const noexcept { return read_bytes_; }    ///< answered
  [[nodiscard]] Bytes write_bytes() const noexcept { return write_bytes_; }  ///< answered
  [[nodiscard]] const Count& requests() const noexcept { return sent_; }     ///< after merging
  /// Of the slices, not yet answered.
  [[nodiscard]] std::size_t outstanding() const noexcept { return parts_.size() - free_parts_; }
  [[nodiscard]] std::string describe() const;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  /// A request of a slice, in a list of those that went as one, then in a list of answers.
  struct Part {
    MemoryRequest request;
    std::uint32_t link = 0;
    std::uint32_t next = kNone;
  };
  struct Answers {
    std::uint32_t first = kNone, last = kNone;
  };
  struct Arrival {
    std::uint32_t first;
    Cycle visible;
  };

  void take_arrivals(Cycle now);
  bool give_answers(Cycle now);
  void send(Cycle now);
  bool send_from(Cycle now, std::size_t link);
  std::uint32_t take_part(Cycle now, std::size_t link);
  [[nodiscard]] bool port_free(Cycle now) const { return ready_at_ <= now && port_.can_send(); }

  std::vector<MemoryLink*> links_;
  MemoryPort& port_;
  Params params_;
  std::function<void(Cycle)> wake_;
  std::vector<Part> parts_;
  std::uint32_t free_ = kNone;  // list of free parts
  std::size_t free_parts_ = 0;
  std::vector<Arrival> arrivals_;
  std::vector<Answers> answers_;  // by link
  std::size_t waiting_answers_ = 0;
  std::size_t next_link_ = 0;
  Cycle ready_at_ = 0;  // the port may take something from then on
  bool held_back_ = false;
  Count sent_ = 0;
  Bytes read_bytes_ = 0, write_bytes_ = 0;
};

}  // namespace tilewave
