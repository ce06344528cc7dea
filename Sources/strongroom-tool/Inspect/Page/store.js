// The store's file or server, its vaults, and the check of its integrity.
import { ask, el } from "./page.js";

function vault(one) {
  const keys = one.keys.length === 1 ? `1 key, ${one.keys[0]}` : `${one.keys.length} keys`;
  return el("tr", {}, el("th", { scope: "row" }, one.name, one.isReadOnly ? el("span", { class: "type" }, "only read") : null),
    el("td", { class: one.problem ? "problem" : undefined }, one.problem ?? (one.keys.length === 0 ? "no key of this store" : keys)));
}

function checkOf() {
  const result = el("div", { id: "check", role: "status" });
  const button = el("button", { onclick: () => run(1) }, "Check integrity");
  async function run(start) {
    try {
      let check = await ask("check", { start });
      button.disabled = check.state === "running";
      while (check.state === "running") {
        const share = check.total > 0 ? check.done / check.total : 0;
        result.replaceChildren(el("progress", { value: String(share), max: "1" }), ` ${check.step} ${Math.round(share * 100)} %`);
        await new Promise((done) => setTimeout(done, 200));
        check = await ask("check");
      }
      if (check.state === "none") return;
      result.replaceChildren(check.issues.length === 0
        ? el("p", { class: "good" }, "Every page and every row is as it was written.")
        : el("ul", { class: "problem" }, ...check.issues.map((issue) => el("li", {}, issue))));
    } catch (error) {
      result.replaceChildren(el("p", { class: "problem" }, error.message));
    } finally {
      button.disabled = false;
    }
  }
  run(undefined);
  return [button, result];
}

export async function showStore() {
  const [facts, vaults] = await Promise.all([ask("store"), ask("vaults")]);
  return [
    el("h2", {}, "Store"),
    el("table", { class: "properties" }, el("tbody", {}, ...facts.map((fact) => el("tr", {}, el("th", { scope: "row" }, fact.what), el("td", {}, fact.value))))),
    el("h3", {}, "Vaults"),
    el("table", { class: "properties" }, el("tbody", {}, ...vaults.map(vault))),
    el("h3", {}, "Integrity"),
    ...checkOf(),
  ];
}
