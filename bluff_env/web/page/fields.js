// One house rule as a control of a form.

import { h } from "./dom.js";

/**
 * A row with a house rule.
 *
 * @param field as /api/games has it. @param value what it is now. @param changed called with the new value.
 */
export function fieldRow(field, value, changed) {
  const id = "rule-" + field.name;
  const control = CONTROLS[field.kind](field, value, changed, id);
  const text = field.label;
  const label = field.kind === "several" ? h("span", { id: id + "-name", text }) : h("label", { for: id, text });
  // texts call it as configurations do, the form as people do
  const doc = h("small", { class: "faint", text: field.doc.replaceAll("`null`", "none").replaceAll("`", "") });
  return h("div", { class: "rule" }, label, control, doc);
}

function words(name) {
  return name.replaceAll("_", " ");
}

const CONTROLS = {
  switch(field, value, changed, id) {
    return h("input", { id, type: "checkbox", checked: value, onchange: (event) => changed(event.target.checked) });
  },
  choice(field, value, changed, id) {
    const names = field.choices.map((one) => (typeof one === "string" ? one : one.name));
    const options = [...(field.optional ? [["none", ""]] : []), ...names.map((name) => [words(name), name])];
    const list = h("select", { id, onchange: () => changed(list.value === "" ? null : list.value) },
      ...options.map(([text, name]) => new Option(text, name)));
    list.value = value === null ? "" : value;
    return list;
  },
  number(field, value, changed, id) {
    const { low = null, high = null, whole } = field;
    const read = (event) => {
      const text = event.target.value;
      if (text !== "" || field.optional) changed(text === "" ? null : Number(text));
    };
    return h("input", { id, type: "number", min: low, max: high, step: whole ? 1 : "any", oninput: read,
      placeholder: field.optional ? "none" : "", value: value === null ? "" : value });
  },
  several(field, value, changed, id) {
    const chosen = new Set(value);
    const toggle = (name) => (event) => {
      if (event.target.checked) chosen.add(name);
      else chosen.delete(name);
      changed(field.choices.filter((one) => chosen.has(one)));
    };
    const boxes = field.choices.map((name) => h("label", { class: "check" },
      h("input", { type: "checkbox", checked: chosen.has(name), onchange: toggle(name) }), " " + words(name)));
    return h("div", { class: "row", role: "group", "aria-labelledby": id + "-name" }, ...boxes);
  },
  text(field, value, changed, id) {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const read = (event) => changed(event.target.value === text ? value : event.target.value);
    return h("input", { id, type: "text", value: text, oninput: read });
  },
};
