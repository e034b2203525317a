// SPDX-License-Identifier: Apache-2.0
// The runs' rooflines over one another: a colour and a mark a run, its machine's ceilings in its colour.

const RUN_MARKS = ["circle", "square", "diamond", "triangle-up", "triangle-down", "cross"];

// Layers that can be drawn: with operations, a time and bytes.
const rooflinePoints = (m) => m.layers.filter((l) => l.tflops > 0 && l.intensity > 0);

function runTraces(run, range) {
  const color = colorNow(run.color);
  const points = rooflinePoints(run.model);
  const ceilings = rooflineCeilings(run.model, range).map((c) => {
    const trace = ceilingTrace(c);
    return { ...trace, name: plain(`${run.label}: ${c.name}`), line: { ...trace.line, color } };
  });
  return [...ceilings, { type: "scatter", mode: "markers", name: plain(run.label), meta: run.index,
    x: points.map((l) => l.intensity), y: points.map((l) => l.tflops), hoverinfo: "text",
    text: points.map((l) => hoverText([`${run.label}: ${l.name}`, ...rooflineTip(run.model, l).slice(1)])),
    customdata: points.map((l) => l.name),
    marker: { size: 8, opacity: 0.75, color, symbol: RUN_MARKS[run.index % RUN_MARKS.length],
      line: { color: cssColor("card"), width: 1 } } }];
}

function rooflinesFigure(m, width) {
  const ranges = m.runs.map((run) => rooflineRange(run.model, rooflinePoints(run.model), []));
  const range = { x0: Math.min(...ranges.map((r) => r.x0)), x1: Math.max(...ranges.map((r) => r.x1)),
    y0: Math.min(...ranges.map((r) => r.y0)), y1: Math.max(...ranges.map((r) => r.y1)) };
  const axis = (low, high, title) =>
    logAxis(Math.log10(low), Math.log10(high), { title: axisTitle(title) });
  return {
    data: m.runs.flatMap((run) => runTraces(run, range)),
    layout: { height: Math.max(300, Math.min(460, width * 0.6)),
      xaxis: axis(range.x0, range.x1, "operations per byte over DRAM and host link"),
      yaxis: axis(range.y0, range.y1, m.runs[0].model.unit) },
  };
}

function drawRooflines(section, m) {
  if (!m.runs.some((run) => rooflinePoints(run.model).length)) {
    return section.append(note("The reports have no layer with operations, bytes and a time."));
  }
  const host = h("div", { class: "chart" });
  section.append(h("ul", { class: "legend" }, m.runs.map((run) =>
    h("li", {}, swatch(run.color), run.label))), host);
  plotIn(host, "Rooflines of the runs; the table of layers has their times",
    (width) => rooflinesFigure(m, width));
  section.append(note("Each mark is a layer, in its run's colour; lines are what the run's machine can do."));
}
