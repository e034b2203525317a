// SPDX-License-Identifier: Apache-2.0
// Two axes against each other, the points of the Pareto front apart. With one objective, that over the
// parameter that matters most.

const scaleOf = (axis, a, b) => {
  if (!axis.numeric) return (p) => linear(0, Math.max(1, axis.values.length - 1), a, b)(axis.place(p));
  const { least, most } = axis;
  const scale = axis.logarithmicScale ? logarithmic(least, most, a, b)
    : linear(least, most > least ? most : least + 1, a, b);
  return (p) => scale(axis.read(p));
};

// [place, text] of an axis' ticks.
function ticksOf(axis, a, b, count) {
  if (!axis.numeric || axis.values.length <= count) {
    const every = Math.ceil(axis.values.length / count);
    const at = axis.numeric
      ? (v) => scaleOf({ ...axis, read: (x) => x }, a, b)(v)
      : (v) => linear(0, Math.max(1, axis.values.length - 1), a, b)(axis.values.indexOf(v));
    return axis.values.filter((_, i) => i % every === 0).map((v) => [at(v), shown(v)]);
  }
  if (axis.logarithmicScale) {
    const at = logarithmic(axis.least, axis.most, a, b);
    return logTicks(axis.least, axis.most, count).map((t) => [at(t), given(t)]);
  }
  const at = linear(axis.least, axis.most, a, b);
  const span = axis.most - axis.least;
  const step = linearTicks(span, count)[1] ?? span;
  const ticks = [];
  for (let t = Math.ceil(axis.least / step) * step; t <= axis.most * (1 + 1e-9); t += step) {
    ticks.push([at(t), given(Number(t.toPrecision(6)))]);
  }
  return ticks;
}

function scatterChart(m, xAxis, yAxis, width) {
  const height = Math.max(280, Math.min(440, width * 0.55));
  const box = { left: 74, right: width - 14, top: 14, bottom: height - 46 };
  const x = scaleOf(xAxis, box.left + 8, box.right - 8);
  const y = scaleOf(yAxis, box.bottom - 8, box.top + 8);
  const grid = [
    ...ticksOf(xAxis, box.left + 8, box.right - 8, width / 90).flatMap(([at, text]) => [
      line(at, box.top, at, box.bottom, "grid"),
      label(at, box.bottom + 16, text, { "text-anchor": "middle" })]),
    ...ticksOf(yAxis, box.bottom - 8, box.top + 8, height / 40).flatMap(([at, text]) => [
      line(box.left, at, box.right, at, "grid"),
      label(box.left - 7, at + 4, text, { "text-anchor": "end" })])];
  const dots = [...m.points].sort((a, b) => a.front - b.front || a.place - b.place).map((p) =>
    tip(s("path", { class: p.front ? "dot front" : "dot", "data-point": p.number,
      d: markPath(p.front ? "diamond" : "circle", x(p), y(p), p.front ? 4.6 : 3),
      on: { click: () => choose(p.number) } }), () => pointTip(m, p)));
  const front = m.points.filter((p) => p.front).sort((a, b) => x(a) - x(b));
  const both = xAxis.kind === "objective" && yAxis.kind === "objective" &&
    m.objectives.length === 2 && xAxis !== yAxis;
  const d = both && front.length > 1
    ? `M${front.map((p) => `${x(p).toFixed(1)} ${y(p).toFixed(1)}`).join("L")}` : undefined;
  const middle = (box.top + box.bottom) / 2;
  return s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
      "aria-label": `${yAxis.name} over ${xAxis.name}; the table of points has the figures` },
    s("g", { class: "axis" }, grid),
    line(box.left, box.bottom, box.right, box.bottom, "base"),
    d && s("path", { d, class: "front-line" }),
    s("g", {}, dots),
    label((box.left + box.right) / 2, height - 8, xAxis.name,
      { "text-anchor": "middle", class: "axis-name" }),
    label(14, middle, yAxis.name, { "text-anchor": "middle", class: "axis-name",
      transform: `rotate(-90 14 ${middle})` }));
}

function drawScatter(section, m) {
  if (m.axes.length < 2) return section.append(note("There are not two things that vary."));
  const first = m.axes.findIndex((a) => a.kind === "objective");
  const objectives = m.axes.filter((a) => a.kind === "objective");
  const chosen = objectives.length > 1
    ? { x: m.axes.indexOf(objectives[0]), y: m.axes.indexOf(objectives[1]) }
    : { x: first === 0 ? 1 : 0, y: Math.max(0, first) };
  const host = h("div", { class: "chart" });
  let redraw = () => {};
  const pick = (which) => (i) => { chosen[which] = i; redraw(); };
  section.append(h("p", { class: "tools" },
    axisSelect("Across", m.axes, chosen.x, pick("x")),
    axisSelect("Up", m.axes, chosen.y, pick("y"))), host);
  const draw = (width) => scatterChart(m, m.axes[chosen.x], m.axes[chosen.y], width);
  redraw = () => host.replaceChildren(draw(Math.floor(host.clientWidth)));
  drawn(host, draw);
  if (m.objectives.length > 1) {
    section.append(note("Diamonds: the Pareto front, points that no other is better than in every" +
      " objective. Click a point to see it in the other charts and in the table."));
  }
}
