// Which screen is shown: the lobby, a table, or a game that is looked at. The address says which table and seat.

import { byId, h } from "./dom.js";
import { lobby } from "./lobby.js";
import { review } from "./review.js";
import { takeKey } from "./server.js";
import { sitDown } from "./table.js";

let stop = () => {};

function show(screen) {
  stop();
  window.scrollTo(0, 0);
  stop = screen(byId("page")) || (() => {});
}

/** Goes to an address of this page without loading it again. */
function visit(address) {
  history.pushState(null, "", address);
  route();
}

function route() {
  const table = new URLSearchParams(location.search).get("table");
  if (table) {
    show((root) => sitDown(root, table, location.hash.slice(1), { toLobby: () => visit("/"), look }));
  } else {
    takeKey();
    show((root) => lobby(root, { visit, look }));
  }
}

/** Shows a game that was played: what `reviewed` of bluff_env/web/review.py returns, and links to its files. */
function look(game, files, back) {
  show((root) => {
    const bar = h("nav", { class: "bar-of-review", "aria-label": "Game" },
      h("button", { type: "button", class: "plain", id: "to-table", onclick: back || route, text: "Back" }),
      ...files.map(([text, href]) => h("a", { class: "button", href, download: true, text })));
    const holder = h("div", { class: "holder" });
    root.replaceChildren(bar, holder);
    return review(holder, { ...game.replay, costs: game.costs, costs_note: game.costs_note });
  });
}

window.addEventListener("popstate", route);
window.addEventListener("hashchange", route);
route();
