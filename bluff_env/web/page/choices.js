// What a player may do now: cards to pick for a play, a claim, and a button for every other legal action.

import { card, group } from "./cards.js";
import { h } from "./dom.js";
import * as words from "./words.js";

const CALM = 300; // milliseconds: the second tap of a double tap is no answer to the next question

/** The element that has the focus in a part that is drawn anew gets it again; once it is gone, `rest` has it. */
export function redraw(root, children, rest = root) {
  const focus = root.contains(document.activeElement) ? document.activeElement : null;
  const key = focus && focus.dataset.key;
  root.replaceChildren(...children);
  if (!focus) return;
  const again = key && [...root.querySelectorAll("[data-key]")].find((one) => one.dataset.key === key && !one.disabled);
  (again || rest).focus({ preventScroll: true });
}

/** A key as it is written on a button. */
function cap(key) {
  return key ? h("kbd", { "aria-hidden": "true", text: key }) : null;
}

export class Choices {
  /**
   * @param at elements: `choices` for questions and buttons, `play` for the bar that plays what is picked, `hand` for
   *   the player's own cards, `situation` for the heading above them, which has the focus while nothing can be done.
   * @param send called with an action; returns whether it could be sent.
   */
  constructor({ choices: panel, play: bar, hand, situation: heading }, send) {
    Object.assign(this, { panel, bar, hand, heading, send });
    Object.assign(this, { state: null, plan: [], sentAt: null, calm: 0, drawn: "", keys: new Map() });
    heading.tabIndex = -1;
    this.forget();
  }

  /** Nothing is picked. */
  forget() {
    this.picked = new Set(); // places in the hand
    this.claim = null;
    this.choseClaim = false;
  }

  /** Shows a state of the table. */
  update(state) {
    const before = this.state;
    this.state = state;
    if (!before || before.hand.join() !== state.hand.join()) this.picked.clear();
    if (!this.picks) this.forget();
    this.goOn();
    this.draw();
  }

  /** What was sent last was refused or got lost on its way: nothing more is sent, and another answer may be given. */
  interrupted() {
    this.plan = [];
    this.sentAt = null;
    if (this.state) this.draw(); // this can happen before anything is shown
  }

  /** Takes the next step of a play that was put together here; each is sent when the one before has been obeyed. */
  goOn() {
    const { legal, moment } = this.state;
    if (!legal.length) this.plan = [];
    if (!this.plan.length || moment === this.sentAt) return;
    const next = this.plan.shift();
    if (this.find(next)) this.act(next);
    else this.plan = [];
  }

  /** The person answers. For a moment nothing else can be pressed. */
  answerWith(action) {
    this.settle();
    this.act(action);
  }

  settle() {
    this.calm = performance.now() + CALM;
    setTimeout(() => this.draw(), CALM + 10);
  }

  act(action) {
    if (this.send(action)) this.sentAt = this.state.moment;
    else this.plan = [];
    this.draw();
  }

  find(action) {
    return this.state.legal.find((one) => one.action === action);
  }

  may(group) {
    return this.state.legal.some((one) => one.group === group);
  }

  /** Whether cards are picked now. */
  get picks() {
    return this.may("place") || this.may("claim");
  }

  get isBusy() {
    const waits = this.plan.length > 0 || (this.state !== null && this.sentAt === this.state.moment);
    return waits || performance.now() < this.calm;
  }

  // --- a play --------------------------------------------------------------------------------------------------------

  /** How many cards may be picked at once. */
  get room() {
    if (this.state.asked) return 1;
    return this.state.most === null ? Infinity : this.state.most - this.state.chosen.length;
  }

  placing(name) {
    return this.find("place " + name) || this.find("place " + (name === "JK" ? name : name[0]));
  }

  canPick(name) {
    return this.may("claim") || Boolean(this.placing(name));
  }

  pick(index) {
    if (this.picked.has(index)) this.picked.delete(index);
    else if (this.room === 1) this.picked = new Set([index]);
    else if (this.picked.size < this.room) this.picked.add(index);
    if (!this.choseClaim && this.picked.size) this.claim = this.honest();
    this.draw();
  }

  /** The claim that the first card picked would make true, where there is a choice. */
  honest() {
    const first = this.state.hand[Math.min(...this.picked)];
    const claims = this.state.legal.filter((one) => one.group === "claim").map((one) => one.action.split(" ").pop());
    return claims.find((face) => words.fits(first, face)) || this.claim;
  }

  /** Picks the next card with this key, or puts the cards with it back if all are picked. */
  pickByKey(key) {
    const { hand } = this.state;
    const usable = [...hand.keys()].filter((index) => words.cardKey(hand[index]) === key && this.canPick(hand[index]));
    if (!usable.length) return;
    const next = usable.find((index) => !this.picked.has(index));
    if (next !== undefined && (this.picked.size < this.room || this.room === 1)) this.pick(next);
    else usable.forEach((index) => this.picked.has(index) && this.pick(index));
  }

  play() {
    if (!this.canPlay()) return;
    const cards = [...this.picked].map((index) => this.state.hand[index]).sort((a, b) => words.rank(a) - words.rank(b));
    const actions = this.state.legal.map((one) => one.action).filter((action) => action !== "place JK");
    const suited = actions.some((action) => /^(place ..|claim suit .)$/.test(action));
    const places = cards.map((name) => "place " + (suited || name === "JK" ? name : name[0]));
    const claim = this.claimAction();
    this.plan = [...(claim ? [claim] : []), ...places, ...(this.state.asked ? [] : ["commit"])];
    this.forget();
    this.settle();
    this.goOn();
  }

  claimAction() {
    const claim = this.state.legal.find((one) => one.group === "claim" && one.action.split(" ").pop() === this.claim);
    return claim ? claim.action : null;
  }

  canPlay() {
    if (this.isBusy) return false;
    if (this.may("claim")) return this.picked.size > 0 && this.claim !== null;
    return this.picked.size > 0 || Boolean(this.find("commit"));
  }

  chooseClaim(face) {
    this.claim = face;
    this.choseClaim = true;
    this.draw();
  }

  nextClaim(step) {
    const faces = this.state.legal.filter((one) => one.group === "claim").map((one) => one.action.split(" ").pop());
    const at = faces.indexOf(this.claim);
    if (faces.length) this.chooseClaim(faces[(at + step + faces.length) % faces.length] || faces[0]);
  }

  // --- keys ----------------------------------------------------------------------------------------------------------

  /** Does what a key stands for; returns whether it stands for anything. */
  press(key) {
    if (!this.state || this.isBusy) return false;
    const { picks } = this;
    const steps = { ArrowUp: -1, ArrowDown: 1 };
    if (picks && key in steps && this.may("claim")) this.nextClaim(steps[key]);
    else if (picks && key === "Enter") this.play();
    else if (picks && key === "Escape") this.clear();
    else if (this.keys.has(key)) this.keys.get(key)();
    else if (picks && /^[a2-90tjqkx]$/.test(key)) this.pickByKey(key === "t" ? "0" : key);
    else return false;
    return true;
  }

  clear() {
    this.forget();
    this.draw();
  }

  // --- what is drawn -------------------------------------------------------------------------------------------------

  draw() {
    const { legal, hand, chosen, asked, picture, over, moment } = this.state;
    const shown = [legal, hand, chosen, asked, picture, over, moment, [...this.picked], this.claim, this.isBusy];
    const text = JSON.stringify(shown);
    if (text === this.drawn) return;
    this.drawn = text;
    this.keys = new Map();
    redraw(this.panel, this.questions(), this.heading);
    redraw(this.bar, this.picks ? [this.playBar()] : [], this.heading);
    redraw(this.hand, this.ownCards(), this.heading);
    this.showClaim();
  }

  /** A row of claims that is wider than the screen is moved to the one that is chosen. */
  showClaim() {
    const chosen = this.panel.querySelector(".claims [aria-pressed=true]");
    if (!chosen) return;
    const row = chosen.parentElement;
    row.scrollLeft = chosen.offsetLeft - row.offsetLeft - (row.clientWidth - chosen.offsetWidth) / 2;
  }

  questions() {
    const groups = new Map();
    for (const one of this.state.legal) {
      if (one.group === "place" || one.action === "commit") continue;
      const name = words.single(one) ? "" : one.group;
      groups.set(name, [...(groups.get(name) || []), one]);
    }
    const singles = groups.get("") || [];
    groups.delete("");
    const folded = [...groups].filter(([name]) => words.FOLDED.has(name));
    folded.forEach(([name]) => groups.delete(name));
    const rows = (some) => some.map(([name, actions]) => this.several(name, actions));
    return [
      singles.length ? h("div", { class: "answers" }, ...singles.map((one) => this.answer(one))) : null,
      ...rows([...groups]),
      folded.length ? h("div", { class: "folded" }, ...rows(folded)) : null,
    ].filter(Boolean);
  }

  /** A big button. */
  answer({ action, meaning }) {
    const [label, key] = words.single({ action, meaning });
    this.keys.set(key, () => this.answerWith(action));
    return h(
      "button",
      { type: "button", class: "answer " + action.split(" ")[0], disabled: this.isBusy, data: { key: action, action },
        "aria-keyshortcuts": key, onclick: () => this.answerWith(action) },
      h("span", { class: "label" }, label, cap(key.toUpperCase())), 
      meaning.includes(" ") ? h("small", { text: words.sentence(meaning) }) : null,
    );
  }

  /** A group of actions that differ in what they take: a rank, a player, a number. */
  several(name, actions) {
    const claims = name === "claim";
    const digits = actions.length <= 9 && !this.picks;
    const buttons = actions.map((one, index) => {
      const face = one.action.split(" ").pop();
      const use = claims ? () => this.chooseClaim(face) : () => this.answerWith(one.action);
      const number = words.NUMBERS.has(name) ? Number(face) : index + 1;
      const key = digits && number <= 9 && !this.keys.has(String(number)) ? String(number) : null;
      if (key) this.keys.set(key, use);
      return h(
        "button",
        { type: "button", class: "choice", disabled: this.isBusy, onclick: use,
          "aria-pressed": claims && String(this.claim === face), "aria-keyshortcuts": key,
          title: words.sentence(one.meaning), "aria-label": words.sentence(one.meaning),
          data: { key: one.action, action: one.action } },
        ...this.looks(one), cap(key),
      );
    });
    const list = h("div", { class: "choices" + (claims ? " claims" : "") }, ...buttons);
    const title = words.titleOf(name);
    if (words.FOLDED.has(name)) return h("details", { class: "several" }, h("summary", { text: title }), list);
    const hint = claims ? cap("\u2191\u2193") : null;
    return h("div", { class: "several", role: "group", "aria-label": title }, h("h3", {}, title, hint), list);
  }

  /** What stands on a button: a card, a place on the table, or a text. */
  looks(one) {
    const { names, seat } = this.state;
    const aimed = /^(target [+](\d+)|pick) s(\d)$/.exec(one.action);
    if (aimed) {
      const owner = aimed[2] === undefined ? this.state.victim : (seat + Number(aimed[2])) % names.length;
      const place = this.state.picture.players.find((player) => player.seat === owner);
      const slot = Number(aimed[3]);
      const whose = owner === seat ? "yours" : names[owner] || "";
      return place ? [card(place.cards[0].names[slot - 1]), h("small", { text: whose + " " + slot })] : [one.action];
    }
    if (one.group === "claim") return [h("span", { text: words.several(one.action.split(" ").pop()) })];
    if (one.cards.length === 1) return [card(one.cards[0])];
    if (words.NUMBERS.has(one.group)) return [h("span", { text: one.action.split(" ").pop() })];
    const what = words.argument(one.action, names, seat);
    return [what.card ? card(what.card) : null, what.text ? h("span", { text: what.text }) : null].filter(Boolean);
  }

  playBar() {
    const count = this.picked.size + this.state.chosen.length;
    const forced = words.onlyClaim(this.state.picture.lines);
    const face = this.may("claim") ? this.claim : forced;
    const cards = count === 1 ? "1 card" : count + " cards";
    const play = this.state.asked ? "Choose this card" : "Play " + cards + (face ? " as " + words.several(face) : "");
    const more = this.room === 1 ? "a card" : this.room === Infinity ? "cards" : "cards (up to " + this.room + ")";
    const text = count ? play : "Pick " + more + (this.may("claim") ? " and a claim" : "");
    return h(
      "div", { class: "playbar" },
      h("button",
        { type: "button", id: "commit", class: "answer primary", disabled: !this.canPlay(), data: { key: "commit" },
          "aria-keyshortcuts": "Enter", onclick: () => this.play() },
        h("span", { class: "label" }, text, cap("Enter"))),
      h("button",
        { type: "button", id: "clear", class: "plain", disabled: !this.picked.size, data: { key: "clear" },
          onclick: () => this.clear() },
        "Put back", cap("Esc")),
    );
  }

  ownCards() {
    const own = this.state.picture.players.find((player) => player.seat === this.state.seat);
    if (!own) return [];
    return own.cards.map((cards) => {
      if (cards.label) return group(cards);
      return this.picks ? this.pickable(cards.names) : this.held(cards);
    });
  }

  /** The hand as a picture. */
  held({ names, spoken }) {
    const cards = names.map((name) => h("span", { class: "own" }, card(name)));
    const told = { role: "img", "aria-label": "Your hand: " + spoken, tabindex: "0" }; // many cards scroll, by keys too
    return h("div", { class: "hand", ...told }, ...cards);
  }

  pickable(hand) {
    const forced = this.may("claim") ? this.claim : words.onlyClaim(this.state.picture.lines);
    const buttons = hand.map((name, index) => {
      const fits = forced && words.fits(name, forced) ? " fits" : "";
      return h(
        "button",
        { type: "button", class: "own" + fits, disabled: this.isBusy || !this.canPick(name),
          "aria-pressed": String(this.picked.has(index)), "aria-keyshortcuts": words.cardKey(name),
          "aria-label": words.cardWords(name) + (fits ? ", fits the claim" : ""),
          data: { key: "own " + index, card: name }, onclick: () => this.pick(index) },
        card(name),
      );
    });
    return h("div", { class: "hand", role: "group", "aria-label": "Your hand" }, ...buttons);
  }
}
