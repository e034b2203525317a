// SPDX-License-Identifier: Apache-2.0
// Numbers as text. What is missing from the report is shown as "–".

const NONE = "–";
const isNumber = (x) => typeof x === "number" && Number.isFinite(x);

const wholeFormat = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const whole = (x) => (isNumber(x) ? wholeFormat.format(x) : NONE);

const upTo3 = { maximumSignificantDigits: 3 };
const upToThree = new Intl.NumberFormat("en-US", upTo3);
const three = new Intl.NumberFormat("en-US", { ...upTo3, minimumSignificantDigits: 3 });
// Three significant digits, all digits of the whole part: given(34) is "34", measured(34) "34.0".
function digits(x, format) {
  if (!isNumber(x)) return NONE;
  if (x === 0) return "0";
  if (Math.abs(x) < 1e-4) return x.toExponential(1);
  return Math.abs(x) >= 1000 ? whole(x) : format.format(x);
}
const given = (x) => digits(x, upToThree);
const measured = (x) => digits(x, three);

const PREFIXES = [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""],
                  [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"], [1e-12, "p"]];
// 0.00214, "s" -> "2.14 ms"
function si(x, unit, number = measured) {
  if (!isNumber(x)) return NONE;
  if (x === 0) return `0 ${unit}`;
  const [factor, prefix] =
    PREFIXES.find(([f]) => Math.abs(x) >= f * 0.9995) ?? PREFIXES[PREFIXES.length - 1];
  return `${number(x / factor)} ${prefix}${unit}`.trimEnd();
}
// Traffic, like bandwidth, in powers of 1000; the capacity of a memory in powers of 1024.
const bytes = (x) => (isNumber(x) && Math.abs(x) < 1000 ? `${given(x)} B` : si(x, "B"));
function capacity(x) {
  if (!isNumber(x)) return NONE;
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let i = 0;
  while (x >= 1024 && i + 1 < units.length) { x /= 1024; ++i; }
  return `${given(x)} ${units[i]}`;
}
function percent(x) {
  if (!isNumber(x)) return NONE;
  const p = x * 100;
  if (p === 0 || p === 100) return `${p} %`;
  if (p > 0 && p < 0.05) return "<0.1 %";
  return `${p.toFixed(1)} %`;
}
const rate = (gb, number = measured) => (isNumber(gb) ? `${number(gb)} GB/s` : NONE);
const plural = (n, one, many = `${one}s`) => `${whole(n)} ${n === 1 ? one : many}`;
