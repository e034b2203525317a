// SPDX-License-Identifier: Apache-2.0
// The share of each objective's variation that each parameter explains by itself.

function sensitivityTable(objective) {
  const row = (x) => h("tr", { "data-parameter": x.path },
    h("th", { scope: "row" }, x.path),
    h("td", { class: "number" }, percent(x.share)),
    h("td", { class: "bar-cell" }, h("div", { class: "stack" },
      h("span", { class: "segment",
        style: `width:${(100 * x.share).toFixed(2)}%;background:var(--blue)` }))),
    h("td", {}, `${textOf(x.best_at)}: ${measured(x.best_mean)}`),
    h("td", {}, `${textOf(x.worst_at)}: ${measured(x.worst_mean)}`));
  return h("table", { class: "levels" },
    h("thead", {}, h("tr", {}, h("th", {}, objective.name), h("th", { class: "number" }, "Share"),
      h("th", {}), h("th", {}, "Best at"), h("th", {}, "Worst at"))),
    h("tbody", {}, listOf(objective.sensitivities).map(row)));
}

function drawSensitivity(section, m) {
  const there = m.objectives.filter((o) => listOf(o.sensitivities).length > 0);
  if (!there.length) return section.append(note("There is no parameter that varies."));
  for (const o of there) section.append(scrolling(o.name, "", sensitivityTable(o)));
  section.append(note("The variance of the means of a parameter's values over the variance of all" +
    " points (of logarithms, where all are positive). What lacks of 100 % comes from parameters" +
    " acting together."));
}
