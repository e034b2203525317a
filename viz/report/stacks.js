// SPDX-License-Identifier: Apache-2.0
// Stacked bars: cycles by class, energy by component, bytes by level; for the run and for each layer.

const MOST_BARS = 100;

// One bar. values: key -> amount; full: the amount that fills the width.
function stack(kinds, values, full, describe) {
  return h("span", { class: "stack" }, ordered(kinds, values).filter((k) => values[k] > 0).map((key) =>
    tip(h("span", { class: "segment", "data-kind": key,
      style: `width:${(full > 0 ? values[key] / full * 100 : 0).toFixed(3)}%;background:${colorOf(kinds, key)}` }),
    () => describe(key, values[key]))));
}

// What the colours mean, and the sums; kinds with nothing are named below.
function stackLegend(kinds, values, text) {
  const all = ordered(kinds, values);
  const total = sum(Object.values(values));
  const some = all.filter((k) => values[k] > 0);
  const none = all.filter((k) => !(values[k] > 0));
  return [
    h("table", { class: "key" }, h("tbody", {}, some.map((key) => h("tr", { title: kinds[key]?.text },
      h("td", {}, h("span", { class: "swatch", style: `background:${colorOf(kinds, key)}` })),
      h("th", { scope: "row" }, nameOf(kinds, key), kinds[key]?.text ? h("span", { class: "dim meaning" }, ` ${kinds[key].text}`) : ""),
      h("td", { class: "number" }, text(values[key])),
      h("td", { class: "number" }, total > 0 ? percent(values[key] / total) : NONE))))),
    none.length ? h("p", { class: "note" }, `Nothing in: ${none.map((k) => nameOf(kinds, k)).join(", ")}.`) : undefined,
  ];
}

// Bars of the layers. part(layer): key -> amount. With many layers, the largest have a bar and the
// others share one.
function layerStacks(m, kinds, part, text, title, legend) {
  const amounts = m.layers.map((layer) => {
    const values = part(layer);
    return { layer, values, total: sum(Object.values(values)) };
  }).filter((a) => a.total > 0);
  if (!amounts.length) return undefined;
  const largest = [...amounts].sort((a, b) => b.total - a.total || a.layer.index - b.layer.index);
  const shown = largest.slice(0, MOST_BARS);
  const rest = largest.slice(MOST_BARS);
  const grand = sum(amounts.map((a) => a.total));
  const list = h("ol", { class: "bars" });
  const bar = ({ layer, values, total }, scale) => h("li", { class: "bar", "data-layer": layer?.index },
    layer ? h("button", { type: "button", class: "name", title: layer.name, on: { click: () => showLayer(layer.index) } }, layer.name)
          : h("span", { class: "name dim" }, `${plural(rest.length, "other layer")}`),
    stack(kinds, values, scale === "share" ? total : Math.max(...shown.map((a) => a.total)), (key, value) =>
      [layer?.name ?? "Other layers", `${nameOf(kinds, key)}: ${text(value)}, ${percent(value / total)} of the ${layer ? "layer" : "rest"}`,
        `${layer ? "layer" : "together"}: ${text(total)}, ${percent(total / grand)} of the run`]),
    h("span", { class: "amount number" }, text(total)));
  const state = { order: "run", scale: "amount" };
  const update = () => {
    const sorted = state.order === "run" ? [...shown].sort((a, b) => a.layer.index - b.layer.index) : shown;
    const restBar = rest.length
      ? [bar({ values: sumBy(rest.map((r) => r.values), (v) => v), total: sum(rest.map((r) => r.total)) }, "share")] : [];
    list.replaceChildren(...sorted.map((a) => bar(a, state.scale)), ...restBar);
  };
  update();
  return h("div", { class: "per-layer" },
    h("div", { class: "tools" }, h("h3", {}, title),
      switcher("Order", [["run", "In order"], ["size", "Largest first"]], state.order, (v) => { state.order = v; update(); }),
      switcher("Scale", [["amount", "Amount"], ["share", "Share"]], state.scale, (v) => { state.scale = v; update(); })),
    legend,
    h("div", { class: "scroll bars-box", tabindex: 0, role: "region", "aria-label": title }, list),
    rest.length ? h("p", { class: "note" }, `Of ${plural(amounts.length, "layer")}, the ${MOST_BARS} with the most have a bar;` +
      ` the last bar is the sum of the others, not to scale.`) : undefined);
}

function totalBar(kinds, values, text) {
  const total = sum(Object.values(values));
  return h("div", { class: "total-bar" }, stack(kinds, values, total, (key, value) =>
    [nameOf(kinds, key), `${text(value)}, ${percent(value / total)}`, kinds[key]?.text ?? ""].filter(Boolean)));
}

function drawBreakdown(section, m) {
  if (!(sum(Object.values(m.breakdown)) > 0)) {
    section.append(h("p", { class: "note" }, "The report has no breakdown of the cycles."));
    return;
  }
  section.append(totalBar(CYCLE_CLASSES, m.breakdown, whole), ...stackLegend(CYCLE_CLASSES, m.breakdown, whole).filter(Boolean));
  const bars = layerStacks(m, CYCLE_CLASSES, (l) => l.breakdown, whole, "Cycles by layer");
  if (bars) section.append(bars);
}

function drawEnergy(section, m) {
  const joule = (x) => si(x, "J");
  if (!(sum(Object.values(m.energy)) > 0)) {
    section.append(h("p", { class: "note" }, "The report has no energy."));
    return;
  }
  section.append(totalBar(COMPONENTS, m.energy, joule), ...stackLegend(COMPONENTS, m.energy, joule).filter(Boolean));
  const bars = layerStacks(m, COMPONENTS, (l) => l.energy, joule, "Energy by layer");
  if (bars) section.append(bars);
}

function linkBytes(l) {
  const host = objectOf(l.traffic.host);
  return numbersIn({ dram_read: l.dramRead, dram_write: l.dramWrite, host_read: host.read_bytes, host_write: host.write_bytes });
}

function drawTraffic(section, m) {
  const levels = Object.create(null);
  for (const layer of m.layers) {
    for (const [level, figures] of Object.entries(layer.traffic)) {
      const { read_bytes: read, write_bytes: write } = objectOf(figures);
      const entry = levels[level] ??= { read: 0, write: 0 };
      entry.read += numberOf(read) ?? 0;
      entry.write += numberOf(write) ?? 0;
    }
  }
  const names = ordered(LEVELS, levels);
  const most = Math.max(0, ...names.map((n) => levels[n].read + levels[n].write));
  if (!(most > 0)) {
    section.append(h("p", { class: "note" }, "The report has no traffic."));
    return;
  }
  const kinds = named({
    read: { name: "Read", color: "blue" },
    write: { name: "Written", color: "orange" },
  });
  const row = (name) => {
    const { read, write } = levels[name];
    return h("tr", { class: LEVELS[name]?.part ? "part" : undefined, "data-level": name },
      h("th", { scope: "row" }, nameOf(LEVELS, name)),
      h("td", { class: "bar-cell" }, stack(kinds, { read, write }, most, (key, value) =>
        [nameOf(LEVELS, name), `${kinds[key].name}: ${bytes(value)} (${whole(value)} bytes)`])),
      h("td", { class: "number" }, bytes(read)), h("td", { class: "number" }, bytes(write)));
  };
  section.append(h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Traffic by level" },
    h("table", { class: "levels" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Level"), h("th", { scope: "col" }, ""),
        Object.values(kinds).map((k) => h("th", { scope: "col", class: "number" },
          h("span", { class: "swatch", style: `background:var(--${k.color})` }), ` ${k.name}`)))),
      h("tbody", {}, names.map(row)))));
  if (names.includes("l1") && names.some((n) => LEVELS[n]?.part)) {
    section.append(h("p", { class: "note" }, "On-chip buffers are the sum of the levels set in below them."));
  }
  const bars = layerStacks(m, LINK_BYTES, linkBytes, bytes, "Off-chip bytes by layer",
    legendLine(LINK_BYTES, m.layers.map(linkBytes)));
  if (bars) section.append(bars);
}

function legendLine(kinds, values) {
  const total = sumBy(values, (v) => v);
  return h("ul", { class: "legend" }, ordered(kinds, total).filter((k) => total[k] > 0).map((key) =>
    h("li", {}, h("span", { class: "swatch", style: `background:${colorOf(kinds, key)}` }), nameOf(kinds, key))));
}
