// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/shared_port.hpp"

namespace tilewave {

SharedPort::SharedPort(MemoryPort& port, std::size_t clients) {
  for (std::size_t i = 0; i < clients; ++i) ports_.push_back(std::make_unique<Port>(port, i));
}

bool SharedPort::Port::send(const MemoryRequest& request) {
  MemoryRequest marked = request;
  marked.tag |= index_ << kClientShift;
  return shared_.send(marked);
}

void SharedPort::on_response(std::uint64_t tag, Cycle visible) {
  const std::uint64_t own = (std::uint64_t{1} << kClientShift) - 1;
  ports_[tag >> kClientShift]->client->on_response(tag & own, visible);
}

void SharedPort::on_ready(Cycle visible) {
  const std::size_t count = ports_.size();
  for (std::size_t i = 0; i < count; ++i) {
    ports_[(first_told_ + i) % count]->client->on_ready(visible);
  }
  first_told_ = (first_told_ + 1) % count;
}

}  // namespace tilewave
