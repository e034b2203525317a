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

// text(x), or nothing if the report does not have x.
const withNumber = (x, text) => (isNumber(x) ? text(x) : "");

const bufferLines = (b) => [
  b.unlimited ? "unlimited" : withNumber(b.capacity_bytes, capacity),
  withNumber(b.banks, (n) => plural(n, "bank")),
  b.read_bytes_per_cycle > 0 && `read ${whole(b.read_bytes_per_cycle)} B/cycle`,
  b.write_bytes_per_cycle > 0 && `write ${whole(b.write_bytes_per_cycle)} B/cycle`,
];

const dramLines = (d, peak) => [
  textOf(d.preset ?? d.kind).toUpperCase(),
  withNumber(objectOf(d.organisation).channels, (n) => plural(n, "channel")),
  d.model === "ideal" && "ideal: never waits",
  withNumber(peak, (x) => rate(x, given)),
  withNumber(d.latency_ns, (x) => `${given(x)} ns`),
  withNumber(d.capacity_bytes, capacity),
  d.holds === "weights" && "holds weights only",
];

const l2Lines = (l2) => [
  withNumber(l2.capacity_bytes, capacity),
  withNumber(l2.slices, (n) => plural(n, "slice")),
  withNumber(l2.ways, (n) => plural(n, "way")),
  withNumber(l2.line_bytes, (n) => `lines of ${capacity(n)}`),
];

const hostLines = (link) => [
  textOf(link.type).toUpperCase(),
  withNumber(link.bandwidth_gb_per_s, (x) => `${rate(x, given)} each way`),
  withNumber(link.latency_ns, (x) => `${given(x)} ns`),
];

const dmaLines = (dma) => [
  withNumber(dma.request_bytes, (x) => `requests of ${capacity(x)}`),
  withNumber(dma.outstanding, (x) => `${whole(x)} in flight`),
  withNumber(dma.queue_depth, (x) => `queue of ${whole(x)}`),
];

const vectorLines = (unit) => [
  withNumber(unit.lanes, (x) => plural(x, "lane")),
  withNumber(unit.latency_cycles, (x) => `latency ${plural(x, "cycle")}`),
  unit.fused_epilogue && "fused epilogue",
];

const arrayLines = (unit, peaks) => [
  `${whole(unit.rows)} × ${whole(unit.cols)} PEs`,
  words(unit.dataflow),
  ...peaks.map((p) => `${p.dtype}: ${given(p.tflops)} ${unitOf(p.dtype)}`),
  unit.weight_load_bytes_per_cycle > 0 &&
    `loads weights at ${whole(unit.weight_load_bytes_per_cycle)} B/cycle`,
  unit.weight_double_buffer && "weights double-buffered",
];

// Blocks of a systolic core: id -> {title, lines}; those the machine does not have are left out.
function systolicBlocks(m) {
  const core = objectOf(m.arch.core);
  const buffers = objectOf(core.buffers);
  const memory = objectOf(m.arch.memory);
  const count = objectOf(core.matrix_unit).count;
  const shared = objectOf(buffers.weight).shared_with !== undefined;
  const blocks = {};
  const put = (id, title, from, lines) => {
    if (!from || typeof from !== "object") return;
    blocks[id] = { title, lines: lines(from).filter(Boolean) };
  };
  put("host", "Host", memory.host, hostLines);
  put("dram", "DRAM", memory.dram, (d) => dramLines(d, m.ceilings.dram));
  put("l2", "L2", m.arch.l2, l2Lines);
  put("dma", "DMA", core.dma, dmaLines);
  put("activation", shared ? "Activation and weight buffer" : "Activation buffer",
    buffers.activation, bufferLines);
  if (!shared) put("weight", "Weight buffer", buffers.weight, bufferLines);
  put("weight", "Weight FIFO", buffers.weight_fifo,
    (fifo) => [withNumber(fifo.tiles, (x) => plural(x, "tile"))]);
  put("accumulator", "Accumulators", buffers.accumulator, bufferLines);
  put("vector", "Vector unit", core.vector_unit, vectorLines);
  const array = objectOf(core.matrix_unit).kind === "cube" ? "cube" : "systolic array";
  put("array", count > 1 ? `${whole(count)} ${array}s` : array[0].toUpperCase() + array.slice(1),
    core.matrix_unit,
    (unit) => arrayLines(unit, m.ceilings.peaks));
  return blocks;
}

const LINE = 16;  // height of a line of text
const GAP = 34;   // between blocks
const PAD = 18;   // between the chip's edge and its blocks

// The text of a block that is w wide: {title, lines}, and its height.
const titleLines = (block, w) => wrapped(block.title, w - 16, BOLD_CHARACTER);
const textLines = (block, w) => block.lines.flatMap((l) => wrapped(l, w - 20));
const blockHeight = (block, w) =>
  (block ? 18 + LINE * (titleLines(block, w).length + textLines(block, w).length) : 0);

// Where the blocks stand: id -> [x, y, w, h]. Weights and activations feed the array, sums leave it
// downwards, go through the vector unit and back.
function widePlaces(blocks, width) {
  const w = (width - 2 - 3 * GAP - 2 * PAD) / 4.4;
  const big = 1.4 * w;
  const chip = 1 + w + GAP;
  const [x1, x2, x3] = [0, 1, 2].map((column) => chip + PAD + column * (w + GAP));
  const high = (id, wide = w) => blockHeight(blocks[id], wide);
  const weight = high("weight");
  const y0 = 40;
  const y1 = weight ? y0 + weight + GAP : y0;
  const activation = Math.max(high("activation"), high("array", big) - (y1 - y0));
  const y2 = y1 + activation + GAP;
  const last = Math.max(high("vector"), high("accumulator", big));
  const bottom = y2 + last;
  const shared = blocks.l2 ? high("l2") + GAP : 0;  // of the column of the DMA
  const low = blocks.host || blocks.l2;
  const [host, dram] = ["host", "dram"].map((id) => Math.min((bottom - y0 - GAP) / 2, high(id)));
  return { height: bottom + PAD + 2, name: 25, places: {
    chip: [chip, 1, width - chip - 1, bottom + PAD],
    host: [1, y0, w, host],
    dram: [1, low ? bottom - dram : (y0 + bottom - dram) / 2, w, dram],
    dma: [x1, y0, w, bottom - y0 - shared],
    l2: [x1, bottom - shared + GAP, w, shared - GAP],
    weight: [x2, y0, w, weight],
    activation: [x2, y1, w, activation],
    vector: [x2, y2, w, last],
    array: [x3, y0, big, y2 - GAP - y0],
    accumulator: [x3, y2, big, last],
  } };
}

// For narrow pages, from the memories at the top to the results at the bottom.
function narrowPlaces(blocks, width) {
  const w = (width - 2 - GAP - 2 * PAD) / 2;
  const places = {};
  let y = 1;
  // Blocks side by side, or one that takes the whole width.
  const row = (...ids) => {
    const there = ids.filter((id) => blocks[id]);
    const each = there.length > 1 ? w : 2 * w + GAP;
    const high = Math.max(0, ...there.map((id) => blockHeight(blocks[id], each)));
    there.forEach((id, i) => { places[id] = [1 + PAD + i * (w + GAP), y, each, high]; });
    if (high) y += high + GAP;
  };
  row("dram", "host");
  const top = y;
  y += PAD;
  row("l2", "dma");
  row("weight", "activation");
  row("array");
  row("accumulator", "vector");
  const bottom = y - GAP + 40;  // with the chip's name
  places.chip = [1, top, width - 2, bottom - top];
  return { height: bottom + 2, name: bottom - 13, places };
}

const arrowLine = (d, both) => s("path", { d, class: "flow", "marker-end": "url(#head)",
  "marker-start": both && "url(#head)" });

// From one block to the next, straight where their sides face each other.
function arrow(places, from, to, both) {
  const [ax, ay, aw, ah] = places[from];
  const [bx, by, bw, bh] = places[to];
  const middle = (a, al, b, bl) => (Math.max(a, b) + Math.min(a + al, b + bl)) / 2;
  const x = middle(ax, aw, bx, bw);
  const y = middle(ay, ah, by, bh);
  if (ax + aw <= bx) return arrowLine(`M${ax + aw} ${y}H${bx}`, both);
  if (bx + bw <= ax) return arrowLine(`M${ax} ${y}H${bx + bw}`, both);
  return ay + ah <= by ? arrowLine(`M${x} ${ay + ah}V${by}`, both)
                       : arrowLine(`M${x} ${ay}V${by + bh}`, both);
}

// Out of one block at the right, and into the other from there.
function arrowAround(places, from, to) {
  const [ax, ay, aw, ah] = places[from];
  const [bx, by, bw, bh] = places[to];
  const edge = Math.max(ax + aw, bx + bw) + 11;
  return arrowLine(`M${ax + aw} ${ay + ah / 2}H${edge}V${by + bh / 2}H${bx + bw}`);
}

function blockBox(id, block, [x, y, w, h]) {
  const title = titleLines(block, w);
  const lines = textLines(block, w);
  const text = (kind, first) => (content, i) =>
    label(x + 10, y + 21 + LINE * (first + i), content, { class: kind });
  return s("g", { class: `block ${id}` },
    s("rect", { x, y, width: w, height: h, rx: 6 }),
    title.map(text("block-title", 0)),
    lines.map(text("block-line", title.length)));
}

// A grid in the block's corner, of the array's proportions and at most 8 by 8.
function arrayPicture(unit, [x, y, w, h]) {
  const group = s("g", { class: "cells" });
  const most = Math.max(unit.rows, unit.cols);
  const size = Math.min(11, (h - 24) / 8, (w - 210) / 8);
  if (!(most > 0) || !(size >= 5)) return group;
  const cells = (n) => Math.max(1, Math.round(Math.min(8, most) * n / most));
  const [rows, cols] = [cells(unit.rows), cells(unit.cols)];
  for (let i = 0; i < rows * cols; ++i) {
    group.append(s("rect", { width: size - 1.5, height: size - 1.5,
      x: x + w - 12 - (cols - i % cols) * size, y: y + 12 + Math.floor(i / cols) * size }));
  }
  return group;
}

function drawSystolic(m, width) {
  const blocks = systolicBlocks(m);
  const wide = width >= 640;
  const { places, height, name } = wide ? widePlaces(blocks, width) : narrowPlaces(blocks, width);
  const [cx, cy, cw, ch] = places.chip;
  const facts = [
    withNumber(m.arch.clock_ghz, (x) => `${given(x)} GHz`),
    m.arch.cores > 1 && `${whole(m.arch.cores)} cores, one drawn`,
    textOf(m.arch.energy),
  ];
  const head = s("marker", { id: "head", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7,
    markerHeight: 7, orient: "auto-start-reverse" },
    s("path", { d: "M0 0L8 4L0 8Z", class: "head" }));
  const link = (from, to, both) =>
    (blocks[from] && blocks[to] ? arrow(places, from, to, both) : undefined);
  const bothWays = objectOf(objectOf(m.arch.memory).dram).holds !== "weights";
  const results = blocks.vector && blocks.activation && !wide
    ? arrowAround(places, "vector", "activation") : link("vector", "activation");
  return s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
      "aria-label": "Block diagram of the machine; all its settings are listed below" },
    s("defs", {}, head),
    s("rect", { x: cx, y: cy, width: cw, height: ch, rx: 10, class: "chip" }),
    label(cx + PAD, name, textOf(m.arch.name, "chip"), { class: "chip-name" }),
    label(cx + cw - PAD, name, facts.filter(Boolean).join(" · "),
      { "text-anchor": "end", class: "block-line" }),
    Object.entries(blocks).map(([id, block]) => blockBox(id, block, places[id])),
    blocks.array ? arrayPicture(objectOf(m.arch.core.matrix_unit), places.array) : undefined,
    link("host", "dma", true),
    link("dram", blocks.l2 ? "l2" : "dma", bothWays),
    link("l2", "dma", bothWays),
    link("dma", "weight"),
    link("dma", "activation", true),
    link("weight", "array"),
    link("activation", "array"),
    link("array", "accumulator"),
    link("accumulator", blocks.vector ? "vector" : "dma"),
    results);
}

const DIAGRAMS = named({ systolic: drawSystolic, sm: drawGpu });

// {"core": {"dma": {"outstanding": 8}}} -> [["core.dma.outstanding", "8"]]
function flattened(value, path = "") {
  if (value && typeof value === "object" && Object.keys(value).length) {
    return Object.entries(value).flatMap(([key, inner]) =>
      flattened(inner, Array.isArray(value) ? `${path}[${key}]` : path ? `${path}.${key}` : key));
  }
  return [[path, typeof value === "string" ? value : JSON.stringify(value)]];
}

function settings(title, list, open) {
  const row = ([key, value]) => h("tr", {}, h("th", { scope: "row" }, key), h("td", {}, value));
  return h("details", { open }, h("summary", {}, title),
    scrolling(title, "", h("table", { class: "plain" }, h("tbody", {}, list.map(row)))));
}

function drawMachine(section, m) {
  const draw = DIAGRAMS[objectOf(m.arch.core).type];
  if (draw) section.append(drawn(h("div", { class: "chart" }), (width) => draw(m, width)));
  const list = flattened(m.arch).filter(([key]) => key !== "");
  if (list.length) section.append(settings("All settings", list, !draw));
  else section.append(note("The report does not say what machine it was."));
}
