// SPDX-License-Identifier: Apache-2.0
// The machine as a block diagram with its numbers, and all its settings.

// Pixels of a character, about: in the lines of a box and in its bold title.
const CHARACTER = 6.6;
const BOLD_CHARACTER = 8;

function wrapped(text, width, character = CHARACTER) {
  const lines = [""];
  for (const word of textOf(text).split(" ")) {
    const last = lines.length - 1;
    if (lines[last] && (lines[last].length + 1 + word.length) * character > width) lines.push(word);
    else lines[last] += (lines[last] ? " " : "") + word;
  }
  return lines;
}

const bufferLines = (b) => [
  b.unlimited ? "unlimited" : isNumber(b.capacity_bytes) ? capacity(b.capacity_bytes) : "",
  isNumber(b.banks) ? plural(b.banks, "bank") : "",
  b.read_bytes_per_cycle > 0 ? `read ${whole(b.read_bytes_per_cycle)} B/cycle` : "",
  b.write_bytes_per_cycle > 0 ? `write ${whole(b.write_bytes_per_cycle)} B/cycle` : "",
];

// Blocks of a systolic core: id -> {title, lines}; those the machine does not have are left out.
function systolicBlocks(m) {
  const core = objectOf(m.arch.core);
  const unit = objectOf(core.matrix_unit);
  const buffers = objectOf(core.buffers);
  const memory = objectOf(m.arch.memory);
  const blocks = {};
  const put = (id, title, from, lines) => {
    if (from && typeof from === "object") blocks[id] = { title, lines: lines(from).filter(Boolean) };
  };
  put("host", "Host", memory.host, (x) => [textOf(x.type).toUpperCase(),
    isNumber(x.bandwidth_gb_per_s) ? `${rate(x.bandwidth_gb_per_s, given)} each way` : "", isNumber(x.latency_ns) ? `${given(x.latency_ns)} ns` : ""]);
  put("dram", "DRAM", memory.dram, (x) => [textOf(x.kind).toUpperCase(), x.model === "ideal" ? "ideal: never waits" : rate(x.bandwidth_gb_per_s, given).replace(NONE, ""),
    isNumber(x.latency_ns) ? `${given(x.latency_ns)} ns` : "", isNumber(x.capacity_bytes) ? capacity(x.capacity_bytes) : "",
    x.holds === "weights" ? "holds weights only" : ""]);
  put("dma", "DMA", core.dma, (x) => [isNumber(x.request_bytes) ? `requests of ${capacity(x.request_bytes)}` : "",
    isNumber(x.outstanding) ? `${whole(x.outstanding)} in flight` : "", isNumber(x.queue_depth) ? `queue of ${whole(x.queue_depth)}` : ""]);
  const shared = objectOf(buffers.weight).shared_with !== undefined;
  put("activation", shared ? "Activation and weight buffer" : "Activation buffer", buffers.activation, bufferLines);
  if (!shared) put("weight", "Weight buffer", buffers.weight, bufferLines);
  put("weight", "Weight FIFO", buffers.weight_fifo, (x) => [isNumber(x.tiles) ? plural(x.tiles, "tile") : ""]);
  put("accumulator", "Accumulators", buffers.accumulator, bufferLines);
  put("vector", "Vector unit", core.vector_unit, (x) => [isNumber(x.lanes) ? plural(x.lanes, "lane") : "",
    isNumber(x.latency_cycles) ? `latency ${plural(x.latency_cycles, "cycle")}` : "", x.fused_epilogue ? "fused epilogue" : ""]);
  put("array", unit.count > 1 ? `${whole(unit.count)} systolic arrays` : "Systolic array", core.matrix_unit, (x) => [
    `${whole(x.rows)} × ${whole(x.cols)} PEs`, words(x.dataflow),
    ...m.ceilings.peaks.map((p) => `${p.dtype}: ${given(p.tflops)} ${isIntegerType(p.dtype) ? "TOPS" : "TFLOPS"}`),
    x.weight_load_bytes_per_cycle > 0 ? `loads weights at ${whole(x.weight_load_bytes_per_cycle)} B/cycle` : "",
    x.weight_double_buffer ? "weights double-buffered" : ""]);
  return blocks;
}

// Where the blocks stand. Rows of the chip: weights and activations feed the array, sums leave it
// downwards, go through the vector unit and back.
function systolicPlaces(blocks, width) {
  const wide = width >= 640;
  const tall = (ids, w) => Math.max(0, ...ids.filter((id) => blocks[id]).map((id) =>
    34 + 16 * (wrapped(blocks[id].title, w - 16, BOLD_CHARACTER).length - 1 + blocks[id].lines.flatMap((l) => wrapped(l, w - 20)).length)));
  const gap = 34;
  const pad = 18;
  const places = {};
  if (wide) {
    const w = (width - 2 - 3 * gap - 2 * pad) / 4.4;
    const outside = 1;
    const chip = outside + w + gap;
    const x1 = chip + pad;
    const x2 = x1 + w + gap;
    const x3 = x2 + w + gap;
    const big = 1.4 * w;
    const rows = [tall(["weight"], w), tall(["activation"], w), tall(["vector", "accumulator"], w)];
    const missing = Math.max(0, tall(["array"], big) - (rows[0] ? rows[0] + gap : 0) - rows[1]);
    rows[1] += missing;
    const y0 = 40;
    const y1 = rows[0] ? y0 + rows[0] + gap : y0;
    const y2 = y1 + rows[1] + gap;
    const bottom = y2 + rows[2];
    const half = (bottom - y0 - gap) / 2;
    const [host, dram] = ["host", "dram"].map((id) => Math.min(half, tall([id], w)));
    places.host = [outside, y0, w, host];
    places.dram = [outside, blocks.host ? bottom - dram : (y0 + bottom - dram) / 2, w, dram];
    places.dma = [x1, y0, w, bottom - y0];
    places.weight = [x2, y0, w, rows[0]];
    places.activation = [x2, y1, w, rows[1]];
    places.vector = [x2, y2, w, rows[2]];
    places.array = [x3, y0, big, y2 - gap - y0];
    places.accumulator = [x3, y2, big, rows[2]];
    places.chip = [chip, 1, width - chip - 1, bottom + pad];
    return { places, height: bottom + pad + 2, wide };
  }
  const w = (width - 2 - gap - 2 * pad) / 2;
  const full = 2 * w + gap;
  const left = 1 + pad;
  const right = left + w + gap;
  let y = 1;
  const row = (entries) => {
    const h = Math.max(...entries.map(([id, , wide]) => tall([id], wide)));
    if (h === 0) return;
    for (const [id, x, wide] of entries) places[id] = [x, y, wide, h];
    y += h + gap;
  };
  row([["dram", left, w], ["host", right, w]]);
  const top = y;
  y += pad;
  row([["dma", left, full]]);
  row(blocks.weight ? [["weight", left, w], ["activation", right, w]] : [["activation", left, full]]);
  row([["array", left, full]]);
  row(blocks.vector ? [["accumulator", left, w], ["vector", right, w]] : [["accumulator", left, full]]);
  places.chip = [1, top, width - 2, y - gap + 40 - top];
  return { places, height: y - gap + 42, wide };
}

// An arrow from one block to the next, straight where their sides face each other.
function arrow(places, from, to, both) {
  const [ax, ay, aw, ah] = places[from];
  const [bx, by, bw, bh] = places[to];
  const middle = (a, al, b, bl) => (Math.max(a, b) + Math.min(a + al, b + bl)) / 2;
  let p;
  if (ax + aw <= bx) p = [ax + aw, middle(ay, ah, by, bh), bx, middle(ay, ah, by, bh)];
  else if (bx + bw <= ax) p = [ax, middle(ay, ah, by, bh), bx + bw, middle(ay, ah, by, bh)];
  else if (ay + ah <= by) p = [middle(ax, aw, bx, bw), ay + ah, middle(ax, aw, bx, bw), by];
  else p = [middle(ax, aw, bx, bw), ay, middle(ax, aw, bx, bw), by + bh];
  return s("line", { x1: p[0], y1: p[1], x2: p[2], y2: p[3], class: "flow", "marker-end": "url(#head)",
    "marker-start": both ? "url(#head)" : undefined });
}

function blockBox(block, [x, y, w, h], id) {
  const title = wrapped(block.title, w - 16, BOLD_CHARACTER);
  const lines = block.lines.flatMap((l) => wrapped(l, w - 20));
  return s("g", { class: `block ${id}` }, s("rect", { x, y, width: w, height: h, rx: 6 }),
    title.map((text, i) => label(x + 10, y + 21 + 16 * i, text, { class: "block-title" })),
    lines.map((text, i) => label(x + 10, y + 21 + 16 * (title.length + i), text, { class: "block-line" })));
}

// A grid in the block's corner, of the array's proportions and at most 8 by 8.
function arrayPicture(unit, [x, y, w, h]) {
  const most = Math.max(unit.rows, unit.cols);
  const cells = (n) => Math.max(1, Math.round(Math.min(8, most) * n / most));
  const size = Math.min(11, (h - 24) / 8, (w - 210) / 8);
  const group = s("g", { class: "cells" });
  if (!(size >= 5) || !isNumber(most)) return group;
  for (let r = 0; r < cells(unit.rows); ++r) {
    for (let c = 0; c < cells(unit.cols); ++c) {
      group.append(s("rect", { x: x + w - 12 - (cells(unit.cols) - c) * size, y: y + 12 + r * size, width: size - 1.5, height: size - 1.5 }));
    }
  }
  return group;
}

function drawSystolic(m, width) {
  const blocks = systolicBlocks(m);
  const { places, height, wide } = systolicPlaces(blocks, width);
  const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
    "aria-label": "Block diagram of the machine; all its settings are listed below" },
    s("defs", {}, s("marker", { id: "head", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" },
      s("path", { d: "M0 0L8 4L0 8Z", class: "head" }))));
  const [cx, cy, cw, ch] = places.chip;
  const facts = [isNumber(m.arch.clock_ghz) ? `${given(m.arch.clock_ghz)} GHz` : "",
    m.arch.cores > 1 ? `${whole(m.arch.cores)} cores, one drawn` : "", m.arch.energy ? textOf(m.arch.energy) : ""].filter(Boolean);
  const name = wide ? cy + 24 : cy + ch - 13;
  svg.append(s("rect", { x: cx, y: cy, width: cw, height: ch, rx: 10, class: "chip" }),
    label(cx + 18, name, textOf(m.arch.name, "chip"), { class: "chip-name" }),
    label(cx + cw - 18, name, facts.join(" · "), { "text-anchor": "end", class: "block-line" }));
  for (const [id, block] of Object.entries(blocks)) svg.append(blockBox(block, places[id], id));
  if (blocks.array) svg.append(arrayPicture(objectOf(m.arch.core.matrix_unit), places.array));
  const link = (from, to, both) => {
    if (blocks[from] && blocks[to]) svg.append(arrow(places, from, to, both));
  };
  link("host", "dma", true);
  link("dram", "dma", blocks.dram?.lines.includes("holds weights only") ? false : true);
  link("dma", "weight");
  link("dma", "activation", true);
  link("weight", "array");
  link("activation", "array");
  link("array", "accumulator");
  link("accumulator", blocks.vector ? "vector" : "dma");
  if (blocks.vector && wide) link("vector", "activation");
  if (blocks.vector && blocks.activation && !wide) {
    const [vx, vy, vw, vh] = places.vector;
    const [ax, ay, aw, ah] = places.activation;
    const edge = Math.max(vx + vw, ax + aw);
    svg.append(s("path", { class: "flow", "marker-end": "url(#head)", d: `M${vx + vw} ${vy + vh / 2}H${edge + 11}V${ay + ah / 2}H${ax + aw}` }));
  }
  return svg;
}

const DIAGRAMS = named({ systolic: drawSystolic });

// {"core": {"dma": {"outstanding": 8}}} -> [["core.dma.outstanding", "8"]]
function flattened(value, path = "") {
  if (value && typeof value === "object" && Object.keys(value).length) {
    return Object.entries(value).flatMap(([key, inner]) =>
      flattened(inner, Array.isArray(value) ? `${path}[${key}]` : path ? `${path}.${key}` : key));
  }
  return [[path, typeof value === "string" ? value : JSON.stringify(value)]];
}

function settings(title, list, open) {
  return h("details", { open }, h("summary", {}, title),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title },
      h("table", { class: "plain" }, h("tbody", {}, list.map(([key, value]) =>
        h("tr", {}, h("th", { scope: "row" }, key), h("td", {}, value)))))));
}

function drawMachine(section, m) {
  const draw = DIAGRAMS[objectOf(m.arch.core).type];
  if (draw) section.append(drawn(h("div", { class: "chart" }), (width) => draw(m, width)));
  const list = flattened(m.arch).filter(([key]) => key !== "");
  if (list.length) section.append(settings("All settings", list, !draw));
  else section.append(h("p", { class: "note" }, "The report does not say what machine it was."));
}
