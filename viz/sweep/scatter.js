// SPDX-License-Identifier: Apache-2.0
// Two axes against each other, the points of the Pareto front apart. With one objective, that over the
// parameter that matters most.

function plotAxisOf(axis) {
  const type = axis.numeric ? (axis.logarithmicScale ? "log" : "linear") : "category";
  return plotAxis({ type, title: axisTitle(axis.name),
    ...(axis.numeric ? {} : { categoryorder: "array", categoryarray: axis.values.map(shownPlain) }) });
}
const shownPlain = (value) => plain(shown(value));
const coordinate = (axis, p) => (axis.numeric ? axis.read(p) : shownPlain(axis.read(p)));

function scatterFigure(m, xAxis, yAxis, width) {
  const trace = (points, more) => ({ type: "scatter", mode: "markers", hoverinfo: "text",
    x: points.map((p) => coordinate(xAxis, p)), y: points.map((p) => coordinate(yAxis, p)),
    text: points.map((p) => hoverText(pointTip(m, p))), customdata: points.map((p) => p.number),
    ...more });
  const both = xAxis.kind === "objective" && yAxis.kind === "objective" &&
    m.objectives.length === 2 && xAxis !== yAxis;
  const front = m.points.filter((p) => p.front);
  if (both) front.sort((a, b) => xAxis.read(a) - xAxis.read(b));
  const chosen = m.points.filter((p) => p.number === chosenPoint);
  const blue = cssColor("blue");
  return {
    data: [
      trace(m.points.filter((p) => !p.front), { name: "others", meta: "others",
        marker: { size: 6, color: cssColor("dim"), opacity: 0.45 } }),
      trace(front, { name: "Pareto front", meta: "front", mode: both ? "lines+markers" : "markers",
        line: { color: blue, width: 1 }, marker: { size: 10, symbol: "diamond", color: blue,
          line: { color: cssColor("card"), width: 1 } } }),
      trace(chosen, { name: "chosen", meta: "chosen", hoverinfo: "skip",
        marker: { size: 14, symbol: "circle-open", color: cssColor("orange"), line: { width: 3 } } }),
    ],
    layout: { height: Math.max(280, Math.min(440, width * 0.55)), xaxis: plotAxisOf(xAxis),
      yaxis: plotAxisOf(yAxis), margin: { l: 74, r: 14, t: 14, b: 46 } },
    click: (point) => choose(point.customdata),
  };
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
  redraw = plotIn(host, "Points by two of their values; the table of points has the figures",
    (width) => scatterFigure(m, m.axes[chosen.x], m.axes[chosen.y], width));
  document.addEventListener("chosen", redraw);
  if (m.objectives.length > 1) {
    section.append(note("Diamonds: the Pareto front, points that no other is better than in every" +
      " objective. Click a point to see it in the other charts and in the table."));
  }
}
