// The frame of the page: where it is, the entities beside it, what others save, and the keyboard.
import { ask, el, go, here, leavePlace, model, place, problem, Refused } from "./page.js";
import { leaveBehind, saveAll, seen, settled, showEdits, redoLast, undoLast } from "./editing.js";
import { showObjects } from "./objects.js";
import { showObject } from "./object.js";
import { showModel } from "./model.js";
import { showQuery } from "./query.js";
import { showHistory } from "./history.js";
import { showStore } from "./store.js";

const places = { model: "Model", query: "Query", history: "History", store: "Store" };
const views = { objects: showObjects, object: showObject, model: showModel, query: showQuery, history: showHistory, store: showStore };
const content = document.getElementById("content");
let shownNumber = 0;
let shownPlace = null;
let isLate = false;
// Whether the place is not shown yet, and whether something was saved since it is asked for.
let isFirst = false;
let isStale = false;

/** Where the page, its table and the document are scrolled to. */
function scrolled() {
  return [window.scrollY, content.scrollTop, content.querySelector(".scrolled")?.scrollTop ?? 0];
}

function scroll([document, page, table]) {
  window.scrollTo(0, document);
  content.scrollTop = page;
  const inner = content.querySelector(".scrolled");
  if (inner) inner.scrollTop = table;
}

function focusedField() {
  const field = document.activeElement;
  return content.contains(field) && field.matches("input, textarea, select") ? field : null;
}

/** Gives the field that takes the place of a focused one its focus and its selection. */
function focusAgain(before) {
  const property = before?.closest("[data-property]")?.dataset.property;
  const field = property && content.querySelector(`[data-property="${CSS.escape(property)}"]`)?.querySelector("input, textarea, select");
  field?.focus();
  if (typeof before?.selectionStart === "number") field?.setSelectionRange?.(before.selectionStart, before.selectionEnd);
}

/** What is written for a link that was not made, and why not. */
function linksBegun() {
  return [...content.querySelectorAll("[data-property] form input")].filter((input) => input.value !== "").map((input) => {
    const row = input.closest("[data-property]");
    return [row.dataset.property, { value: input.value, problem: [...row.querySelector("[data-problem]").childNodes] }];
  });
}

/**
 * Shows the place that the address names. Shown again, it has unfolded what was unfolded and the fields whose text is not
 * taken, and waits while a text is being typed. A place that is not shown yet is not begun anew: a long search would never
 * end where others save.
 */
async function show(isRefresh = false) {
  if (isRefresh && isFirst) return void (isStale = true);
  leavePlace();
  [isFirst, isStale] = [!isRefresh, false];
  const address = location.hash;
  const { parts, parameters } = here();
  const name = parts[0] ?? "model";
  const number = ++shownNumber;
  for (const link of document.querySelectorAll("#places a, #entities a")) {
    const isCurrent = link.dataset.place === name || (["objects", "object"].includes(name) && link.dataset.entity === parts[1]);
    if (isCurrent) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  try {
    const view = await (Object.hasOwn(views, name) ? views[name] : showModel)(parts.slice(1), parameters);
    if (number !== shownNumber) return;
    const isAgain = shownPlace === address;
    const focused = focusedField();
    isLate = isAgain && focused !== null && focused.value !== focused.defaultValue;
    if (isLate) return;
    const open = [...content.querySelectorAll("details[id][open]")].map((one) => one.id);
    const linking = isAgain ? linksBegun() : [];
    const untaken = [...content.querySelectorAll("[data-untaken]")];
    content.replaceChildren(...[view].flat());
    shownPlace = address;
    if (isAgain) for (const id of open) content.querySelector(`#${id}`)?.setAttribute("open", "");
    for (const row of untaken) {
      const field = isAgain ? content.querySelector(`[data-property="${CSS.escape(row.dataset.property)}"]`) : null;
      if (field) field.replaceWith(row);
      else leaveBehind(row);
    }
    for (const [property, before] of linking) {
      const form = content.querySelector(`[data-property="${CSS.escape(property)}"] form`);
      if (form) form.querySelector("input").value = before.value;
      form?.closest("[data-property]").querySelector("[data-problem]").replaceChildren(...before.problem);
    }
    if (untaken.some((row) => !row.isConnected)) showEdits();
    focusAgain(focused);
    document.title = `${content.querySelector("h2")?.textContent ?? "Strongroom"} – Strongroom`;
  } catch (error) {
    if (number !== shownNumber) return;
    // A new object that was dropped has no page any more.
    if (shownPlace === address && content.querySelector("[data-new]")) return void go(["objects", parts[1]]);
    for (const row of content.querySelectorAll("[data-untaken]")) leaveBehind(row);
    shownPlace = null;
    content.replaceChildren(problem(error));
    if (!(error instanceof Refused)) throw error;
  } finally {
    if (number === shownNumber) isFirst = false;
  }
  if (isStale && number === shownNumber) await showAgain();
}

/** Each entity before its subentities. */
function tree(parent) {
  return model.entities.filter((entity) => (entity.parent ?? null) === parent).flatMap((entity) => [entity, ...tree(entity.name)]);
}

async function showEntities() {
  const counts = await ask("counts");
  document.getElementById("entities").replaceChildren(
    el("ul", {}, ...tree(null).map((entity) =>
      el("li", { class: entity.parent ? "sub" : undefined },
        el("a", { href: place(["objects", entity.name]), "data-entity": entity.name }, entity.name,
          el("span", { class: "count" }, counts[entity.name].toLocaleString("en")))))));
}

async function showAgain() {
  const place = scrolled();
  await show(true);
  scroll(place);
}

/** Shows again what others have saved, and what other pages have changed. */
async function watch() {
  const live = document.getElementById("live");
  for (;;) {
    try {
      const { announced, isReplaced } = await ask("announced", { seen: seen.count });
      seen.count ??= announced;
      live.textContent = isReplaced ? "The store's file was replaced or removed, and this is what was in it: start the program again." : "live";
      live.className = isReplaced ? "off" : "on";
      if (announced > seen.count) {
        seen.count = announced;
        await Promise.all([showEntities(), showEdits()]);
        if (focusedField()) isLate = true;
        else await showAgain();
      }
    } catch {
      live.textContent = "The program has ended: start it again. What was not saved is lost.";
      live.className = "off";
      await new Promise((done) => setTimeout(done, 2000));
    }
  }
}

const help = [
  ["/", "to the condition or the query"], ["j k", "to the next or previous row"], ["Enter", "open the row"],
  ["[ ]", "previous or next page"], ["m q h s", "model, query, history, store"], ["Backspace", "back"],
  ["Ctrl-Z Ctrl-Shift-Z", "undo and redo an unsaved change"], ["Ctrl-S", "save all changes"], ["?", "this list"],
];

function showHelp() {
  const dialog = document.getElementById("help");
  dialog.replaceChildren(
    el("h2", {}, "Keys"),
    el("dl", {}, ...help.flatMap(([keys, what]) => [el("dt", {}, keys), el("dd", {}, what)])),
    el("button", { onclick: () => dialog.close() }, "Close"));
  dialog.showModal();
}

function moveRow(step) {
  const rows = [...content.querySelectorAll("tr[data-open]")];
  if (rows.length === 0) return;
  const at = rows.indexOf(document.activeElement);
  rows[Math.min(Math.max(at + step, 0), rows.length - 1)].focus();
}

const keys = {
  "/": () => {
    const input = content.querySelector("[data-first]");
    input?.focus();
    input?.setSelectionRange(input.value.length, input.value.length);
  },
  j: () => moveRow(1),
  k: () => moveRow(-1),
  "[": () => content.querySelector("[data-page=previous]")?.click(),
  "]": () => content.querySelector("[data-page=next]")?.click(),
  m: () => go(["model"]),
  q: () => go(["query"]),
  h: () => go(["history"]),
  s: () => go(["store"]),
  "?": showHelp,
  Backspace: () => history.back(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey && model.isWritable) {
    const typed = event.target.matches("input, textarea");
    if (event.key === "s") { event.preventDefault(); return void saveAll(); }
    if (!typed && event.key === "z") { event.preventDefault(); return void undoLast(); }
    if (!typed && event.key === "Z") { event.preventDefault(); return void redoLast(); }
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
  if (event.key === "Enter" && event.target.dataset.open) return void (location.hash = event.target.dataset.open);
  const action = keys[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

document.addEventListener("again", () => show());
document.addEventListener("changed", async () => {
  await Promise.all([showEntities(), showAgain(), showEdits()]);
});
content.addEventListener("focusout", async () => {
  if (!isLate) return;
  await settled();
  await showAgain();
});
let isBack = false;
window.navigation?.addEventListener("navigate", (event) => { isBack = event.navigationType === "traverse"; });
const left = new Map();
window.addEventListener("hashchange", async (event) => {
  left.set(event.oldURL, scrolled());
  const place = isBack ? left.get(event.newURL) : null;
  // What is being typed is taken, or refused, before its field is left.
  focusedField()?.blur();
  await settled();
  await show();
  scroll(place ?? [0, 0, 0]);
});

Object.assign(model, await ask("model"));
document.getElementById("store").textContent = model.title;
document.getElementById("store").title = model.store;
document.getElementById("places").replaceChildren(
  ...Object.entries(places).map(([name, title]) => el("a", { href: place([name]), "data-place": name }, title)),
  el("button", { onclick: showHelp, title: "Keys" }, "?"));
await Promise.all([showEntities(), showEdits()]);
await show();
document.body.dataset.ready = "1";
watch();
