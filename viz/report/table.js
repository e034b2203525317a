// SPDX-License-Identifier: Apache-2.0
// The table of layers: sorted by any column, filtered, each row opens to show the layer's mapping.
// The address may ask for it: report.html#sort=-cycles&filter=conv&bound=dram&op=conv2d.

// text: how a number is shown; without it the column has words. bar: what fills the bar of a cell.
const COLUMNS = [
  { key: "index", name: "#", title: "place in the workload", text: whole },
  { key: "name", name: "Layer", title: "name of the layer" },
  { key: "op", name: "Op", title: "operation" },
  { key: "dtype", name: "Type", title: "data type" },
  { key: "cycles", name: "Cycles", title: "core cycles", text: whole },
  { key: "share", name: "Share", title: "share of the run's cycles", text: percent,
    bar: (m) => m.largestShare },
  { key: "time", name: "Time", title: "time of the layer", text: (x) => si(x, "s") },
  { key: "bound", name: "Bound", title: "what limits the layer" },
  { key: "utilization", name: "Util.", title: "multiplications done, of those the cycles allow",
    text: percent, bar: () => 1 },
  { key: "mapping", name: "Mapped", title: "share of the PEs the mapping uses, over all folds",
    text: percent },
  { key: "tflops", name: "Tera-ops/s", title: "10^12 operations a second; a multiply-add is two",
    text: measured },
  { key: "limit", name: "Ceiling", title: "10^12 operations a second that the roofline allows",
    text: measured },
  { key: "intensity", name: "Ops/B", title: "operations per byte over DRAM and host link",
    text: measured },
  { key: "macs", name: "MACs", title: "multiply-accumulates", text: (x) => si(x, "") },
  { key: "dramRead", name: "DRAM rd", title: "bytes read from DRAM for the layer", text: bytes },
  { key: "dramWrite", name: "DRAM wr", title: "bytes written to DRAM for the layer", text: bytes },
  { key: "dramRate", name: "DRAM GB/s", title: "DRAM bytes moved in its time, for other layers too",
    text: measured },
  { key: "l2Hits", name: "L2 hits", title: "look-ups of the L2 that hit, in the layer's time",
    text: percent, bar: () => 1 },
  { key: "host", name: "Host", title: "bytes over the host link, both ways", text: bytes },
  { key: "energyTotal", name: "Energy", title: "energy of the layer", text: (x) => si(x, "J") },
];
// More rows than that make a page slow; what is sought can be sorted or filtered to the front.
const MOST_ROWS = 5000;
// So many at once, the others when the page has been shown.
const FIRST_ROWS = 100;

const pairs = (object) => h("dl", { class: "pairs" }, Object.entries(object).map(([key, value]) =>
  h("div", {}, h("dt", {}, key), h("dd", {}, value))));

function tensorText(tensor) {
  const { bytes: size, at, from } = tensor;
  return [isNumber(size) && capacity(size), at && `at ${words(at)}`, from && `from ${textOf(from)}`]
    .filter(Boolean).join(", ");
}

// What profilers say of a kernel on a GPU.
function kernelFacts(raw) {
  const facts = {};
  const occupancy = objectOf(raw.occupancy);
  const put = (name, value, text) => { if (isNumber(value)) facts[name] = text(value); };
  put("Kernels", raw.kernels, whole);
  put("Occupancy", occupancy.achieved, (x) =>
    `${percent(x)} of the warps, ${percent(occupancy.theoretical)} at most` +
    `${occupancy.limited_by ? ` (limited by ${words(occupancy.limited_by)})` : ""}`);
  put("Waves", occupancy.waves, (x) =>
    `${measured(x)} of ${whole(occupancy.ctas_per_sm)} CTAs an SM, tail ${percent(occupancy.tail)}`);
  put("Tensor utilisation", raw.tensor_utilization, percent);
  put("Issue utilisation", raw.issue_utilization, percent);
  return facts;
}

function layerDetails(l) {
  const facts = {};
  if (l.kernel) facts.Mapping = l.kernel;
  if (l.shape) facts.Shape = l.shape;
  for (const [name, tensor] of Object.entries(objectOf(l.raw.tensors))) {
    if (tensor && typeof tensor === "object") facts[capital(words(name))] = tensorText(tensor);
  }
  const end = l.start + (l.cycles ?? 0);
  if (isNumber(l.start)) facts["Runs in cycles"] = `${whole(l.start)} to ${whole(end)}`;
  Object.assign(facts, kernelFacts(l.raw));
  if (l.raw.folds > 0) facts.Folds = whole(l.raw.folds);
  if (l.predicted > 0) facts["Mapper's estimate"] = plural(Math.round(l.predicted), "cycle");
  const cycles = sum(Object.values(l.breakdown)) > 0
    ? [totalBar(CYCLE_CLASSES, l.breakdown, whole), legendLine(CYCLE_CLASSES, [l.breakdown])] : [];
  return h("div", { class: "details" }, pairs(facts), cycles);
}

function layerCell(m, l, column) {
  const value = l[column.key];
  if (column.key === "name") {
    return h("th", { scope: "row" },
      h("button", { type: "button", class: "open", "aria-expanded": "false" }, value));
  }
  if (column.key === "bound" && value) {
    return h("td", {}, swatch(colorOf(BOUNDS, value)), ` ${nameOf(BOUNDS, value)}`);
  }
  if (!column.text) return h("td", {}, words(value));
  const cell = h("td", { class: "number", title: isNumber(value) ? String(value) : undefined },
    column.text(value));
  const part = column.bar ? value / column.bar(m) : 0;
  if (part >= 0.02) {
    cell.classList.add("meter");
    cell.style.setProperty("--part", Math.min(1, part).toFixed(3));
  }
  return cell;
}

const isAbsent = (value) => value === undefined || value === "";

// Missing values last, in both directions.
function compare(column, down) {
  const sign = down ? -1 : 1;
  return (a, b) => {
    const [x, y] = [a[column.key], b[column.key]];
    if (isAbsent(x) || isAbsent(y)) return isAbsent(x) - isAbsent(y) || a.index - b.index;
    const order = column.text ? x - y : x.localeCompare(y, "en", { numeric: true });
    return sign * order || a.index - b.index;
  };
}

function matches(l, { filter, bound, op }) {
  const text = filter.trim().toLowerCase();
  const texts = [l.name, l.op, words(l.op), l.dtype, l.bound, l.shape, l.kernel];
  return (!bound || l.bound === bound) && (!op || l.op === op) &&
    (!text || texts.some((t) => t.toLowerCase().includes(text)));
}

// The rows: made once, when first shown.
class LayerRows {
  constructor(m, columns) {
    this.body = h("tbody", { on: { click: (event) => this.clicked(event) } });
    this.layers = m.layers;
    this.columns = columns;
    this.rows = new Map();
    this.make = (l) => h("tr", { "data-layer": l.index }, columns.map((c) => layerCell(m, l, c)));
  }

  row(l) {
    if (!this.rows.has(l.index)) this.rows.set(l.index, this.make(l));
    return this.rows.get(l.index);
  }

  // Shows these layers, all closed; `atOnce`: as many of them at once.
  show(layers, atOnce) {
    clearTimeout(this.waiting);
    for (const row of this.rows.values()) this.mark(row, false);
    this.body.replaceChildren(...layers.slice(0, atOnce).map((l) => this.row(l)));
    if (layers.length <= atOnce) return;
    this.waiting = setTimeout(() => {
      for (const l of layers.slice(atOnce)) this.body.append(this.row(l));
    }, 30);
  }

  mark(row, open) {
    row.querySelector(".open").setAttribute("aria-expanded", String(open));
  }

  toggle(row) {
    const open = row.querySelector(".open").getAttribute("aria-expanded") !== "true";
    this.mark(row, open);
    if (!open) {
      row.nextSibling.remove();
      return;
    }
    row.after(h("tr", { class: "detail-row" },
      h("td", { colspan: this.columns.length }, layerDetails(this.layers[row.dataset.layer]))));
  }

  clicked(event) {
    const row = event.target.closest("tr[data-layer]");
    // Dragging over text selects it; that is no click on the row.
    const selects = event.detail > 0 && String(window.getSelection());
    if (row && !selects) this.toggle(row);
  }
}

// Scrolls to a layer in the table and opens it; set once there is a table.
let showLayer = () => {};

function drawTable(section, m) {
  if (!m.layers.length) {
    section.append(note("The report has no layers."));
    return;
  }
  const columns = COLUMNS.filter((c) => m.layers.some((l) => !isAbsent(l[c.key])));
  const state = { sort: "index", down: false, filter: "", bound: "", op: "" };
  const rows = new LayerRows(m, columns);

  const change = (values) => {
    Object.assign(state, values);
    update();
  };
  // Numbers are first sorted from the largest.
  const sortBy = ({ key, text }) => change({ sort: key,
    down: state.sort === key ? !state.down : Boolean(text) && key !== "index" });
  const heads = columns.map((column) => h("th", { scope: "col", title: column.title,
    class: column.text && "number", "data-key": column.key },
    h("button", { type: "button", on: { click: () => sortBy(column) } }, column.name)));
  const search = h("input", { type: "search", placeholder: "Filter by name, shape, mapping…",
    "aria-label": "Filter layers", on: { input: () => change({ filter: search.value }) } });
  const chooser = (key, title) => {
    const values = [...new Set(m.layers.map((l) => l[key]).filter(Boolean))].sort();
    const select = h("select", { "aria-label": title, hidden: values.length < 2,
      on: { change: () => change({ [key]: select.value }) } },
      h("option", { value: "" }, `${title}: all`),
      values.map((value) => h("option", { value }, words(value))));
    return select;
  };
  const choosers = { op: chooser("op", "Op"), bound: chooser("bound", "Bound") };
  const count = h("span", { class: "dim", role: "status" });

  // With `wanted`, rows are put in up to that layer's.
  function update(wanted) {
    const column = columns.find((c) => c.key === state.sort) ?? columns[0];
    const found = m.layers.filter((l) => matches(l, state)).sort(compare(column, state.down));
    const place = found.findIndex((l) => l.index === wanted);
    const from = place < MOST_ROWS ? 0 : place;
    const shown = found.slice(from, from + MOST_ROWS);
    columns.forEach((c, i) => heads[i].setAttribute("aria-sort",
      c !== column ? "none" : state.down ? "descending" : "ascending"));
    rows.show(shown, place < 0 ? FIRST_ROWS : MOST_ROWS);
    const some = found.length < m.layers.length ? `${whole(found.length)} of ` : "";
    const range = `; rows ${whole(from + 1)} to ${whole(from + shown.length)} are shown`;
    count.textContent = some + plural(m.layers.length, "layer") +
      (shown.length < found.length ? range : "");
  }

  const setControls = (wanted) => {
    state.filter = search.value = wanted.get("filter") ?? "";
    for (const [key, select] of Object.entries(choosers)) {
      select.value = wanted.get(key) ?? "";
      state[key] = select.value;
    }
  };
  const fromAddress = () => {
    const hash = location.hash.slice(1);
    if (!hash.includes("=")) return;
    const wanted = new URLSearchParams(hash);
    const sort = wanted.get("sort") ?? state.sort;
    setControls(wanted);
    change({ sort: sort.replace(/^-/, ""), down: sort.startsWith("-") });
    section.scrollIntoView();
  };
  showLayer = (index) => {
    if (!matches(m.layers[index], state)) setControls(new Map());
    update(index);
    const row = rows.row(m.layers[index]);
    rows.toggle(row);
    row.scrollIntoView({ block: "center" });
    row.querySelector(".open").focus({ preventScroll: true });
  };

  section.append(
    h("div", { class: "tools" }, search, Object.values(choosers), count),
    scrolling("Table of layers", "table-box",
      h("table", { class: "layers" }, h("thead", {}, h("tr", {}, heads)), rows.body)),
    note("A column's head sorts by it, once more turns the order round. A row opens to show its" +
      ` mapping. Tera-ops/s are ${m.unit}.`));
  update();
  fromAddress();
  window.addEventListener("hashchange", fromAddress);
}
