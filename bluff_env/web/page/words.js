// Actions, cards and events in words and keys. Whatever is not named here has its meaning as the server tells it.

import { h } from "./dom.js";

const RANKS = {
  A: "ace", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine", T: "ten",
  J: "jack", Q: "queen", K: "king", JK: "joker",
};
const SUITS = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };
const ORDER = [..."A23456789TJQK", "JK"]; // in which the cards of one play are placed
const SUIT_ORDER = "CDHS";

/** What a button says, and the key that presses it. */
const SINGLE = {
  let: ["Let it be", "l"], call: ["Call!", "c"], believe: ["Believe it", "b"], check: ["Look at it", "v"],
  pass: ["Pass", "p"], "take pile": ["Take the pile", "g"], wait: ["Wait", "w"], jump: ["Jump in", "m"],
  keep: ["Keep the play", "y"], deal: ["Deal honestly", "d"], "demand redeal": ["Demand a new deal", "r"],
  accept: ["Accept", "y"], accuse: ["Accuse", "s"], commit: ["Play", "Enter"],
};
const GROUPS = {
  claim: "What do you claim?", count: "How many do you announce?", bid: "How many do you bid?",
  hide: "Hide a card in your lap", slip: "Slip a card to another player", switch: "Switch a card of your play",
  set: "Set a full set aside", to: "Who gets the card?", peek: "Peek at a card: whose?", call: "Whose play do you call?",
  short: "Deal yourself too few cards", use: "Use an Action Card", ability: "Say what it is",
  target: "Aim at a card or a player", pick: "Choose the card that is lost", bullet: "Lay a bullet on it",
};
/** Groups with many actions that are not what a turn is about: they are folded. */
export const FOLDED = new Set(["hide", "slip", "peek", "short"]);

/** Groups of actions that differ in a number. */
export const NUMBERS = new Set(["count", "bid", "short"]);

export function cardWords(name) {
  const bare = name.replace(/[()]/g, "");
  if (RANKS[bare]) return RANKS[bare];
  if (SUITS[bare]) return SUITS[bare];
  if (RANKS[bare[0]] && SUITS[bare[1]]) return RANKS[bare[0]] + " of " + SUITS[bare[1]];
  return bare.replace(/(\d)$/, " $1");
}

export function several(face) {
  const word = RANKS[face] || SUITS[face] || face;
  return SUITS[face] ? word : word + (word.endsWith("x") ? "es" : "s");
}

/** Where a card comes in a play. */
export function rank(name) {
  const first = ORDER.indexOf(name === "JK" ? name : name[0]);
  return first * 4 + Math.max(0, SUIT_ORDER.indexOf(name[1]));
}

/** The key of a card. */
export function cardKey(name) {
  return name === "JK" ? "x" : name[0] === "T" ? "0" : name[0].toLowerCase();
}

/** A text as a sentence begins; names stay as they are. */
export function sentence(text) {
  return /^player_/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

export function titleOf(group) {
  return GROUPS[group] || sentence(group);
}

/** What a button says instead if the action's meaning has this word, under rules that few games have. */
const OTHERWISE = {
  accept: ["turns", "Turn over as announced", "y"], check: ["turns", "Turn it all over", "v"],
  accuse: ["forces", "Force!", "s"], call: ["turns", "Turn it over", "c"], keep: ["shows", "Show none", "y"],
};

/** The label and the key of an action that stands alone. */
export function single({ action, meaning }) {
  const [word, label, key] = OTHERWISE[action] || [];
  return word && meaning.split(" ").includes(word) ? [label, key] : SINGLE[action] || null;
}

/** What the action's argument looks like: a card to draw, or a text. */
export function argument(action, names, seat) {
  const what = action.split(" ").pop();
  if (RANKS[what] || SUITS[what] || (RANKS[what[0]] && SUITS[what[1]] && what.length === 2)) return { card: what };
  if (action.startsWith("ability ")) return { card: what, text: what };
  const player = /^[+](\d+)$/.exec(what);
  if (player && seat !== null) return { text: names[(seat + Number(player[1])) % names.length] };
  return { text: what };
}

/** Who plays at a seat: `person`, or the name of the policy. */
export function who(kind) {
  return kind.replace(/^policy (?!\()/, "");
}

const SPEECH = {
  right_call: "You lie!", wrong_call: "You lie!", right_belief: "I believe it.", wrong_belief: "I believe it.",
  pass: "Pass.", jump: "Me first!", right_accusation: "You cheat!", wrong_accusation: "You cheat!",
  right_force: "Show me one!", wrong_force: "Show me one!", bullet: "A bullet on it!", check: "Let me see.",
  survived: "Click.", shot: "Bang!",
};
/** Seconds between two things that happen, and what they are called. */
export const PACES = [[0.2, "fast"], [0.7, "lively"], [1.5, "calm"], [3, "slow"]];
/** Events with which something new begins: what was said before them is over. */
export const OPENS = new Set(["play", "announce", "bid"]);
/** Events that settle whether a claim was true. */
export const SETTLES = {
  right_call: "good", wrong_call: "bad", right_belief: "good", wrong_belief: "bad", right_accusation: "good",
  wrong_accusation: "bad", bid_called: "", right_demand: "good", wrong_demand: "bad",
  right_force: "good", wrong_force: "bad", survived: "good", shot: "bad",
};

/** What a player says in an event, as a speech bubble; empty if they say nothing. */
export function speech(event, name) {
  if (event.text.startsWith(name + " turns ")) return ""; // a call without a word
  if (SPEECH[event.kind]) return SPEECH[event.kind];
  if (!OPENS.has(event.kind) || !event.text.startsWith(name + " ")) return "";
  const said = event.text.slice(name.length + 1).replace(/^(plays|announces|bids) /, "");
  return sentence(said) + (/[.!?]$/.test(said) ? "" : ".");
}

/** What the server tells in a line that begins so, and null if there is none: "next claim", "last claim". */
export function line(lines, start) {
  const found = lines.find((text) => text.startsWith(start + ": "));
  return found ? found.slice(start.length + 2) : null;
}

/** The claim that the next play makes, where there is only one: the face, or null. */
export function onlyClaim(lines) {
  const claimed = line(lines, "next claim");
  return [...ORDER, ...SUIT_ORDER].find((face) => claimed === several(face)) || null;
}

/** A paragraph of the rules: what it is about stands out. */
export function paragraph(text) {
  const [, topic, rest] = /^([A-Z][^.,:]{1,30}\.)( .*)$/s.exec(text) || [null, "", text];
  return topic ? h("p", {}, h("strong", { text: topic }), rest) : h("p", { text });
}

/** Whether a card is what a claim says; wild jokers are not known here. */
export function fits(card, face) {
  return card === face || (card !== "JK" && (card[0] === face || card[1] === face));
}

const FROM_THE_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const [ISOLATE, END] = ["\u2068", "\u2069"];

/**
 * A message in which the names that are written from right to left stand apart, wherever the server's sentences and
 * lines have them: they turned the figures round that follow them.
 */
export function apart(message, names) {
  const turned = names.filter((name) => FROM_THE_RIGHT.test(name)).sort((a, b) => b.length - a.length);
  if (!turned.length) return message;
  const either = new RegExp(turned.map((name) => name.replace(/[^\p{L}\p{N} ]/gu, "\\$&")).join("|"), "g");
  const walk = (value) => {
    if (typeof value === "string") return value.replace(either, ISOLATE + "$&" + END);
    if (Array.isArray(value)) return value.map(walk);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, walk(one)]));
  };
  return walk(message);
}
