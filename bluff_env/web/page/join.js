// Who opens the link that somebody sent them says first how they are called: the game begins as soon as they sit down.

import { h } from "./dom.js";
import { ownName } from "./server.js";
import { ofWindow } from "./storage.js";

const INVITED = "invited"; // in the address of such a link

/** The link of a seat as it is sent to the person who is to sit there. */
export function invitation(link) {
  return link.replace("#", `&${INVITED}#`);
}

/** Asks for a name, if this window has not been asked for one, and then sits down; returns what ends it. */
export function join(root, table, sit) {
  const asked = "asked for a name at " + table;
  const invited = new URLSearchParams(location.search).has(INVITED);
  if (!invited || ofWindow.getItem(asked)) return sit(root);
  let end = () => {};
  const name = h("input", { id: "name", type: "text", maxlength: "16", autocomplete: "nickname", placeholder: "Guest",
    value: ownName() });
  const submit = (event) => {
    event.preventDefault();
    ownName(name.value.trim());
    ofWindow.setItem(asked, "yes");
    end = sit(root);
  };
  root.replaceChildren(
    h("header", {}, h("h1", { text: "Games of bluff" })),
    h("main", { class: "lobby" },
      h("form", { class: "box", onsubmit: submit },
        h("p", { text: "You are invited to sit down at a table." }),
        h("label", { class: "field" }, h("span", { text: "Your name" }), name),
        h("div", { class: "answers" }, h("button", { id: "join", class: "answer primary", text: "Sit down" })))));
  name.focus();
  return () => end();
}
