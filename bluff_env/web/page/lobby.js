// Where people choose what is played, by which house rules, and who sits where.

import { closeIt, dialog, onlyHere } from "./dialogs.js";
import { h } from "./dom.js";
import { fieldRow } from "./fields.js";
import { invitation } from "./join.js";
import { ask, ownName } from "./server.js";
import { ofWindow } from "./storage.js";
import { PACES, paragraph } from "./words.js";

const YOU = "you";
const PERSON = "person";
const LEVEL = "level "; // and the level: the seat of an opponent who is not chosen one by one
const WAIT = 250; // milliseconds after the last change until the rules are described anew
const TIMERS = [["no timer", ""], ["10 seconds", "10"], ["20 seconds", "20"], ["40 seconds", "40"]];
const TO_WATCH = "to watch"; // what the link for watchers is called
const LAST = "last choices"; // of this browser window, so that a new game begins as the one before

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

/** Copies what a field has; returns whether that worked. Browsers lend their clipboard on this machine and by https only. */
async function copyFrom(field) {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    return document.execCommand("copy");
  }
}

class Lobby {
  constructor(root, visit, look) {
    Object.assign(this, { root, visit, look, rules: {}, seats: [], policies: [], families: [], opponents: [] });
    this.asked = 0;
    const at = (this.at = {});
    const make = (name, tag, attributes = {}, ...children) =>
      (at[name] = h(tag, { id: name, ...attributes }, ...children));
    const labelled = (text, control) => h("label", { class: "field" }, h("span", { text }), control);
    root.replaceChildren(
      h("header", {}, h("h1", { text: "Games of bluff" }),
        make("open", "div", { class: "tools" },
          h("label", { class: "button" }, "Open a record",
            make("record", "input", { type: "file", accept: ".jsonl,.json,.txt", class: "unseen",
              onchange: () => this.openRecord() })))),
      make("problem", "div", { role: "alert", hidden: true }),
      make("choose", "main", { class: "lobby" },
        h("form", { class: "box setup", onsubmit: (event) => event.preventDefault() },
          h("div", { class: "answers" },
            make("quick", "button",
              { type: "button", class: "answer primary", disabled: true, onclick: () => this.openQuick() },
              h("span", { class: "label", text: "Quick game" }),
              h("small", { text: "Sit down at once: a game of a few minutes" }))),
          labelled("Your name", make("name", "input", { type: "text", maxlength: "16", autocomplete: "nickname",
            placeholder: "Guest", value: ownName(), onchange: () => this.rename() })),
          labelled("Opponents", make("level", "select", { onchange: () => this.chooseLevel(at.level.value) })),
          h("fieldset", {}, h("legend", { text: "Game" }), make("families", "div", { class: "row" })),
          make("search", "input", { type: "search", placeholder: "find a game by any of its names",
            "aria-label": "Find a game", oninput: () => this.search() }),
          make("unknown", "p", { class: "faint", role: "status", hidden: true }),
          labelled("Variant", make("variant", "select", { onchange: () => this.chooseVariant(at.variant.value) })),
          make("summary", "p", { class: "faint" }),
          labelled("Players", make("players", "select",
            { onchange: () => this.choosePlayers(Number(at.players.value)) })),
          make("lasts", "p", { class: "faint" }),
          h("fieldset", {}, h("legend", { text: "Who plays" }), make("seats", "ol"),
            h("label", { class: "check" }, make("each", "input",
              { type: "checkbox", onchange: () => this.showSeats() }), " Choose each opponent")),
          make("house", "details", {}, h("summary", {}, "House rules ", make("changed", "small")),
            make("find", "input", { type: "search", placeholder: "find a rule", "aria-label": "Find a rule",
              oninput: () => this.find() }),
            make("fields", "div"),
            h("button",
              { type: "button", class: "plain", text: "Undo all changes of the rules", onclick: () => this.resetRules() })),
          h("details", {}, h("summary", { text: "Pace, timer, seed" }),
            labelled("Pace", make("pace", "select", {},
              ...options(PACES.map(([seconds, text]) => [text, String(seconds)]), "0.7"))),
            labelled("Time for an answer", make("timer", "select", {}, ...options(TIMERS, ""))),
            labelled("Deals of a match", make("deals", "input", { inputmode: "numeric", placeholder: "1" })),
            labelled("Seed", make("seed", "input", { inputmode: "numeric", placeholder: "drawn at random" }))),
          h("div", { class: "answers go" },
            make("sit", "button",
              { type: "button", class: "answer primary", disabled: true, onclick: () => this.open(false) },
              h("span", { class: "label", text: "Sit down" }), h("small", { text: "Play at this table" })),
            make("watch", "button", { type: "button", class: "answer", disabled: true, onclick: () => this.open(true) },
              h("span", { class: "label", text: "Watch" }), h("small", { text: "Policies play one another" })))),
        h("section", { class: "box laws", "aria-label": "Rules", tabindex: "0" },
          make("rulesTitle", "h2", { text: "Rules" }), make("laws", "div", { "aria-live": "polite" }))),
    );
  }

  async start() {
    try {
      const { families, levels, default_level: level, names: opponents } = await ask("/api/games");
      Object.assign(this, { families, levels, level, opponents });
    } catch (error) {
      this.complain(error.message);
      return;
    }
    this.at.level.replaceChildren(...options(this.levels.map((level) => [level, level]), this.level));
    const last = JSON.parse(ofWindow.getItem(LAST) || "null");
    this.at.families.replaceChildren(...this.families.map((family) =>
      h("label", { class: "radio" }, h("input", { type: "radio", name: "family", value: family.name,
        onchange: () => this.chooseFamily(family.name) }), h("span", { text: family.label }))));
    if (last && this.families.some((family) => family.name === last.family)) this.restore(last);
    else this.chooseFamily(this.families[0].name);
    this.at.quick.disabled = false; // sitting down waits for the rules in words
  }

  restore({ family, variant, players, rules, seats, level, each, pace, timer, deals }) {
    Object.entries({ level, pace, timer, deals }).forEach(([name, value]) => (this.at[name].value = value));
    this.at.each.checked = each;
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
    if (text) this.at.problem.scrollIntoView({ block: "nearest" }); // it stands above what may be pressed
  }

  // --- what is played ------------------------------------------------------------------------------------------------

  chooseFamily(name, variant) {
    this.family = this.families.find((family) => family.name === name);
    this.all = this.family.policies;
    for (const radio of this.at.families.querySelectorAll("input")) radio.checked = radio.value === name;
    this.at.search.value = "";
    this.at.unknown.hidden = true;
    this.offer(this.family.variants);
    this.chooseVariant(variant || this.family.default);
  }

  /** Offers these variants, and the chosen one in any case. */
  offer(variants) {
    const shown = this.family.variants.filter((one) => one === this.variant || variants.includes(one));
    this.at.variant.replaceChildren(...shown.map((one) => new Option(one.name, one.name)));
  }

  /**
   * Offers the variants with this text in a name or in the summary. Chooses the one that is called so, or else the first
   * with it in a name: of the family that is shown, if it has one, otherwise of another.
   */
  search() {
    const plain = (text) => text.normalize("NFKD").replace(/[\u0300-\u036f'’?]/g, "").replace(/[-\s]+/g, " ")
      .toLowerCase().replaceAll("ß", "ss");
    const typed = this.at.search.value;
    const text = plain(typed.trim());
    const names = (one) => [one.name, ...one.aliases].map(plain);
    const called = (one) => names(one).includes(text);
    const named = (one) => names(one).some((name) => name.includes(text));
    const families = [this.family, ...this.families.filter((family) => family !== this.family)];
    const home = text && [called, named].map((is) => families.find((family) => family.variants.some(is))).find(Boolean);
    if (home && home !== this.family) this.chooseFamily(home.name);
    const found = this.family.variants.filter((one) => named(one) || plain(one.summary).includes(text));
    const best = text && (this.family.variants.find(called) || found.find(named));
    this.offer(found);
    if (best && best !== this.variant) this.chooseVariant(best.name);
    this.at.search.value = typed;
    this.at.variant.value = this.variant.name;
    this.at.unknown.hidden = found.length > 0;
    this.at.unknown.textContent = `No game is called “${typed.trim()}” here; house rules may make it of another one.`;
  }

  chooseVariant(name) {
    this.variant = this.family.variants.find((one) => one.name === name) || this.family.variants[0];
    this.at.variant.value = this.variant.name;
    const also = this.variant.aliases.length ? " Also called " + this.variant.aliases.join(", ") + "." : "";
    this.at.summary.textContent = this.variant.summary + also;
    const { min_players: least, max_players: most, usual_players: usual } = this.variant;
    const numbers = Array.from({ length: most - least + 1 }, (_, index) => least + index);
    this.at.players.replaceChildren(...numbers.map((number) => new Option(number, number)));
    this.rules = {};
    this.seats = [];
    this.showFields();
    this.choosePlayers(usual);
  }

  choosePlayers(number) {
    this.at.players.value = number;
    this.number = number;
    const usual = LEVEL + this.at.level.value;
    this.seats = Array.from({ length: number }, (_, seat) => this.seats[seat] || (seat ? usual : YOU));
    this.showSeats();
    this.describe();
  }

  /** The policy that is proposed where one is chosen. */
  usual() {
    return this.variant.opponents[this.number] || this.all[0].name;
  }

  chooseLevel(level) {
    this.seats = this.seats.map((who) => (who.startsWith(LEVEL) ? LEVEL + level : who));
    this.showSeats();
    this.showLength();
  }

  /** Says how long the game usually takes, and how often time runs out. */
  showLength() {
    const about = this.told && this.told.levels[this.at.level.value];
    this.at.lasts.textContent = about && about.length ? "Usually " + about.length + "." : "";
  }

  rename() {
    ownName(this.at.name.value.trim());
    this.showSeats();
  }

  /** The name of each seat at the table; the names of opponents pass over those of people. */
  names() {
    const own = this.at.name.value.trim() || "Guest";
    const free = this.opponents.filter((name) => name.toLowerCase() !== own.toLowerCase());
    const guests = this.seats.map((_, seat) => "Guest " + (seat + 2)).concat("Guest 1");
    const others = guests.filter((name) => name.toLowerCase() !== own.toLowerCase());
    return this.seats.map((who) => (who === YOU ? own : (who === PERSON ? others : free).shift()));
  }

  // --- who plays -----------------------------------------------------------------------------------------------------

  /** Shows who sits where; a list that is open stays open where nothing has changed. */
  showSeats() {
    const shown = JSON.stringify([this.variant.name, this.seats, this.policies, this.names(), this.at.each.checked]);
    if (shown === this.shownSeats) return;
    this.shownSeats = shown;
    const focus = this.at.seats.contains(document.activeElement) ? document.activeElement.id : null;
    this.at.seats.replaceChildren(...this.seats.map((who, seat) => this.seatRow(who, seat)));
    this.showRules();
    if (focus) document.getElementById(focus).focus();
  }

  /** The rules in words; those of teams call the players by their names. */
  showRules() {
    if (!this.told) return;
    const names = this.names();
    const named = (text) => text.replace(/player_([0-9])/g, (whole, seat) => names[seat] || whole);
    const texts = this.told.paragraphs.map(named);
    if (texts.join() === this.shownRules) return; // they would be read out again
    this.shownRules = texts.join();
    this.at.laws.replaceChildren(...texts.map(paragraph));
  }

  seatRow(who, seat) {
    const name = this.names()[seat];
    const people = [["you", YOU], ["another person, by a link", PERSON]];
    const levels = this.levels.map((level) => [level, LEVEL + level]);
    const labels = (this.told && this.told.labels) || {};
    const policies = this.playing().map((policy) => [labels[policy.name] || policy.label, policy.name]);
    const choose = () => this.seat(seat, list.value);
    const isNamed = this.at.each.checked || this.all.some((policy) => policy.name === who);
    const list = h("select", { id: "seat" + seat, "aria-label": name, onchange: choose },
      h("optgroup", { label: "People" }, ...options(people, who)),
      h("optgroup", { label: "Opponents" }, ...options(levels, who)),
      isNamed ? h("optgroup", { label: "Policies" }, ...options(policies, who)) : null);
    list.value = who;
    const strength = isNamed ? this.strength(who) : "";
    return h("li", {}, h("span", { class: "name", text: name }), list,
      strength ? h("small", { class: "faint", text: strength }) : null);
  }

  /** How strong an opponent is, in figures. */
  strength(who) {
    const policy = this.all.find((one) => one.name === who);
    if (policy) return inShort(policy.strength);
    const level = this.told && this.told.levels[who.slice(LEVEL.length)];
    if (!level || !who.startsWith(LEVEL)) return "";
    const wins = level.wins === null ? "" : "; a person wins about " + Math.round(100 * level.wins) + "% against them";
    return (this.told.labels[level.policy] || level.policy) + wins;
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
        if (asked === this.asked) this.notDescribed(error);
        return;
      }
      if (asked === this.asked) this.described(told);
    }, WAIT);
  }

  /** Says why there are no rules in words: nobody can play by them, nobody without the key may ask, or something else. */
  notDescribed({ message, status }) {
    if (status === 403) {
      this.complain("Only the host opens tables here: ask them for a link to a seat. " +
        "If you are the host, open the link that the server printed.");
      this.at.open.hidden = this.at.choose.hidden = true;
    } else if (status === 400) {
      this.complain("These rules cannot be played: " + message);
      this.letOpen(false);
    } else {
      this.complain(message);
      this.letOpen(true); // they may be playable all the same
    }
  }

  described(told) {
    const { title, policies, default: usual } = told;
    this.told = told;
    this.showLength();
    this.complain("");
    this.letOpen(true);
    this.at.rulesTitle.textContent = title;
    this.policies = policies;
    const best = policies.includes(this.usual()) ? this.usual() : usual;
    this.seats = this.seats.map((who) => (this.isPolicy(who) && !policies.includes(who) ? best : who));
    this.shownSeats = "";
    this.showSeats();
  }

  // --- sitting down --------------------------------------------------------------------------------------------------

  isPolicy(who) {
    return who !== YOU && who !== PERSON && !who.startsWith(LEVEL);
  }

  /** Who sits at each seat, as the server takes it. */
  chairs(watching) {
    const names = this.names();
    const level = this.at.level.value;
    return this.seats.map((who, seat) => {
      const name = watching && !this.isPolicy(who) && !who.startsWith(LEVEL) ? undefined : names[seat];
      if (this.isPolicy(who)) return { kind: "policy", policy: who, name };
      if (who.startsWith(LEVEL)) return { kind: "level", level: who.slice(LEVEL.length), name };
      return watching ? { kind: "level", level } : { kind: "person", name };
    });
  }

  /** Sits down at a game that the server chooses. */
  async openQuick() {
    this.at.quick.disabled = true;
    try {
      const name = this.at.name.value.trim() || "Guest";
      const made = await ask("/api/tables", { quick: true, level: this.at.level.value || this.level, name });
      ownName(this.at.name.value.trim());
      this.keepLinks(made.table, [[TO_WATCH, made.watch.link]]);
      this.visit(made.seats[0].link);
    } catch (error) {
      this.complain(error.message);
      this.at.quick.disabled = false;
    }
  }

  /** Whether a table with these choices may be opened. */
  letOpen(may) {
    this.at.sit.disabled = this.at.watch.disabled = !may;
  }

  async open(watching) {
    const seats = this.chairs(watching);
    const { deals, seed, timer, pace } = this.at;
    const asked = { ...this.game(), seats, pace: Number(pace.value),
      timer: timer.value ? Number(timer.value) : null, seed: seed.value.trim() === "" ? null : Number(seed.value),
      deals: deals.value.trim() === "" ? null : Number(deals.value) };
    if (asked.deals !== null && (!Number.isSafeInteger(asked.deals) || asked.deals < 1)) {
      this.complain("The number of deals has to be a whole number of at least 1.");
      return;
    }
    if (asked.seed !== null && !Number.isSafeInteger(asked.seed)) {
      this.complain("The seed has to be a whole number.");
      return;
    }
    this.letOpen(false);
    try {
      const made = await ask("/api/tables", asked);
      this.remember();
      this.goTo(made, watching);
    } catch (error) {
      this.complain(error.message);
    }
    this.letOpen(true);
  }

  remember() {
    const { rules, seats, number: players } = this;
    const { level, each, pace, timer, deals } = this.at;
    const last = { family: this.family.name, variant: this.variant.name, players, rules, seats, level: level.value,
      each: each.checked, pace: pace.value, timer: timer.value, deals: deals.value };
    ofWindow.setItem(LAST, JSON.stringify(last));
  }

  goTo({ table, seats, watch }, watching) {
    const people = seats.filter((one) => one.link);
    const own = seats[this.seats.indexOf(YOU)];
    const mine = watching || !own ? watch.link : own.link;
    const others = people.filter((one) => one.link !== mine);
    const links = others.map((one) => [this.names()[one.seat], invitation(one.link)]);
    if (mine !== watch.link) links.push([TO_WATCH, watch.link]);
    this.keepLinks(table, links);
    if (others.length) this.invite(links, mine);
    else this.visit(mine);
  }

  /** Keeps the links to a table that its window *Links* shows. */
  keepLinks(table, links) {
    if (links.length) ofWindow.setItem("links " + table, JSON.stringify(links));
  }

  invite(links, mine) {
    const one = ([name, href]) => {
      const field = h("input", { readonly: true, value: location.origin + href });
      const copy = async (event) => {
        const button = event.target;
        button.textContent = (await copyFrom(field)) ? "Copied" : "Copy it by hand";
      };
      return h("div", { class: "link" }, h("label", {}, h("span", { text: name }), field),
        h("button", { type: "button", class: "plain", text: "Copy", onclick: copy }));
    };
    const made = dialog("Invite the others",
      h("p", { text: "Each link opens one place. Send it to the person who is to sit there." }),
      onlyHere(),
      ...links.map(one),
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
