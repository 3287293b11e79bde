// What the browser keeps for this page. Where it keeps nothing, as with blocked cookies, the page remembers it itself.

function storage(name) {
  try {
    window[name].getItem("");
    return window[name];
  } catch {
    const kept = new Map();
    return { getItem: (key) => kept.get(key) ?? null, setItem: (key, text) => kept.set(key, text) };
  }
}

/** For this browser, and for this window of it. */
export const lasting = storage("localStorage");
export const ofWindow = storage("sessionStorage");
