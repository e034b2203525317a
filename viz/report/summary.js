// SPDX-License-Identifier: Apache-2.0
// What was run on what, the figures of the whole run, and its bottleneck in words.

function peakUsed(m) {
  const used = m.ceilings.peaks.filter((p) => p.used);
  return used.length === 1 ? used[0] : undefined;
}

function tiles(m) {
  const t = m.total;
  const peak = peakUsed(m);
  const ofPeak = (x, top, unit) =>
    isNumber(x) && top > 0 ? `${percent(x / top)} of ${given(top)} ${unit}` : undefined;
  const dramBytes = add(t.dram_read_bytes, t.dram_write_bytes);
  const hostBytes = add(t.host_read_bytes, t.host_write_bytes);
  const hostRate = isNumber(hostBytes) && t.time_s > 0 ? hostBytes / t.time_s / 1e9 : undefined;
  const perWork = isNumber(t.energy_j) && t.flops > 0
    ? `${si(t.energy_j / t.flops, "J")} an operation` : undefined;
  const list = [
    ["Time", si(t.time_s, "s"), isNumber(m.arch.clock_ghz) ? `${whole(m.cycles)} cycles at ${given(m.arch.clock_ghz)} GHz`
                                                           : `${whole(m.cycles)} cycles`],
    ["Throughput", isNumber(t.achieved_tflops) ? `${measured(t.achieved_tflops)} ${m.unit}` : NONE,
      peak && ofPeak(t.achieved_tflops, peak.tflops, m.unit)],
    ["Array utilisation", percent(t.utilization), isNumber(t.macs) ? `${si(t.macs, "MACs")} done` : undefined],
    ["DRAM", bytes(dramBytes), [rate(t.dram_gb_per_s), ofPeak(t.dram_gb_per_s, m.ceilings.dram, "GB/s")]],
    ["Host link", hostBytes || m.ceilings.host ? bytes(hostBytes) : NONE, isNumber(hostRate) ? rate(hostRate) : undefined],
    ["Energy", si(t.energy_j, "J"), perWork],
    ["Average power", si(t.average_power_w, "W"),
      m.arch.energy === undefined ? undefined : `${textOf(m.arch.energy)} energy table`],
  ];
  return h("dl", { class: "tiles" }, list.filter(([, value]) => value !== NONE).map(([name, value, more]) =>
    h("div", {}, h("dt", {}, name), h("dd", { class: "figure" }, value),
      [more].flat().filter((x) => x && x !== NONE).map((text) => h("dd", { class: "dim" }, text)))));
}

const largestOf = (values) =>
  Object.entries(values).reduce((best, entry) => (!best || entry[1] > best[1] ? entry : best), undefined);

// Sentences, each a list of texts and elements.
function bottleneck(m) {
  const sentences = [];
  if (!(m.cycles > 0)) return sentences;
  const byBound = {};
  for (const l of m.layers) if (l.bound && l.cycles > 0) byBound[l.bound] = (byBound[l.bound] ?? 0) + l.cycles;
  const bound = largestOf(byBound);
  if (bound) {
    const [name, cycles] = bound;
    const count = m.layers.filter((l) => l.bound === name).length;
    sentences.push([h("b", {}, `Main bottleneck: ${BOUNDS[name]?.text ?? words(name)}.`),
      ` ${whole(count)} of ${plural(m.layers.length, "layer")} ${count === 1 ? "is" : "are"} bound by it` +
      ` and ${count === 1 ? "takes" : "take"} ${percent(cycles / m.cycles)} of the ${whole(m.cycles)} cycles.`]);
  }
  const { matrix_busy: busy, ...others } = m.breakdown;
  const lost = largestOf(others);
  if (isNumber(busy)) {
    sentences.push([`The matrix units take in vectors in ${percent(busy / m.cycles)} of them` +
      (lost?.[1] > 0 ? `; the largest part of the others, ${percent(lost[1] / m.cycles)}, is “${nameOf(CYCLE_CLASSES, lost[0])}”` +
        (CYCLE_CLASSES[lost[0]] ? ` (${CYCLE_CLASSES[lost[0]].text}).` : ".") : ".")]);
  }
  const longest = m.layers.reduce((best, l) => (!best || l.cycles > best.cycles ? l : best), undefined);
  if (longest?.cycles > 0 && m.layers.length > 1) {
    sentences.push(["The longest layer is ", h("b", {}, longest.name),
      ` with ${percent(longest.share)} of the cycles.`]);
  }
  return sentences;
}

function drawSummary(section, m) {
  const workload = textOf(m.workload.name, "workload");
  const arch = textOf(m.arch.name, "machine");
  const unit = objectOf(objectOf(m.arch.core).matrix_unit);
  const types = [...new Set(m.layers.map((l) => l.dtype).filter(Boolean))];
  const facts = [
    plural(m.layers.length, "layer"),
    types.join(", "),
    isNumber(unit.rows) && isNumber(unit.cols)
      ? `${unit.count > 1 ? `${unit.count} arrays of ` : ""}${unit.rows} × ${unit.cols} PEs${unit.dataflow ? `, ${words(unit.dataflow)}` : ""}`
      : "",
    m.report.fidelity ? `${textOf(m.report.fidelity)} simulation` : "",
  ].filter(Boolean);
  document.title = `${workload} on ${arch} – Tilewave`;
  document.getElementById("version").textContent = textOf(objectOf(m.report.tilewave).version);
  section.append(h("h1", {}, workload, h("span", { class: "dim" }, " on "), arch),
    h("p", { class: "facts" }, facts.join(" · ")), tiles(m));
  const sentences = bottleneck(m);
  if (sentences.length) section.append(h("p", { class: "verdict" }, sentences.flatMap((x) => [...x, " "])));
}
