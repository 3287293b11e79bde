// The screen of a table: it shows what the server says that this place sees, and sends what the person does.

import { bars, tens } from "./cards.js";
import { Choices, redraw } from "./choices.js";
import { h, isTaken, percent, row, signed } from "./dom.js";
import { closeIt, dialog, onlyHere, pickPolicy } from "./dialogs.js";
import { Ring } from "./ring.js";
import * as seats from "./seats.js";
import { Connection, ownName } from "./server.js";
import { ofWindow } from "./storage.js";
import { apart, line, onlyClaim, OPENS, PACES, paragraph, sentence, who } from "./words.js";

const TOOLS = ["hint", "undo", "timer", "skip", "pacing", "seeing", "links", "leave"]; // which a table is needed for
const KEYS = [
  ["A, 2 to 9, 0 or T, J, Q, K, X", "pick a card of this rank, the next one, or put them back (X: joker)"],
  ["Up, Down", "another claim"], ["Enter", "play the cards that are picked"], ["Esc", "put them back"],
  ["L, C, B, V", "let it be, call, believe, look at it"], ["P, G", "pass, take the pile"],
  ["W, M", "wait, jump in"], ["S, Y", "accuse, keep or accept"], ["1 to 9", "a choice by its place in the row"],
  ["U", "undo"], ["H", "a hint"], ["?", "these keys"],
];

/** Sits down at a table; returns what gets up again. */
export function sitDown(root, id, token, { toLobby, look }) {
  return new Table(root, id, token, toLobby, look).end;
}

class Table {
  constructor(root, id, token, toLobby, look) {
    Object.assign(this, { root, id, token, toLobby, look, state: null, events: [], names: [], parts: {}, refusal: "" });
    this.build();
    this.choices = new Choices(this.at, (action) => this.act(action));
    this.pressed = this.pressed.bind(this);
    document.addEventListener("keydown", this.pressed);
    this.connection = new Connection(id, token, {
      open: () => this.banner("Sitting down \u2026"),
      message: (message) => this.told(message),
      lost: (delay) => this.lost(delay),
      closed: (text) => this.closed(text),
    });
    this.end = () => {
      clearInterval(this.countdown);
      this.ring.stop();
      this.connection.close();
      document.removeEventListener("keydown", this.pressed);
    };
  }

  // --- the parts of the page -----------------------------------------------------------------------------------------

  build() {
    const at = (this.at = {});
    const make = (name, tag, attributes = {}, ...children) =>
      (at[name] = h(tag, { id: name, ...attributes }, ...children));
    const button = (name, text, click, key) =>
      make(name, "button", { type: "button", class: "plain", onclick: click, "aria-keyshortcuts": key }, text,
        key ? h("kbd", { "aria-hidden": "true", text: key }) : null);
    this.ring = new Ring();
    const paces = PACES.map(([seconds, text]) => new Option(text, seconds));
    this.root.replaceChildren(
      h("header", { class: "table-header" },
        make("title", "h1", { text: "Table" }),
        h("div", { class: "tools" },
          button("hint", "Hint", () => this.hint(), "H"), button("undo", "Undo", () => this.undo(), "U"),
          button("timer", "Timer", () => this.switchTimer()), button("skip", "Skip to the end", () => this.skip()),
          make("pacing", "label", {}, h("span", { text: "Pace" }), " ",
            make("pace", "select", { "aria-label": "Pace", onchange: () => this.setPace() }, ...paces)),
          make("seeing", "label", { class: "check" },
            make("all", "input", { type: "checkbox", onchange: () => this.seeAll() }), " All cards")),
        h("div", { class: "tools" },
          button("links", "Links", () => this.showLinks()), button("leave", "Leave", () => this.leave()),
          button("lobby", "Lobby", () => this.toLobby()))),
      make("banner", "div", { role: "status", hidden: true }),
      make("naming", "form", { "aria-label": "Your name", hidden: true, onsubmit: (event) => this.call(event) },
        h("label", {}, "Your name ",
          make("name", "input", { type: "text", maxlength: "16", autocomplete: "nickname" })),
        h("button", { class: "plain", text: "Call me that" })),
      h("main", { class: "live" },
        make("table", "section", { "aria-label": "Table" },
          h("h2", { class: "unseen", text: "The table" }),
          make("end", "div", { hidden: true }),
          make("others", "ul", { "aria-label": "Players" }),
          make("middle", "div"),
          make("verdict", "p", { hidden: true }),
          make("mine", "div", {},
            make("asking", "div", {},
              h("div", { class: "question" },
                h("div", { class: "asks", "aria-live": "polite" },
                  make("situation", "h2"), make("claim", "p"), make("lines", "ul")),
                this.ring.element),
              make("choices", "div", { role: "group", "aria-label": "What you can do" })),
            make("play", "div"), make("own", "div"), make("hand", "div"))),
        h("aside", { "aria-label": "About the game" },
          make("advice", "section", { class: "box", hidden: true, "aria-label": "Hint", "aria-live": "polite" }),
          h("section", { class: "box" }, h("h2", { text: "What happened" }),
            make("logbox", "div", { role: "log", tabindex: "0", "aria-label": "What happened" }, make("log", "ol"))),
          h("details", { class: "box" }, h("summary", { text: "Rules" }), make("rules", "div")),
          make("keys", "details", { class: "box" }, h("summary", { text: "Keys" }),
            h("dl", {}, ...KEYS.flatMap(([key, meaning]) => [h("dt", { text: key }), h("dd", { text: meaning })]))))),
    );
    for (const name of TOOLS) at[name].hidden = true; // until something is known of the table
  }

  /** Draws a part of the page if what it shows has changed. */
  part(name, what, draw) {
    const text = JSON.stringify(what);
    if (this.parts[name] === text) return;
    this.parts[name] = text;
    redraw(this.at[name], draw());
  }

  banner(text, ...buttons) {
    delete this.parts.notice;
    this.at.banner.hidden = !text;
    this.at.banner.replaceChildren(h("span", { text }), ...buttons);
  }

  /** Says what was refused, until the person does something, and why the game waits. */
  notice() {
    const { paused, names } = this.state || { paused: null, names: [] };
    const away = this.away();
    const text = JSON.stringify([this.refusal, paused, away, names]);
    if (this.parts.notice === text) return;
    const button = (label, onclick) => h("button", { type: "button", class: "plain", text: label, onclick });
    const said = [this.refusal, paused, away.length ? "Somebody has been away for a while." : ""];
    this.banner(said.filter(Boolean).join(" "),
      this.refusal ? button("Close", () => this.forget()) : "",
      ...away.map((one) => button("Let a policy play for " + names[one],
        () => this.handOver("A policy plays on for " + names[one], { type: "replace", seat: one }))));
    this.parts.notice = text;
  }

  /** The person has read what was refused. */
  forget() {
    this.refusal = "";
    this.notice();
  }

  // --- the connection ------------------------------------------------------------------------------------------------

  /** The connection has ended: nobody knows whether what was sent last has come. */
  offline() {
    clearInterval(this.countdown);
    this.events = []; // after sitting down again they all come again
    this.choices.interrupted();
    this.at.skip.disabled = false;
    this.refusal = ""; // what still holds is said again
    this.ring.stop();
    this.root.classList.add("offline");
  }

  lost(delay) {
    this.offline();
    const now = h("button", { type: "button", class: "plain", text: "Try now",
      onclick: () => this.connection.open(true) });
    const end = performance.now() + delay;
    const rest = h("span", { "aria-hidden": "true" }); // who listens hears that the connection is lost, and no seconds
    const show = () => {
      const seconds = Math.max(0, Math.ceil((end - performance.now()) / 1000));
      rest.textContent = " Trying again in " + seconds + " s. ";
    };
    this.banner("The connection is lost; your seat is kept.", rest, now);
    this.countdown = setInterval(show, 500);
    show();
  }

  closed(text) {
    this.offline();
    const again = () => this.connection.open();
    const label = text.includes("somewhere else") ? "Take the seat here" : "Try again";
    this.banner(text + " ",
      h("button", { type: "button", class: "plain", text: label, onclick: again }),
      h("button", { type: "button", class: "plain", text: "To the lobby", onclick: this.toLobby }));
  }

  told(sent) {
    clearInterval(this.countdown);
    this.root.classList.remove("offline");
    this.names = sent.names || this.names;
    const message = apart(sent, this.names);
    const tell = {
      state: () => this.show(message), hint: () => this.showHint(message), error: () => this.refused(message.text),
      game: () => this.introduce(message),
      review: () => this.showReview(message),
    };
    if (tell[message.type]) tell[message.type]();
  }

  refused(text) {
    this.choices.interrupted();
    this.at.skip.disabled = false;
    this.refusal = text;
    this.notice();
  }

  introduce({ title, paragraphs, policies, default: usual, labels }) {
    Object.assign(this, { policies, usual, labels });
    this.at.title.textContent = title;
    document.title = title;
    this.at.rules.replaceChildren(...paragraphs.map(paragraph));
  }

  // --- what is seen --------------------------------------------------------------------------------------------------

  show(sent) {
    const state = sent.paused ? { ...sent, legal: [] } : sent; // nobody can do anything while the game waits
    const news = state.events;
    this.events = this.events.filter((event) => !news.length || event.n < news[0].n).concat(news);
    this.state = state;
    this.notice();
    this.showName();
    const said = seats.spoken(this.events, state.names);
    const others = this.inOrder(state);
    this.part("others", [others, state.kinds, state.connected, [...said]], () =>
      others.map((player) => seats.other(state, player, said.get(player.seat))));
    this.part("middle", state.picture.middle, () =>
      state.picture.middle.map((what) => seats.middle(what, news.length > 0)));
    const mine = state.picture.players.find((player) => player.seat === state.seat);
    this.part("own", mine ? [mine.name, mine.notes, mine.active, said.get(mine.seat)] : [], () =>
      mine ? seats.own(state, mine, said.get(mine.seat)) : []);
    this.at.own.classList.toggle("active", Boolean(mine && mine.active));
    this.showVerdict();
    this.showQuestion();
    this.showLog(news);
    this.showTools();
    this.choices.update(state);
    if (state.moment !== this.advisedAt) this.at.advice.hidden = true; // it was about another decision
    const justEnded = state.over && this.at.end.hidden;
    this.part("end", [state.over, state.results], () => (state.over ? this.ending() : []));
    this.at.end.hidden = !state.over;
    if (justEnded) window.scrollTo(0, 0); // to the line that says who has won
  }

  /** The other players, clockwise from oneself; all of them for a watcher. */
  inOrder({ picture, seat, names }) {
    const from = seat === null ? 0 : seat;
    const distance = (player) => (player.seat - from + names.length) % names.length;
    return picture.players.filter((player) => player.seat !== seat).sort((a, b) => distance(a) - distance(b));
  }

  showVerdict() {
    const found = seats.verdict(this.events);
    const { lost } = this.state;
    this.at.verdict.hidden = !found && !lost;
    if (this.at.verdict.hidden) return;
    this.at.verdict.className = found ? found.kind + (found.isNew ? " new" : "") : "";
    this.at.verdict.textContent = [found ? sentence(found.text) + "." : "", lost || ""].join(" ").trim();
  }

  showQuestion() {
    const { picture, asked, legal, deadline, length, paused } = this.state;
    const may = (name) => legal.some((one) => one.group === name);
    const doubts = asked && may("call") && (may("let") || may("believe"));
    const title = paused ? "The game waits" : this.waitsFor() || sentence(picture.title);
    this.at.situation.textContent = doubts ? "Do you believe it?" : title;
    const [next, last] = [line(picture.lines, "next claim"), line(picture.lines, "last claim")];
    const turn = legal.length && !asked && onlyClaim(picture.lines) && !may("claim") ? "You claim " + next + "." : "";
    this.at.claim.textContent = doubts ? sentence(last || this.opening() || asked) + "." : turn;
    const said = doubts ? "last claim" : turn ? "next claim" : null;
    const lines = picture.lines.filter((text) => !said || line([text], said) === null);
    this.part("lines", lines, () => lines.map((text) => h("li", { class: "chip", text: tens(text) })));
    this.at.table.classList.toggle("asked", legal.length > 0);
    if (deadline === null) this.ring.stop();
    else this.ring.start(deadline, length);
  }

  /** At a table of two everybody knows whose answer is missing. */
  waitsFor() {
    const { names, seat, legal, over, paused } = this.state;
    return names.length === 2 && seat !== null && !legal.length && !over && !paused
      ? "Waiting for " + names[1 - seat] : "";
  }

  /** The last event with which something began that may be believed or not. */
  opening() {
    const found = this.events.filter((event) => OPENS.has(event.kind) || event.kind === "bullet").pop();
    return found && found.text;
  }

  showLog(news) {
    const log = this.at.log;
    const known = new Map([...log.children].map((line) => [line.dataset.n, line]));
    for (const { n, text } of news) { // those that are told again may call players otherwise
      const line = known.get(String(n));
      if (line && line.textContent !== sentence(text)) line.textContent = sentence(text);
    }
    if (!known.size && news.length && news[0].n > 0) {
      log.append(h("li", { class: "left-out", text: "What came before is left out here; the record of the game has it." }));
    }
    const fresh = news.filter((event) => !known.has(String(event.n)));
    log.append(...fresh.map(({ kind, n, text }) => h("li", { class: kind, data: { n }, text: sentence(text) })));
    if (fresh.length) this.at.logbox.scrollTop = log.scrollHeight;
  }

  showTools() {
    const { seat, legal, can_undo: canUndo, undo_reason: why, timer, over, pace, may_see_all: may } = this.state;
    const plays = seat !== null;
    const people = this.state.kinds.filter((kind) => kind === "person").length;
    for (const name of ["hint", "undo", "leave"]) this.at[name].hidden = !plays || over;
    this.at.hint.disabled = !legal.length;
    this.at.undo.disabled = !canUndo;
    this.at.undo.title = canUndo ? "Takes back what nobody has seen yet" : why || "";
    this.at.timer.hidden = !plays || over || this.state.table_timer === null;
    this.at.timer.setAttribute("aria-pressed", String(timer !== null));
    this.at.timer.textContent = timer === null ? "Timer is off" : "Timer: " + timer + " s";
    this.at.skip.hidden = !plays || over || !this.state.out || people > 1;
    this.at.pacing.hidden = over || (!plays && people > 0);
    const nearest = PACES.reduce((best, [s]) => (Math.abs(s - pace) < Math.abs(best - pace) ? s : best), PACES[0][0]);
    this.at.pace.value = nearest;
    this.at.seeing.hidden = plays || !may;
    this.at.all.checked = this.state.all_cards;
    this.at.links.hidden = !this.links();
  }

  /** The seats of people who are away for long: players may give them to a policy, watchers where no player is. */
  away() {
    if (!this.state) return [];
    const { replaceable, seat, kinds, connected } = this.state;
    const somebodyPlays = kinds.some((kind, one) => kind === "person" && connected[one]);
    return seat === null && somebodyPlays ? [] : replaceable;
  }

  /** Until everybody has sat down, players say how they are called. */
  showName() {
    const { seat, paused } = this.state;
    const name = this.names[seat];
    this.at.naming.hidden = seat === null || !paused;
    if (this.at.naming.hidden || name === this.called) return; // what is being filled in stays
    if (name === this.wanted) ownName(name);
    this.called = this.at.name.value = name;
  }

  // --- what the person does ------------------------------------------------------------------------------------------

  /** Sends what the person wants; returns whether it could be sent. */
  say(message) {
    if (this.refusal) this.forget();
    return this.connection.send(message);
  }

  call(event) {
    event.preventDefault();
    this.wanted = this.at.name.value.trim();
    this.say({ type: "name", name: this.wanted });
  }

  act(action) {
    this.at.advice.hidden = true;
    return this.say({ type: "act", action, moment: this.state.moment });
  }

  hint() {
    if (!this.at.hint.disabled) this.say({ type: "hint", moment: this.state.moment });
  }

  showHint({ moment, shares, value, lie_prob, policy }) {
    if (moment !== this.state.moment) return; // the table has changed meanwhile
    const doubt = lie_prob === null ? "" : " The last claim is a lie, it thinks, with a chance of " + percent(lie_prob) + ".";
    this.at.advice.hidden = false;
    this.advisedAt = moment;
    this.at.advice.replaceChildren(
      h("h2", { text: "Hint" }),
      h("p", { text: policy + " would choose this, and expects a payoff of " + signed(value) + "." + doubt }),
      h("ol", { id: "shares" }, ...bars(shares.map(([name, meaning, share]) => [name, meaning, share]), null)));
    this.at.advice.scrollIntoView({ block: "nearest" }); // on a phone it is far below the table
  }

  undo() {
    if (!this.at.undo.disabled) this.say({ type: "undo", moment: this.state.moment });
  }

  skip() {
    this.at.skip.disabled = true;
    this.say({ type: "skip" });
  }

  switchTimer() {
    this.say({ type: "timer", on: this.state.timer === null });
  }

  setPace() {
    this.say({ type: "pace", seconds: Number(this.at.pace.value) });
  }

  seeAll() {
    this.say({ type: "cards", all: this.at.all.checked });
  }

  leave() {
    this.handOver("Leave the table: who plays on for you?", { type: "leave" });
  }

  async handOver(title, message) {
    const policy = await pickPolicy(title, this.policies, this.usual, this.labels);
    if (policy) this.say({ ...message, policy });
  }

  links() {
    return JSON.parse(ofWindow.getItem("links " + this.id) || "null");
  }

  showLinks() {
    dialog("Links to this table", onlyHere(), ...this.links().map(([name, href]) =>
      h("label", { class: "link" }, name, h("input", { readonly: true, value: location.origin + href,
        onclick: (event) => event.target.select() }))), closeIt());
  }

  // --- the end -------------------------------------------------------------------------------------------------------

  files() {
    const from = "/api/tables/" + encodeURIComponent(this.id);
    const token = "?token=" + encodeURIComponent(this.token);
    return [["Download the record", from + "/record" + token], ["Download as a page", from + "/replay" + token]];
  }

  ending() {
    const { results, names, kinds, ending } = this.state;
    const players = names.map((name, seat) => name + " (" + who(kinds[seat]) + ")");
    const head = row(["player", ...Object.keys(results[0])], "col");
    const body = results.map((figures, seat) => row([players[seat], ...Object.values(figures)], "row"));
    return [
      h("div", { role: "status" }, h("h2", { id: "ending", text: ending })),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Results" },
        h("table", {}, h("thead", {}, head), h("tbody", {}, ...body))),
      h("div", { class: "answers" },
        h("button", { type: "button", id: "review", class: "answer primary", onclick: () => this.askReview() },
          h("span", { class: "label", text: "Look at the game" }),
          h("small", { text: "All hands, and what a policy thought" })),
        ...this.files().map(([text, href]) => h("a", { class: "button", href, download: true, text })),
        h("button", { type: "button", id: "again", class: "plain", text: "New game", onclick: this.toLobby })),
    ];
  }

  askReview() {
    if (this.say({ type: "review" })) this.banner("Looking at the game \u2026");
  }

  showReview(game) {
    this.forget();
    this.look(game, this.files());
  }

  // --- keys ----------------------------------------------------------------------------------------------------------

  pressed(event) {
    const onPicked = event.key === "Enter" && document.activeElement.matches(".own[aria-pressed=true]");
    if ((isTaken(event) && !onPicked) || !this.state || !this.at.table.isConnected) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const tools = {
      h: () => this.hint(), u: () => this.undo(),
      "?": () => (this.at.keys.open = !this.at.keys.open),
    };
    if (this.choices.press(key)) event.preventDefault();
    else if (tools[key]) tools[key]();
  }
}
