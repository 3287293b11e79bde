"use strict";

// Shows a game frame by frame. The data is what bluff_env/drawing/replay.py makes; everything in it is put into the
// page as text, never as markup.
(function () {
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);
  const SPEEDS = [0.5, 1, 2, 4, 8]; // steps a second
  let view = data.views[0];
  let at = 0;
  let timer = null;

  function element(tag, className, text) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  // --- the table -----------------------------------------------------------------------------------------------------

  function card(name) {
    const drawn = byId("card " + name).cloneNode(true);
    drawn.removeAttribute("id");
    drawn.setAttribute("class", name === "?" ? "card unknown" : "card");
    return drawn;
  }

  function group(cards) {
    const made = element("div", "group");
    if (cards.label) made.append(element("small", "", cards.label));
    const fan = element("div", cards.names.length > 5 ? "fan many" : "fan");
    fan.setAttribute("role", "img");
    fan.setAttribute("aria-label", cards.spoken);
    fan.append(...cards.names.map(card));
    made.append(fan);
    return made;
  }

  function place(number) {
    const what = data.places[number];
    const made = element("div", what.active ? "place active" : "place");
    made.append(element("h3", "", what.name));
    const player = data.players.find((one) => what.name === one.name || what.name === one.name + " (you)");
    const notes = player && player.policy ? [player.policy, ...what.notes] : what.notes;
    if (notes.length) made.append(element("p", "", notes.join(" \u00b7 ")));
    const groups = element("div", "groups");
    groups.append(...what.cards.map(group));
    made.append(groups);
    return made;
  }

  // --- what happens --------------------------------------------------------------------------------------------------

  function event(told) {
    const line = element("span", "", told.text);
    if (told.truth) {
      const kind = told.truth.includes("forced") ? "forced" : told.truth.includes("free") ? "free" : "";
      line.append(element("span", "hides", "  " + told.cards.join(" ") + ": "), element("span", "truth " + kind, told.truth));
    }
    return line;
  }

  function tellStory() {
    const entries = [];
    view.frames.forEach((frame, index) => {
      frame.events.forEach((told) => {
        const entry = element("li");
        const button = element("button");
        button.type = "button";
        button.dataset.frame = index;
        button.append(event(told));
        button.addEventListener("click", () => go(index));
        entry.append(button);
        entries.push(entry);
      });
    });
    byId("story").replaceChildren(...entries);
  }

  function row(cells, scope) {
    const made = element("tr");
    cells.forEach((text, index) => {
      const cell = element(index && scope === "row" ? "td" : "th", "", text);
      if (cell.tagName === "TH") cell.scope = scope;
      made.append(cell);
    });
    return made;
  }

  function showResults() {
    byId("results").hidden = !view.results.length;
    if (!view.results.length) return;
    byId("figures").replaceChildren(row(["seat", ...Object.keys(view.results[0])], "col"));
    byId("seats").replaceChildren(
      ...view.results.map((figures, seat) => row([data.players[seat].name, ...Object.values(figures)], "row")));
  }

  function markStory() {
    const story = byId("story");
    let last = null;
    for (const button of story.querySelectorAll("button")) {
      button.removeAttribute("aria-current");
      if (Number(button.dataset.frame) <= at) last = button;
    }
    if (!last) return;
    last.setAttribute("aria-current", "true");
    story.scrollTop = last.offsetTop - story.offsetTop - story.clientHeight / 2;
  }

  let news = null; // the events that are shown: they are announced once

  function showNews() {
    let since = at;
    while (since > 0 && !view.frames[since].events.length) since--;
    byId("now").className = since < at ? "past" : "";
    if (news === view.frames[since].events) return;
    news = view.frames[since].events;
    byId("now").replaceChildren(...news.map((told) => {
      const item = element("li");
      item.append(event(told));
      return item;
    }));
  }

  function percent(share) {
    return Math.round(share * 100) + "%";
  }

  function showDecision(decision) {
    const judge = decision && decision.judge;
    byId("decision").hidden = !decision;
    byId("decides").textContent = decision ? decision.player + " " + decision.meaning : "";
    byId("judge").textContent = decision ? decision.action : "";
    byId("shares").replaceChildren();
    if (!judge) return;
    const doubt = judge.suspicion === null ? "" : " and gives " + percent(judge.suspicion) + " that the last claim is a lie";
    const value = (judge.value < 0 ? "\u2212" : "+") + Math.abs(judge.value).toFixed(2);
    byId("judge").textContent = judge.policy + " expects a payoff of " + value + doubt + ". It would choose:";
    const shown = judge.shares.filter(([name, share], index) => (index < 8 && share >= 0.005) || name === decision.action);
    byId("shares").append(...shown.map(([name, share]) => {
      const row = element("li", name === decision.action ? "chosen" : "");
      const bar = element("span", "bar");
      bar.append(element("span"));
      bar.firstChild.style.width = percent(share);
      const chosen = name === decision.action ? name + " (chosen)" : name;
      row.append(element("span", "", chosen), bar, element("span", "share", percent(share)));
      return row;
    }));
  }

  // --- going through the game ----------------------------------------------------------------------------------------

  function show() {
    const frame = view.frames[at];
    byId("situation").textContent = frame.title;
    byId("lines").replaceChildren(...frame.lines.map((line) => element("li", "", line)));
    byId("middle").replaceChildren(...frame.middle.map(place));
    byId("players").replaceChildren(...frame.players.map(place));
    showNews();
    showDecision(frame.decision);
    markStory();
    byId("place").value = at;
    byId("place").setAttribute("aria-valuetext", "step " + (at + 1) + " of " + view.frames.length);
    byId("count").textContent = at + 1 + " / " + view.frames.length;
    for (const id of ["first", "back"]) byId(id).disabled = at === 0;
    for (const id of ["next", "last"]) byId(id).disabled = at === view.frames.length - 1;
  }

  function go(to) {
    at = Math.max(0, Math.min(view.frames.length - 1, to));
    show();
    if (at === view.frames.length - 1) pause();
  }

  function choose(number) {
    const step = view.frames[at].step;
    view = data.views[number];
    byId("view").value = number;
    byId("place").max = view.frames.length - 1;
    const later = view.frames.findIndex((frame) => frame.step > step);
    at = (later < 0 ? view.frames.length : Math.max(1, later)) - 1;
    tellStory();
    showResults();
    show();
  }

  function pause() {
    clearInterval(timer);
    timer = null;
    byId("play").textContent = "Play";
    byId("play").setAttribute("aria-pressed", "false");
  }

  function play() {
    if (at === view.frames.length - 1) go(0);
    clearInterval(timer);
    timer = setInterval(() => go(at + 1), 1000 / SPEEDS[byId("speed").value]);
    byId("play").textContent = "Pause";
    byId("play").setAttribute("aria-pressed", "true");
  }

  function setSpeed(number) {
    byId("speed").value = Math.max(0, Math.min(SPEEDS.length - 1, number));
    if (timer !== null) play();
  }

  const KEYS = {
    ArrowRight: () => go(at + 1),
    ArrowLeft: () => go(at - 1),
    Home: () => go(0),
    End: () => go(view.frames.length - 1),
    " ": () => (timer === null ? play() : pause()),
    "+": () => setSpeed(Number(byId("speed").value) + 1),
    "-": () => setSpeed(Number(byId("speed").value) - 1),
    v: () => choose((data.views.indexOf(view) + 1) % data.views.length),
  };

  function pressed(event) {
    const focus = document.activeElement || document.body;
    const own = focus.matches("select, input") || (event.key === " " && focus.matches("button, summary"));
    if (own || event.ctrlKey || event.altKey || event.metaKey || !(event.key in KEYS)) return;
    event.preventDefault();
    KEYS[event.key]();
  }

  function options(select, texts) {
    texts.forEach((text, index) => select.append(new Option(text, index)));
  }

  byId("title").textContent = data.title + (data.note ? ": " + data.note : "");
  byId("rules").append(...data.rules.map((paragraph) => element("p", "", paragraph)));
  options(byId("view"), data.views.map((one) => one.label));
  options(byId("speed"), SPEEDS.map((speed) => speed + " a second"));
  byId("speed").value = 1;
  byId("view").addEventListener("change", () => choose(Number(byId("view").value)));
  byId("speed").addEventListener("change", () => setSpeed(Number(byId("speed").value)));
  byId("place").addEventListener("input", () => go(Number(byId("place").value)));
  byId("first").addEventListener("click", KEYS.Home);
  byId("back").addEventListener("click", KEYS.ArrowLeft);
  byId("play").addEventListener("click", KEYS[" "]);
  byId("next").addEventListener("click", KEYS.ArrowRight);
  byId("last").addEventListener("click", KEYS.End);
  document.addEventListener("keydown", pressed);
  choose(0);
})();
