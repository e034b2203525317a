// SPDX-License-Identifier: Apache-2.0
// Utilisation, DRAM bandwidth and power over time, one above the other, and which layer ran when.

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

// Over `end` cycles: the last bin may have fewer than the others.
function average(values, binCycles, end) {
  const cycles = values.map((_, i) => Math.max(0, Math.min(binCycles, end - i * binCycles)));
  const all = sum(cycles);
  return all > 0 ? sum(values.map((v, i) => v * cycles[i])) / all : 0;
}

function timelineTracks(m) {
  const t = m.timeline;
  const known = [
    ["matrix_utilization", "Array utilisation", "blue", percent, 1, undefined],
    ["dram_gb_per_s", "DRAM, GB/s", "red", rate, undefined, m.ceilings.dram],
    ["power_w", "Power, W", "green", (x) => si(x, "W"), undefined, undefined],
  ];
  const tracks = known.filter(([key]) => listOf(t[key]).length).map(([key, name, color, text, top, peak]) =>
    ({ key, name, color, text, top, peak, values: t[key].map((v) => (isNumber(v) ? v : 0)) }));
  for (const [key, values] of Object.entries(t)) {
    if (Array.isArray(values) && values.length && values.every(isNumber) && !known.some(([k]) => k === key)) {
      tracks.push({ key, name: words(key), color: "violet", text: given, values });
    }
  }
  return tracks;
}

function areaPath(track, x, y, end) {
  const { values, width } = track;
  let d = `M${x(0).toFixed(1)} ${y(0).toFixed(1)}`;
  values.forEach((v, i) => {
    d += `V${y(v).toFixed(1)}H${x(Math.min(end, (i + 1) * width)).toFixed(1)}`;
  });
  return `${d}V${y(0).toFixed(1)}Z`;
}

function layerAt(layers, cycle) {
  let low = 0;
  let high = layers.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (layers[middle].start <= cycle) low = middle; else high = middle;
  }
  return layers[low];
}

// Layers as a strip coloured by what bounds them.
function layerStrip(layers, x, top, height) {
  return s("g", { class: layers.length > 300 ? "dense" : undefined }, layers.map((l) => s("rect", {
    class: "span", x: x(l.start), y: top, width: Math.max(0.5, x(l.start + l.cycles) - x(l.start)), height,
    style: `fill:${colorOf(BOUNDS, l.bound)}` })));
}

function drawTimeline(section, m) {
  const tracks = timelineTracks(m);
  const bin = numberOf(m.timeline.bin_cycles);
  if (!tracks.length || !(bin > 0)) {
    section.append(h("p", { class: "note" }, "The report has no timeline."));
    return;
  }
  const longest = Math.max(...tracks.map((t) => t.values.length));
  const end = m.cycles > 0 ? Math.min(m.cycles, longest * bin) : longest * bin;
  const perCycle = isNumber(m.total.time_s) && m.cycles > 0 ? m.total.time_s / m.cycles : undefined;
  const timed = m.layers.filter((l) => isNumber(l.start) && l.cycles > 0).sort((a, b) => a.start - b.start);
  const host = h("div", { class: "chart" });
  section.append(host);
  drawn(host, (width) => {
    const box = { left: 52, right: width - 10 };
    const x = linear(0, end, box.left, box.right);
    const each = width < 500 ? 84 : 104;
    const pitch = each + 34;
    const stripTop = tracks.length * pitch + 8;
    const bottom = timed.length ? stripTop + 40 : stripTop;
    const height = bottom + 40;
    const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
      "aria-label": `${tracks.map((t) => t.name).join(", ")} over ${whole(end)} cycles` });
    const shown = tracks.map((t) => ({ ...t, ...rebin(t.values, bin, end, Math.max(50, box.right - box.left)) }));
    shown.forEach((track, i) => {
      const frame = { ...box, top: i * pitch + 24, bottom: i * pitch + 24 + each };
      const most = track.values.reduce((a, b) => Math.max(a, b), 0);
      const top = track.top ?? Math.max(most, track.peak ?? 0) * 1.06;
      const y = linear(0, top > 0 ? top : 1, frame.bottom, frame.top);
      const mean = average(tracks[i].values, bin, end);
      svg.append(label(frame.left, frame.top - 9, track.name, { class: "track-name" }),
        label(frame.right, frame.top - 9, `average ${track.text(mean)}`, { "text-anchor": "end", class: "axis-name" }),
        yGrid(frame, linearTicks(top > 0 ? top : 1, 3), y, track.top === 1 ? (v) => `${Math.round(v * 100)} %` : given),
        s("path", { class: "area", d: areaPath(track, x, y, end), "data-track": track.key,
          "data-bins": track.values.length, style: `fill:var(--${track.color});stroke:var(--${track.color})` }));
      if (track.peak) {
        svg.append(line(box.left, y(track.peak), box.right, y(track.peak), "ceiling"));
      }
    });
    if (timed.length) {
      svg.append(label(box.left, stripTop + 12, "Layers, by what bounds them", { class: "track-name" }),
        layerStrip(timed, x, stripTop + 20, 18));
    }
    const ticks = linearTicks(end, Math.max(2, Math.floor(width / 100)));
    svg.append(s("g", { class: "axis" }, ticks.map((t) => label(Math.min(x(t), box.right), bottom + 16, si(t, "", given), {
      "text-anchor": x(t) > box.right - 20 ? "end" : "middle" }))),
      label((box.left + box.right) / 2, bottom + 34,
        perCycle ? `cycles (${whole(end)} take ${si(end * perCycle, "s")})` : "cycles",
        { "text-anchor": "middle", class: "axis-name" }));
    const cursor = line(0, 18, 0, bottom, "cursor");
    const cycleAt = (event) => {
      const frame = svg.getBoundingClientRect();
      const at = (event.clientX - frame.left) * (width / frame.width);
      return Math.max(0, Math.min(end - 1, (at - box.left) / (box.right - box.left) * end));
    };
    const hover = tip(s("rect", { class: "hover", x: box.left, y: 0, width: box.right - box.left, height: bottom,
      on: {
        pointermove: (event) => {
          const at = x(cycleAt(event));
          cursor.setAttribute("x1", at);
          cursor.setAttribute("x2", at);
          cursor.classList.add("on");
        },
        pointerleave: () => cursor.classList.remove("on"),
        click: (event) => { if (timed.length) showLayer(layerAt(timed, cycleAt(event)).index); },
      } }), (event) => {
      const cycle = cycleAt(event);
      const layer = timed.length ? layerAt(timed, cycle) : undefined;
      return [`Cycle ${whole(cycle)}${perCycle ? `, ${si(cycle * perCycle, "s")}` : ""}`,
        ...shown.map((t) => `${t.name}: ${t.text(t.values[Math.min(t.values.length - 1, Math.floor(cycle / t.width))])}`),
        ...(layer ? [`${layer.name}${layer.bound ? `, bound by ${layer.bound}` : ""}`] : [])];
    });
    svg.append(cursor, hover);
    return svg;
  });
  if (timed.length) section.append(boundLegend(timed));
  section.append(h("p", { class: "note" },
    `One step is ${plural(bin, "cycle")}; where there are more steps than pixels, neighbours are averaged.` +
    " A DRAM transfer is spread evenly from its start to its end, so steps may rise above the dashed line of what DRAM can do." +
    " Power spreads the energy of arrays and buffers like the multiplications, that of DRAM and links like the bytes, and the" +
    " rest evenly."));
}
