// SPDX-License-Identifier: Apache-2.0
// Parallel coordinates: a line a point, through its value on each axis.

const MOST_PATHS = 1500;  // more lines are neither seen nor drawn in time

function parallelChart(m, width) {
  const room = Math.max(110, (width - 120) / Math.max(1, m.axes.length - 1));
  const w = 120 + room * (m.axes.length - 1);
  const height = 340;
  const box = { top: 44, bottom: height - 16 };
  const at = (i) => 60 + i * room;
  const scales = m.axes.map((a) => scaleOf(a, box.bottom, box.top));
  const path = (p) => tip(s("path", { class: p.front ? "path front" : "path", "data-point": p.number,
    d: `M${scales.map((y, i) => `${at(i).toFixed(1)} ${y(p).toFixed(1)}`).join("L")}`,
    on: { click: () => choose(p.number) } }), () => pointTip(m, p));
  const spine = (a, i) => s("g", { class: "axis" },
    line(at(i), box.top, at(i), box.bottom, "spine"),
    label(at(i), 14 + (i % 2) * 15, shortPath(a.name), { "text-anchor": "middle",
      class: a.kind === "objective" ? "track-name" : "" }),
    ticksOf(a, box.bottom, box.top, 7).map(([y, text]) =>
      label(at(i) + 5, y + 4, text, { class: "ceiling-name" })));
  const every = Math.max(1, Math.ceil(m.points.length / MOST_PATHS));
  const lines = m.points.filter((p) => p.front || p.place % every === 0)
    .sort((a, b) => a.front - b.front || a.place - b.place);
  return s("svg", { viewBox: `0 0 ${w} ${height}`, width: w, height, role: "img",
      style: "max-width: none",
      "aria-label": "Parallel coordinates; the table of points has the figures" },
    s("g", {}, lines.map(path)), m.axes.map(spine));
}

function drawParallel(section, m) {
  if (m.axes.length < 2) return section.append(note("There are not two things that vary."));
  const host = h("div", {});
  section.append(scrolling("Parallel coordinates", "", host),
    note("Each line is a point; the Pareto front stands out. Objectives are at the right."));
  drawn(host, (width) => parallelChart(m, width));
}
