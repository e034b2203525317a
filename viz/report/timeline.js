// SPDX-License-Identifier: Apache-2.0
// Utilisation, DRAM bandwidth and power over time, one above the other, and which layer ran when.

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

function areaPath(track, x, y, end) {
  const { values, width } = track;
  const edge = (i) => x(Math.min(end, i * width)).toFixed(1);
  const steps = values.map((v, i) => `V${y(v).toFixed(1)}H${edge(i + 1)}`);
  return `M${edge(0)} ${y(0).toFixed(1)}${steps.join("")}V${y(0).toFixed(1)}Z`;
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

// One track in the frame {left, right, top, bottom}.
function trackChart(track, frame, x, run) {
  const most = track.values.reduce((a, b) => Math.max(a, b), 0);
  const top = track.top ?? Math.max(most, track.peak ?? 0) * 1.06;
  const y = linear(0, top > 0 ? top : 1, frame.bottom, frame.top);
  const color = `var(--${track.color})`;
  const text = track.top === 1 ? (v) => `${Math.round(v * 100)} %` : given;
  return s("g", {},
    label(frame.left, frame.top - 9, track.name, { class: "track-name" }),
    label(frame.right, frame.top - 9, `average ${track.text(track.mean)}`,
      { "text-anchor": "end", class: "axis-name" }),
    yGrid(frame, linearTicks(top > 0 ? top : 1, 3), y, text),
    s("path", { class: "area", d: areaPath(track, x, y, run.end), "data-track": track.key,
      "data-bins": track.values.length, style: `fill:${color};stroke:${color}` }),
    track.peak > 0
      ? line(frame.left, y(track.peak), frame.right, y(track.peak), "ceiling") : undefined);
}

// Layers as a strip coloured by what bounds them.
function layerStrip(layers, x, top, height) {
  const part = (l) => s("rect", { class: "span", x: x(l.start), y: top, height,
    width: Math.max(0.5, x(l.start + l.cycles) - x(l.start)),
    style: `fill:${colorOf(BOUNDS, l.bound)}` });
  return s("g", { class: layers.length > 300 && "dense" }, layers.map(part));
}

// What is under the pointer: a line through all tracks, the values there, and the layer.
function timelineCursor(run, tracks, timed, box, height, width) {
  const cursor = line(0, 18, 0, height, "cursor");
  const inner = box.right - box.left;
  const cycleAt = (event) => {
    const frame = area.ownerSVGElement.getBoundingClientRect();
    const at = (event.clientX - frame.left) * (width / frame.width) - box.left;
    return Math.max(0, Math.min(run.end - 1, at / inner * run.end));
  };
  const move = (event) => {
    const at = box.left + cycleAt(event) / run.end * inner;
    cursor.setAttribute("x1", at);
    cursor.setAttribute("x2", at);
    cursor.classList.add("on");
  };
  const area = s("rect", { class: "hover", x: box.left, y: 0, width: inner, height, on: {
    pointermove: move,
    pointerleave: () => cursor.classList.remove("on"),
    click: (event) => { if (timed.length) showLayer(layerAt(timed, cycleAt(event)).index); },
  } });
  tip(area, (event) => {
    const cycle = cycleAt(event);
    const value = (t) => t.values[Math.min(t.values.length - 1, Math.floor(cycle / t.width))];
    const layer = timed.length ? layerAt(timed, cycle) : undefined;
    return [`Cycle ${whole(cycle)}${run.perCycle ? `, ${si(cycle * run.perCycle, "s")}` : ""}`,
      ...tracks.map((t) => `${t.name.split(",")[0]}: ${t.text(value(t))}`),
      layer && `${layer.name}${layer.bound ? `, bound by ${layer.bound}` : ""}`].filter(Boolean);
  });
  return [cursor, area];
}

// run: {end, bin, perCycle}; tracks: of the report; timed: layers in order of their start.
function timelineChart(run, tracks, timed, width) {
  const box = { left: 52, right: width - 10 };
  const x = linear(0, run.end, box.left, box.right);
  const each = width < 500 ? 84 : 104;
  const pitch = each + 34;
  const stripTop = tracks.length * pitch + 8;
  const bottom = timed.length ? stripTop + 40 : stripTop;
  const height = bottom + 40;
  const shown = tracks.map((t) => ({ ...t,
    ...rebin(t.values, run.bin, run.end, Math.max(50, box.right - box.left)) }));
  const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
    "aria-label": `${tracks.map((t) => t.name).join(", ")} over ${plural(run.end, "cycle")}` });
  shown.forEach((track, i) => {
    const top = i * pitch + 24;
    svg.append(trackChart(track, { ...box, top, bottom: top + each }, x, run));
  });
  if (timed.length) {
    const name = "Layers, by what bounds them";
    svg.append(label(box.left, stripTop + 12, name, { class: "track-name" }),
      layerStrip(timed, x, stripTop + 20, 18));
  }
  const tick = (t) => label(Math.min(x(t), box.right), bottom + 16, si(t, "", given),
    { "text-anchor": x(t) > box.right - 20 ? "end" : "middle" });
  const taken = run.perCycle ? ` (${whole(run.end)} take ${si(run.end * run.perCycle, "s")})` : "";
  svg.append(
    s("g", { class: "axis" }, linearTicks(run.end, Math.max(2, Math.floor(width / 100))).map(tick)),
    label((box.left + box.right) / 2, bottom + 34, `cycles${taken}`,
      { "text-anchor": "middle", class: "axis-name" }),
    ...timelineCursor(run, shown, timed, box, bottom, width));
  return svg;
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
  drawn(host, (width) => timelineChart(run, tracks, timed, width));
  if (timed.length) section.append(boundLegend(timed));
  section.append(note(`One step is ${plural(bin, "cycle")}; where there are more steps than` +
    " pixels, neighbours are averaged. The dashed line is what DRAM can do. Power spreads the" +
    " energy of arrays and buffers like the multiplications, that of DRAM and links like DRAM's" +
    " bytes, and the rest evenly."));
}
