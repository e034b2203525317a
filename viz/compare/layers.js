// SPDX-License-Identifier: Apache-2.0
// Layers by name: the time in each run, sorted by any column, filtered by name.

function layerTable(section, m) {
  const most = Math.max(0, ...m.layers.flatMap((l) => listOf(l.time_s)).filter(isNumber));
  const timeOf = (layer, run) => listOf(layer.time_s)[run.index];
  const speedup = (layer, run) => listOf(layer.speedup)[run.index];
  const bar = (layer, run) => tip(h("span", { class: "run-bar", "data-run": run.index,
    style: `width:${most > 0 ? (100 * (timeOf(layer, run) ?? 0) / most).toFixed(2) : 0}%;` +
      `background:${run.color}` }), () => [textOf(layer.name), `${run.label}: ${si(timeOf(layer, run), "s")}`]);
  const columns = [
    { name: "Layer", read: (l) => textOf(l.name), text: (x) => x },
    { name: "", read: (l) => Math.max(...m.runs.map((r) => timeOf(l, r) ?? 0)), bars: true },
    ...m.runs.map((run) => ({ name: run.label, read: (l) => timeOf(l, run),
      text: (x) => si(x, "s"), number: true })),
    ...m.runs.slice(1).map((run) => ({ name: `${run.label} ×`, number: true, text: times,
      title: `how many times as fast as ${m.runs[0].label}`, read: (l) => speedup(l, run) })),
  ];
  const rowOf = (layer) => h("tr", { "data-layer": textOf(layer.name) }, columns.map((c, i) =>
    (c.bars ? h("td", { class: "bar-cell" }, m.runs.map((run) => bar(layer, run)))
      : h(i === 0 ? "th" : "td", { scope: i === 0 && "row", class: c.number ? "number" : undefined },
        c.text(c.read(layer))))));
  const rows = m.layers.map((layer) => ({ layer, row: rowOf(layer) }));
  const body = h("tbody", {});
  const count = h("span", { class: "dim" });
  const state = { column: -1, down: false, filter: "" };
  const show = () => {
    const wanted = state.filter.trim().toLowerCase();
    const list = rows.filter(({ layer }) => textOf(layer.name).toLowerCase().includes(wanted));
    const c = columns[state.column];
    const value = (x) => (c.number || c.bars ? x ?? -Infinity : x);
    if (c) {
      const sign = state.down ? -1 : 1;
      list.sort((a, b) => {
        const [x, y] = [value(c.read(a.layer)), value(c.read(b.layer))];
        return sign * (x < y ? -1 : x > y ? 1 : 0);
      });
    }
    body.replaceChildren(...list.map(({ row }) => row));
    count.textContent = list.length === rows.length ? plural(rows.length, "layer")
      : `${whole(list.length)} of ${plural(rows.length, "layer")}`;
    heads.forEach((head, i) => head.setAttribute("aria-sort",
      i !== state.column ? "none" : state.down ? "descending" : "ascending"));
  };
  const heads = columns.map((c, i) => h("th", { scope: "col", title: c.title,
    class: c.number ? "number" : undefined }, h("button", { type: "button", on: { click: () => {
      Object.assign(state, { column: i, down: state.column === i ? !state.down : Boolean(c.number || c.bars) });
      show();
    } } }, c.bars ? "Time" : c.name)));
  section.append(h("p", { class: "tools" },
    h("input", { type: "search", placeholder: "Filter by name", "aria-label": "Filter",
      on: { input: (event) => { state.filter = event.currentTarget.value; show(); } } }), count),
  scrolling("Layers", "table-box", h("table", { class: "layers" },
    h("thead", {}, h("tr", {}, heads)), body)));
  show();
}
