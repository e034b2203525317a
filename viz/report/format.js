// SPDX-License-Identifier: Apache-2.0
// Numbers as text. What is missing from the report is shown as "–".

const NONE = "–";
const isNumber = (x) => typeof x === "number" && Number.isFinite(x);

const wholeFormat = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const whole = (x) => (isNumber(x) ? wholeFormat.format(x) : NONE);

const digitFormats = [3, 4].map((n) => new Intl.NumberFormat("en-US", { maximumSignificantDigits: n }));
// Three significant digits, all digits of the whole part.
function short(x) {
  if (!isNumber(x)) return NONE;
  if (x !== 0 && Math.abs(x) < 1e-4) return x.toExponential(1);
  return Math.abs(x) >= 1000 ? whole(x) : digitFormats[0].format(x);
}
const precise = (x) => (isNumber(x) ? digitFormats[1].format(x) : NONE);

const PREFIXES = [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""],
                  [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"], [1e-12, "p"]];
// 0.00214, "s" -> "2.14 ms"
function si(x, unit) {
  if (!isNumber(x)) return NONE;
  if (x === 0) return `0 ${unit}`;
  const [factor, prefix] =
    PREFIXES.find(([f]) => Math.abs(x) >= f * 0.9995) ?? PREFIXES[PREFIXES.length - 1];
  return `${short(x / factor)} ${prefix}${unit}`;
}
// Traffic, like bandwidth, in powers of 1000; the capacity of a memory in powers of 1024.
const bytes = (x) => (isNumber(x) && Math.abs(x) < 1000 ? `${short(x)} B` : si(x, "B"));
function capacity(x) {
  if (!isNumber(x)) return NONE;
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let i = 0;
  while (x >= 1024 && i + 1 < units.length) { x /= 1024; ++i; }
  return `${short(x)} ${units[i]}`;
}
function percent(x) {
  if (!isNumber(x)) return NONE;
  const p = x * 100;
  if (p === 0) return "0 %";
  if (Math.abs(p) < 0.1) return "<0.1 %";
  return `${p >= 99.95 || p < 10 ? short(p) : p.toFixed(1)} %`;
}
const rate = (gb) => (isNumber(gb) ? `${short(gb)} GB/s` : NONE);
const plural = (n, one, many = `${one}s`) => `${whole(n)} ${n === 1 ? one : many}`;
