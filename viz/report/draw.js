// SPDX-License-Identifier: Apache-2.0
// Each section on its own: one that cannot be drawn says so and leaves the others alone.

// sections: function by id, called with the section and the model.
function drawSections(sections, m) {
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
