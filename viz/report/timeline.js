// SPDX-License-Identifier: Apache-2.0
// Utilisation, DRAM bandwidth and power over time, one above the other, and which layer ran when.

const MOST_STEPS = 2000;  // of a track

// Mean of bins over `end` cycles: the last bin may have fewer than the others.
function average(values, binCycles, end) {
  const cycles = values.map((_, i) => Math.max(0, Math.min(binCycles, end - i * binCycles)));
  const all = sum(cycles);
  return all > 0 ? sum(values.map((v, i) => v * cycles[i])) / all : 0;
}

// Neighbouring bins averaged, so that there are at most `most`: {values, width in cycles}.
function rebin(values, binCycles, end, most) {
  const group = Math.max(1, Math.ceil(values.length / most));
  if (group === 1) return { values, width: binCycles };
  const out = [];
  for (let i = 0; i < values.length; i += group) {
    out.push(average(values.slice(i, i + group), binCycles, end - i * binCycles));
  }
  return { values: out, width: binCycles * group };
}

// The series of the report: those known here, then any other list of numbers.
function timelineTracks(m) {
  const known = named({
    matrix_utilization: { name: isGpu(m.arch) ? "Tensor utilisation" : "Array utilisation", color: "blue", text: percent, top: 1 },
    dram_gb_per_s: { name: "DRAM, GB/s", color: "red", text: rate, peak: m.ceilings.dram },
    l2_gb_per_s: { name: "L2, GB/s", color: "pink", text: rate },
    power_w: { name: "Power, W", color: "green", text: (x) => si(x, "W") },
  });
  const isSeries = (values) => Array.isArray(values) && values.some(isNumber);
  return ordered(known, m.timeline).filter((key) => isSeries(m.timeline[key])).map((key) =>
    ({ key, name: words(key), color: "violet", text: measured, ...known[key],
      values: m.timeline[key].map((v) => (isNumber(v) ? v : 0)) }));
}

// The layer that runs in a cycle, of layers in order of their start.
function layerAt(layers, cycle) {
  let low = 0;
  let high = layers.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (layers[middle].start <= cycle) low = middle; else high = middle;
  }
  return layers[low];
}

// One track: steps, and a line where the peak is.
function trackTraces(track, axis, run) {
  const color = cssColor(track.color);
  const starts = track.values.map((_, i) => i * track.width);
  const texts = track.values.map((v) => `${track.name.split(",")[0]}: ${track.text(v)}`);
  const area = { type: "scatter", mode: "lines", name: plain(track.name), meta: track.key, yaxis: axis,
    x: [...starts, run.end], y: [...track.values, track.values.at(-1)],
    text: [...texts, texts.at(-1)].map(plain), hoverinfo: "text",
    line: { shape: "hv", color, width: 1.2 }, fill: "tozeroy", fillcolor: faded(color, 0.28) };
  if (!(track.peak > 0)) return [area];
  return [area, { type: "scatter", mode: "lines", x: [0, run.end], y: [track.peak, track.peak],
    yaxis: axis, meta: "peak", hoverinfo: "skip",
    line: { color: cssColor("text"), width: 1, dash: "dash" } }];
}

// Layers as a strip coloured by what bounds them.
function layerStrip(layers, axis, run) {
  const lines = (l) => [l.name, `${whole(l.cycles)} cycles` +
    (run.perCycle ? `, ${si(l.cycles * run.perCycle, "s")}` : ""), l.bound && `bound by ${l.bound}`];
  return { type: "bar", orientation: "h", meta: "layers", yaxis: axis, base: layers.map((l) => l.start),
    x: layers.map((l) => l.cycles), y: layers.map(() => 0), width: 1, hoverinfo: "text",
    text: layers.map((l) => hoverText(lines(l).filter(Boolean))), textposition: "none",
    customdata: layers.map((l) => l.index),
    marker: { color: layers.map((l) => colorNow(colorOf(BOUNDS, l.bound))),
      line: { width: layers.length > 300 ? 0 : 0.5, color: cssColor("gap") } } };
}

// run: {end, bin, perCycle}; tracks: of the report; timed: layers in order of their start.
function timelineFigure(run, tracks, timed, width) {
  const each = width < 500 ? 84 : 104;
  const gap = 34;
  const strip = timed.length ? 18 : 0;
  const inner = tracks.length * (each + gap) + (strip ? strip + gap : 0);
  const taken = run.perCycle ? ` (${whole(run.end)} take ${si(run.end * run.perCycle, "s")})` : "";
  const layout = { height: inner + 72, margin: { l: 58, r: 12, t: 24, b: 48 }, annotations: [],
    hovermode: "x", hoversubplots: "axis", bargap: 0,
    xaxis: plotAxis({ range: [0, run.end], exponentformat: "SI", zeroline: false, showgrid: false,
      title: axisTitle(`cycles${taken}`), anchor: "free", position: 0 }) };
  const place = (top, height) => [1 - (top + height) / inner, 1 - top / inner].map((y) => Math.max(0, y));
  const heading = (text, top, align) => layout.annotations.push({ text: plain(text), showarrow: false,
    xref: "paper", yref: "paper", x: align === "left" ? 0 : 1, y: 1 - top / inner, xanchor: align,
    yanchor: "bottom", font: align === "left" ? { size: 12.5, weight: 600 }
      : { size: 12, color: cssColor("dim") } });
  const data = tracks.flatMap((t, i) => {
    const top = i * (each + gap) + gap - 8;
    const most = Math.max(t.values.reduce((a, b) => Math.max(a, b), 0), t.peak ?? 0);
    const axis = i === 0 ? "y" : `y${i + 1}`;
    layout[`yaxis${i === 0 ? "" : i + 1}`] = plotAxis({ domain: place(top, each), fixedrange: true,
      range: [0, t.top ?? (most > 0 ? most * 1.06 : 1)], nticks: 4,
      tickformat: t.top === 1 ? ".0%" : undefined, automargin: false });
    heading(t.name, top - 3, "left");
    heading(`average ${t.text(t.mean)}`, top - 3, "right");
    return trackTraces({ ...t, ...rebin(t.values, run.bin, run.end, MOST_STEPS) }, axis, run);
  });
  if (timed.length) {
    const axis = `y${tracks.length + 1}`;
    const top = inner - strip;
    layout[`yaxis${tracks.length + 1}`] = { domain: place(top, strip), range: [-0.5, 0.5],
      visible: false, fixedrange: true };
    heading("Layers, by what bounds them", top - 3, "left");
    data.push(layerStrip(timed, axis, run));
  }
  const click = (point) => {
    const layer = isNumber(point.customdata) ? point.customdata
      : timed.length ? layerAt(timed, point.x).index : undefined;
    if (layer !== undefined) showLayer(layer);
  };
  return { data, layout, click };
}

function drawTimeline(section, m) {
  const tracks = timelineTracks(m);
  const bin = numberOf(m.timeline.bin_cycles);
  if (!tracks.length || !(bin > 0)) {
    section.append(note("The report has no timeline."));
    return;
  }
  const covered = Math.max(...tracks.map((t) => t.values.length)) * bin;
  const run = {
    bin,
    end: m.cycles > 0 ? Math.min(m.cycles, covered) : covered,
    perCycle: m.total.time_s > 0 && m.cycles > 0 ? m.total.time_s / m.cycles : undefined,
  };
  for (const track of tracks) track.mean = average(track.values, bin, run.end);
  const timed = m.layers.filter((l) => isNumber(l.start) && l.cycles > 0)
    .sort((a, b) => a.start - b.start);
  const host = h("div", { class: "chart" });
  section.append(host);
  plotIn(host, `${tracks.map((t) => t.name).join(", ")} over ${plural(run.end, "cycle")}`,
    (width) => timelineFigure(run, tracks, timed, width));
  if (timed.length) section.append(boundLegend(timed));
  section.append(note(`One step is ${plural(bin, "cycle")}; where there are more steps than` +
    " pixels, neighbours are averaged. The dashed line is what DRAM can do. Power spreads the" +
    " energy of arrays and buffers like the multiplications, that of DRAM and links like DRAM's" +
    " bytes, and the rest evenly."));
}
