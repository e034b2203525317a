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

function heatChart(m, xAxis, yAxis, objective, width) {
  const [x, y] = [groupsOf(xAxis), groupsOf(yAxis)];
  const cells = bestCells(m, x, y, objective);
  const values = [...cells.values()].map((p) => p.objectives[objective]);
  const least = values.reduce((a, b) => Math.min(a, b), Infinity);
  const most = values.reduce((a, b) => Math.max(a, b), -Infinity);
  const part = (v) => (most > least ? (least > 0 && most / least > 8
    ? Math.log(v / least) / Math.log(most / least) : (v - least) / (most - least)) : 0);
  const left = 100;
  const w = Math.min(120, (width - left - 10) / x.names.length);
  const high = 30;
  const height = 12 + high * y.names.length + 44;
  const cell = ([key, p]) => {
    const [column, row] = [key % x.names.length, Math.floor(key / x.names.length)];
    const value = p.objectives[objective];
    const share = part(value);
    const place = { x: left + column * w, y: 12 + row * high };
    return s("g", {},
      tip(s("rect", { ...place, width: w, height: high, class: "cell", "data-point": p.number,
        style: `fill: color-mix(in oklab, var(--blue) ${(share * 100).toFixed(0)}%, var(--hover))`,
        on: { click: () => choose(p.number) } }), () => pointTip(m, p)),
      w >= 46 && label(place.x + w / 2, place.y + high / 2 + 4, measured(value), { class: "cell-text",
        style: share > 0.55 ? "fill: #fff" : undefined }));
  };
  const every = Math.ceil(44 / w);
  return s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
      "aria-label": `${m.objectives[objective].name} over two parameters` },
    [...cells].map(cell),
    s("g", { class: "axis" },
      x.names.map((name, i) => i % every === 0 &&
        label(left + (i + 0.5) * w, height - 28, name, { "text-anchor": "middle" })),
      y.names.map((name, i) => label(left - 7, 12 + (i + 0.6) * high, name, { "text-anchor": "end" }))),
    label(left + w * x.names.length / 2, height - 8, xAxis.name,
      { "text-anchor": "middle", class: "axis-name" }));
}

function drawHeat(section, m) {
  const axes = m.axes.filter((a) => a.kind === "parameter");
  if (axes.length < 2) return section.append(note("There are not two parameters that vary."));
  const chosen = { x: 0, y: 1, objective: 0 };
  const host = h("div", { class: "chart" });
  const draw = (width) => heatChart(m, axes[chosen.x], axes[chosen.y], chosen.objective, width);
  const pick = (which) => (i) => {
    chosen[which] = i;
    host.replaceChildren(draw(Math.floor(host.clientWidth)));
  };
  section.append(h("p", { class: "tools" },
    axisSelect("Objective", m.objectives, 0, pick("objective")),
    axisSelect("Across", axes, 0, pick("x")), axisSelect("Down", axes, 1, pick("y"))), host,
    note("A cell has the best of the points with its two values, whatever the others are; darker is" +
      " more."));
  drawn(host, draw);
}
