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

// Lines of the machine: [{x, y, name, kind, slope}], from (x[0], y[0]) to (x[1], y[1]).
function rooflineCeilings(m, range) {
  const { peaks, dram, host, vector } = m.ceilings;
  const top = peaks.length ? Math.max(...peaks.map((p) => p.tflops)) : range.y1;
  const lines = [];
  const slope = (gb, name, kind) => {
    const from = Math.max(range.x0, range.y0 * 1000 / gb);
    const to = Math.min(top * 1000 / gb, range.x1);
    if (from >= to) return;
    lines.push({ x: [from, to], y: [from * gb / 1000, to * gb / 1000], name, kind, slope: true });
  };
  const level = (tflops, name, from, kind) =>
    lines.push({ x: [Math.min(from, range.x1), range.x1], y: [tflops, tflops], name, kind });
  if (host) slope(host, `Host link ${given(host)} GB/s each way`, "unused");
  if (dram) slope(dram, `DRAM ${given(dram)} GB/s`, "used");
  for (const tflops of new Set(peaks.map((p) => p.tflops))) {
    const types = peaks.filter((p) => p.tflops === tflops);  // they share a line
    const name = types.map((p) => p.dtype).join(", ");
    level(tflops, `${name} ${given(tflops)} ${unitOf(types[0].dtype)}`,
      dram ? Math.max(range.x0, tflops * 1000 / dram) : range.x0,
      types.some((p) => p.used) ? "used" : "unused");
  }
  if (vector > range.y0 && m.layers.some((l) => l.bound === "vector" || l.macs === 0)) {
    level(vector, `vector unit ${si(vector * 1e12, "OPS", given)}`, range.x0, "unused");
  }
  return lines;
}

// A ceiling as a line, and its name. inches: pixels that a power of ten takes along x and along y.
function ceilingTrace({ x, y, name, kind }) {
  const used = kind === "used";
  return { type: "scatter", mode: "lines", x, y, name: plain(name), meta: "ceiling",
    hoverinfo: "name", hoverlabel: { namelength: -1 },
    line: { color: cssColor(used ? "text" : "dim"), width: used ? 1.6 : 1.2,
      dash: used ? "solid" : "dash" } };
}
function ceilingName({ x, y, name, slope }, inches) {
  const at = slope ? 0.06 : 0.998;  // on the axis for sure
  const log = ([from, to]) => Math.log10(from) + at * Math.log10(to / from);
  return { x: log(x), y: log(y), text: plain(name), showarrow: false, yanchor: "bottom",
    xanchor: slope ? "left" : "right", bgcolor: faded(cssColor("card"), 0.6), borderpad: 0,
    font: { size: 11.5, color: cssColor("text") },
    textangle: slope ? -Math.atan2(inches.y, inches.x) * 180 / Math.PI : 0 };
}

// Layers bound alike. xOf: where a layer stands.
function layerTrace(m, bound, layers, xOf, more) {
  const dense = m.layers.length > 400 ? 0.8 : 1;
  const size = (l) => 2 * dense * Math.min(15, 3.4 + 24 * Math.sqrt(l.share > 0 ? l.share : 0));
  const shown = [...layers].sort((a, b) => (b.share ?? 0) - (a.share ?? 0));
  return { type: "scatter", mode: "markers", name: plain(nameOf(BOUNDS, bound)), meta: bound,
    x: shown.map(xOf), y: shown.map((l) => l.tflops), customdata: shown.map((l) => l.index),
    text: shown.map((l) => hoverText(rooflineTip(m, l))), hoverinfo: "text",
    marker: { symbol: PLOT_SYMBOLS[boundMark(bound)], size: shown.map(size), opacity: 0.8,
      color: colorNow(colorOf(BOUNDS, bound)), line: { color: cssColor("card"), width: 1 } },
    ...more };
}

// points: layers with bytes; bare: those without, in a strip of their own at the right.
function rooflineFigure(m, points, bare, width) {
  const height = Math.max(300, Math.min(460, width * 0.6));
  const strip = bare.length ? Math.min(0.12, 44 / width) : 0;
  const range = rooflineRange(m, points, bare);
  const [x0, x1, y0, y1] = [range.x0, range.x1, range.y0, range.y1].map(Math.log10);
  const inches = { x: (width - 64) * (1 - strip) / (x1 - x0), y: (height - 56) / (y1 - y0) };
  const ceilings = rooflineCeilings(m, range);
  const bounds = ordered(BOUNDS, Object.fromEntries(m.layers.map((l) => [l.bound, 1])));
  const traces = (layers, xOf, more) => bounds.flatMap((bound) => {
    const alike = layers.filter((l) => l.bound === bound);
    return alike.length ? [layerTrace(m, bound, alike, xOf, more)] : [];
  });
  const layout = { height, annotations: ceilings.map((c) => ceilingName(c, inches)),
    xaxis: logAxis(x0, x1, { domain: [0, 1 - strip],
      title: axisTitle("operations per byte over DRAM and host link") }),
    yaxis: logAxis(y0, y1, { title: axisTitle(m.unit) }) };
  if (bare.length) {
    layout.xaxis2 = plotAxis({ domain: [1 - 0.8 * strip, 1], range: [-1, 1], showticklabels: false,
      showgrid: false, zeroline: false, fixedrange: true, title: axisTitle("no bytes") });
  }
  return { layout,
    data: [...ceilings.map(ceilingTrace), ...traces(points, (l) => l.intensity),
           ...traces(bare, () => 0, { xaxis: "x2" })],
    click: (point) => { if (isNumber(point.customdata)) showLayer(point.customdata); } };
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
  plotIn(host, `Roofline of ${plural(points.length + bare.length, "layer")}; the table of layers has` +
    " the figures", (width) => rooflineFigure(m, points, bare, width));
  section.append(note("Each mark is a layer; its area grows with its share of the cycles. Click" +
    " one to see it in the table. Bytes count for the layer that needs them, even if they were" +
    " fetched ahead, while an earlier layer ran: such a layer may lie above the slope. The bytes" +
    " of both links count together; the ceiling in the table takes each link by itself.",
    without ? ` Not drawn: ${plural(without, "layer")} without operations or time.` : ""));
}
