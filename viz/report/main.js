// SPDX-License-Identifier: Apache-2.0
// Each section on its own: one that cannot be drawn says so and leaves the others alone.

function drawAll() {
  const text = document.getElementById("report").textContent;
  const m = { ...modelOf(JSON.parse(text)), text };
  const sections = {
    summary: drawSummary,
    roofline: drawRoofline,
    timeline: drawTimeline,
    breakdown: drawBreakdown,
    energy: drawEnergy,
    traffic: drawTraffic,
    layers: drawTable,
    machine: drawMachine,
    data: drawData,
  };
  for (const [id, draw] of Object.entries(sections)) {
    const section = document.getElementById(id);
    try {
      draw(section, m);
    } catch (error) {
      console.error(error);
      const message = `This part could not be drawn: ${error.message}`;
      section.append(h("p", { class: "draw-error" }, message));
    }
  }
  followPointer();
  document.documentElement.dataset.drawn = "yes";
}

drawAll();
