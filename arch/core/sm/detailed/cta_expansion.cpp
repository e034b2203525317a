// SPDX-License-Identifier: Apache-2.0
#include "arch/core/sm/detailed/cta_expansion.hpp"

#include "arch/core/sm/detailed/expander.hpp"

namespace tilewave {

CtaExpansion::CtaExpansion(const SmParams& sm, const CtaPlan& plan) {
  Expander(sm, plan, *this).run();
}

Count CtaExpansion::warps() const {
  Count sum = 0;
  for (const Role& role : roles_) sum += role.warps;
  return sum;
}

}  // namespace tilewave
