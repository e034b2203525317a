// SPDX-License-Identifier: Apache-2.0
// Traffic by level as a flow (Sankey) from the outside in: DRAM, L2, L1, units. A ribbon is as wide as
// the bytes that the outer level gave (read) and took (write). Ribbons of one level need not be as wide
// on both of its sides: what is read again inwards makes them wider, and that is what to see.

const FLOW = { row: 96, node: 12, top: 30, bottom: 8, thickest: 60, names: named({
  host: { name: "Host" }, dram: { name: "DRAM" }, l2: { name: "L2" }, l1: { name: "L1" },
  units: { name: "Units" } }) };

// [{from, to, read, write, column, row}]. The host link goes past the L2 (docs/model.md).
function flowLinks(levels) {
  const total = (level) => levels[level].read + levels[level].write;
  const chain = ["dram", "l2", "l1"].filter((level) => level in levels);
  if (!chain.length) return [];
  if (total(chain.at(-1)) > 0) chain.push("units");
  const links = chain.slice(0, -1).map((from, column) =>
    ({ from, to: chain[column + 1], ...levels[from], column, row: 0 }));
  if ("host" in levels && total("host") > 0 && chain.includes("l1")) {
    const column = Math.max(0, chain.indexOf("l1") - 1);
    links.push({ from: "host", to: "l1", ...levels.host, column, row: 1 });
  }
  return links;
}

// A ribbon of height `size` from (x1, y1) to (x2, y2), its upper corners.
function ribbonPath(x1, y1, x2, y2, size) {
  const middle = (x1 + x2) / 2;
  const f = (x) => x.toFixed(2);
  return `M${f(x1)} ${f(y1)}C${f(middle)} ${f(y1)} ${f(middle)} ${f(y2)} ${f(x2)} ${f(y2)}` +
    `V${f(y2 + size)}C${f(middle)} ${f(y2 + size)} ${f(middle)} ${f(y1 + size)} ` +
    `${f(x1)} ${f(y1 + size)}Z`;
}

function flowSvg(links, kinds, width) {
  const most = Math.max(...links.map((l) => l.read + l.write));
  const size = (value) => value / most * FLOW.thickest;
  const columns = Math.max(...links.map((l) => l.column)) + 2;
  const rows = Math.max(...links.map((l) => l.row)) + 1;
  const height = FLOW.top + rows * FLOW.row + FLOW.bottom;
  const xOf = (column) => column / (columns - 1) * (width - FLOW.node - 42);
  const yOf = (row) => FLOW.top + (row + 0.5) * FLOW.row;
  const nodes = new Map();
  const node = (name, column, row) => {
    if (!nodes.has(name)) nodes.set(name, { name, x: xOf(column), y: yOf(row), left: 0, right: 0 });
    return nodes.get(name);
  };
  for (const link of links) {
    node(link.from, link.column, link.row).right += size(link.read + link.write);
    node(link.to, link.column + 1, 0).left += size(link.read + link.write);
  }
  const used = new Map();  // of the left side of a node, from its top
  const ribbons = links.flatMap((link) => {
    const a = nodes.get(link.from);
    const b = nodes.get(link.to);
    let y1 = a.y - a.right / 2;
    let y2 = b.y - b.left / 2 + (used.get(b) ?? 0);
    // Ribbons of the second row rise: both of their texts are below.
    const below = a.y + a.right / 2 + 14;
    const [label1, label2] = link.row === 0 ? [y1 - 6, below] : [below, below + 15];
    used.set(b, (used.get(b) ?? 0) + size(link.read + link.write));
    const ends = `${FLOW.names[link.from].name} and ${FLOW.names[link.to].name}`;
    const ribbon = (kind) => {
      const d = ribbonPath(a.x + FLOW.node, y1, b.x, y2, size(link[kind]));
      y1 += size(link[kind]);
      y2 += size(link[kind]);
      return tip(s("path", { class: "ribbon", d, "data-from": link.from, "data-to": link.to,
        "data-kind": kind, "data-bytes": link[kind], style: `color:${colorOf(kinds, kind)}` }),
      () => [`Between ${ends}`, `${kinds[kind].name}: ${bytes(link[kind])} (${whole(link[kind])} bytes)`]);
    };
    const x = a.x + FLOW.node + 5;
    return [...["read", "write"].filter((kind) => link[kind] > 0).map(ribbon),
            label(x, label1, `${bytes(link.read)} →`, { class: "flow-text" }),
            label(x, label2, `← ${bytes(link.write)}`, { class: "flow-text" })];
  });
  const boxes = [...nodes.values()].flatMap(({ name, x, y, left, right }) => {
    const tall = Math.max(left, right, 4);
    return [s("rect", { class: "flow-node", "data-node": name, x, y: y - tall / 2, width: FLOW.node,
      height: tall }),
    label(x, y - FLOW.row / 2 - 6, FLOW.names[name].name, { class: "track-name" })];
  });
  return s("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": "Bytes between the levels of memory" }, ribbons, boxes);
}

// Nothing if there is no flow between levels.
function drawFlow(section, levels, kinds) {
  const links = flowLinks(levels);
  if (!links.some((l) => l.read + l.write > 0)) return;
  const host = h("div", { class: "chart traffic-flow" });
  section.append(host, note("Read by the inner level (→) and written by it (←), to scale; a hairline where " +
    "that is too thin to see. Wider inwards: bytes are used again there."));
  drawn(host, (width) => flowSvg(links, kinds, width));
}
