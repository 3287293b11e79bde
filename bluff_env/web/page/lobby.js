// Where people choose what is played, by which house rules, and who sits where.

import { closeIt, dialog } from "./dialogs.js";
import { h } from "./dom.js";
import { fieldRow } from "./fields.js";
import { ask } from "./server.js";
import { paragraph } from "./words.js";

const YOU = "you";
const PERSON = "person";
const WAIT = 250; // milliseconds after the last change until the rules are described anew
const TIMERS = [["no timer", ""], ["10 seconds", "10"], ["20 seconds", "20"], ["40 seconds", "40"]];
const PACES = [["fast", "0.2"], ["lively", "0.7"], ["calm", "1.5"], ["slow", "3"]];
const LAST = "last choice"; // of this browser window, so that a new game begins as the one before

/** Shows the lobby; returns what ends it. */
export function lobby(root, { visit, look }) {
  document.title = "bluff-env: the table";
  const shown = new Lobby(root, visit, look);
  shown.start();
  return () => clearTimeout(shown.waiting);
}

function options(pairs, chosen) {
  return pairs.map(([text, value]) => new Option(text, value, value === chosen, value === chosen));
}

/** How strong a policy is, without the less telling opponents. */
function inShort(strength) {
  const [wins, average] = strength.split("; ");
  const told = wins.replace(/^wins /, "").split(", ").filter((part) => / (honest|counter)$/.test(part));
  return average && told.length ? "wins " + told.join(", ") + "; " + average : strength;
}

class Lobby {
  constructor(root, visit, look) {
    Object.assign(this, { root, visit, look, rules: {}, seats: [], policies: [], families: [], asked: 0 });
    const at = (this.at = {});
    const make = (name, tag, attributes = {}, ...children) =>
      (at[name] = h(tag, { id: name, ...attributes }, ...children));
    const labelled = (text, control) => h("label", { class: "field" }, h("span", { text }), control);
    root.replaceChildren(
      h("header", {}, h("h1", { text: "Games of bluff" }),
        h("div", { class: "tools" },
          h("label", { class: "button" }, "Open a record",
            make("record", "input", { type: "file", accept: ".jsonl,.json,.txt", class: "unseen",
              onchange: () => this.openRecord() })))),
      make("problem", "div", { role: "alert", hidden: true }),
      h("main", { class: "lobby" },
        h("form", { class: "box setup", onsubmit: (event) => event.preventDefault() },
          h("fieldset", {}, h("legend", { text: "Game" }), make("families", "div", { class: "row" })),
          labelled("Variant", make("variant", "select", { onchange: () => this.chooseVariant(at.variant.value) })),
          make("summary", "p", { class: "faint" }),
          labelled("Players", make("players", "select",
            { onchange: () => this.choosePlayers(Number(at.players.value)) })),
          h("fieldset", {}, h("legend", { text: "Who plays" }), make("seats", "ol")),
          make("house", "details", {}, h("summary", {}, "House rules ", make("changed", "small")),
            make("find", "input", { type: "search", placeholder: "find a rule", "aria-label": "Find a rule",
              oninput: () => this.find() }),
            make("fields", "div"),
            h("button",
              { type: "button", class: "plain", text: "As in the variant", onclick: () => this.resetRules() })),
          h("details", {}, h("summary", { text: "Pace, timer, seed" }),
            labelled("Pace", make("pace", "select", {}, ...options(PACES, "0.7"))),
            labelled("Time for an answer", make("timer", "select", {}, ...options(TIMERS, ""))),
            labelled("Seed", make("seed", "input", { inputmode: "numeric", placeholder: "drawn at random" }))),
          h("div", { class: "answers go" },
            make("sit", "button", { type: "button", class: "answer primary", onclick: () => this.open(false) },
              h("span", { class: "label", text: "Sit down" }), h("small", { text: "Play at this table" })),
            make("watch", "button", { type: "button", class: "answer", onclick: () => this.open(true) },
              h("span", { class: "label", text: "Watch" }), h("small", { text: "Policies play one another" })))),
        h("section", { class: "box laws", "aria-label": "Rules", tabindex: "0" },
          make("rulesTitle", "h2", { text: "Rules" }), make("laws", "div", { "aria-live": "polite" }))),
    );
  }

  async start() {
    try {
      const { families, policies } = await ask("/api/games");
      Object.assign(this, { families, all: policies });
    } catch (error) {
      this.complain(error.message);
      return;
    }
    const last = JSON.parse(sessionStorage.getItem(LAST) || "null");
    this.at.families.replaceChildren(...this.families.map((family) =>
      h("label", { class: "radio" }, h("input", { type: "radio", name: "family", value: family.name,
        onchange: () => this.chooseFamily(family.name) }), h("span", { text: family.label }))));
    if (last && this.families.some((family) => family.name === last.family)) this.restore(last);
    else this.chooseFamily(this.families[0].name);
  }

  restore({ family, variant, players, rules, seats }) {
    this.chooseFamily(family, variant);
    this.rules = rules;
    this.choosePlayers(players);
    this.seats = seats;
    this.showSeats();
    this.showFields();
  }

  complain(text) {
    this.at.problem.hidden = !text;
    this.at.problem.textContent = text;
  }

  // --- what is played ------------------------------------------------------------------------------------------------

  chooseFamily(name, variant) {
    this.family = this.families.find((family) => family.name === name);
    for (const radio of this.at.families.querySelectorAll("input")) radio.checked = radio.value === name;
    this.at.variant.replaceChildren(...this.family.variants.map((one) => new Option(one.name, one.name)));
    this.chooseVariant(variant || this.family.default);
  }

  chooseVariant(name) {
    this.variant = this.family.variants.find((one) => one.name === name) || this.family.variants[0];
    this.at.variant.value = this.variant.name;
    this.at.summary.textContent = this.variant.summary;
    const { min_players: least, max_players: most, players } = this.variant;
    const numbers = Array.from({ length: most - least + 1 }, (_, index) => least + index);
    this.at.players.replaceChildren(...numbers.map((number) => new Option(number, number)));
    this.rules = {};
    this.seats = [];
    this.showFields();
    this.choosePlayers(players[0]);
  }

  choosePlayers(number) {
    this.at.players.value = number;
    this.number = number;
    const usual = this.usual();
    this.seats = Array.from({ length: number }, (_, seat) => this.seats[seat] || (seat ? usual : YOU));
    this.showSeats();
    this.describe();
  }

  /** The policy that plays where nothing else is chosen. */
  usual() {
    return this.variant.opponents[this.number] || this.all[0].name;
  }

  // --- who plays -----------------------------------------------------------------------------------------------------

  /** Shows who sits where; a list that is open stays open where nothing has changed. */
  showSeats() {
    const shown = JSON.stringify([this.variant.name, this.seats, this.policies]);
    if (shown === this.shownSeats) return;
    this.shownSeats = shown;
    const focus = this.at.seats.contains(document.activeElement) ? document.activeElement.id : null;
    this.at.seats.replaceChildren(...this.seats.map((who, seat) => this.seatRow(who, seat)));
    if (focus) document.getElementById(focus).focus();
  }

  seatRow(who, seat) {
    const people = [["you", YOU], ["another person, by a link", PERSON]];
    const policies = this.playing().map((policy) => [policy.label, policy.name]);
    const choose = () => this.seat(seat, list.value);
    const list = h("select", { id: "seat" + seat, "aria-label": "player_" + seat, onchange: choose },
      h("optgroup", { label: "People" }, ...options(people, who)),
      h("optgroup", { label: "Policies" }, ...options(policies, who)));
    list.value = who;
    const policy = this.all.find((one) => one.name === who);
    return h("li", {}, h("span", { class: "name", text: "player_" + seat }), list,
      policy && policy.strength ? h("small", { class: "faint", text: inShort(policy.strength) }) : null);
  }

  /** The policies that can play by these rules. */
  playing() {
    const known = this.all.filter((policy) => this.policies.includes(policy.name));
    return known.length ? known : this.all.filter((policy) => this.seats.includes(policy.name));
  }

  seat(seat, who) {
    if (who === YOU) this.seats = this.seats.map((one) => (one === YOU ? PERSON : one));
    this.seats[seat] = who;
    this.showSeats();
  }

  // --- house rules ---------------------------------------------------------------------------------------------------

  showFields() {
    this.at.fields.replaceChildren(...this.family.fields.map((field) => {
      const base = field.name in this.variant.rules ? this.variant.rules[field.name] : field.default;
      const value = field.name in this.rules ? this.rules[field.name] : base;
      return fieldRow(field, value, (now) => this.setRule(field, base, now));
    }));
    this.countRules();
    this.find();
  }

  setRule(field, base, value) {
    if (JSON.stringify(value) === JSON.stringify(base)) delete this.rules[field.name];
    else this.rules[field.name] = value;
    this.countRules();
    this.describe();
  }

  countRules() {
    const number = Object.keys(this.rules).length;
    this.at.changed.textContent = number ? "(" + number + " changed)" : "";
  }

  resetRules() {
    this.rules = {};
    this.showFields();
    this.describe();
  }

  find() {
    const text = this.at.find.value.trim().toLowerCase();
    for (const row of this.at.fields.children) row.hidden = !row.textContent.toLowerCase().includes(text);
  }

  game() {
    return { variant: this.variant.name, players: this.number, rules: this.rules };
  }

  /** Asks for the rules in words, a moment after the last change. */
  describe() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(async () => {
      const asked = ++this.asked;
      let told = null;
      try {
        told = await ask("/api/describe", this.game());
      } catch (error) {
        if (asked === this.asked) this.contradicted(error.message);
        return;
      }
      if (asked === this.asked) this.described(told);
    }, WAIT);
  }

  contradicted(text) {
    this.complain("These rules cannot be played: " + text);
    this.at.sit.disabled = this.at.watch.disabled = true;
  }

  described({ title, paragraphs, policies, default: usual }) {
    this.complain("");
    this.at.sit.disabled = this.at.watch.disabled = false;
    this.at.rulesTitle.textContent = title;
    this.at.laws.replaceChildren(...paragraphs.map(paragraph));
    this.policies = policies;
    const best = policies.includes(this.usual()) ? this.usual() : usual;
    this.seats = this.seats.map((who) => (who === YOU || who === PERSON || policies.includes(who) ? who : best));
    this.showSeats();
  }

  // --- sitting down --------------------------------------------------------------------------------------------------

  async open(watching) {
    const best = this.policies.includes(this.usual()) ? this.usual() : this.policies[0];
    const seats = this.seats.map((who) => {
      if (who !== YOU && who !== PERSON) return { kind: "policy", policy: who };
      return watching ? { kind: "policy", policy: best } : { kind: "person" };
    });
    const { seed, timer, pace } = this.at;
    const asked = { ...this.game(), seats, watch: watching, pace: Number(pace.value),
      timer: timer.value ? Number(timer.value) : null, seed: seed.value.trim() === "" ? null : Number(seed.value) };
    if (asked.seed !== null && !Number.isSafeInteger(asked.seed)) {
      this.complain("The seed has to be a whole number.");
      return;
    }
    this.at.sit.disabled = this.at.watch.disabled = true;
    try {
      const made = await ask("/api/tables", asked);
      this.remember();
      this.goTo(made, watching);
    } catch (error) {
      this.complain(error.message);
    }
    this.at.sit.disabled = this.at.watch.disabled = false;
  }

  remember() {
    const { rules, seats, number: players } = this;
    const last = { family: this.family.name, variant: this.variant.name, players, rules, seats };
    sessionStorage.setItem(LAST, JSON.stringify(last));
  }

  goTo({ table, seats, watch }, watching) {
    const people = seats.filter((one) => one.link);
    const own = seats[this.seats.indexOf(YOU)];
    const links = [...people.map((one) => ["player_" + one.seat, one.link]), ["to watch", watch.link]];
    const mine = watching || !own ? watch.link : own.link;
    if (people.length > 1 || (people.length && mine === watch.link)) {
      sessionStorage.setItem("links " + table, JSON.stringify(links.filter(([, link]) => link !== mine)));
      this.invite(links.filter(([, link]) => link !== mine), mine);
    } else {
      this.visit(mine);
    }
  }

  invite(links, mine) {
    const copy = (href) => async (event) => {
      await navigator.clipboard.writeText(location.origin + href);
      event.target.textContent = "Copied";
    };
    const made = dialog("Invite the others",
      h("p", { text: "Each link opens one place. Send it to the person who is to sit there." }),
      ...links.map(([name, href]) => h("div", { class: "link" },
        h("label", {}, h("span", { text: name }), h("input", { readonly: true, value: location.origin + href })),
        h("button", { type: "button", class: "plain", text: "Copy", onclick: copy(href) }))),
      h("div", { class: "answers" }, closeIt("Go to the table")));
    made.addEventListener("close", () => this.visit(mine));
  }

  // --- records -------------------------------------------------------------------------------------------------------

  async openRecord() {
    const [file] = this.at.record.files;
    if (!file) return;
    this.complain("");
    try {
      const game = await ask("/api/open", await file.text(), "text/plain");
      this.look(game, []);
    } catch (error) {
      this.complain(error.message);
    }
    this.at.record.value = "";
  }
}
