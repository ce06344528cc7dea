// What was saved, newest first.
import { ask, askHere, counted, el, go, objectLink } from "./page.js";

const words = { insert: "inserted", update: "updated", delete: "deleted" };
const signs = { insert: "+", update: "~", delete: "−" };

function change(one) {
  const what = one.properties.length > 0 ? ` ${one.properties.join(", ")}` : "";
  const link = { entity: one.entity, number: one.number, title: `${one.entity} ${one.number}` };
  return el("li", {}, `${signs[one.kind] ?? one.kind} `, one.kind === "delete" ? link.title : objectLink(link), what);
}

function summed(counts) {
  return Object.keys(words).filter((kind) => counts[kind]).map((kind) => `${counts[kind].toLocaleString("en")} ${words[kind]}`).join(", ");
}

/** Counts the changes of a transaction when its line comes into view. */
const inView = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    inView.unobserve(target);
    ask("changes", { number: target.dataset.number, counts: 1 })
      .then(({ counts }) => { target.querySelector(".changes").textContent = summed(counts); })
      .catch(() => {});
  }
});

/** The changes are asked for when they are to be seen: an import has very many. What is open stays so when others save. */
function transaction(one) {
  const known = document.querySelector(`.transaction[data-number="${one.number}"]`);
  if (known) return known;
  const changes = el("div", {});
  const details = el("details", { ontoggle: async () => {
    if (!details.open || changes.firstChild) return;
    try {
      const { counts, changes: first } = await ask("changes", { number: one.number });
      const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
      changes.replaceChildren(
        el("p", {}, counted(all, "change")),
        el("ul", {}, ...first.map(change)),
        all > first.length ? el("p", { class: "quiet" }, `${(all - first.length).toLocaleString("en")} more`) : "");
    } catch (error) {
      changes.replaceChildren(el("p", { class: "problem" }, error.message));
    }
  } },
  el("summary", {}, el("span", { class: "count" }, String(one.number)), " ",
    el("time", { datetime: one.time }, new Date(one.time).toLocaleString()), " ",
    el("strong", {}, one.author ?? ""), " ", el("span", { class: "quiet" }, `${one.program} ${one.process}`), " ", el("span", { class: "changes" })), changes);
  const line = el("li", { class: "transaction", "data-number": String(one.number) }, details);
  inView.observe(line);
  return line;
}

export async function showHistory(_, parameters) {
  const transactions = await askHere("history", { before: parameters.before });
  const last = transactions[transactions.length - 1]?.number ?? 0;
  return [
    el("h2", {}, "History"),
    transactions.length === 0 ? el("p", { class: "quiet" }, "Nothing is recorded.") : null,
    el("ol", { class: "timeline" }, ...transactions.map(transaction)),
    last > 1 ? el("button", { "data-page": "next", onclick: () => go(["history"], { before: String(last) }) }, "Earlier →") : null,
  ].filter(Boolean);
}
