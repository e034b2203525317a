// SPDX-License-Identifier: Apache-2.0
// A GPU: all its SMs over the L2 and DRAM, and one SM in detail.

const smLines = (core) => [
  withNumber(core.max_warps, (x) => `${plural(x, "warp")} of ${whole(core.warp_lanes)} threads`),
  withNumber(core.max_ctas, (x) => `${whole(x)} CTAs at most`),
  withNumber(core.registers_bytes, (x) => `${capacity(x)} of registers`),
];

const subCoreLines = (vector) => [
  withNumber(vector.fp32_lanes, (x) => `${whole(x)} fp32 lanes`),
  withNumber(vector.int_lanes, (x) => `${whole(x)} int lanes`),
  vector.fp64_lanes > 0 && `${whole(vector.fp64_lanes)} fp64 lanes`,
  withNumber(vector.sfu_lanes, (x) => `${whole(x)} SFU lanes`),
];

const tensorLines = (unit) => [
  textOf(unit.instruction),
  ...Object.entries(numbersIn(unit.fma_per_cycle))
    .map(([dtype, rate]) => `${dtype}: ${whole(rate)} FMA/cycle`),
];

const sharedLines = (core, ls) => [
  withNumber(core.l1_shared_bytes, capacity),
  withNumber(ls.shared_bytes_per_cycle, (x) => `${whole(x)} B/cycle`),
  ls.async_copy && ls.async_copy !== "registers" && `copies by ${textOf(ls.async_copy)}`,
];

const gpuL2Lines = (l2) => [
  ...l2Lines(l2),
  l2.partitions > 1 && `${whole(l2.partitions)} partitions`,
  withNumber(l2.bytes_per_cycle_per_slice, (x) => `${whole(x * (l2.slices ?? 1))} B/cycle`),
  withNumber(l2.latency_cycles, (x) => `hit after ${plural(x, "cycle")}`),
];

// Blocks as of the systolic diagram, with whole-chip ones first.
function gpuBlocks(m) {
  const core = objectOf(m.arch.core);
  const block = (title, lines) => ({ title, lines: lines.filter(Boolean) });
  const blocks = {
    dram: block("DRAM", dramLines(objectOf(objectOf(m.arch.memory).dram), m.ceilings.dram)),
    l2: block("L2", gpuL2Lines(objectOf(m.arch.l2))),
    vector: block(`${whole(core.sub_cores)} sub-cores, each`,
      subCoreLines(objectOf(core.vector_unit))),
    activation: block("Shared memory and L1", sharedLines(core, objectOf(core.load_store))),
    scheduler: block("Occupancy", smLines(core)),
  };
  if (core.matrix_unit) {
    blocks.array = block("Tensor core of a sub-core", tensorLines(objectOf(core.matrix_unit)));
  }
  return blocks;
}

// Small squares, one an SM, in a box of width w; as tall as they need.
function smGrid(count, x, y, w) {
  const gap = 2;
  const columns = Math.max(1, Math.min(count, Math.floor(w / 14)));
  const size = (w + gap) / columns - gap;
  const side = Math.min(size, 16);
  const group = s("g", { class: "cells" });
  for (let i = 0; i < count; ++i) {
    group.append(s("rect", { width: side, height: side, rx: 2,
      x: x + (i % columns) * (size + gap), y: y + Math.floor(i / columns) * (side + gap) }));
  }
  return { group, height: Math.ceil(count / columns) * (side + gap) };
}

function drawGpu(m, width) {
  const blocks = gpuBlocks(m);
  const count = Math.max(1, Math.min(1024, m.arch.cores ?? 1));
  const wide = width >= 640;
  const places = {};
  const chipWidth = wide ? (width - GAP) * 0.52 : width - 2;
  const inner = chipWidth - 2 * PAD;
  const grid = smGrid(count, 1 + PAD, 40, inner);
  let y = 40 + grid.height + GAP;
  const put = (id, x, w) => {
    if (!blocks[id]) return;
    const high = blockHeight(blocks[id], w);
    places[id] = [x, y, w, high];
    y += high + GAP;
  };
  put("l2", 1 + PAD, inner);
  const chip = [1, 1, chipWidth, y - GAP + PAD - 1];
  y += PAD;
  put("dram", 1 + PAD, inner);
  // The SM: beside the chip, or below it.
  const left = wide ? 1 + chipWidth + GAP : 1;
  const smWidth = wide ? width - left - 1 : width - 2;
  const below = y - GAP;
  y = wide ? 1 : y;
  const top = y;
  y += 39;
  for (const id of ["scheduler", "vector", "array", "activation"]) {
    put(id, left + PAD, smWidth - 2 * PAD);
    y -= GAP - 12;
  }
  const smEnd = y + 6;
  const height = Math.max(below, smEnd) + 2;
  const facts = [withNumber(m.arch.clock_ghz, (x) => `${given(x)} GHz`), textOf(m.arch.energy)];
  const head = s("marker", { id: "head", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7,
    markerHeight: 7, orient: "auto-start-reverse" },
    s("path", { d: "M0 0L8 4L0 8Z", class: "head" }));
  const title = (x, at, w, name, text) => [
    label(x + PAD, at + 24, name, { class: "chip-name" }),
    label(x + w - PAD, at + 24, text, { "text-anchor": "end", class: "block-line" })];
  const middle = 1 + PAD + inner / 2;
  return s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
      "aria-label": "Block diagram of the machine; all its settings are listed below" },
    s("defs", {}, head),
    s("rect", { x: chip[0], y: chip[1], width: chip[2], height: chip[3], rx: 10, class: "chip" }),
    title(chip[0], chip[1], chip[2], textOf(m.arch.name, "chip"),
      [`${whole(m.arch.cores)} SMs`, ...facts].filter(Boolean).join(" · ")),
    grid.group,
    arrowLine(`M${middle} ${40 + grid.height}V${places.l2[1]}`, true),
    arrow(places, "l2", "dram", true),
    s("rect", { x: left, y: top, width: smWidth, height: smEnd - top, rx: 10, class: "chip" }),
    title(left, top, smWidth, "One SM", ""),
    Object.entries(places).map(([id, place]) => blockBox(id, blocks[id], place)));
}
