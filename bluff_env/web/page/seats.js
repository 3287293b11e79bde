// The table as a player or a watcher sees it: the other players, what they say, and what lies in the middle.

import { card, group, place } from "./cards.js";
import { h } from "./dom.js";
import * as words from "./words.js";

/** What each seat has said since the last play began: a text by seat. */
export function spoken(events, names) {
  const said = new Map();
  for (const event of events) {
    if (words.OPENS.has(event.kind)) said.clear();
    if (event.player === null || event.player === undefined) continue;
    const text = words.speech(event, names[event.player]);
    if (text) said.set(event.player, { text, kind: event.kind });
  }
  return said;
}

function bubble(said) {
  return said ? h("p", { class: "bubble " + said.kind, text: said.text }) : null;
}

/** The place of a player who is not oneself. */
export function other(state, player, said) {
  const away = state.connected[player.seat] ? null : h("span", { class: "chip away", text: "away" });
  const notes = player.notes.map((text) => h("span", { class: "chip", text }));
  return h(
    "li",
    { class: "seat" + (player.active ? " active" : ""), data: { seat: player.seat } },
    h("h3", { title: player.name }, player.name, h("small", { text: words.who(state.kinds[player.seat]) })),
    h("div", { class: "groups" }, ...player.cards.map((cards) => group(cards))),
    h("p", { class: "chips" }, ...notes, away),
    bubble(said),
  );
}

export function own(state, player, said) {
  const notes = player.notes.map((text) => h("span", { class: "chip", text }));
  return [h("h3", { text: player.name }), h("p", { class: "chips" }, ...notes), bubble(said)].filter(Boolean);
}

/** A part of the middle; cards that were turned over just now turn over on the page. */
export function middle(what, isNew) {
  const made = place(what);
  if (what.name.startsWith("pile")) made.classList.add("pile");
  if (isNew && what.name.startsWith("turned over")) made.classList.add("fresh");
  if (!what.cards.length && what.name.startsWith("pile")) made.querySelector(".groups").append(card("-"));
  return made;
}

/** How the last claim turned out, as long as nothing new has begun; null if it is open. */
export function verdict(events) {
  const last = events[events.length - 1];
  for (let index = events.length - 1; index >= 0; index--) {
    const event = events[index];
    if (words.OPENS.has(event.kind)) return null;
    const kind = words.SETTLES[event.kind];
    if (kind !== undefined) return { text: event.text, kind, isNew: event === last };
  }
  return null;
}
