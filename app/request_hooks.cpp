// SPDX-License-Identifier: Apache-2.0
#include "app/request_hooks.hpp"

#include <utility>

namespace tilewave {

RunHooks hooks_of(const RunRequest& request, EventBus& events, std::size_t kernels,
                  std::function<std::size_t(std::size_t)> layer_of) {
  if (request.listener != nullptr) events.attach(*request.listener);
  RunHooks hooks{.events = &events,
                 .stop = request.stop,
                 .progress = {},
                 .skip_repeats = request.skip_repeats};
  if (request.progress) {
    hooks.progress = [&request, kernels, layer_of = std::move(layer_of)](std::size_t done,
                                                                         Cycle now) {
      const std::size_t ops = request.workload.ops.size();
      request.progress(done < kernels ? layer_of(done) : ops, ops, now);
    };
  }
  return hooks;
}

}  // namespace tilewave
