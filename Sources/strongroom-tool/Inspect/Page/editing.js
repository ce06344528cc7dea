// Changes that are not saved: made one by one, undone, and saved together.
import { resolve } from "./conflicts.js";
import { ask, el, here, model, objectLink, place, Refused, tell } from "./page.js";

const bar = document.getElementById("edits");

function announce() {
  document.dispatchEvent(new Event("changed"));
}

/** Shows beside their fields, or in the bar, why something was refused. */
function showProblems(answer) {
  const others = answer.error ? [answer.error] : [];
  const [, name, number] = location.hash.split("/");
  for (const failure of answer.failures ?? []) {
    const field = `${name}/${number}` === `object/${encodeURIComponent(failure.entity)}` && location.hash.split("/")[3]?.split("?")[0] === String(failure.number)
      ? document.querySelector(`[data-problem="${CSS.escape(failure.property ?? "")}"]`) : null;
    if (field) field.textContent = failure.message;
    else others.push(`${failure.entity} ${failure.number}${failure.property ? `, ${failure.property}` : ""}: ${failure.message}`);
  }
  showBar(answer, others);
}

let last = Promise.resolve();

/** Ends when no change is on its way. */
export function settled() { return last; }

/** Changes are made one after the other, in the order in which they were asked for. */
function perform(name, parameters, field) {
  bar.classList.add("waits");
  last = last.then(() => performNow(name, parameters, field)).finally(() => bar.classList.remove("waits"));
  return last;
}

/** A field that was set stays as it is, with its focus; all else is shown again. */
async function performNow(name, parameters = {}, field = null) {
  const problem = field?.querySelector("[data-problem]");
  try {
    const edits = await tell(name, parameters);
    if (field) {
      problem.textContent = "";
      field.classList.add("changed");
      showBar(edits);
    } else {
      announce();
    }
    return edits;
  } catch (error) {
    // Without an answer the program has ended: the line at the top says so, and later changes are tried again.
    if (!(error instanceof Refused)) return null;
    if (error.answer.conflicts?.length > 0) resolve(error.answer.conflicts, (choices) => perform("save", { choices: JSON.stringify(choices) }));
    if (problem) {
      problem.textContent = error.answer.error ?? error.answer.failures.map((failure) => failure.message).join(", ");
      showBar(error.answer);
    } else {
      showProblems(error.answer);
    }
    return null;
  }
}

function showBar(edits, problems = []) {
  const parts = [["new", edits.inserted], ["changed", edits.updated], ["deleted", edits.deleted]].filter(([, count]) => count > 0);
  const byRelationship = edits.updatedByRelationship ?? 0;
  bar.hidden = !model.isWritable || (parts.length === 0 && problems.length === 0 && !edits.canUndo && !edits.canRedo);
  if (bar.hidden) return;
  bar.replaceChildren(
    el("strong", {}, parts.length === 0 ? "nothing is unsaved" : parts.map(([what, count]) => `${count} ${what}`).join(", ")),
    byRelationship > 0 ? el("span", { class: "quiet" }, `${byRelationship} of them by a relationship, which changes the objects at both its ends`) : "",
    el("button", { disabled: !edits.canUndo, onclick: undoLast }, "Undo"),
    el("button", { disabled: !edits.canRedo, onclick: redoLast }, "Redo"),
    el("button", { disabled: parts.length === 0, onclick: () => perform("rollback") }, "Drop all"),
    el("button", { class: "main", disabled: parts.length === 0, onclick: saveAll }, "Save all"),
    el("span", { class: "links" }, ...(edits.objects ?? []).slice(0, 8).flatMap((link) => [objectLink(link), " "])),
    ...problems.map((problem) => el("p", { class: "problem", role: "alert" }, problem)));
}

export async function showEdits() {
  if (model.isWritable) showBar(await ask("edits"));
}

export function undoLast() { return perform("undo"); }
export function redoLast() { return perform("redo"); }

/** Takes in what is being typed, and saves unless a field shows why it was not taken. */
export async function saveAll() {
  document.activeElement?.blur();
  await last;
  const wrong = [...document.querySelectorAll("[data-property] [data-problem]")].find((place) => place.textContent);
  if (wrong) {
    wrong.closest("[data-property]").querySelector("input, textarea, select")?.focus();
    return showProblems({ ...await ask("edits"), error: "a field has a value that was not taken; correct it, then save" });
  }
  const isDeleted = document.querySelector("[data-deleted]") !== null;
  const saved = await perform("save");
  if (saved && isDeleted) location.hash = place(["objects", here().parts[1]]);
}

export async function insertObject(entity) {
  const edits = await perform("insert", { entity });
  if (edits?.made) location.hash = place(["object", edits.made.entity, String(edits.made.number)]);
}

export function deleteObject(object) {
  return perform("delete", { entity: object.entity, number: object.number });
}

function choice(texts) {
  return el("select", {}, el("option", { value: "", disabled: true }, "none"), ...texts.map((text) => el("option", {}, text)));
}

export function attributeEditor(object, attribute, value) {
  if (attribute.isDerived || ["binary", "transformable", "composite", "undefined"].includes(attribute.type) || value?.isCut) return null;
  const input = attribute.type === "boolean" ? choice(["true", "false"])
    : attribute.type === "string" ? el("textarea", { rows: String(Math.min((value?.text ?? "").split("\n").length, 12)) })
    : el("input", { type: "text" });
  input.setAttribute("aria-label", attribute.name);
  // A text that is not the default is being typed.
  input.value = input.defaultValue = value?.kind === "null" ? "" : value?.text ?? "";
  if (value?.kind === "null") input.setAttribute("placeholder", "none");
  const send = (parameters) => perform("set", { entity: object.entity, number: object.number, key: attribute.name, ...parameters }, input.closest("[data-property]"));
  input.addEventListener("change", () => send({ value: input.value }));
  return el("span", { class: "editor" }, input,
    attribute.isOptional ? el("button", { type: "button", title: "No value", "aria-label": `No value of ${attribute.name}`, onclick: async () => { if (await send({ null: 1 })) { input.value = ""; input.setAttribute("placeholder", "none"); } } }, "∅") : null);
}

export function linkEditor(object, relationship) {
  const input = el("input", { type: "text", placeholder: `name or number of ${relationship.destination}`, "aria-label": `Link ${relationship.name}` });
  return el("form", { class: "editor", onsubmit: async (event) => {
    event.preventDefault();
    const text = input.value;
    input.value = "";
    if (!await perform("link", { entity: object.entity, number: object.number, key: relationship.name, toEntity: relationship.destination, toNumber: text.trim() }) && input.value === "") input.value = text;
  } }, input, el("button", {}, "Link"));
}

export function unlinkButton(object, relationship, link) {
  if (!model.isWritable || object.isDeleted) return null;
  return el("button", { class: "plain", title: `Unlink ${link.title}`, onclick: () => perform("unlink", {
    entity: object.entity, number: object.number, key: relationship.name, toEntity: link.entity, toNumber: link.number }) }, "✕");
}
