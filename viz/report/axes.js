// SPDX-License-Identifier: Apache-2.0
// Scales, ticks and axes of the SVG charts.

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

const line = (x1, y1, x2, y2, kind) => s("line", { x1, y1, x2, y2, class: kind });
const label = (x, y, text, attributes) => s("text", { x, y, ...attributes }, text);

// Grid lines and their numbers. box: {left, right, top, bottom}.
function xGrid(box, ticks, scale, text) {
  return s("g", { class: "axis" }, ticks.flatMap((t) => {
    const x = scale(t);
    return [line(x, box.top, x, box.bottom, "grid"),
            label(x, box.bottom + 16, text(t), { "text-anchor": "middle" })];
  }));
}
function yGrid(box, ticks, scale, text) {
  return s("g", { class: "axis" }, ticks.flatMap((t) => {
    const y = scale(t);
    return [line(box.left, y, box.right, y, "grid"),
            label(box.left - 7, y + 4, text(t), { "text-anchor": "end" })];
  }));
}

// Marks of equal area r² π about (x, y): a kind is told by its shape as well as by its colour.
function markPath(mark, x, y, r) {
  const place = ([dx, dy]) => `${(x + dx * r).toFixed(2)} ${(y + dy * r).toFixed(2)}`;
  const at = (...points) => `M${points.map(place).join("L")}Z`;
  switch (mark) {
    case "square": return at([-0.89, -0.89], [0.89, -0.89], [0.89, 0.89], [-0.89, 0.89]);
    case "diamond": return at([0, -1.25], [1.25, 0], [0, 1.25], [-1.25, 0]);
    case "up": return at([0, -1.5], [1.3, 0.78], [-1.3, 0.78]);
    case "down": return at([0, 1.5], [1.3, -0.78], [-1.3, -0.78]);
    case "cross":
      return at([-0.4, -1.2], [0.4, -1.2], [0.4, -0.4], [1.2, -0.4], [1.2, 0.4], [0.4, 0.4],
                [0.4, 1.2], [-0.4, 1.2], [-0.4, 0.4], [-1.2, 0.4], [-1.2, -0.4], [-0.4, -0.4]);
    default: {
      const c = r.toFixed(2);
      return `M${(x - r).toFixed(2)} ${y.toFixed(2)}a${c} ${c} 0 1 0 ${(2 * r).toFixed(2)} 0` +
        `a${c} ${c} 0 1 0 ${(-2 * r).toFixed(2)} 0Z`;
    }
  }
}
const boundMark = (bound) => BOUNDS[bound]?.mark ?? "circle";

// "■ dram 29 layers …" for the kinds that occur.
function boundLegend(layers) {
  const counts = Object.create(null);
  for (const l of layers) counts[l.bound] = (counts[l.bound] ?? 0) + 1;
  const mark = (bound) => s("svg", { width: 14, height: 14, "aria-hidden": "true" },
    s("path", { d: markPath(boundMark(bound), 7, 7, 4.6),
      style: `fill:${colorOf(BOUNDS, bound)}` }));
  return h("ul", { class: "legend" }, ordered(BOUNDS, counts).filter((b) => b !== "").map((bound) =>
    h("li", {}, mark(bound), `${nameOf(BOUNDS, bound)} `,
      h("span", { class: "dim" }, plural(counts[bound], "layer")))));
}
