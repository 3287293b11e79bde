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
      closeIt("Let it play", () => (chosen = list.value)), closeIt("Stay")));
    made.addEventListener("close", () => resolve(chosen));
  });
}
