// A ring that runs down with the time for an answer.

import { h, svg } from "./dom.js";

const RADIUS = 20;
const ROUND = 2 * Math.PI * RADIUS;

export class Ring {
  constructor() {
    this.arc = svg("circle", { class: "arc", cx: 24, cy: 24, r: RADIUS, "stroke-dasharray": ROUND.toFixed(2) });
    const back = svg("circle", { class: "back", cx: 24, cy: 24, r: RADIUS });
    this.number = h("span", { class: "seconds" });
    this.element = h("div", { class: "ring", role: "timer", "aria-label": "Seconds left" },
      svg("svg", { viewBox: "0 0 48 48", "aria-hidden": "true" }, back, this.arc), this.number);
    this.timer = null;
    this.stop();
  }

  /** Runs down from `left` of `length` seconds. */
  start(left, length) {
    clearInterval(this.timer);
    const end = performance.now() + left * 1000;
    const show = () => {
      const seconds = Math.max(0, (end - performance.now()) / 1000);
      this.number.textContent = Math.ceil(seconds);
      this.arc.setAttribute("stroke-dashoffset", (ROUND * (1 - seconds / (length || left || 1))).toFixed(2));
      if (!seconds) clearInterval(this.timer);
    };
    this.element.hidden = false;
    show();
    this.timer = setInterval(show, 200);
  }

  stop() {
    clearInterval(this.timer);
    this.element.hidden = true;
  }
}
