// A game frame by frame, with what policies thought. The data is what bluff_env/play/replay.py makes.

import { bars, place, tens, told } from "./cards.js";
import { curve } from "./curve.js";
import { byId, h, isTaken, percent, row, signed } from "./dom.js";

const SPEEDS = [0.5, 1, 2, 4, 8]; // steps a second
const KEYS_SHOWN = [
  ["Right, Left", "one step on, one step back"],
  ["Home, End", "to the beginning, to the end"],
  ["Space", "play, pause"],
  ["+ and -", "faster, slower"],
  ["v", "the next view"],
];

function skeleton() {
  const button = (id, text, label) => h("button", { id, type: "button", text, "aria-label": label });
  const box = (id, label, ...children) => h("section", { id, class: "box", "aria-label": label }, ...children);
  const details = (id, summary, ...children) =>
    h("details", { class: "box", id }, h("summary", { text: summary }), ...children);
  const keys = KEYS_SHOWN.flatMap(([key, meaning]) => [h("dt", { text: key }), h("dd", { text: meaning })]);
  return [
    h("header", {}, h("h1", { id: "title" }), h("label", {}, "Show ", h("select", { id: "view" }))),
    h("main", { class: "review" },
      box("news", "What has just happened", h("div", { role: "status" }, h("ul", { id: "now" }))),
      h("section", { id: "table", "aria-label": "Table" },
        h("h2", { id: "situation" }), h("ul", { id: "lines" }),
        h("div", { id: "middle" }), h("div", { id: "players" })),
      box("decision", "Decision", h("h2", { id: "decides" }), h("p", { id: "judge" }), h("ol", { id: "shares" })),
      h("div", { id: "more" },
        box("values", "Expected payoffs", h("h2", { text: "What the policy expected" }), h("div", { id: "curve" })),
        box("costly", "Decisions that cost most", h("h2", { text: "Decisions that cost most" }),
          h("ol", { id: "costs" }),
          h("p", { id: "cost-note", class: "scale" })),
        box("told", "Story", h("h2", { text: "Story" }), h("ol", { id: "story", tabindex: "0" })),
        details("results", "Results",
          h("div", { tabindex: "0", role: "region", "aria-label": "Results" },
            h("table", {}, h("thead", { id: "figures" }), h("tbody", { id: "seats" })))),
        details("laws", "Rules", h("div", { id: "rules" })),
        details("help", "Keys", h("dl", {}, ...keys)))),
    h("footer", {},
      h("input", { id: "place", type: "range", min: "0", value: "0", "aria-label": "Step" }),
      h("div", { id: "buttons" },
        button("first", "First", "To the beginning"), button("back", "Back", "One step back"),
        h("button", { id: "play", type: "button", "aria-pressed": "false", text: "Play" }),
        button("next", "Next", "One step on"), button("last", "Last", "To the end"),
        h("label", {}, "Speed ", h("select", { id: "speed" })), h("output", { id: "count", for: "place" }))),
  ];
}

/** Shows a game in an element; returns what ends it. */
export function review(root, data) {
  let view = data.views[0];
  let at = 0;
  let timer = null;
  let news = null; // the events that are shown: they are announced once
  root.replaceChildren(...skeleton());

  // --- the table -----------------------------------------------------------------------------------------------------

  function seatOf(name) {
    return data.players.find((one) => name === one.name || name === one.name + " (you)");
  }

  function numbered(number) {
    const what = data.places[number];
    const player = seatOf(what.name);
    return place(what, player && player.policy ? [player.policy, ...what.notes] : what.notes);
  }

  // --- what happens --------------------------------------------------------------------------------------------------

  function jump(index, ...content) {
    const button = h("button", { type: "button", data: { frame: index }, onclick: () => go(index) }, ...content);
    return h("li", {}, button);
  }

  function tellStory() {
    byId("story").replaceChildren(
      ...view.frames.flatMap((frame, index) => frame.events.map((event) => jump(index, told(event)))));
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

  function showNews() {
    let since = at;
    while (since > 0 && !view.frames[since].events.length) since--;
    byId("now").className = since < at ? "past" : "";
    if (news === view.frames[since].events) return;
    news = view.frames[since].events;
    const lines = news.length ? news.map((event) => told(event)) : ["The cards are dealt."];
    byId("now").replaceChildren(...lines.map((line) => h("li", {}, line)));
  }

  // --- what was thought ----------------------------------------------------------------------------------------------

  function showDecision(decision) {
    const judge = decision && decision.judge;
    byId("decision").hidden = !decision;
    byId("decides").textContent = decision ? decision.player + " " + decision.meaning : "";
    byId("judge").textContent = decision ? tens(decision.action) : "";
    byId("shares").replaceChildren();
    if (!judge) return;
    const doubts = judge.lie_prob !== null;
    const doubt = doubts ? ". The last claim is " + percent(judge.lie_prob) + " likely to be a lie" : "";
    const isKnown = doubts && view === data.views[0] && typeof judge.truth === "boolean";
    const really = isKnown ? (judge.truth ? " (it is)" : " (it is none)") : "";
    byId("judge").textContent =
      judge.policy + " expects a payoff of " + signed(judge.value) + doubt + really + ". It would choose:";
    const named = judge.shares.map(([name, share]) => [name, name, share]);
    byId("shares").append(...bars(named, decision.action));
  }

  function showThoughts() {
    const judged = view.frames.filter((frame) => frame.decision && frame.decision.judge);
    byId("values").hidden = judged.length < 2;
    const points = judged.map((frame) => [frame.step, frame.decision.player, frame.decision.judge.value]);
    const names = data.players.map((player) => player.name);
    byId("curve").replaceChildren(...(judged.length < 2 ? [] : curve(points, names, (step) => go(frameOf(step)))));
    byId("cost-note").textContent = data.costs_note || "";
    const costs = (data.costs || []).filter(({ step }) => view.frames[frameOf(step)].decision);
    byId("costly").hidden = !costs.length;
    byId("costs").replaceChildren(...costs.map(({ step, cost }) => {
      const { player, meaning } = view.frames[frameOf(step)].decision;
      const lost = h("span", { class: "truth free", text: signed(-cost) });
      return jump(frameOf(step), player + " " + meaning + ": ", lost);
    }));
  }

  // --- going through the game ----------------------------------------------------------------------------------------

  function show() {
    const frame = view.frames[at];
    byId("situation").textContent = frame.title;
    byId("lines").replaceChildren(...frame.lines.map((text) => h("li", { text })));
    byId("middle").replaceChildren(...frame.middle.map(numbered));
    byId("players").replaceChildren(...frame.players.map(numbered));
    showNews();
    showDecision(frame.decision);
    markStory();
    const cursor = byId("curve").querySelector(".cursor");
    if (cursor) cursor.dispatchEvent(new CustomEvent("step", { detail: frame.step }));
    byId("place").value = at;
    byId("place").setAttribute("aria-valuetext", "step " + (at + 1) + " of " + view.frames.length);
    byId("count").textContent = at + 1 + " / " + view.frames.length;
    for (const id of ["first", "back"]) byId(id).disabled = at === 0;
    for (const id of ["next", "last"]) byId(id).disabled = at === view.frames.length - 1;
  }

  /** The frame in which a step is decided: the last one up to it. */
  function frameOf(step) {
    const later = view.frames.findIndex((frame) => frame.step > step);
    return (later < 0 ? view.frames.length : Math.max(1, later)) - 1;
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
    at = frameOf(step);
    tellStory();
    showResults();
    showThoughts();
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
    if (isTaken(event) || !(event.key in KEYS)) return;
    event.preventDefault();
    KEYS[event.key]();
  }

  function options(select, texts) {
    texts.forEach((text, index) => select.append(new Option(text, index)));
  }

  byId("title").textContent = data.title + (data.note ? ": " + data.note : "");
  byId("rules").append(...data.rules.map((text) => h("p", { text })));
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
  return () => {
    pause();
    document.removeEventListener("keydown", pressed);
  };
}
