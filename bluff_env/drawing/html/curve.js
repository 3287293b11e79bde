// What a policy expected at every decision, as a curve for each player.

import { h, signed, svg } from "./dom.js";

const WIDTH = 320;
const HEIGHT = 120;
const EDGE = 6; // around the curves, so that they are not cut

/**
 * The curves and their legend.
 *
 * @param points the decisions in order, each as [step, player, value]; there are at least two.
 * @param players the names of all players, which keep their colours.
 * @param go called with a step when the curves are clicked there.
 */
export function curve(points, players, go) {
  const steps = points.map(([step]) => step);
  const values = points.map(([, , value]) => value);
  const [first, last] = [steps[0], steps[steps.length - 1]];
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const x = (step) => EDGE + ((step - first) / (last - first || 1)) * (WIDTH - 2 * EDGE);
  const y = (value) => HEIGHT - EDGE - ((value - low) / (high - low || 1)) * (HEIGHT - 2 * EDGE);
  const shown = players.filter((name) => points.some(([, player]) => player === name));
  const lines = shown.map((name) => {
    const own = points.filter(([, player]) => player === name);
    const path = own.map(([step, , value]) => x(step).toFixed(1) + "," + y(value).toFixed(1)).join(" ");
    return svg("polyline", { class: "line colour" + players.indexOf(name), points: path });
  });
  const cursor = svg("line", { class: "cursor", x1: 0, x2: 0, y1: 0, y2: HEIGHT });
  cursor.addEventListener("step", (event) => {
    const at = x(Math.max(first, Math.min(last, event.detail)));
    cursor.setAttribute("x1", at);
    cursor.setAttribute("x2", at);
  });
  const spoken = shown.map((name) => {
    const own = points.filter(([, player]) => player === name).map(([, , value]) => value);
    return name + " from " + signed(own[0]) + " to " + signed(own[own.length - 1]);
  });
  const zero = svg("line", { class: "zero", x1: 0, x2: WIDTH, y1: y(0), y2: y(0) });
  const drawn = svg(
    "svg",
    { viewBox: "0 0 " + WIDTH + " " + HEIGHT, role: "img", "aria-label": "Expected payoffs: " + spoken.join("; ") },
    zero, ...lines, cursor,
  );
  drawn.addEventListener("click", (event) => {
    const box = drawn.getBoundingClientRect();
    const share = (((event.clientX - box.left) / box.width) * WIDTH - EDGE) / (WIDTH - 2 * EDGE);
    go(Math.round(first + Math.max(0, Math.min(1, share)) * (last - first)));
  });
  const legend = shown.map((name) =>
    h("li", {}, svgMark(players.indexOf(name)), name));
  const scale = h("p", { class: "scale", text: "payoff from " + signed(low) + " to " + signed(high) });
  return [drawn, h("ul", { class: "legend" }, ...legend), scale];
}

function svgMark(number) {
  return svg("svg", { viewBox: "0 0 16 8", class: "mark", "aria-hidden": "true" },
    svg("line", { class: "line colour" + number, x1: 0, x2: 16, y1: 4, y2: 4 }));
}
