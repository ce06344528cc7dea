// The objects of an entity, page by page.
import { askHere, completing, el, entityNamed, go, model, objectLink, place, problem, Refused, shown, took } from "./page.js";
import { insertObject } from "./editing.js";

const pageSize = 100;

function heading(name, sort, isSortable, sortBy) {
  if (!isSortable) return el("th", { scope: "col" }, name);
  const order = sort === name ? "ascending" : sort === `-${name}` ? "descending" : "none";
  return el("th", { scope: "col", "aria-sort": order },
    el("button", { class: "plain", onclick: () => sortBy(order === "ascending" ? `-${name}` : name) },
      name, order === "none" ? "" : order === "ascending" ? " ▲" : " ▼"));
}

function cell(one) {
  if (one.count !== undefined) return el("td", { class: "number quiet" }, one.count.toLocaleString("en"));
  if (one.link) return el("td", {}, objectLink(one.link));
  if (!one.value) return el("td", { class: "quiet" }, "…");
  return el("td", { class: one.value.kind === "number" ? "number" : undefined }, shown(one.value));
}

/** A single word is looked for in the first text. */
function meant(condition, entity) {
  const text = entity.attributes.find((one) => one.name === "name" && one.type === "string") ?? entity.attributes.find((one) => one.type === "string");
  return text && /^[\p{L}\p{N}_-]+$/u.test(condition) && !/^(TRUE|FALSE)PREDICATE$/.test(condition)
    ? `${text.name} CONTAINS[cd] '${condition}'` : condition;
}

export async function showObjects([name], parameters) {
  const entity = entityNamed(name);
  if (!entity) throw new Refused({ error: `the store has no entity ${name}` });
  const offset = Math.min(Math.max(Math.trunc(Number(parameters.offset)) || 0, 0), 2 ** 31 - 1);
  const change = (changes) => go(["objects", name], { ...parameters, offset: "", ...changes });

  const condition = el("input", { type: "text", name: "where", value: parameters.where ?? "", placeholder: "condition, as name CONTAINS 'lib'", "aria-label": "Condition", "data-first": true, autocomplete: "off", spellcheck: "false" });
  const words = el("input", { type: "search", name: "search", value: parameters.search ?? "", placeholder: "words", "aria-label": "Words" });
  const form = el("form", { class: "filter", onsubmit: (event) => { event.preventDefault(); change({ where: meant(condition.value, entity), search: words.value }); } },
    completing(condition, `${name} | where `), entity.hasWordIndex ? words : null, el("button", {}, "Filter"),
    model.isWritable && !entity.isAbstract ? el("button", { type: "button", onclick: () => insertObject(name) }, "New") : null);
  const head = [el("h2", {}, name), form];

  let answer;
  try {
    answer = await askHere("objects", { entity: name, where: parameters.where, search: parameters.search, sort: parameters.sort, offset, limit: pageSize });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return [...head, problem(error)];
  }
  const sortable = new Set(entity.attributes.filter((one) => !one.isLong && one.type !== "composite").map((one) => one.name));
  const table = el("table", {},
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "№"),
      ...answer.columns.map((column) => heading(column, parameters.sort, sortable.has(column), (sort) => change({ sort }))))),
    el("tbody", {}, ...answer.rows.map((row) => {
      const address = place(["object", row.entity, String(row.number)]);
      const open = (event) => { if (!event.target.closest("a") && getSelection().isCollapsed) location.hash = address; };
      return el("tr", { tabindex: "0", "data-open": address, onclick: open, class: row.isChanged ? "changed" : undefined },
        el("td", { class: "number" }, el("a", { href: address }, String(row.number))), ...row.cells.map(cell));
    })));
  const last = offset + answer.rows.length;
  const pages = el("p", { class: "pages" },
    el("button", { "data-page": "previous", disabled: offset === 0, onclick: () => change({ offset: String(Math.max(offset - pageSize, 0)) }) }, "← Previous"),
    el("span", { id: "range" }, answer.rows.length === 0 ? "no objects" : `${(offset + 1).toLocaleString("en")}–${last.toLocaleString("en")} of ${answer.total.toLocaleString("en")}`),
    el("button", { "data-page": "next", disabled: last >= answer.total, onclick: () => change({ offset: String(last) }) }, "Next →"),
    el("span", { class: "quiet" }, took(answer.milliseconds)));
  return [...head, pages, el("div", { class: "scrolled" }, table)];
}
