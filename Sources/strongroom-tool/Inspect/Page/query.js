// A query as in the shell, with its rows, its time and its plan.
import { askHere, completing, counted, el, go, objectLink, problem, shown, took } from "./page.js";

function planOf(plan, isOpen) {
  if (!plan) return null;
  return el("details", { id: "plan", open: isOpen }, el("summary", {}, "Plan"),
    plan.statement ? el("pre", {}, plan.statement) : el("p", {}, "answered in memory"),
    el("ul", {}, ...plan.steps.map((step) => el("li", { class: step.usesIndex ? "good" : "slow" }, `${step.usesIndex ? "index" : "scan"}: ${step.text}`)),
      plan.isEvaluatedInMemory ? el("li", { class: "slow" }, "then filtered in memory") : null,
      ...plan.suggestedIndexes.map((name) => el("li", {}, `an index on ${name} would help`))));
}

function linkTo(entity, number) {
  return objectLink({ entity, number, title: String(number) });
}

export async function showQuery(_, parameters) {
  const text = parameters.text ?? "";
  const line = el("input", { type: "text", name: "text", value: text, "data-first": true, "aria-label": "Query", autocomplete: "off", spellcheck: "false", placeholder: "Book | where pages > 300 | sort -pages | columns title, author.name" });
  const form = el("form", { class: "filter", onsubmit: (event) => { event.preventDefault(); go(["query"], { text: line.value }); } },
    completing(line), el("button", {}, "Run"));
  const head = [el("h2", {}, "Query"), form];
  if (!text) return [...head, el("p", { class: "quiet" }, "An entity and what to do with it: where, search, sort, limit, offset, columns, group, aggregates, having, distinct, count, explain.")];
  const answer = await askHere("query", { text }).catch((error) => error);
  if (answer instanceof Error) return [...head, problem(answer)];
  const hasObjects = answer.rows.some((row) => row.number !== undefined);
  return [
    ...head,
    el("p", { class: "quiet", id: "range" }, `${counted(answer.rows.length, "row")}${answer.isCut ? ", and more" : ""}, ${took(answer.milliseconds)}`),
    planOf(answer.plan, /\|\s*explain\b/.test(text)),
    el("div", { class: "scrolled" }, el("table", {},
      el("thead", {}, el("tr", {}, hasObjects ? el("th", { scope: "col" }, "№") : null, ...answer.columns.map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", {}, ...answer.rows.map((row) => el("tr", {},
        hasObjects ? el("td", { class: "number" }, linkTo(answer.entity, row.number)) : null,
        ...row.cells.map((one, at) => el("td", { class: one.kind === "number" ? "number" : undefined },
          one.kind === "number" && answer.destinations[at] ? linkTo(answer.destinations[at], one.text) : shown(one)))))))),
  ];
}
