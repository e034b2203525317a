// SPDX-License-Identifier: Apache-2.0
// Parallel coordinates: a line a point, through its value on each axis. Not by Plotly: its own need WebGL and
// code made while the page runs, which the page forbids (Content-Security-Policy).

function linearTicks(max, count) {
  if (!(max > 0)) return [0];
  const raw = max / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].find((m) => m * power >= raw * 0.999) * power;
  const ticks = [];
  for (let i = 0; i * step <= max * 1.0001; ++i) ticks.push(i * step);
  return ticks;
}

// Powers of ten; with 2 and 5 between if there are few and there is room.
function logTicks(low, high, most) {
  const ticks = [];
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  const steps = (last - first) * 3 <= most ? [1, 2, 5] : [1];
  for (let e = first; e <= last; ++e) {
    for (const m of steps) {
      const value = Number(`${m}e${e}`);
      if (value >= low * 0.999 && value <= high * 1.001) ticks.push(value);
    }
  }
  const every = Math.ceil(ticks.length / Math.max(2, most));
  return ticks.filter((_, i) => i % every === 0);
}

const linear = (from, to, a, b) => (x) => a + (x - from) / (to - from) * (b - a);
const logarithmic = (from, to, a, b) =>
  (x) => a + Math.log(x / from) / Math.log(to / from) * (b - a);

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
