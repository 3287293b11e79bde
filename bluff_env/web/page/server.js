// Requests to the server, and the connection of one place at a table.

import { lasting, ofWindow } from "./storage.js";

const KEY = "bluff-env key"; // which a server for other machines wants to see
const SOONEST = 500; // milliseconds until the first try to connect again
const LATEST = 8000;
const BEAT = 5000; // milliseconds between questions whether the server still hears
const DEAD = 20000; // a line on which nothing has come for so long is given up

const PAGE = crypto.getRandomValues(new Uint32Array(4)).join("-"); // tells this page from others with the same link
const NAME = "bluff-env name"; // of the person, in this window, and in windows that are opened later

/** The name by which the person wants to be called; with an argument it is kept. */
export function ownName(name) {
  if (name !== undefined) [ofWindow, lasting].forEach((storage) => storage.setItem(NAME, name));
  return ofWindow.getItem(NAME) ?? lasting.getItem(NAME) ?? "";
}

/** Takes the key of the server out of the address, if it is there. */
export function takeKey() {
  if (location.hash.length > 1) {
    ofWindow.setItem(KEY, location.hash.slice(1));
    history.replaceState(null, "", location.pathname);
  }
}

/** What the server answers. Throws an error with a sentence for people, and with the `status` of an answer. */
export async function ask(path, body, type = "application/json") {
  const headers = { "X-Table-Key": ofWindow.getItem(KEY) || "" };
  let answer = null;
  let status = null;
  try {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const post = { method: "POST", headers: { ...headers, "Content-Type": type }, body: text };
    const response = await fetch(path, body === undefined ? { headers } : post);
    answer = await response.json();
    status = response.status;
  } catch {
    throw new Error("The server does not answer. Is it still running?");
  }
  if (answer.error) throw Object.assign(new Error(answer.error), { status });
  return answer;
}

/**
 * The connection of one place. It connects again when it breaks off, until it is closed for good.
 *
 * @param on functions for what happens: `message(message)`, `open()`, `lost(milliseconds)` with the time until the next
 *   try, `closed(text)`.
 */
export class Connection {
  constructor(table, token, on) {
    Object.assign(this, { table, token, on, delay: SOONEST, isClosed: false, timer: null, socket: null });
    Object.assign(this, { heard: 0, pulse: null, seated: false });
    this.open();
  }

  /** Connects; `again`: by itself, as the connection was lost, which takes the seat from no other page. */
  open(again = false) {
    clearTimeout(this.timer);
    const address = (location.protocol === "https:" ? "wss://" : "ws://") + location.host + "/ws/";
    const socket = new WebSocket(address + encodeURIComponent(this.table));
    const earlier = this.socket; // it may still be connecting, and is not heard from here on
    this.socket = socket;
    if (earlier) earlier.close();
    this.isClosed = false;
    socket.onopen = () => {
      if (socket !== this.socket) return;
      this.delay = SOONEST;
      this.heard = performance.now();
      clearInterval(this.pulse);
      this.pulse = setInterval(() => this.beat(socket), BEAT);
      this.send({ type: "sit", token: this.token, name: ownName() || undefined, page: PAGE,
        again: again && this.seated });
      this.on.open();
    };
    socket.onmessage = (event) => {
      if (socket !== this.socket) return;
      this.heard = performance.now();
      const message = JSON.parse(event.data);
      if (message.type === "state") this.seated = true;
      if (message.type === "closed") this.isClosed = true;
      if (message.type === "closed") this.on.closed(message.text);
      else if (message.type !== "pong") this.on.message(message);
    };
    socket.onclose = () => this.broken(socket);
  }

  /** Asks whether the server still hears; gives the line up if nothing has come for long. */
  beat(socket) {
    if (performance.now() - this.heard < DEAD) this.send({ type: "ping" });
    else this.broken(socket);
  }

  /** A line has broken off, or is given up: tries again after a while. */
  broken(socket) {
    if (this.isClosed || socket !== this.socket) return;
    clearInterval(this.pulse);
    socket.onclose = null; // it is told once
    this.on.lost(this.delay);
    this.timer = setTimeout(() => this.open(true), this.delay);
    this.delay = Math.min(LATEST, this.delay * 2);
  }

  /** Sends a message; returns whether it could be sent. */
  send(message) {
    if (this.socket.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  close() {
    this.isClosed = true;
    clearTimeout(this.timer);
    clearInterval(this.pulse);
    this.socket.close();
  }
}
