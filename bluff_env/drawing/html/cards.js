// Cards, and the places of a table where they lie.

import { h, percent, svg } from "./dom.js";

const SHEET = document.documentElement.dataset.cards || ""; // where the cards are, if not in the page itself

/** The name of a card's drawing, as bluff_env/drawing/cards.py has it. */
function drawing(name) {
  if (name === "?") return "card-back";
  if (name === "-") return "card-none";
  return name.startsWith("(") ? "card-" + name.slice(1, -1) + "-down" : "card-" + name;
}

/** A text in which tens are written as on the cards: `10` for `T`. */
export function tens(text) {
  return text.replace(/(^|[ (])T(?=[CDHS]?($|[ ,:;.)]))/g, "$110");
}

export function card(name) {
  const kind = name === "?" ? "card unknown" : "card";
  return svg("svg", { class: kind, "aria-hidden": "true" }, svg("use", { href: SHEET + "#" + drawing(name) }));
}

/** Cards that lie together, as one picture with a name. */
export function group(cards) {
  const fan = h("div", { class: cards.names.length > 5 ? "fan many" : "fan", role: "img", "aria-label": cards.spoken });
  fan.append(...cards.names.map(card));
  return h("div", { class: "group" }, cards.label ? h("small", { text: cards.label }) : null, fan);
}

/** A part of the table: its name, remarks about it, and its cards. */
export function place(what, notes = what.notes) {
  return h(
    "div",
    { class: what.active ? "place active" : "place" },
    h("h3", { text: what.name }),
    notes.length ? h("p", { text: notes.join(" \u00b7 ") }) : null,
    h("div", { class: "groups" }, ...what.cards.map(group)),
  );
}

/** An event in a line, with what it hides where that may be known. */
export function told(event) {
  const line = h("span", { text: event.text });
  if (event.truth) {
    const kind = event.truth.includes("forced") ? "forced" : event.truth.includes("free") ? "free" : "";
    line.append(
      h("span", { class: "hides", text: "  " + tens(event.cards.join(" ")) + ": " }),
      h("span", { class: "truth " + kind, text: event.truth }),
    );
  }
  return line;
}

/** What a policy would choose, as bars: [name, text, share] of each action. */
export function bars(shares, chosen) {
  const shown = shares.filter(([name, , share], index) => (index < 8 && share >= 0.005) || name === chosen);
  return shown.map(([name, text, share]) => {
    const bar = h("span", { class: "bar" }, h("span"));
    bar.firstChild.style.width = percent(share);
    return h(
      "li",
      { class: name === chosen ? "chosen" : "" },
      h("span", { text: tens(name === chosen ? text + " (chosen)" : text) }),
      bar,
      h("span", { class: "share", text: percent(share) }),
    );
  });
}
