// SPDX-License-Identifier: Apache-2.0
// Elements. Text from the report becomes text nodes and attribute values here, never markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") {
      for (const [event, call] of Object.entries(value)) element.addEventListener(event, call);
    } else {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  for (const child of children.flat()) {
    if (child !== undefined && child !== null && child !== false) element.append(child);
  }
  return element;
}

// h("p", {class: "note"}, "text", element...)
const h = (tag, attributes, ...children) =>
  fill(document.createElement(tag), attributes, children);
const s = (tag, attributes, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

const note = (...text) => h("p", { class: "note" }, ...text);
const swatch = (color) => h("span", { class: "swatch", style: `background:${color}` });
// What scrolls by itself can be reached with the keyboard, and so must have a name.
const scrolling = (name, kind, child) => h("div", { class: `scroll ${kind}`, tabindex: 0,
  role: "region", "aria-label": name }, child);

// Puts what draw(width) returns into `host`, now and whenever its width has changed.
function drawn(host, draw) {
  let width = 0;
  const update = () => {
    const now = Math.floor(host.clientWidth);
    if (now === width || now === 0) return;
    width = now;
    host.replaceChildren(draw(width));
  };
  update();
  new ResizeObserver(() => requestAnimationFrame(update)).observe(host);
  return host;
}

// What to show beside the pointer over an element: lines() is called then. The first line is bold.
const tips = new WeakMap();
function tip(element, lines) {
  tips.set(element, lines);
  return element;
}

function showTip(element, lines, x, y) {
  const box = document.getElementById("tip");
  box.replaceChildren(...lines.map((line, i) => h(i === 0 ? "b" : "span", {}, line)));
  box.hidden = false;
  const left = Math.min(x + 14, document.documentElement.clientWidth - box.offsetWidth - 6);
  const below = y + 16 + box.offsetHeight < window.innerHeight;
  box.style.left = `${Math.max(6, left)}px`;
  box.style.top = `${below ? y + 16 : Math.max(6, y - 12 - box.offsetHeight)}px`;
}

function hideTip() {
  document.getElementById("tip").hidden = true;
}

function followPointer() {
  const over = (event) => {
    let element = event.target;
    while (element && !tips.has(element)) element = element.parentElement;
    if (element) {
      showTip(element, tips.get(element)(event), event.clientX, event.clientY);
    } else {
      hideTip();
    }
  };
  document.addEventListener("pointermove", over, { passive: true });
  document.addEventListener("pointerdown", over, { passive: true });
  document.addEventListener("pointerleave", hideTip);
  document.addEventListener("scroll", hideTip, { passive: true, capture: true });
}

// Buttons of which one is pressed. choices: [[value, text]...].
function switcher(label, choices, chosen, choose) {
  const buttons = choices.map(([value, text]) =>
    h("button", {
      type: "button",
      "aria-pressed": String(value === chosen),
      on: {
        click: ({ currentTarget }) => {
          for (const b of buttons) b.setAttribute("aria-pressed", String(b === currentTarget));
          choose(value);
        },
      },
    }, text));
  return h("span", { class: "switch", role: "group", "aria-label": label }, buttons);
}
