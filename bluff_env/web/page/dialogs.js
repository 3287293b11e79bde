// Windows above the page.

import { h } from "./dom.js";

/** Opens a window; it closes itself with Escape, or with a button of `closeIt`. Returns it. */
export function dialog(title, ...children) {
  const head = h("h2", { text: title });
  const made = h("dialog", { "aria-label": title, onclose: () => made.remove() }, head, ...children);
  document.body.append(made);
  made.showModal();
  return made;
}

/** A button that closes the window in which it stands. */
export function closeIt(text = "Close", then = () => {}) {
  const use = (event) => {
    then();
    event.target.closest("dialog").close();
  };
  return h("button", { type: "button", class: "plain", text, onclick: use });
}

/** Lets the person choose a policy; gives its name, or null. */
export function pickPolicy(title, policies, usual, labels = {}) {
  return new Promise((resolve) => {
    let chosen = null;
    const options = policies.map((name) => new Option(labels[name] || name, name, false, name === usual));
    const list = h("select", { "aria-label": "Policy" }, ...options);
    const made = dialog(title, list, h("div", { class: "answers" },
      closeIt("Let it play", () => (chosen = list.value)), closeIt("Cancel")));
    made.addEventListener("close", () => resolve(chosen));
  });
}

/** Says that links with the address of this page work on this machine only; null where they work elsewhere too. */
export function onlyHere(host = location.hostname) {
  if (!/^(localhost|127[.].*|\[::1\])$/.test(host)) return null;
  const text = `These links work on this machine only, because you opened this page at ${host}. To play with others ` +
    "in your network, open the link that the server prints when it is started with: bluff-env table --host 0.0.0.0";
  return h("p", { id: "local", text });
}
