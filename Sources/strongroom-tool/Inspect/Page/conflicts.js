// What another program has saved of an object that is changed here, and the choice between the two.
import { el, entityNamed, objectLink, shown } from "./page.js";

const dialog = document.getElementById("conflict");

const wholes = {
  deletedThere: ["It was deleted by another program.", "Store mine again", "Leave it deleted"],
  deletedHere: ["It is deleted here, and another program has changed it.", "Delete it", "Leave it, as it is stored"],
  missingDestination: ["It leads to objects that another program has deleted.", null, "Remove what leads to them"],
  changed: ["Another program has changed it, and nothing that is changed here.", null, null],
};

/** Two radio buttons in cells: mine, and theirs, which is chosen unless the person chooses otherwise. */
function pair(name, mine, theirs, choose) {
  const option = (value, label, side) => el("label", { class: "side" },
    el("input", { type: "radio", name, value: side, checked: value, onchange: () => choose(side === "theirs") }), " ", label);
  return [option(false, mine, "mine"), option(true, theirs, "theirs")];
}

function table(conflict, theirs, number) {
  return el("table", { class: "conflict" },
    el("thead", {}, el("tr", {}, ...["", "as it was read", "mine", "theirs"].map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, ...conflict.properties.map((property) => {
      theirs.add(property.name);
      const [mine, stored] = pair(`conflict-${number}-${property.name}`, shown(property.mine), shown(property.theirs),
        (isTheirs) => isTheirs ? theirs.add(property.name) : theirs.delete(property.name));
      return el("tr", { "data-conflict": property.name }, el("th", { scope: "row" }, property.name), el("td", {}, shown(property.read)), el("td", {}, mine), el("td", {}, stored));
    })));
}

/** An object that is stored again has its own values and to-ones; which objects led to it, the deletion has cleared. */
function again(text, conflict) {
  const names = entityNamed(conflict.entity).relationships.filter((one) => one.isToMany).map((one) => one.name);
  return conflict.kind === "deletedThere" && names.length > 0 ? `${text}, without what was in ${names.join(", ")}` : text;
}

function whole(conflict, theirs, number) {
  const [what, mine, stored] = wholes[conflict.kind];
  if (!stored) return [el("p", {}, what)];
  theirs.add("");
  if (!mine) return [el("p", {}, what, " ", stored, ".")];
  return [el("p", {}, what), el("p", {}, ...pair(`conflict-${number}`, again(mine, conflict), stored, (isTheirs) => isTheirs ? theirs.add("") : theirs.delete("")))];
}

/** Shows each conflict; saves with what was chosen, or leaves all as it is. */
export function resolve(conflicts, save) {
  const choices = conflicts.map(({ entity, number, version, kind }) => ({ entity, number, version, kind, theirs: new Set() }));
  const parts = conflicts.map((conflict, at) => el("section", {},
    el("h3", {}, objectLink({ ...conflict, title: conflict.title || `${conflict.entity} ${conflict.number}` })),
    conflict.properties.length > 0 ? table(conflict, choices[at].theirs, at) : whole(conflict, choices[at].theirs, at)));
  const all = (side) => { for (const input of dialog.querySelectorAll(`input[value=${side}]`)) input.click(); };
  dialog.replaceChildren(
    el("h2", {}, "Another program has saved, too"),
    el("p", { class: "quiet" }, "Nothing was saved yet. What only one side changed is saved in any case."),
    ...parts,
    el("p", { class: "pages" },
      el("button", { onclick: () => all("mine") }, "All mine"), el("button", { onclick: () => all("theirs") }, "All theirs"),
      el("button", { class: "main", onclick: () => { dialog.close(); save(choices.map((one) => ({ ...one, theirs: [...one.theirs] }))); } }, "Save these"),
      el("button", { autofocus: true, onclick: () => dialog.close() }, "Not now")));
  dialog.showModal();
}
