// Which screen is shown: the lobby, a table, or a game that is looked at. The address says which table and seat.

import { byId, h } from "./dom.js";
import { join } from "./join.js";
import { lobby } from "./lobby.js";
import { review } from "./review.js";
import { takeKey } from "./server.js";
import { sitDown } from "./table.js";

let stop = () => {};
let endLook = null; // ends the look at a game, which lies over the screen that asked for it
let shown = ""; // the address of the screen

function show(screen) {
  if (endLook) endLook();
  stop();
  for (const one of document.querySelectorAll("dialog")) one.remove(); // without its close event, which may lead on
  window.scrollTo(0, 0);
  stop = screen(byId("page")) || (() => {});
  shown = location.href;
}

/** Goes to an address of this page without loading it again. */
function visit(address) {
  history.pushState(null, "", address);
  route();
}

function route() {
  const table = new URLSearchParams(location.search).get("table");
  if (table) {
    const sit = (root) => sitDown(root, table, location.hash.slice(1), { toLobby: () => visit("/"), look });
    show((root) => join(root, table, sit));
  } else {
    takeKey();
    show((root) => lobby(root, { visit, look }));
  }
}

/**
 * Shows a game that was played: what `reviewed` of bluff_env/web/review.py returns, and links to its files. The screen
 * that asked for it is kept, and a table stays connected, so that it does not end meanwhile. Back leads to it.
 */
function look(game, files) {
  if (endLook) endLook();
  else history.pushState(null, "", location.href);
  const bar = h("nav", { class: "bar-of-review", "aria-label": "Game" },
    h("button", { type: "button", class: "plain", id: "to-table", onclick: () => history.back(), text: "Back" }),
    ...files.map(([text, href]) => h("a", { class: "button", href, download: true, text })));
  const holder = h("div", { class: "holder" });
  const page = byId("page");
  const kept = [...page.childNodes];
  page.replaceChildren(bar, holder);
  window.scrollTo(0, 0);
  const end = review(holder, { ...game.replay, costs: game.costs, costs_note: game.costs_note }) || (() => {});
  endLook = () => {
    endLook = null;
    end();
    page.replaceChildren(...kept);
  };
}

/** Goes back or forward: to the screen below, or to another address. */
function move() {
  if (endLook) endLook();
  if (location.href !== shown) route();
}

window.addEventListener("popstate", move);
window.addEventListener("hashchange", move);
route();
