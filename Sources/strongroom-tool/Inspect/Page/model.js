// The model's diagram, to zoom, move and click in, and its properties as a table.
import { el, go, model, place } from "./page.js";

async function picture() {
  const text = await (await fetch("api/diagram.svg")).text();
  const svg = document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
  const names = new Set(model.entities.map((entity) => entity.name));
  for (const title of svg.querySelectorAll("text[text-anchor=middle]")) {
    const name = title.textContent.split(" : ")[0];
    if (!names.has(name)) continue;
    title.classList.add("entity");
    title.setAttribute("tabindex", "0");
    title.setAttribute("role", "link");
    title.addEventListener("click", () => go(["objects", name]));
    title.addEventListener("keydown", (event) => { if (event.key === "Enter") go(["objects", name]); });
  }
  svg.setAttribute("role", "group");
  return svg;
}

/** Zooms by the wheel and by buttons, moves by dragging. */
function zoomable(svg) {
  const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  let [x, y, scale] = [0, 0, 1];
  const draw = () => svg.setAttribute("viewBox", `${x} ${y} ${width / scale} ${height / scale}`);
  // The frame has the diagram's form, as far as the window allows.
  svg.style.aspectRatio = `${width} / ${height}`;
  const zoom = (factor, atX = 0.5, atY = 0.5) => {
    const next = Math.min(Math.max(scale * factor, 0.5), 12);
    x += (width / scale - width / next) * atX;
    y += (height / scale - height / next) * atY;
    scale = next;
    draw();
  };
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  svg.addEventListener("wheel", (event) => {
    event.preventDefault();
    const box = svg.getBoundingClientRect();
    zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
  }, { passive: false });
  svg.addEventListener("pointermove", (event) => {
    if (event.buttons !== 1) return;
    const box = svg.getBoundingClientRect();
    const unit = Math.max(width / scale / box.width, height / scale / box.height);
    x -= event.movementX * unit;
    y -= event.movementY * unit;
    draw();
  });
  // Where all of it would be too small to read, it begins with its upper left part.
  const begin = () => {
    const wide = svg.getBoundingClientRect().width;
    if (wide > 0 && wide / width < 0.55) {
      zoom(0.75 * width / wide, 0, 0);
    }
  };
  requestAnimationFrame(begin);
  return el("div", { class: "diagram" },
    el("p", { class: "zoom" },
      el("button", { onclick: () => zoom(1.4), title: "Larger" }, "+"), el("button", { onclick: () => zoom(1 / 1.4), title: "Smaller" }, "−"),
      el("button", { onclick: () => { [x, y, scale] = [0, 0, 1]; draw(); } }, "Whole")),
    svg);
}

export async function showModel() {
  const rows = model.entities.flatMap((entity) => [
    ...entity.attributes.map((one) => [entity.name, one.name, one.type + (one.isOptional ? "?" : "") + (one.isDerived ? ", derived" : ""), ""]),
    ...entity.relationships.map((one) => [entity.name, one.name, one.destination + (one.isToMany ? (one.isOrdered ? " * ordered" : " *") : one.isOptional ? "?" : ""), one.inverse ?? ""]),
  ]);
  return [
    el("h2", {}, "Model"),
    zoomable(await picture()),
    el("details", { id: "properties" }, el("summary", {}, `Properties (${rows.length}) of all entities (${model.entities.length})`),
      el("table", {},
        el("thead", {}, el("tr", {}, ...["entity", "property", "type", "inverse"].map((name) => el("th", { scope: "col" }, name)))),
        el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map((text, at) => el("td", {}, at === 0 ? el("a", { href: place(["objects", text]) }, text) : text))))))),
  ];
}
