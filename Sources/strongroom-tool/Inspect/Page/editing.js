// Changes that are not saved: made one by one, undone, and saved together.
import { resolve } from "./conflicts.js";
import { ask, el, here, model, objectLink, place, Refused, shown, tell } from "./page.js";

const bar = document.getElementById("edits");
/** How much of what this page is to show it has seen: saves, and changes of every page. */
export const seen = { count: null };
/** What was typed into fields that are no longer shown, and was not taken. */
const leftBehind = new Set();
/** Whether a save was asked for while a field had a value that was not taken, and still has. */
let isSaveRefused = false;

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
    const other = failure.other ? [": ", objectLink(failure.other)] : [];
    if (field) field.replaceChildren(failure.message, ...other);
    else others.push([`${failure.entity} ${failure.number}${failure.property ? `, ${failure.property}` : ""}: ${failure.message}`, ...other]);
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

/**
 * A field that was set stays as it is, with its focus; all else is shown again. A field says what to send when its turn
 * comes, and what to do with the answer.
 */
async function performNow(name, parameters = {}, field = null) {
  try {
    const edits = await tell(name, field ? field.parameters() : parameters);
    // Only what others have announced is shown again.
    if (edits.announced === seen.count + 1) seen.count = edits.announced;
    if (field) {
      field.taken(edits);
      showBar(edits);
    } else {
      if (name === "rollback") forgetUntaken();
      announce();
    }
    return edits;
  } catch (error) {
    // Without an answer the program has ended: the line at the top says so, and later changes are tried again.
    if (!(error instanceof Refused)) return null;
    if (error.answer.conflicts?.length > 0) resolve(error.answer.conflicts, (choices) => perform("save", { choices: JSON.stringify(choices) }));
    if (field) {
      field.refused(error.answer);
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
  isSaveRefused &&= document.querySelector("[data-untaken]") !== null;
  const isUntaken = leftBehind.size > 0 || document.querySelector("[data-untaken]") !== null;
  bar.hidden = !model.isWritable || (parts.length === 0 && problems.length === 0 && !isUntaken && !edits.canUndo && !edits.canRedo);
  if (bar.hidden) return;
  bar.replaceChildren(
    el("strong", {}, parts.length === 0 ? "nothing is unsaved" : parts.map(([what, count]) => `${count} ${what}`).join(", ")),
    byRelationship > 0 ? el("span", { class: "quiet" }, `${byRelationship} of them by a relationship, which changes the objects at both its ends`) : "",
    el("button", { disabled: !edits.canUndo, onclick: undoLast }, "Undo"),
    el("button", { disabled: !edits.canRedo, onclick: redoLast }, "Redo"),
    el("button", { disabled: parts.length === 0 && !isUntaken, onclick: () => perform("rollback") }, "Drop all"),
    el("button", { class: "main", disabled: parts.length === 0, onclick: saveAll }, "Save all"),
    el("span", { class: "links" }, ...(edits.objects ?? []).slice(0, 8).flatMap((link) => [objectLink(link), " "])),
    isSaveRefused ? el("p", { class: "problem", role: "alert" }, "a field has a value that was not taken; correct it, then save") : "",
    ...problems.map((problem) => el("p", { class: "problem", role: "alert" }, problem)),
    ...[...leftBehind].map((text) => el("p", { class: "problem", role: "alert" }, text, " ",
      el("button", { class: "plain", title: "Forget it", onclick: () => { leftBehind.delete(text); showEdits(); } }, "✕"))));
}

export async function showEdits() {
  if (model.isWritable) showBar(await ask("edits"));
}

/** Leaves in the bar what was typed into a field that is shown no more, and was not taken. */
export function leaveBehind(row) {
  const { untaken, reason, property } = row.dataset;
  leftBehind.add(`${untaken}, ${property}: “${row.querySelector("input, textarea, select").value}” was not taken: ${reason}`);
}

function forgetUntaken() {
  leftBehind.clear();
  for (const row of document.querySelectorAll("[data-untaken]")) delete row.dataset.untaken;
}

export function undoLast() { return perform("undo"); }
export function redoLast() { return perform("redo"); }

/** Takes in what is being typed, and saves unless a field shows why it was not taken. */
export async function saveAll() {
  document.activeElement?.blur();
  await last;
  const wrong = document.querySelector("[data-untaken]");
  if (wrong) {
    wrong.querySelector("input, textarea, select").focus();
    isSaveRefused = true;
    return showEdits().catch(() => null);
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
  return perform("delete", { entity: object.entity, number: object.number, version: object.version });
}

function choice(texts) {
  return el("select", {}, el("option", { value: "", disabled: true }, "none"), ...texts.map((text) => el("option", {}, text)));
}

/** How all lines of a text end: a field shows every end as a line feed, and gives back only those. Null where they differ. */
function lineEnd(text) {
  const ends = [...new Set(text.match(/\r\n|\r|\n/g))];
  return ends.length > 1 ? null : ends[0] ?? "\n";
}

export function attributeEditor(object, attribute, value) {
  if (attribute.isDerived || ["binary", "transformable", "composite", "undefined"].includes(attribute.type) || value?.isCut) return null;
  if (lineEnd(value.text) === null) return [shown(value), el("p", { class: "quiet" }, "Its lines end in different ways, which a field would make the same: a program can change it.")];
  const input = attribute.type === "boolean" ? choice(["true", "false"])
    : attribute.type === "string" ? el("textarea", { rows: String(Math.min((value?.text ?? "").split("\n").length, 12)) })
    : el("input", { type: "text" });
  input.setAttribute("aria-label", attribute.name);
  /** What the person has seen, which a change is of. */
  let read = value;
  const take = (now) => {
    read = now;
    // A text that is not the default is being typed.
    input.value = input.defaultValue = now.kind === "null" ? "" : now.text.replace(/\r\n?/g, "\n");
    if (now.kind === "null") input.setAttribute("placeholder", "none");
    else input.removeAttribute("placeholder");
  };
  take(value);
  const send = (changes) => {
    const row = input.closest("[data-property]");
    const problem = row.querySelector("[data-problem]");
    const leave = () => {
      problem.replaceChildren();
      delete row.dataset.untaken;
    };
    let typed;
    Object.assign(row.dataset, { untaken: `${object.entity} ${object.number}`, reason: "it was not answered" });
    return perform("set", null, {
      parameters: () => {
        typed = input.value;
        return { entity: object.entity, number: object.number, key: attribute.name, ...(read.kind === "null" ? { readNull: 1 } : { read: read.text }), ...changes() };
      },
      taken: (edits) => {
        leave();
        row.classList.add("changed");
        if (input.value === typed) take(edits.value);
        else read = edits.value;
      },
      refused: ({ error, failures, value: now }) => {
        const reason = error ?? failures.map((failure) => failure.message).join(", ");
        row.dataset.reason = reason;
        problem.replaceChildren(...(now ? [
          "Another program or page has changed it meanwhile, to ", shown(now), " ",
          el("button", { type: "button", onclick: () => { read = now; send(changes); } }, "Take mine"), " ",
          el("button", { type: "button", onclick: () => { leave(); take(now); announce(); } }, "Take that")] : [reason]));
        if (!row.isConnected) leaveBehind(row);
      },
    });
  };
  input.addEventListener("change", () => send(() => ({ value: input.value.replaceAll("\n", lineEnd(read.text) ?? "\n") })));
  return el("span", { class: "editor" }, input,
    attribute.isOptional ? el("button", { type: "button", title: "No value", "aria-label": `No value of ${attribute.name}`, onclick: () => send(() => ({ null: 1 })) }, "∅") : null);
}

/** Where a to-one leads on the page, which a change of it is of. */
function readLink(link) {
  return link ? { read: link.number } : { readNull: 1 };
}

export function linkEditor(object, relationship, link) {
  const input = el("input", { type: "text", placeholder: `name or № of ${relationship.destination}`, "aria-label": `Link ${relationship.name}` });
  return el("form", { class: "editor", onsubmit: (event) => {
    event.preventDefault();
    const text = input.value;
    input.value = "";
    perform("link", null, {
      parameters: () => ({ entity: object.entity, number: object.number, key: relationship.name, toEntity: relationship.destination, toNumber: text.trim(), ...readLink(link) }),
      taken: announce,
      refused: ({ error, failures }) => {
        if (input.value === "") input.value = text;
        const problem = input.closest("[data-property]").querySelector("[data-problem]");
        problem.textContent = error ?? failures.map((failure) => failure.message).join(", ");
      },
    });
  } }, input, el("button", {}, "Link"));
}

export function unlinkButton(object, relationship, link) {
  if (!model.isWritable || object.isDeleted) return null;
  return el("button", { class: "plain", title: `Unlink ${link.title}`, onclick: () => perform("unlink", {
    entity: object.entity, number: object.number, key: relationship.name, toEntity: link.entity, toNumber: link.number, ...readLink(link) }) }, "✕");
}
