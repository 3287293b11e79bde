// Elements made by hand: everything that comes from a game goes in as text, never as markup.

export const byId = (id) => document.getElementById(id);

/**
 * An element. Of the attributes, `class` and `text` set the class and the text, `on...` functions listen to an event,
 * `data` sets data attributes, and those that are false, null or undefined are left out.
 */
export function h(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) set(made, name, value);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

function set(made, name, value) {
  if (value === false || value === null || value === undefined) return;
  if (name === "class") made.className = value;
  else if (name === "text") made.textContent = value;
  else if (name === "data") Object.assign(made.dataset, value);
  else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
  else made.setAttribute(name, value === true ? "" : value);
}

/** An SVG element; the page has a first one, which knows the name of the namespace. */
export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS(document.querySelector("svg").namespaceURI, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** A row of a table: of headings (`col`), or with a first cell that says what it is about (`row`). */
export function row(cells, scope) {
  return h("tr", {}, ...cells.map((text, index) => {
    const isHead = !index || scope === "col";
    return h(isHead ? "th" : "td", { text, scope: isHead && scope });
  }));
}

export function percent(share) {
  return Math.round(share * 100) + "%";
}

/** A payoff with its sign; one that rounds to nothing has a plus. */
export function signed(value) {
  return (value <= -0.005 ? "\u2212" : "+") + Math.abs(value).toFixed(2);
}

/** Whether a key that is pressed belongs to what has the focus, or to the browser. */
export function isTaken(event) {
  const focus = document.activeElement || document.body;
  const own = focus.matches("select, input, textarea") || focus.closest("dialog[open]");
  const presses = [" ", "Enter"].includes(event.key) && focus.matches("button, summary, a");
  return own || presses || event.ctrlKey || event.altKey || event.metaKey;
}
