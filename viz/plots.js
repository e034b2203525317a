// SPDX-License-Identifier: Apache-2.0
// Charts by Plotly in the colours and fonts of the page, light or dark. Texts of the report stay text.

// "var(--blue)" -> its colour now.
function colorNow(color) {
  const name = /^var\((--[\w-]+)\)$/.exec(color)?.[1];
  return name ? getComputedStyle(document.documentElement).getPropertyValue(name).trim() : color;
}
const cssColor = (name) => colorNow(`var(--${name})`);
// "#0072c0" -> "rgba(0, 114, 192, 0.3)"
function faded(color, alpha) {
  const full = color.length === 4 ? `#${[...color.slice(1)].map((c) => c + c).join("")}` : color;
  const channels = [1, 3, 5].map((i) => parseInt(full.slice(i, i + 2), 16));
  return `rgba(${channels.join(", ")}, ${alpha})`;
}

// Plotly reads a little markup in texts.
const plain = (text) =>
  String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
// What to show beside the pointer: lines, the first of which is bold.
const hoverText = (lines) =>
  lines.map((line, i) => (i === 0 ? `<b>${plain(line)}</b>` : plain(line))).join("<br>");

const PLOT_CONFIG = { displaylogo: false, doubleClick: "reset", displayModeBar: "hover",
  modeBarButtons: [["zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d", "toImage"]] };

function plotAxis(more) {
  return { gridcolor: cssColor("grid"), linecolor: cssColor("line"), zerolinecolor: cssColor("line"),
    tickfont: { color: cssColor("dim"), size: 12 }, automargin: true, ...more };
}
// A logarithmic axis from 10^low to 10^high: with so many powers of ten their names are enough.
function logAxis(low, high, more) {
  return plotAxis({ type: "log", range: [low, high], exponentformat: "SI",
    ...(high - low > 2.5 ? { dtick: 1 } : {}), ...more });
}
const axisTitle = (text) => ({ text: plain(text), font: { color: cssColor("dim"), size: 12.5 } });

function plotLayout(width, more) {
  const card = cssColor("card");
  return { width, showlegend: false, hovermode: "closest", dragmode: "zoom", paper_bgcolor: card,
    plot_bgcolor: card, margin: { l: 52, r: 12, t: 12, b: 44 },
    font: { color: cssColor("text"), size: 12, family: getComputedStyle(document.body).fontFamily },
    hoverlabel: { bgcolor: card, bordercolor: cssColor("line"), font: { color: cssColor("text") },
      align: "left" },
    modebar: { bgcolor: "rgba(0,0,0,0)", color: cssColor("line"), activecolor: cssColor("accent") },
    ...more };
}

// Draws figure(width) = {data, layout, click} in `host`, now, whenever its width or the colours of the
// page change, and when what is returned is called. click gets the point that was clicked.
function plotIn(host, name, figure) {
  let width = 0;
  let clicked = () => {};
  host.setAttribute("role", "figure");
  host.setAttribute("aria-label", name);
  const update = () => {
    const now = Math.floor(host.clientWidth);
    if (now === 0) return;
    width = now;
    const { data, layout, click } = figure(width);
    clicked = click ?? (() => {});
    const first = !host.classList.contains("js-plotly-plot");
    Plotly.react(host, data, plotLayout(width, layout), PLOT_CONFIG);
    if (first) host.on("plotly_click", (event) => clicked(event.points[0]));
  };
  update();
  new ResizeObserver(() => requestAnimationFrame(() => {
    if (Math.floor(host.clientWidth) !== width) update();
  })).observe(host);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", update);
  return update;
}

// Symbols by which kinds are told apart as well as by their colours.
const PLOT_SYMBOLS = { circle: "circle", square: "square", diamond: "diamond", up: "triangle-up",
  down: "triangle-down", cross: "cross" };
