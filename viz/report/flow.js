// SPDX-License-Identifier: Apache-2.0
// Traffic by level as a flow (Sankey) from the outside in: DRAM, L2, L1, units. A ribbon is as wide as
// the bytes that the outer level gave (read) and took (write). Ribbons of one level need not be as wide
// on both of its sides: what is read again inwards makes them wider, and that is what to see.

const FLOW_NAMES = named({ host: { name: "Host" }, dram: { name: "DRAM" }, l2: { name: "L2" },
  l1: { name: "L1" }, units: { name: "Units" } });

// [{from, to, read, write}]. The host link goes past the L2 (docs/model.md).
function flowLinks(levels) {
  const total = (level) => levels[level].read + levels[level].write;
  const chain = ["dram", "l2", "l1"].filter((level) => level in levels);
  if (!chain.length) return [];
  if (total(chain.at(-1)) > 0) chain.push("units");
  const links = chain.slice(0, -1).map((from, i) => ({ from, to: chain[i + 1], ...levels[from] }));
  if ("host" in levels && total("host") > 0 && chain.includes("l1")) {
    links.push({ from: "host", to: "l1", ...levels.host });
  }
  return links;
}

function flowFigure(links, kinds) {
  const names = [...new Set(links.flatMap((l) => [l.from, l.to]))];
  const place = (name) => names.indexOf(name);
  const ribbons = links.flatMap((l) => ["read", "write"].filter((kind) => l[kind] > 0).map((kind) => {
    const ends = `${FLOW_NAMES[l.from].name} and ${FLOW_NAMES[l.to].name}`;
    const amount = `${kinds[kind].name}: ${bytes(l[kind])} (${whole(l[kind])} bytes)`;
    return { source: place(l.from), target: place(l.to), value: l[kind], name: `${l.from} ${kind}`,
      color: faded(colorNow(colorOf(kinds, kind)), 0.5), lines: hoverText([`Between ${ends}`, amount]) };
  }));
  const all = (key) => ribbons.map((r) => r[key]);
  return {
    data: [{ type: "sankey", arrangement: "fixed", meta: "flow",
      node: { label: names.map((name) => FLOW_NAMES[name].name), color: cssColor("dim"), thickness: 12, pad: 24,
        line: { width: 0 }, hoverinfo: "none" },
      link: { source: all("source"), target: all("target"), value: all("value"), label: all("name"),
        color: all("color"), customdata: all("lines"), hovertemplate: "%{customdata}<extra></extra>" } }],
    layout: { height: 150, margin: { l: 4, r: 4, t: 8, b: 8 } },
  };
}

// Nothing if there is no flow between levels.
function drawFlow(section, levels, kinds) {
  const links = flowLinks(levels);
  if (!links.some((l) => l.read + l.write > 0)) return;
  const host = h("div", { class: "chart traffic-flow" });
  section.append(host, note("Read by the inner level (→) and written by it (←), to scale. Wider inwards: bytes are used again there."));
  plotIn(host, "Bytes between the levels of memory", () => flowFigure(links, kinds));
}
