// SPDX-License-Identifier: Apache-2.0
// An objective over two parameters: the best of the points that share both values.

const MOST_CELLS_A_SIDE = 24;

// Values of an axis, in at most MOST_CELLS_A_SIDE groups of neighbours.
function groupsOf(axis) {
  const each = Math.ceil(axis.values.length / MOST_CELLS_A_SIDE);
  const names = [];
  for (let i = 0; i < axis.values.length; i += each) {
    const last = axis.values[Math.min(axis.values.length, i + each) - 1];
    names.push(each === 1 ? shown(axis.values[i]) : `${shown(axis.values[i])}–${shown(last)}`);
  }
  return { names, group: (p) => Math.floor(axis.place(p) / each) };
}

function bestCells(m, x, y, objective) {
  const sign = m.objectives[objective].more_is_better ? -1 : 1;
  const cells = new Map();
  for (const p of m.points) {
    const key = y.group(p) * x.names.length + x.group(p);
    const best = cells.get(key);
    if (!best || sign * p.objectives[objective] < sign * best.objectives[objective]) cells.set(key, p);
  }
  return cells;
}

function heatFigure(m, xAxis, yAxis, objective, width) {
  const [x, y] = [groupsOf(xAxis), groupsOf(yAxis)];
  const cells = bestCells(m, x, y, objective);
  const rows = y.names.map((_, row) =>
    x.names.map((_, column) => cells.get(row * x.names.length + column)));
  const each = (read) => rows.map((row) => row.map((p) => (p ? read(p) : null)));
  const values = [...cells.values()].map((p) => p.objectives[objective]);
  const least = values.reduce((a, b) => Math.min(a, b), Infinity);
  const most = values.reduce((a, b) => Math.max(a, b), -Infinity);
  const logarithms = least > 0 && most / least > 8;  // several orders of magnitude
  const value = (p) => (logarithms ? Math.log10(p.objectives[objective]) : p.objectives[objective]);
  const wide = (width - 120) / x.names.length >= 46;
  return {
    data: [{ type: "heatmap", meta: "heat", x: x.names.map(plain), y: y.names.map(plain),
      z: each(value), customdata: each((p) => p.number), hoverongaps: false, xgap: 1, ygap: 1,
      text: each((p) => plain(measured(p.objectives[objective]))), hoverinfo: "text",
      hovertext: each((p) => hoverText(pointTip(m, p))), texttemplate: wide ? "%{text}" : undefined,
      colorscale: [[0, cssColor("hover")], [1, cssColor("blue")]], showscale: false }],
    layout: { height: 70 + 30 * y.names.length, margin: { l: 100, r: 10, t: 10, b: 46 },
      xaxis: plotAxis({ type: "category", title: axisTitle(xAxis.name), showgrid: false }),
      yaxis: plotAxis({ type: "category", autorange: "reversed", showgrid: false }) },
    click: (point) => { if (isNumber(point.customdata)) choose(point.customdata); },
  };
}

function drawHeat(section, m) {
  const axes = m.axes.filter((a) => a.kind === "parameter");
  if (axes.length < 2) return section.append(note("There are not two parameters that vary."));
  const chosen = { x: 0, y: 1, objective: 0 };
  const host = h("div", { class: "chart" });
  let redraw = () => {};
  const pick = (which) => (i) => { chosen[which] = i; redraw(); };
  section.append(h("p", { class: "tools" },
    axisSelect("Objective", m.objectives, 0, pick("objective")),
    axisSelect("Across", axes, 0, pick("x")), axisSelect("Down", axes, 1, pick("y"))), host,
    note("A cell has the best of the points with its two values, whatever the others are; darker is" +
      " more."));
  redraw = plotIn(host, "An objective over two parameters; the table of points has the figures",
    (width) => heatFigure(m, axes[chosen.x], axes[chosen.y], chosen.objective, width));
}
