// SPDX-License-Identifier: Apache-2.0
// A sweep's results as the charts want them.

// "core.matrix_unit.rows" -> "matrix_unit.rows": the last two parts tell parameters apart.
const shortPath = (path) => path.split(".").slice(-2).join(".");
const shown = (value) => (isNumber(value) ? given(value) : textOf(value));

// Distinct values of a column in order: numbers by size, others as they came.
function valuesOf(column) {
  const seen = new Map();
  for (const value of column) seen.set(textOf(value), value);
  const values = [...seen.values()];
  if (values.every(isNumber)) values.sort((a, b) => a - b);
  return values;
}

// One axis: where a point stands on it, by size for numbers, by place for others.
function axisOf(kind, index, name, points, read) {
  const column = points.map(read);
  const values = valuesOf(column);
  const numeric = values.length > 0 && values.every(isNumber);
  const places = new Map(values.map((v, i) => [textOf(v), i]));
  const [least, most] = [values[0], values[values.length - 1]];
  // Several orders of magnitude are easier to read on a logarithmic scale.
  const logarithmicScale = numeric && least > 0 && most / least >= 8;
  return { kind, index, name, values, numeric, logarithmicScale, least, most, read,
    place: (p) => places.get(textOf(read(p))) };
}

function sweepModel(data) {
  data = objectOf(data);
  const parameters = listOf(data.parameters);
  const objectives = listOf(data.objectives);
  const points = listOf(data.points).map((p, place) => ({ place, number: p.point,
    parameters: listOf(p.parameters), objectives: listOf(p.objectives), front: p.front === true }));
  const axes = [
    ...parameters.map((path, i) => axisOf("parameter", i, path, points, (p) => p.parameters[i])),
    ...objectives.map((o, i) => axisOf("objective", i, o.name, points, (p) => p.objectives[i])),
  ];
  return { data, points, objectives, parameters,
    parameterAxes: axes.slice(0, parameters.length),
    objectiveAxes: axes.slice(parameters.length),
    // An axis on which all points stand alike says nothing.
    axes: axes.filter((a) => a.values.length > 1) };
}

function bestPoint(m, i) {
  const sign = m.objectives[i].more_is_better ? -1 : 1;
  return m.points.reduce((best, p) =>
    (best && sign * best.objectives[i] <= sign * p.objectives[i] ? best : p), undefined);
}

function pointTip(m, p) {
  return [`Point ${p.number}${p.front ? ", on the Pareto front" : ""}`,
    ...m.parameters.map((path, i) => `${shortPath(path)}: ${shown(p.parameters[i])}`),
    ...m.objectives.map((o, i) => `${o.name}: ${measured(p.objectives[i])}`)];
}

let chosenPoint;
// The point that is chosen is marked wherever it stands.
function choose(number) {
  chosenPoint = number;
  document.dispatchEvent(new Event("chosen"));
  for (const e of document.querySelectorAll(".chosen")) e.classList.remove("chosen");
  for (const e of document.querySelectorAll(`[data-point="${number}"]`)) {
    e.classList.add("chosen");
    if (e.localName === "tr") e.scrollIntoView({ block: "nearest" });
  }
}

// <select> over axes. chosen: the place of the first.
function axisSelect(name, axes, chosen, change) {
  const option = (a, i) => h("option", { value: i, selected: i === chosen }, a.name);
  return h("label", {}, `${name} `, h("select", { "aria-label": name,
    on: { change: (event) => change(Number(event.currentTarget.value)) } }, axes.map(option)));
}
