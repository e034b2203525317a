// SPDX-License-Identifier: Apache-2.0
// Roofline, log-log: each layer by its operations per byte and the operations a second it reached.
// The area of a mark is its share of the cycles.

function rooflineTip(m, l) {
  const ceiling = l.limit > 0
    ? `, ${percent(l.tflops / l.limit)} of its ceiling of ${measured(l.limit)}` : "";
  return [l.name,
    [words(l.op), l.dtype, l.shape].filter(Boolean).join(" · "),
    `${measured(l.tflops)} ${m.unit}${ceiling}`,
    l.intensity > 0 ? `${measured(l.intensity)} operations a byte`
                    : "no bytes over DRAM or host link",
    `${whole(l.cycles)} cycles, ${percent(l.share)} of the run`,
    l.bound && `bound by ${BOUNDS[l.bound]?.text ?? words(l.bound)}`].filter(Boolean);
}

// What the axes must span.
function rooflineRange(m, points, bare) {
  const peaks = m.ceilings.peaks.map((p) => p.tflops);
  const xs = points.map((l) => l.intensity);
  // The ridge, where the slope meets the highest ceiling, is always to be seen.
  if (m.ceilings.dram && peaks.length) xs.push(Math.max(...peaks) * 1000 / m.ceilings.dram);
  const ys = [...points, ...bare].map((l) => l.tflops).concat(peaks);
  const least = (v, other) => v.reduce((a, b) => Math.min(a, b), v[0] ?? other);
  const most = (v, other) => v.reduce((a, b) => Math.max(a, b), v[0] ?? other);
  return { x0: least(xs, 0.1) / 2.5, x1: most(xs, 1000) * 2.5,
    y0: least(ys, 0.01) / 2.5, y1: most(ys, 1) * 2 };
}

// Lines of the machine and their names. plot: {range, x, y, box, marks}, marks: where layers are.
function rooflineCeilings(m, { range, x, y, box, marks }) {
  const { peaks, dram, host, vector } = m.ceilings;
  const top = peaks.length ? Math.max(...peaks.map((p) => p.tflops)) : range.y1;
  const lines = s("g", {});
  const names = s("g", { class: "names" });
  const angle = -Math.atan2(y(1) - y(10), x(10) - x(1)) * 180 / Math.PI;

  const slope = (gb, name, kind, dy) => {
    const height = (intensity) => y(intensity * gb / 1000);
    const from = Math.max(range.x0, range.y0 * 1000 / gb);
    const to = Math.min(top * 1000 / gb, range.x1);
    if (from >= to) return;
    lines.append(line(x(from), height(from), x(to), height(to), kind));
    // The name stands where layers are farthest from its middle.
    const room = (at) => marks.reduce((least, [mx, my]) =>
      Math.min(least, Math.hypot(mx - x(at) - 50, my - height(at) + 30)), 120);
    const places = [0.04, 0.2, 0.4, 0.6].map((part) => from * (to / from) ** part);
    const at = places.reduce((best, place) => (room(place) > room(best) ? place : best));
    names.append(label(0, dy, name, { class: "ceiling-name",
      transform: `translate(${x(at)} ${height(at)}) rotate(${angle})` }));
  };
  const level = (tflops, name, from, kind) => {
    lines.append(line(Math.min(x(from), box.right), y(tflops), box.right, y(tflops), kind));
    names.append(label(box.right - 4, y(tflops) - 6, name,
      { "text-anchor": "end", class: "ceiling-name" }));
  };

  if (host) slope(host, `Host link ${given(host)} GB/s each way`, "ceiling host", 15);
  if (dram) slope(dram, `DRAM ${given(dram)} GB/s`, "ceiling", -6);
  for (const tflops of new Set(peaks.map((p) => p.tflops))) {
    const types = peaks.filter((p) => p.tflops === tflops);  // they share a line
    const name = types.map((p) => p.dtype).join(", ");
    level(tflops, `${name} ${given(tflops)} ${unitOf(types[0].dtype)}`,
      dram ? Math.max(range.x0, tflops * 1000 / dram) : range.x0,
      types.some((p) => p.used) ? "ceiling" : "ceiling unused");
  }
  if (vector > range.y0 && m.layers.some((l) => l.bound === "vector" || l.macs === 0)) {
    level(vector, `vector unit ${si(vector * 1e12, "OPS", given)}`, range.x0, "ceiling unused");
  }
  return [lines, names];
}

// points: layers with bytes; bare: those without, in a strip of their own at the right.
function rooflineChart(m, points, bare, width) {
  const height = Math.max(300, Math.min(460, width * 0.6));
  const strip = bare.length ? 44 : 0;
  const box = { left: 52, right: width - 10 - strip, top: 14, bottom: height - 44 };
  const middle = (box.top + box.bottom) / 2;
  const range = rooflineRange(m, points, bare);
  const x = logarithmic(range.x0, range.x1, box.left, box.right);
  const y = logarithmic(range.y0, range.y1, box.bottom, box.top);
  const marks = points.map((l) => [x(l.intensity), y(l.tflops)]);
  const [lines, names] = rooflineCeilings(m, { range, x, y, box, marks });

  const dense = m.layers.length > 400 ? 0.8 : 1;
  const radius = (l) => dense * Math.min(15, 3.4 + 24 * Math.sqrt(l.share > 0 ? l.share : 0));
  const mark = (l, at) => tip(s("path", {
    class: "point",
    d: markPath(boundMark(l.bound), at, y(l.tflops), radius(l)),
    style: `fill:${colorOf(BOUNDS, l.bound)}`,
    "data-layer": l.index,
    on: { click: () => showLayer(l.index) },
  }), () => rooflineTip(m, l));
  const bigFirst = (list) => [...list].sort((a, b) => (b.share ?? 0) - (a.share ?? 0));

  const at = box.right + strip / 2 + 4;
  const outside = bare.length ? [
    s("rect", { class: "band", x: box.right + 8, y: box.top, width: strip - 8,
      height: box.bottom - box.top }),
    label(at, box.bottom + 16, "no bytes", { "text-anchor": "middle", class: "axis-name" }),
    s("g", {}, bigFirst(bare).map((l) => mark(l, at)))] : [];
  return s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
      "aria-label": `Roofline of ${plural(points.length + bare.length, "layer")}; the table of` +
        " layers has the figures" },
    xGrid(box, logTicks(range.x0, range.x1, width / 70), x, given),
    yGrid(box, logTicks(range.y0, range.y1, height / 40), y, given),
    line(box.left, box.bottom, box.right, box.bottom, "base"),
    lines,
    label((box.left + box.right) / 2, height - 8, "operations per byte over DRAM and host link",
      { "text-anchor": "middle", class: "axis-name" }),
    label(14, middle, m.unit, { "text-anchor": "middle", class: "axis-name",
      transform: `rotate(-90 14 ${middle})` }),
    outside,
    s("g", {}, bigFirst(points).map((l) => mark(l, x(l.intensity)))),
    names);
}

function drawRoofline(section, m) {
  const points = m.layers.filter((l) => l.tflops > 0 && l.intensity > 0);
  const bare = m.layers.filter((l) => l.tflops > 0 && !(l.intensity > 0));
  const without = m.layers.length - points.length - bare.length;
  if (points.length + bare.length === 0) {
    section.append(note("The report has no layer with operations and a time."));
    return;
  }
  const host = h("div", { class: "chart" });
  section.append(boundLegend(m.layers), host);
  drawn(host, (width) => rooflineChart(m, points, bare, width));
  section.append(note("Each mark is a layer; its area grows with its share of the cycles. Click" +
    " one to see it in the table. Bytes count for the layer that needs them, even if they were" +
    " fetched ahead, while an earlier layer ran: such a layer may lie above the slope. The bytes" +
    " of both links count together; the ceiling in the table takes each link by itself.",
    without ? ` Not drawn: ${plural(without, "layer")} without operations or time.` : ""));
}
