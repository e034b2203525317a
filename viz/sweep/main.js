// SPDX-License-Identifier: Apache-2.0
// Each section on its own: one that cannot be drawn says so and leaves the others alone.

function drawAll() {
  const m = sweepModel(JSON.parse(document.getElementById("report").textContent));
  const sections = { summary: drawSummary, scatter: drawScatter, parallel: drawParallel,
    heat: drawHeat, sensitivity: drawSensitivity, points: drawPoints };
  for (const [id, draw] of Object.entries(sections)) {
    const section = document.getElementById(id);
    try {
      draw(section, m);
    } catch (error) {
      console.error(error);
      section.append(h("p", { class: "draw-error" },
        `This part could not be drawn: ${error.message}`));
    }
  }
  followPointer();
  document.documentElement.dataset.drawn = "yes";
}

drawAll();
