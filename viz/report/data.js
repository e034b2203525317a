// SPDX-License-Identifier: Apache-2.0
// What else the report holds: counters, how the simulation itself went, and all of it as JSON.

function counters(tree, path = "") {
  const list = [];
  for (const [key, value] of Object.entries(objectOf(tree))) {
    const name = path ? `${path}.${key}` : key;
    if (value && typeof value === "object" && "value" in value && typeof value.value !== "object") {
      list.push({ ...value, name });
    } else {
      list.push(...counters(value, name));
    }
  }
  return list;
}

function counterTable(list) {
  const row = (c) => h("tr", {},
    h("th", { scope: "row" }, c.name),
    h("td", { class: "number" }, isNumber(c.value) ? whole(c.value) : textOf(c.value)),
    h("td", {}, textOf(c.unit)),
    h("td", { class: "dim" }, textOf(c.description)));
  return h("details", {}, h("summary", {}, `Counters (${list.length})`),
    scrolling("Counters", "", h("table", { class: "plain" }, h("tbody", {}, list.map(row)))));
}

function drawData(section, m) {
  const host = objectOf(m.report.host);
  const facts = {};
  const perSecond = host.simulated_cycles_per_s;
  if (isNumber(host.wall_s)) facts["Simulated in"] = si(host.wall_s, "s");
  if (isNumber(perSecond)) facts["Cycles simulated a second"] = si(perSecond, "");
  if (isNumber(host.events)) facts.Events = whole(host.events);
  if (isNumber(host.peak_memory_bytes)) facts["Peak memory"] = capacity(host.peak_memory_bytes);
  if (Object.keys(facts).length) section.append(pairs(facts));

  const list = counters(m.report.statistics);
  if (list.length) section.append(counterTable(list));

  const raw = h("pre", { class: "scroll", tabindex: 0 });
  const show = () => { raw.textContent ||= JSON.stringify(m.report, null, 1); };
  section.append(h("details", { on: { toggle: show } },
    h("summary", {}, "The report as JSON"), raw));

  const save = () => {
    const url = URL.createObjectURL(new Blob([m.text, "\n"], { type: "application/json" }));
    h("a", { href: url, download: "report.json" }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  };
  section.append(h("p", { class: "tools" },
    h("button", { type: "button", on: { click: save } }, "Save as JSON")));
}
