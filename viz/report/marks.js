// SPDX-License-Identifier: Apache-2.0
// Lines, texts and marks of SVG.

const line = (x1, y1, x2, y2, kind) => s("line", { x1, y1, x2, y2, class: kind });
const label = (x, y, text, attributes) => s("text", { x, y, ...attributes }, text);

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
