// SPDX-License-Identifier: Apache-2.0
#pragma once

// The arithmetic of every op kind, for code that visits an OpShape.
#include "workloads/ops/attention.hpp"
#include "workloads/ops/collective.hpp"
#include "workloads/ops/concat.hpp"
#include "workloads/ops/conv1d.hpp"
#include "workloads/ops/conv2d.hpp"
#include "workloads/ops/conv3d.hpp"
#include "workloads/ops/elementwise.hpp"
#include "workloads/ops/embedding.hpp"
#include "workloads/ops/gemm.hpp"
#include "workloads/ops/moe.hpp"
#include "workloads/ops/normalization.hpp"
#include "workloads/ops/optimizer.hpp"
#include "workloads/ops/pool.hpp"
#include "workloads/ops/quantize.hpp"
#include "workloads/ops/recurrent.hpp"
#include "workloads/ops/reduce.hpp"
#include "workloads/ops/rotary.hpp"
#include "workloads/ops/transpose.hpp"
