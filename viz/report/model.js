// SPDX-License-Identifier: Apache-2.0
// The report as the charts want it: layers with what is derived from them, the machine's ceilings.
// A field that is not there stays undefined: no chart may rely on one.

const numberOf = (x) => (isNumber(x) ? x : undefined);
const sum = (values) => values.reduce((a, b) => a + (isNumber(b) ? b : 0), 0);
const add = (a, b) => (isNumber(a) || isNumber(b) ? (a ?? 0) + (b ?? 0) : undefined);

function numbersIn(x) {
  return Object.fromEntries(Object.entries(objectOf(x)).filter(([, value]) => isNumber(value)));
}

function layerOf(raw, index) {
  raw = objectOf(raw);
  const traffic = objectOf(raw.traffic);
  const dram = objectOf(traffic.dram);
  const host = objectOf(traffic.host);
  const roofline = objectOf(raw.roofline);
  const energy = numbersIn(raw.energy_j);
  const time = numberOf(raw.time_s);
  const flops = numberOf(raw.flops) ?? (isNumber(raw.macs) ? 2 * raw.macs : undefined);
  return {
    raw, index, traffic, energy,
    name: textOf(raw.name, `layer ${index}`),
    op: textOf(raw.op),
    dtype: textOf(raw.dtype),
    kernel: textOf(raw.kernel),
    bound: textOf(raw.bound),
    shape: shapeText(raw.shape),
    start: numberOf(raw.start_cycle),
    cycles: numberOf(raw.cycles),
    time, flops,
    macs: numberOf(raw.macs),
    utilization: numberOf(raw.utilization),
    mapping: numberOf(raw.mapping_efficiency),
    tflops: isNumber(flops) && time > 0 ? flops / time / 1e12 : undefined,
    intensity: numberOf(roofline.flops_per_byte),
    limit: numberOf(roofline.limit_tflops),
    breakdown: numbersIn(raw.breakdown),
    dramRead: numberOf(dram.read_bytes),
    dramWrite: numberOf(dram.write_bytes),
    dramRate: numberOf(dram.gb_per_s),
    l2Hits: numberOf(objectOf(traffic.l2).hit_rate),
    host: add(numberOf(host.read_bytes), numberOf(host.write_bytes)),
    energyTotal: Object.keys(energy).length ? sum(Object.values(energy)) : undefined,
    predicted: numberOf(raw.predicted_cycles),
  };
}

// "m 512, n 512, k 512": a shape in a line. Switches that are off are left out.
function shapeText(shape) {
  const parts = [];
  for (const [key, value] of Object.entries(objectOf(shape))) {
    if (value === false || value === null || (Array.isArray(value) && value.length === 0)) continue;
    if (Array.isArray(value)) {
      parts.push(`${key} ${value.map((v) => textOf(v)).join("×")}`);
    } else if (typeof value === "object") {
      parts.push(`${key} (${shapeText(value)})`);
    } else {
      parts.push(value === true ? key : `${key} ${value}`);
    }
  }
  return parts.join(", ");
}

const unitOf = (dtype) => (isIntegerType(dtype) ? "TOPS" : "TFLOPS");
const isIntegerType = (dtype) => /^u?int\d+$/.test(dtype);

// "TOPS" for integers, "TFLOPS" for floats.
function operationsUnit(layers) {
  const types = [...new Set(layers.map((l) => l.dtype).filter(Boolean))];
  if (types.length === 0) return "TFLOPS";
  const integers = types.filter(isIntegerType).length;
  return integers === types.length ? "TOPS" : integers === 0 ? "TFLOPS" : "TOPS/TFLOPS";
}

const isGpu = (arch) => objectOf(arch.core).type === "sm";

// Operations a cycle of the whole chip: those of products by data type, those of the vector lanes.
function ratesOf(arch) {
  const core = objectOf(arch.core);
  const unit = objectOf(core.matrix_unit);
  const simd = objectOf(core.vector_unit);
  const cores = arch.cores ?? 1;
  const times = (values, factor) =>
    Object.entries(numbersIn(values)).map(([dtype, x]) => [dtype, x * factor]);
  if (isGpu(arch)) {
    const subCores = cores * core.sub_cores;
    const products = new Map([["fp32", 2 * simd.fp32_lanes * subCores],
      ["fp16", 2 * simd.fp16_lanes * subCores], ...times(unit.fma_per_cycle, 2 * subCores)]);
    return { products: [...products], vector: simd.fp32_lanes * subCores };
  }
  const perCycle = 2 * unit.rows * unit.cols * (unit.depth ?? 1) * (unit.count ?? 1) * cores;
  return { products: times(unit.throughput, perCycle),
    vector: simd.lanes / (simd.cycles_per_operation ?? 1) * cores };
}

// Ceilings in 10^12 operations and 10^9 bytes a second.
function ceilingsOf(arch, layers, total) {
  const rates = ratesOf(arch);
  const used = new Set(layers.filter((l) => l.macs > 0).map((l) => l.dtype));
  const peaks = [];
  for (const [dtype, perCycle] of rates.products) {
    const tflops = perCycle * arch.clock_ghz / 1000;
    if (isNumber(tflops) && tflops > 0) peaks.push({ dtype, tflops, used: used.has(dtype) });
  }
  peaks.sort((a, b) => b.tflops - a.tflops);
  const vector = rates.vector * arch.clock_ghz / 1000;
  const memory = objectOf(arch.memory);
  return {
    peaks,
    vector: isNumber(vector) && vector > 0 ? vector : undefined,
    dram: numberOf(total.dram_peak_gb_per_s),
    host: numberOf(objectOf(memory.host).bandwidth_gb_per_s),
  };
}

function sumBy(layers, part) {
  const total = Object.create(null);
  for (const layer of layers) {
    for (const [key, value] of Object.entries(part(layer))) total[key] = (total[key] ?? 0) + value;
  }
  return total;
}

function modelOf(report) {
  report = objectOf(report);
  const arch = objectOf(report.arch);
  const layers = listOf(report.layers).map(layerOf);
  const total = objectOf(report.total);
  const cycles = numberOf(total.cycles) ?? sum(layers.map((l) => l.cycles));
  for (const layer of layers) layer.share = cycles > 0 ? layer.cycles / cycles : undefined;
  const largestShare = layers.reduce((most, l) => Math.max(most, l.share ?? 0), 0);
  const either = (values, other) => (Object.keys(values).length ? values : other());
  return {
    report, arch, layers, total, cycles, largestShare,
    workload: objectOf(report.workload),
    timeline: objectOf(report.timeline),
    unit: operationsUnit(layers),
    ceilings: ceilingsOf(arch, layers, total),
    breakdown: either(numbersIn(total.breakdown), () => sumBy(layers, (l) => l.breakdown)),
    energy: either(numbersIn(total.energy_by_component_j), () => sumBy(layers, (l) => l.energy)),
  };
}

// Colours of kinds that words.js knows are fixed; others take the next free one.
function colorOf(kinds, key) {
  const known = kinds[key];
  if (known) return `var(--${known.color})`;
  let code = 0;
  for (const c of key) code = (code * 31 + c.charCodeAt(0)) % 4;
  return `var(--other-${code})`;
}
