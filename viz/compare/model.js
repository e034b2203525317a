// SPDX-License-Identifier: Apache-2.0
// Runs side by side, as app/compare gives them, each with the parts of its report that are drawn.

const RUN_COLORS = ["blue", "orange", "green", "pink", "yellow", "sky", "red", "violet"];

function compareModel(data) {
  const comparison = objectOf(data.comparison);
  const runs = listOf(comparison.runs).map((run, index) => {
    const report = objectOf(listOf(data.reports)[index]);
    const layers = listOf(report.layers).map(objectOf);
    const time = objectOf(report.total).time_s;
    const cycles = sumBy(layers, (l) => numbersIn(l.breakdown));
    const all = sum(Object.values(cycles));
    return {
      index,
      label: textOf(run.label, `run ${index + 1}`),
      arch: textOf(run.arch), workload: textOf(run.workload), fidelity: textOf(run.fidelity),
      color: `var(--${RUN_COLORS[index % RUN_COLORS.length]})`,
      version: textOf(objectOf(report.tilewave).version),
      // Cycles of machines with other clocks do not compare: their shares of the time do.
      seconds: Object.fromEntries(Object.entries(cycles).map(([k, v]) => [k, v / all * time])),
      model: modelOf(report),
      energy: sumBy(layers, (l) => numbersIn(l.energy_j)),
    };
  });
  return { runs, total: objectOf(comparison.total), layers: listOf(comparison.layers).map(objectOf) };
}
