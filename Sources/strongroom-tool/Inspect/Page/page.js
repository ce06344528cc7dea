// What every part of the page uses: elements, requests, addresses.

/** Makes an element. Text is set as text, so that no value of a store becomes markup. */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

export class Refused extends Error {
  constructor(answer) {
    super(answer.error ?? "it was refused");
    this.answer = answer;
  }
}

// What the program takes: it ends the connection of a longer one, which may not read its answer then.
const longestAddress = 60_000;

async function answer(response) {
  if (response.status === 404) throw new Refused({ error: "the program that serves this page has ended, or has no such page" });
  const json = await response.json();
  if (!response.ok) throw new Refused(json);
  return json;
}

/** Parameters as the program reads them: a space is no plus sign. */
function encoded(parameters) {
  return new URLSearchParams(parameters).toString().replaceAll("+", "%20");
}

/** Asks for something; parameters that are empty are left out. */
export async function ask(name, parameters = {}, signal = undefined) {
  const query = encoded(Object.entries(parameters).filter(([, value]) => value !== "" && value !== undefined && value !== null));
  if (query.length > longestAddress) throw new Refused({ error: `the condition or query is too long: it may have ${longestAddress.toLocaleString("en")} letters and digits, where any other sign counts as three or more` });
  return answer(await fetch(`api/${name}?${query}`, { signal }));
}

let shownPlace = new AbortController();

/** Asks for what a place shows; when the page leaves the place, the program stops looking for it. */
export function askHere(name, parameters) {
  return ask(name, parameters, shownPlace.signal);
}

/** Gives up what the place before was asked for. */
export function leavePlace() {
  shownPlace.abort();
  shownPlace = new AbortController();
}

/** Why something is not shown; what was interrupted can be asked again. */
export function problem(error) {
  return el("p", { class: "problem", role: "alert" }, error.message,
    error.answer?.isInterrupted ? [" ", el("button", { onclick: () => document.dispatchEvent(new Event("again")) }, "Ask again")] : null);
}

/** Changes something. */
export async function tell(name, parameters = {}) {
  const body = Object.fromEntries(Object.entries(parameters).map(([key, value]) => [key, String(value)]));
  return answer(await fetch(`api/${name}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }));
}

/** The address of a value's bytes. */
export function valueAddress(entity, number, key, isShown) {
  return `api/value?${encoded({ entity, number, key, ...(isShown ? { show: 1 } : {}) })}`;
}

/** The address of a place in the page, with parameters that are not empty. */
export function place(parts, parameters = {}) {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value));
  const text = query.toString();
  return `#/${parts.map(encodeURIComponent).join("/")}${text ? `?${text}` : ""}`;
}

/** The place that the address bar names. */
export function here() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const decoded = (part) => {
    try { return decodeURIComponent(part); } catch { return part; }
  };
  return { parts: path.split("/").filter(Boolean).map(decoded), parameters: Object.fromEntries(new URLSearchParams(query ?? "")) };
}

export function go(parts, parameters) {
  location.hash = place(parts, parameters);
}

/** An object as a link. */
export function objectLink(link) {
  return el("a", { href: place(["object", link.entity, String(link.number)]), title: `${link.entity} ${link.number}` }, link.title);
}

/** A value as it is shown in a table or a form. */
export function shown(value) {
  if (!value) return el("span", { class: "quiet" }, "…");
  if (value.kind === "null") return el("span", { class: "quiet" }, "none");
  return el("span", { class: `value ${value.kind}` }, value.text, value.isCut ? el("span", { class: "quiet" }, " …") : null);
}

/** A structure with its parts on lines of their own. */
export function unfolded(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** So many of something: "1 object", "2,000 objects". */
export function counted(count, what) {
  return `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
}

export function took(milliseconds) {
  return `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`;
}

export const model = { store: "", title: "", isWritable: false, entities: [] };

export function entityNamed(name) {
  return model.entities.find((entity) => entity.name === name);
}

/** Offers what a text may go on with, under an input. */
export function completing(input, before = "") {
  const list = el("ul", { class: "choices", role: "listbox", hidden: true });
  let chosen = -1;
  let asked = 0;
  const close = () => {
    list.hidden = true;
    chosen = -1;
  };
  const take = (word, text) => {
    const end = input.selectionStart;
    input.setRangeText(text, end - word.length, end, "end");
    close();
    input.focus();
  };
  input.addEventListener("input", async () => {
    const number = ++asked;
    try {
      const { word: [word], words } = await ask("complete", { text: before + input.value.slice(0, input.selectionStart) });
      if (number !== asked) return;
      const offered = words.filter((one) => one !== word);
      list.replaceChildren(...offered.slice(0, 12).map((one) => el("li", { role: "option", onmousedown: (event) => { event.preventDefault(); take(word, one); } }, one)));
      list.hidden = offered.length === 0 || (word === "" && input.value !== "");
      list.dataset.word = word;
      chosen = -1;
    } catch { close(); }
  });
  input.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    const options = [...list.children];
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      chosen = (chosen + (event.key === "ArrowDown" ? 1 : -1) + options.length) % options.length;
      options.forEach((option, at) => option.setAttribute("aria-selected", at === chosen));
      event.preventDefault();
    } else if (event.key === "Tab" || (event.key === "Enter" && chosen >= 0)) {
      take(list.dataset.word, options[Math.max(chosen, 0)].textContent);
      event.preventDefault();
    } else if (event.key === "Escape") {
      close();
      event.stopPropagation();
    }
  });
  input.addEventListener("blur", close);
  return el("span", { class: "completing" }, input, list);
}
