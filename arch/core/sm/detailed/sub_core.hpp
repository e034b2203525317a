// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "arch/core/sm/detailed/warp.hpp"
#include "arch/core/sm/sm_params.hpp"

namespace tilewave {

/// A quarter of an SM: a scheduler that issues one instruction a cycle of its warps, a scoreboard, pipes
/// and a tensor core.
///
/// Modelled: the order of warps (WarpOrder), registers that are not there yet, pipes that are taken (a
/// warp's lanes over those of the pipe), the queue to the load-store unit; an instruction reads its
/// operands when it issues. A warp's instructions issue in order. Between two cycles in which
/// something can happen it sleeps, and accounts for the cycles between as what they were.
/// Not modelled: fetch and decode; banks of registers (libraries' kernels avoid their conflicts).
class SubCore {
 public:
  SubCore(const SmParams& sm, WarpHost& host, std::size_t index);

  /// Ends that of the last kernel; room for so many warps.
  void begin_kernel(std::size_t warps);
  [[nodiscard]] std::size_t room() const noexcept { return free_.size(); }
  [[nodiscard]] bool empty() const noexcept { return free_.size() == warps_.size(); }
  /// Requires room. It may issue from `at` on.
  std::size_t start(Warp warp, Cycle now, Cycle at);
  [[nodiscard]] Warp& warp(std::size_t slot) { return warps_[slot]; }
  /// What the warp waited for has changed: it may issue from `at` on.
  void wake(std::size_t slot, Cycle at);

  /// Issues what it can at `now`. Then next() is the cycle in which there may be more.
  void step(Cycle now);
  [[nodiscard]] Cycle next() const noexcept { return next_; }

  /// An instruction takes its tensor core, not ending before `fed`; returns when it is through (in ticks).
  /// The next one may issue when `queued` are left.
  Ticks take_tensor(Cycle now, Ticks ticks, Ticks fed, Ticks queued);
  [[nodiscard]] Ticks tensor_free() const noexcept {
    return pipe_ticks_[static_cast<std::size_t>(WarpPipe::tensor)];
  }
  /// The end of the last matrix work, and how much there was.
  [[nodiscard]] Cycle matrix_until() const noexcept {
    return (matrix_until_ + kTicks - 1) / kTicks;
  }
  [[nodiscard]] Ticks matrix_ticks() const noexcept { return matrix_ticks_; }

  /// All cycles before `now` are accounted for.
  void account(Cycle now);
  void set_class(SubCoreCycle c) noexcept { class_ = c; }
  [[nodiscard]] SubCoreCycle current_class() const noexcept { return class_; }

  struct Totals {
    SubCoreBreakdown cycles{};
    Count instructions = 0, macs = 0;
  };
  [[nodiscard]] const Totals& totals() const noexcept { return totals_; }
  void clear_totals() noexcept {
    totals_ = {};
    matrix_ticks_ = 0;
  }

  /// A warp did not issue during [begin, end) for that reason.
  using OnStall = std::function<void(std::size_t slot, SubCoreCycle why, Cycle begin, Cycle end)>;
  void trace(OnStall on_stall) { on_stall_ = std::move(on_stall); }

 private:
  struct Choice {
    std::size_t slot;
    Cycle wake;
    std::size_t waker;
  };
  static constexpr std::size_t kNobody = ~std::size_t{0};

  [[nodiscard]] Choice choose(Cycle now) const;
  [[nodiscard]] bool prefers(std::size_t a, std::size_t b, Cycle now) const;
  void issue(std::size_t slot, Cycle now);
  void multiply(Warp& w, const WarpInstruction& i, Cycle now);
  void settle(std::size_t slot, Cycle earliest);
  bool next_part(std::size_t slot, Cycle earliest);
  void enqueue(Cycle leaves);
  void sleep(Cycle now);

  const SmParams& sm_;
  WarpHost& host_;
  std::size_t index_;
  std::vector<Warp> warps_;
  // Of each warp: when its next instruction may issue but for its pipe, which pipe that is, and why
  // not before.
  std::vector<Cycle> at_;
  std::vector<WarpPipe> pipe_;
  std::vector<SubCoreCycle> why_;
  std::vector<std::size_t> free_;
  std::deque<std::pair<Cycle, std::size_t>> launching_;  ///< until when, which warp
  std::array<Ticks, kWarpPipes> pipe_ticks_{};
  std::array<Cycle, kWarpPipes> pipe_free_{};
  std::vector<Cycle> queue_;  ///< when the last instructions left it, a ring
  std::size_t oldest_ = 0;
  std::size_t last_ = kNobody;
  Count started_ = 0;
  Cycle next_ = kNever, issued_ = kNever;
  Ticks matrix_until_ = 0, matrix_ticks_ = 0;
  Cycle accounted_ = 0;
  bool issued_now_ = false;  ///< in cycle accounted_
  SubCoreCycle class_ = SubCoreCycle::launch;
  Totals totals_;
  OnStall on_stall_;
};

}  // namespace tilewave
