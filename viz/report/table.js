// SPDX-License-Identifier: Apache-2.0
// The table of layers: sorted by any column, filtered, each row opens to show the layer's mapping.
// The address may ask for it: report.html#sort=-cycles&filter=conv&bound=dram&op=conv2d.

const COLUMNS = [
  { key: "index", name: "#", title: "place in the workload", get: (l) => l.index, text: whole },
  { key: "name", name: "Layer", title: "name of the layer", get: (l) => l.name, string: true },
  { key: "op", name: "Op", title: "operation", get: (l) => l.op, string: true },
  { key: "dtype", name: "Type", title: "data type", get: (l) => l.dtype, string: true },
  { key: "cycles", name: "Cycles", title: "core cycles", get: (l) => l.cycles, text: whole },
  { key: "share", name: "Share", title: "share of the run's cycles", get: (l) => l.share, text: percent, bar: (m) => m.largestShare },
  { key: "time", name: "Time", title: "seconds", get: (l) => l.time, text: (x) => si(x, "s") },
  { key: "bound", name: "Bound", title: "what limits the layer", get: (l) => l.bound, string: true },
  { key: "utilization", name: "Util.", title: "multiplications done / possible in these cycles", get: (l) => l.utilization, text: percent, bar: () => 1 },
  { key: "mapping", name: "Mapped", title: "processing elements used by the mapping, on average over its folds", get: (l) => l.mapping, text: percent },
  { key: "tflops", name: "Tera-ops/s", title: "10^12 operations a second; a multiply-accumulate is two", get: (l) => l.tflops, text: measured },
  { key: "limit", name: "Ceiling", title: "what the roofline allows, 10^12 operations a second", get: (l) => l.limit, text: measured },
  { key: "intensity", name: "Ops/B", title: "operations per byte over DRAM and host link", get: (l) => l.intensity, text: measured },
  { key: "macs", name: "MACs", title: "multiply-accumulates", get: (l) => l.macs, text: (x) => si(x, "") },
  { key: "dram_read", name: "DRAM rd", title: "bytes read from DRAM for this layer", get: (l) => l.dramRead, text: bytes },
  { key: "dram_write", name: "DRAM wr", title: "bytes written to DRAM for this layer", get: (l) => l.dramWrite, text: bytes },
  { key: "dram_rate", name: "DRAM GB/s", title: "all DRAM transfers that ended while the layer ran", get: (l) => l.dramRate, text: measured },
  { key: "host", name: "Host", title: "bytes over the host link, both ways", get: (l) => l.host, text: bytes },
  { key: "energy", name: "Energy", title: "joules", get: (l) => l.energyTotal, text: (x) => si(x, "J") },
];

const pairs = (object) => h("dl", { class: "pairs" }, Object.entries(object).map(([key, value]) =>
  h("div", {}, h("dt", {}, key), h("dd", {}, value))));

function tensorText(t) {
  t = objectOf(t);
  return [capacity(t.bytes), t.at ? `at ${words(t.at)}` : "", t.from === undefined ? "" : `from ${textOf(t.from)}`]
    .filter((x) => x && x !== NONE).join(", ");
}

function layerDetails(m, l) {
  const facts = {};
  if (l.kernel) facts.Mapping = l.kernel;
  if (l.shape) facts.Shape = l.shape;
  const tensors = Object.entries(objectOf(l.raw.tensors)).filter(([, v]) => v && typeof v === "object");
  for (const [name, tensor] of tensors) facts[capital(words(name))] = tensorText(tensor);
  if (isNumber(l.start)) facts["Runs in cycles"] = `${whole(l.start)} to ${whole(l.start + (l.cycles ?? 0))}`;
  if (l.raw.folds > 0) facts.Folds = whole(l.raw.folds);
  if (l.predicted > 0) facts["Mapper's estimate"] = plural(l.predicted, "cycle");
  return h("div", { class: "details" }, pairs(facts),
    sum(Object.values(l.breakdown)) > 0
      ? [totalBar(CYCLE_CLASSES, l.breakdown, whole), legendLine(CYCLE_CLASSES, [l.breakdown])] : []);
}

function layerRow(m, l, columns) {
  const cell = (column) => {
    const value = column.get(l);
    if (column.key === "name") {
      return h("th", { scope: "row" }, h("button", { type: "button", class: "open", "aria-expanded": "false" }, l.name));
    }
    if (column.key === "bound" && l.bound) {
      return h("td", {}, h("span", { class: "swatch", style: `background:${colorOf(BOUNDS, l.bound)}` }), ` ${nameOf(BOUNDS, l.bound)}`);
    }
    if (column.string) return h("td", {}, words(value));
    const full = isNumber(value) ? String(value) : undefined;
    return column.bar && value >= 0.02 * column.bar(m)
      ? h("td", { class: "number meter", title: full, style: `--part:${(Math.min(1, value / column.bar(m))).toFixed(3)}` }, column.text(value))
      : h("td", { class: "number", title: full }, column.text(value));
  };
  return h("tr", { "data-layer": l.index }, columns.map(cell));
}

// Missing values last, in both directions.
function compare(column, down) {
  const sign = down ? -1 : 1;
  return (a, b) => {
    const x = column.get(a);
    const y = column.get(b);
    const absent = (v) => v === undefined || v === "";
    if (absent(x) || absent(y)) return absent(x) - absent(y) || a.index - b.index;
    const order = column.string ? x.localeCompare(y, "en", { numeric: true }) : x - y;
    return sign * order || a.index - b.index;
  };
}

// More rows than that make a page slow; what is sought can be sorted or filtered to the front.
const MOST_ROWS = 5000;
const FIRST_ROWS = 100;

let showLayer = () => {};

function drawTable(section, m) {
  if (!m.layers.length) {
    section.append(h("p", { class: "note" }, "The report has no layers."));
    return;
  }
  const columns = COLUMNS.filter((c) => m.layers.some((l) => c.get(l) !== undefined && c.get(l) !== ""));
  const state = { sort: "index", down: false, filter: "", bound: "", op: "" };
  const rows = new Map();
  const rowOf = (l) => {
    if (!rows.has(l.index)) rows.set(l.index, layerRow(m, l, columns));
    return rows.get(l.index);
  };

  const heads = columns.map((column) => h("th", { scope: "col", class: column.string ? undefined : "number", title: column.title, "data-key": column.key },
    h("button", { type: "button", on: { click: () => {
      // Numbers are first sorted from the largest.
      state.down = state.sort === column.key ? !state.down : !column.string && column.key !== "index";
      state.sort = column.key;
      update();
    } } }, column.name)));
  const body = h("tbody");
  const count = h("span", { class: "dim", role: "status" });
  const search = h("input", { type: "search", placeholder: "Filter by name, shape, mapping…", "aria-label": "Filter layers",
    on: { input: () => { state.filter = search.value; update(); } } });
  const chooser = (key, title) => {
    const values = [...new Set(m.layers.map((l) => l[key]).filter(Boolean))].sort();
    const select = h("select", { "aria-label": title, on: { change: () => { state[key] = select.value; update(); } } },
      h("option", { value: "" }, `${title}: all`), values.map((v) => h("option", { value: v }, words(v))));
    return select;
  };
  const byBound = chooser("bound", "Bound");
  const byOp = chooser("op", "Op");

  let filling = 0;
  const table = h("table", { class: "layers" }, h("thead", {}, h("tr", {}, heads)), body);
  // Some rows now, the others once the page has been shown.
  const put = (layers, atOnce) => {
    clearTimeout(filling);
    for (const row of rows.values()) row.querySelector(".open").setAttribute("aria-expanded", "false");
    const first = atOnce ? layers.length : FIRST_ROWS;
    body.replaceChildren(...layers.slice(0, first).map(rowOf));
    if (first < layers.length) {
      filling = setTimeout(() => {
        for (const l of layers.slice(first)) body.append(rowOf(l));
      }, 30);
    }
  };
  const matches = (l) => {
    const text = state.filter.trim().toLowerCase();
    return (!state.bound || l.bound === state.bound) && (!state.op || l.op === state.op) &&
      (!text || [l.name, l.op, words(l.op), l.dtype, l.bound, l.shape, l.kernel].some((t) => t.toLowerCase().includes(text)));
  };
  const close = (row) => {
    row.querySelector(".open").setAttribute("aria-expanded", "false");
    if (row.nextSibling?.classList.contains("detail-row")) row.nextSibling.remove();
  };
  const open = (row) => {
    row.querySelector(".open").setAttribute("aria-expanded", "true");
    row.after(h("tr", { class: "detail-row" }, h("td", { colspan: columns.length }, layerDetails(m, m.layers[row.dataset.layer]))));
  };
  // With `wanted`, the row of that layer is put in at once.
  const update = (wanted) => {
    const column = columns.find((c) => c.key === state.sort) ?? columns[0];
    const shown = m.layers.filter(matches).sort(compare(column, state.down));
    const place = wanted === undefined ? 0 : shown.findIndex((l) => l.index === wanted);
    const from = place < MOST_ROWS ? 0 : place;
    const part = shown.slice(from, from + MOST_ROWS);
    heads.forEach((head, i) => head.setAttribute("aria-sort",
      columns[i] !== column ? "none" : state.down ? "descending" : "ascending"));
    put(part, wanted !== undefined);
    const all = plural(m.layers.length, "layer");
    count.textContent = (shown.length === m.layers.length ? all : `${whole(shown.length)} of ${all}`) +
      (part.length < shown.length ? `; rows ${whole(from + 1)} to ${whole(from + part.length)} shown` : "");
  };
  body.addEventListener("click", (event) => {
    const row = event.target.closest("tr[data-layer]");
    // Dragging over text selects it; that is no click on the row.
    if (!row || (event.detail > 0 && String(window.getSelection()))) return;
    if (row.querySelector(".open").getAttribute("aria-expanded") === "true") close(row); else open(row);
  });

  section.append(
    h("div", { class: "tools" }, search, chooserBox(byOp), chooserBox(byBound), count),
    h("div", { class: "scroll table-box", tabindex: 0, role: "region", "aria-label": "Table of layers" },
      table),
    h("p", { class: "note" }, "A column's head sorts by it, once more turns the order round. A row opens to show its mapping.",
      ` Tera-ops/s are ${m.unit}.`));

  const set = (wanted) => {
    if (wanted.has("sort")) {
      const key = wanted.get("sort");
      state.sort = key.replace(/^-/, "");
      state.down = key.startsWith("-");
    }
    state.filter = search.value = wanted.get("filter") ?? "";
    for (const [key, select] of [["bound", byBound], ["op", byOp]]) {
      select.value = wanted.get(key) ?? "";
      state[key] = select.value;
    }
  };
  const fromAddress = () => {
    const hash = location.hash.slice(1);
    if (!hash.includes("=")) return;
    set(new URLSearchParams(hash));
    update();
    section.scrollIntoView();
  };
  update();
  fromAddress();
  window.addEventListener("hashchange", fromAddress);

  showLayer = (index) => {
    if (!matches(m.layers[index])) set(new URLSearchParams());
    update(index);
    const row = rowOf(m.layers[index]);
    open(row);
    row.scrollIntoView({ block: "center" });
    row.querySelector(".open").focus({ preventScroll: true });
  };
}

const chooserBox = (select) => (select.options.length > 2 ? select : h("span", { hidden: true }, select));
