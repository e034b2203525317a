// SPDX-License-Identifier: Apache-2.0
// Each section on its own: one that cannot be drawn says so and leaves the others alone. Those with charts
// come last, when the others are to be seen: to read Plotly takes a good part of a page's time.

function loadPlotly() {
  document.head.append(h("script", {}, document.getElementById("plotly").textContent));
}

// sections: function by id, called with the section and the model; charts: those of them that need Plotly.
function drawSections(sections, m, charts) {
  const draw = (id) => {
    const section = document.getElementById(id);
    try {
      sections[id](section, m);
    } catch (error) {
      console.error(error);
      const message = `This part could not be drawn: ${error.message}`;
      section.append(h("p", { class: "draw-error" }, message));
    }
  };
  for (const id of Object.keys(sections)) if (!charts.includes(id)) draw(id);
  followPointer();
  const rest = [...charts];
  const next = () => {
    const id = rest.shift();
    if (id !== undefined) {
      draw(id);
      setTimeout(next);  // what is there may be seen and used meanwhile
      return;
    }
    document.documentElement.dataset.drawn = "yes";
    document.dispatchEvent(new Event("drawn"));
  };
  setTimeout(() => {
    loadPlotly();
    next();
  });
}
