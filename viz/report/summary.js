// SPDX-License-Identifier: Apache-2.0
// What was run on what, the figures of the whole run, and its bottleneck in words.

// One tile: a name, a figure, and lines that put it into proportion.
function tile(name, figure, ...lines) {
  if (figure === NONE) return undefined;
  return h("div", {}, h("dt", {}, name), h("dd", { class: "figure" }, figure),
    lines.filter((x) => x && x !== NONE).map((text) => h("dd", { class: "dim" }, text)));
}

function tiles(m) {
  const t = m.total;
  const { dram, host } = m.ceilings;
  const clock = m.arch.clock_ghz;
  const used = m.ceilings.peaks.filter((p) => p.used);
  const peak = used.length === 1 ? used[0].tflops : undefined;
  const ofPeak = (x, top, unit) =>
    isNumber(x) && top > 0 ? `${percent(x / top)} of ${given(top)} ${unit}` : "";
  const done = t.achieved_tflops;
  const dramBytes = add(t.dram_read_bytes, t.dram_write_bytes);
  const hostBytes = add(t.host_read_bytes, t.host_write_bytes);
  const hostRate = isNumber(hostBytes) && t.time_s > 0 ? hostBytes / t.time_s / 1e9 : undefined;
  const joules = isNumber(t.energy_j) && t.flops > 0 ? t.energy_j / t.flops : undefined;
  return h("dl", { class: "tiles" },
    tile("Time", si(t.time_s, "s"),
      `${plural(m.cycles, "cycle")}${isNumber(clock) ? ` at ${given(clock)} GHz` : ""}`),
    tile("Throughput", isNumber(done) ? `${measured(done)} ${m.unit}` : NONE,
      ofPeak(done, peak, m.unit)),
    tile(isGpu(m.arch) ? "Share of the peak" : "Array utilisation", percent(t.utilization),
      isNumber(t.macs) && `${si(t.macs, "MACs")} done`),
    tile("DRAM", bytes(dramBytes), rate(t.dram_gb_per_s), ofPeak(t.dram_gb_per_s, dram, "GB/s")),
    tile("Host link", hostBytes || host ? bytes(hostBytes) : NONE, rate(hostRate)),
    tile("Energy", si(t.energy_j, "J"), isNumber(joules) && `${si(joules, "J")} an operation`),
    tile("Average power", si(t.average_power_w, "W"),
      m.arch.energy && `${textOf(m.arch.energy)} energy table`));
}

// The entry [key, amount] with the largest amount.
const largestOf = (values) => Object.entries(values)
  .reduce((best, entry) => (best && best[1] >= entry[1] ? best : entry), undefined);

// The bound whose layers take the most cycles.
function boundSentence(m) {
  const bounded = m.layers.filter((l) => l.bound && l.cycles > 0);
  const bound = largestOf(sumBy(bounded, (l) => ({ [l.bound]: l.cycles })));
  if (!bound) return [];
  const [name, cycles] = bound;
  const count = bounded.filter((l) => l.bound === name).length;
  const [are, take] = count === 1 ? ["is", "takes"] : ["are", "take"];
  return [h("b", {}, `Main bottleneck: ${BOUNDS[name]?.text ?? words(name)}.`),
    ` ${whole(count)} of ${plural(m.layers.length, "layer")} ${are} bound by it` +
    ` and ${take} ${percent(cycles / m.cycles)} of the ${whole(m.cycles)} cycles.`];
}

// How much of the cycles the matrix units work in, and where most of the others go.
function lostSentence(m) {
  const { matrix_busy: busy, ...others } = m.breakdown;
  if (!isNumber(busy)) return [];
  const start = ` The matrix units take in vectors in ${percent(busy / m.cycles)} of the cycles`;
  const lost = largestOf(others);
  if (!(lost?.[1] > 0)) return [`${start}.`];
  const [key, cycles] = lost;
  const meaning = CYCLE_CLASSES[key] ? ` (${CYCLE_CLASSES[key].text})` : "";
  return [`${start}; the largest part of the others, ${percent(cycles / m.cycles)},` +
    ` is “${nameOf(CYCLE_CLASSES, key)}”${meaning}.`];
}

function longestSentence(m) {
  const longest = m.layers.reduce(
    (best, l) => (l.cycles > (best?.cycles ?? 0) ? l : best), undefined);
  if (!(longest?.cycles > 0) || m.layers.length < 2) return [];
  return [" The longest layer is ", h("b", {}, longest.name),
    ` with ${percent(longest.share)} of the cycles.`];
}

function arrayFact(m) {
  const unit = objectOf(objectOf(m.arch.core).matrix_unit);
  if (isGpu(m.arch)) return `${whole(m.arch.cores)} SMs${unit.instruction ? `, ${unit.instruction}` : ""}`;
  if (!isNumber(unit.rows) || !isNumber(unit.cols)) return "";
  const cores = m.arch.cores > 1 ? `${whole(m.arch.cores)} cores, each ` : "";
  const count = cores + (unit.count > 1 ? `${whole(unit.count)} arrays of ` : "");
  const dataflow = unit.dataflow ? `, ${words(unit.dataflow)}` : "";
  if (unit.kind === "cube") return `${count}${unit.rows} × ${unit.cols} × ${unit.depth} cube`;
  return `${count}${unit.rows} × ${unit.cols} PEs${dataflow}`;
}

function drawSummary(section, m) {
  const workload = textOf(m.workload.name, "workload");
  const arch = textOf(m.arch.name, "machine");
  document.title = `${workload} on ${arch} – Tilewave`;
  document.getElementById("version").textContent = textOf(objectOf(m.report.tilewave).version);
  const types = [...new Set(m.layers.map((l) => l.dtype).filter(Boolean))];
  const fidelity = textOf(m.report.fidelity);
  const facts = [plural(m.layers.length, "layer"), types.join(", "), arrayFact(m),
    fidelity && `${fidelity} simulation`];
  section.append(h("h1", {}, workload, h("span", { class: "dim" }, " on "), arch),
    h("p", { class: "facts" }, facts.filter(Boolean).join(" · ")), tiles(m));
  if (!(m.cycles > 0)) return;
  const verdict = [boundSentence(m), lostSentence(m), longestSentence(m)].flat();
  if (verdict.length) section.append(h("p", { class: "verdict" }, verdict));
}
