// SPDX-License-Identifier: Apache-2.0
// Stacked bars: cycles by class, energy by component, bytes by level; of the run and of each layer.

const MOST_BARS = 100;

// One bar. values: key -> amount; full: the amount that fills the width; describe(key, value): the
// lines to show beside the pointer.
function stack(kinds, values, full, describe) {
  const segment = (key) => {
    const part = full > 0 ? values[key] / full * 100 : 0;
    const style = `width:${part.toFixed(3)}%;background:${colorOf(kinds, key)}`;
    return tip(h("span", { class: "segment", "data-kind": key, style }),
      () => describe(key, values[key]));
  };
  return h("span", { class: "stack" },
    ordered(kinds, values).filter((k) => values[k] > 0).map(segment));
}

function totalBar(kinds, values, text) {
  const total = sum(Object.values(values));
  return h("div", { class: "total-bar" }, stack(kinds, values, total, (key, value) =>
    [nameOf(kinds, key), `${text(value)}, ${percent(value / total)}`, kinds[key]?.text ?? ""]
      .filter(Boolean)));
}

// What the colours mean, and the sums; kinds with nothing are named below.
function stackLegend(kinds, values, text) {
  const all = ordered(kinds, values);
  const total = sum(Object.values(values));
  const none = all.filter((k) => !(values[k] > 0)).map((k) => nameOf(kinds, k));
  const meaning = (key) =>
    kinds[key]?.text ? h("span", { class: "dim meaning" }, ` ${kinds[key].text}`) : "";
  const row = (key) => h("tr", { title: kinds[key]?.text },
    h("td", {}, swatch(colorOf(kinds, key))),
    h("th", { scope: "row" }, nameOf(kinds, key), meaning(key)),
    h("td", { class: "number" }, text(values[key])),
    h("td", { class: "number" }, percent(values[key] / total)));
  return h("div", {},
    h("table", { class: "key" }, h("tbody", {}, all.filter((k) => values[k] > 0).map(row))),
    none.length ? note(`Nothing in: ${none.join(", ")}.`) : undefined);
}

function legendLine(kinds, values) {
  const total = sumBy(values, (v) => v);
  return h("ul", { class: "legend" }, ordered(kinds, total).filter((k) => total[k] > 0).map((key) =>
    h("li", {}, swatch(colorOf(kinds, key)), nameOf(kinds, key))));
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
  const inOrder = [...shown].sort((a, b) => a.layer.index - b.layer.index);
  const rest = largest.slice(MOST_BARS);
  const others = { values: sumBy(rest, (r) => r.values), total: sum(rest.map((r) => r.total)) };
  const grand = sum(amounts.map((a) => a.total));

  const nameButton = (layer) => h("button", { type: "button", class: "name", title: layer.name,
    on: { click: () => showLayer(layer.index) } }, layer.name);
  const bar = ({ layer, values, total }, full) => {
    const name = layer?.name ?? plural(rest.length, "other layer");
    return h("li", { class: "bar", "data-layer": layer?.index },
      layer ? nameButton(layer) : h("span", { class: "name dim" }, name),
      stack(kinds, values, full, (key, value) => [name,
        `${nameOf(kinds, key)}: ${text(value)}, ${percent(value / total)} of this bar`,
        `whole bar: ${text(total)}, ${percent(total / grand)} of the run`]),
      h("span", { class: "amount number" }, text(total)));
  };
  const list = h("ol", { class: "bars" });
  const state = { order: "run", scale: "amount" };
  const update = (change) => {
    Object.assign(state, change);
    const full = (a) => (state.scale === "share" ? a.total : largest[0].total);
    list.replaceChildren(...(state.order === "run" ? inOrder : shown).map((a) => bar(a, full(a))));
    if (rest.length) list.append(bar(others, others.total));
  };
  update({});
  return h("div", { class: "per-layer" },
    h("div", { class: "tools" }, h("h3", {}, title),
      switcher("Order", [["run", "In order"], ["size", "Largest first"]], state.order,
        (order) => update({ order })),
      switcher("Scale", [["amount", "Amount"], ["share", "Share"]], state.scale,
        (scale) => update({ scale }))),
    legend,
    scrolling(title, "bars-box", list),
    rest.length ? note(`Of ${plural(amounts.length, "layer")}, the ${MOST_BARS} with the most` +
      " have a bar; the last bar is the sum of the others, not to scale.") : undefined);
}

// The run as a bar, its legend, and the layers.
function drawStacks(section, m, kinds, values, part, text, title) {
  section.append(totalBar(kinds, values, text), stackLegend(kinds, values, text));
  const bars = layerStacks(m, kinds, part, text, title);
  if (bars) section.append(bars);
}

function drawBreakdown(section, m) {
  if (sum(Object.values(m.breakdown)) > 0) {
    const part = (l) => l.breakdown;
    drawStacks(section, m, CYCLE_CLASSES, m.breakdown, part, whole, "Cycles by layer");
  } else {
    section.append(note("The report has no breakdown of the cycles."));
  }
}

function drawEnergy(section, m) {
  if (sum(Object.values(m.energy)) > 0) {
    const joules = (x) => si(x, "J");
    drawStacks(section, m, COMPONENTS, m.energy, (l) => l.energy, joules, "Energy by layer");
  } else {
    section.append(note("The report has no energy."));
  }
}

function linkBytes(l) {
  const host = objectOf(l.traffic.host);
  return numbersIn({ dram_read: l.dramRead, dram_write: l.dramWrite,
    host_read: host.read_bytes, host_write: host.write_bytes });
}

// level -> bytes read and written in the whole run; what does not read and write is no level.
function levelBytes(m) {
  const levels = Object.create(null);
  for (const layer of m.layers) {
    for (const [level, figures] of Object.entries(layer.traffic)) {
      if (!isNumber(objectOf(figures).read_bytes)) continue;
      const entry = levels[level] ??= { read: 0, write: 0 };
      entry.read += figures.read_bytes;
      entry.write += numberOf(figures.write_bytes) ?? 0;
    }
  }
  return levels;
}

function drawTraffic(section, m) {
  const kinds = named({
    read: { name: "Read", color: "blue" },
    write: { name: "Written", color: "orange" },
  });
  const levels = levelBytes(m);
  const names = ordered(LEVELS, levels);
  const most = Math.max(0, ...names.map((n) => levels[n].read + levels[n].write));
  if (!(most > 0)) {
    section.append(note("The report has no traffic."));
    return;
  }
  const head = (key) => h("th", { scope: "col", class: "number" }, swatch(colorOf(kinds, key)),
    ` ${kinds[key].name}`);
  const row = (name) => h("tr", { class: LEVELS[name]?.part && "part", "data-level": name },
    h("th", { scope: "row" }, nameOf(LEVELS, name)),
    h("td", { class: "bar-cell" }, stack(kinds, levels[name], most, (key, value) =>
      [nameOf(LEVELS, name), `${kinds[key].name}: ${bytes(value)} (${whole(value)} bytes)`])),
    h("td", { class: "number" }, bytes(levels[name].read)),
    h("td", { class: "number" }, bytes(levels[name].write)));
  drawFlow(section, levels, kinds);
  section.append(scrolling("Traffic by level", "", h("table", { class: "levels" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Level"), h("td", {}),
      head("read"), head("write"))),
    h("tbody", {}, names.map(row)))));
  if (names.includes("l1") && names.some((n) => LEVELS[n]?.part)) {
    section.append(note("On-chip buffers are the sum of the levels set in below them."));
  }
  const bars = layerStacks(m, LINK_BYTES, linkBytes, bytes, "Off-chip bytes by layer",
    legendLine(LINK_BYTES, m.layers.map(linkBytes)));
  if (bars) section.append(bars);
}
