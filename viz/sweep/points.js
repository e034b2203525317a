// SPDX-License-Identifier: Apache-2.0
// All points of the page: sorted by any column, filtered by text.

function drawPoints(section, m) {
  const columns = [
    { name: "#", read: (p) => p.number, number: true },
    ...m.parameterAxes.map((a) => ({ name: shortPath(a.name), title: a.name, read: a.read,
      number: a.numeric })),
    ...m.objectiveAxes.map((a) => ({ name: a.name, read: a.read, number: true, objective: true })),
    { name: "Pareto", read: (p) => (p.front ? "front" : ""), number: false },
  ];
  const text = (c, p) => {
    const value = c.read(p);
    return c.objective ? measured(value) : shown(value);
  };
  const rowOf = (p) => h("tr", { "data-point": p.number, on: { click: () => choose(p.number) } },
    columns.map((c, i) => h(i === 0 ? "th" : "td", { scope: i === 0 && "row",
      class: c.number ? "number" : undefined,
      title: isNumber(c.read(p)) ? String(c.read(p)) : undefined }, text(c, p))));
  const rows = new Map(m.points.map((p) => [p, rowOf(p)]));
  const body = h("tbody", {});
  const count = h("span", { class: "dim" });
  const state = { column: 0, down: false, filter: "" };
  const show = () => {
    const c = columns[state.column];
    const sign = state.down ? -1 : 1;
    const wanted = state.filter.trim().toLowerCase();
    const list = m.points.filter((p) => !wanted ||
      columns.some((k) => textOf(k.read(p)).toLowerCase().includes(wanted)));
    list.sort((a, b) => sign * (c.number ? c.read(a) - c.read(b)
      : textOf(c.read(a)).localeCompare(textOf(c.read(b)), "en", { numeric: true })) ||
      a.place - b.place);
    body.replaceChildren(...list.map((p) => rows.get(p)));
    count.textContent = list.length === m.points.length ? plural(list.length, "point")
      : `${whole(list.length)} of ${plural(m.points.length, "point")}`;
    heads.forEach((head, i) => {
      head.setAttribute("aria-sort",
        i !== state.column ? "none" : state.down ? "descending" : "ascending");
    });
  };
  const heads = columns.map((c, i) => h("th", { scope: "col", title: c.title,
    class: c.number ? "number" : undefined }, h("button", { type: "button", on: { click: () => {
      Object.assign(state, { column: i, down: state.column === i ? !state.down : false });
      show();
    } } }, c.name)));
  section.append(h("p", { class: "tools" },
    h("input", { type: "search", placeholder: "Filter by any value", "aria-label": "Filter",
      on: { input: (event) => { state.filter = event.currentTarget.value; show(); } } }), count),
  scrolling("Points", "table-box", h("table", { class: "layers" },
    h("thead", {}, h("tr", {}, heads)), body)));
  show();
}
