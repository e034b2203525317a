// SPDX-License-Identifier: Apache-2.0
#include "arch/program/program.hpp"

namespace tilewave::program {

namespace {

constexpr std::uint8_t bit(int loop) { return static_cast<std::uint8_t>(1U << loop); }

}  // namespace

Walker::Walker(const Kernel& kernel, Count block) {
  if (block >= kernel.blocks()) return;
  for (int d = 0; d < kGridDims; ++d) {
    const Count extent = kernel.grid[static_cast<std::size_t>(d)];
    index_[static_cast<std::size_t>(kBlockIndex + d)] = static_cast<std::int64_t>(block % extent);
    block /= extent;
  }
  stack_.reserve(kMaxLoops + 1);
  stack_.push_back({&kernel.body, 0, nullptr});
  settle();
}

bool Walker::holds(const Condition& condition) const noexcept {
  return !condition.never && (condition.first & ~at_first_) == 0 &&
         (condition.last & ~at_last_) == 0 && (condition.not_last & at_last_) == 0;
}

void Walker::next() {
  ++stack_.back().position;
  settle();
}

// Moves on until an instruction that is executed, or the end.
void Walker::settle() {
  current_ = nullptr;
  const auto update = [this](const Loop& loop) {
    const auto i = static_cast<std::size_t>(loop.index);
    const auto b = bit(loop.index);
    at_first_ = static_cast<std::uint8_t>(index_[i] == 0 ? at_first_ | b : at_first_ & ~b);
    const bool last = index_[i] + 1 == static_cast<std::int64_t>(loop.count);
    at_last_ = static_cast<std::uint8_t>(last ? at_last_ | b : at_last_ & ~b);
  };
  while (!stack_.empty()) {
    Frame& frame = stack_.back();
    if (frame.position == frame.nodes->size()) {
      const Loop* loop = frame.loop;
      if (loop == nullptr) {
        stack_.clear();
        return;
      }
      auto& i = index_[static_cast<std::size_t>(loop->index)];
      if (++i < static_cast<std::int64_t>(loop->count)) {
        frame.position = 0;
        update(*loop);
        continue;
      }
      i = 0;
      at_first_ |= bit(loop->index);
      at_last_ |= bit(loop->index);
      stack_.pop_back();
      ++stack_.back().position;
      continue;
    }
    const Node& node = (*frame.nodes)[frame.position];
    if (const auto* loop = std::get_if<Loop>(&node)) {
      if (loop->count == 0) {
        ++frame.position;
        continue;
      }
      index_[static_cast<std::size_t>(loop->index)] = 0;
      update(*loop);
      stack_.push_back({&loop->body, 0, loop});
      continue;
    }
    const auto& instruction = std::get<Instruction>(node);
    if (holds(instruction.when)) {
      current_ = &instruction;
      return;
    }
    ++frame.position;
  }
}

}  // namespace tilewave::program
