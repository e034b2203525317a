// SPDX-License-Identifier: Apache-2.0
// The runs' totals, and what their time and energy go to, as bars to one scale.

const QUANTITIES = [
  ["cycles", "Cycles", whole],
  ["time_s", "Time", (x) => si(x, "s")],
  ["utilization", "Utilization", percent],
  ["dram_bytes", "DRAM", bytes],
  ["energy_j", "Energy", (x) => si(x, "J")],
];

const times = (x) => (isNumber(x) ? `${given(x)} ×` : NONE);

function drawRuns(section, m) {
  document.getElementById("version").textContent = m.runs[0]?.version ?? "";
  const head = QUANTITIES.map(([, name]) => h("th", { scope: "col", class: "number" }, name));
  const row = (run) => h("tr", { "data-run": run.index },
    h("th", { scope: "row" }, swatch(run.color), ` ${run.label}`),
    h("td", {}, [run.workload, run.arch, run.fidelity].filter(Boolean).join(", ")),
    QUANTITIES.map(([key, , text]) =>
      h("td", { class: "number" }, text(listOf(m.total[key])[run.index]))),
    h("td", { class: "number" }, run.index === 0 ? h("span", { class: "dim" }, "1 ×")
      : times(listOf(m.total.speedup)[run.index])));
  section.append(scrolling("Runs", "", h("table", { class: "levels" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Run"), h("th", { scope: "col" }, "Of"),
      head, h("th", { scope: "col", class: "number" }, "As fast as the first"))),
    h("tbody", {}, m.runs.map(row)))));
}

// A bar a run, all to the scale of the longest.
function runStacks(section, m, kinds, part, text, none) {
  const amounts = m.runs.map((run) => ({ run, values: part(run), total: sum(Object.values(part(run))) }));
  const full = Math.max(0, ...amounts.map((a) => a.total));
  if (!(full > 0)) return section.append(note(none));
  const bar = ({ run, values, total }) => h("li", { class: "bar", "data-run": run.index },
    h("span", { class: "name", title: run.label }, run.label),
    stack(kinds, values, full, (key, value) => [run.label,
      `${nameOf(kinds, key)}: ${text(value)}, ${percent(value / total)} of this bar`]),
    h("span", { class: "amount number" }, text(total)));
  section.append(h("ol", { class: "bars" }, amounts.map(bar)),
    legendLine(kinds, amounts.map((a) => a.values)));
}

const drawWhere = (section, m) => runStacks(section, m, CYCLE_CLASSES, (run) => run.seconds,
  (x) => si(x, "s"), "The reports have no breakdown of the cycles.");
const drawJoules = (section, m) => runStacks(section, m, COMPONENTS, (run) => run.energy,
  (x) => si(x, "J"), "The reports have no energy.");
