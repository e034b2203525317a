// SPDX-License-Identifier: Apache-2.0
// What was varied, how many points there are, and the best of each objective.

function bestTile(m, i) {
  const best = bestPoint(m, i);
  if (!best) return undefined;
  const o = m.objectives[i];
  const at = m.parameters.map((path, k) => `${shortPath(path)} ${shown(best.parameters[k])}`);
  return h("div", {}, h("dt", {}, `${o.more_is_better ? "Highest" : "Lowest"} ${o.name}`),
    h("dd", { class: "figure" }, measured(best.objectives[i])),
    h("dd", { class: "dim" }, `point ${best.number}: ${at.join(", ")}`));
}

function drawSummary(section, m) {
  const d = m.data;
  const name = textOf(d.name, "sweep");
  document.title = `${name} – Tilewave`;
  document.getElementById("version").textContent = textOf(objectOf(d.tilewave).version);
  const facts = [textOf(d.workload) && `${textOf(d.workload)} on ${textOf(d.arch)}`,
    textOf(d.mode).replaceAll("_", " "), textOf(d.fidelity) && `${textOf(d.fidelity)} simulation`];
  section.append(h("h1", {}, name), h("p", { class: "facts" }, facts.filter(Boolean).join(" · ")));
  if (textOf(d.note)) section.append(h("p", {}, textOf(d.note)));
  const front = m.points.filter((p) => p.front).length;
  section.append(h("dl", { class: "tiles" },
    h("div", {}, h("dt", {}, "Points"), h("dd", { class: "figure" }, whole(d.count)),
      d.failed > 0 && h("dd", { class: "dim" }, `${whole(d.failed)} failed`),
      m.objectives.length > 1 && h("dd", { class: "dim" }, `${whole(front)} on the Pareto front`)),
    m.objectives.map((_, i) => bestTile(m, i))));
  if (m.points.length < d.count) {
    section.append(note(`This page has ${whole(m.points.length)} of them: the Pareto front, the` +
      " best, and others at even distances. The store has all."));
  }
  const failures = listOf(d.failures);
  if (failures.length) {
    section.append(h("details", {}, h("summary", {}, `Failed points (${whole(d.failed)})`),
      h("ul", {}, failures.map((f) => h("li", {}, `${f.point}: ${textOf(f.error)}`)))));
  }
}
