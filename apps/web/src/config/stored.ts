/**
 * Texts of this page that the browser refuses to store, as with blocked cookies or where its store is full; null: removed. They last until
 * the page is closed.
 */
const unstored = { localStorage: new Map<string, string | null>(), sessionStorage: new Map<string, string | null>() };

/** What is in `localStorage` is there on later visits, what is in `sessionStorage` until the tab is closed. */
type Store = "localStorage" | "sessionStorage";

/** A text that this browser has stored; null where there is none. */
export function readStored(key: string, store: Store = "localStorage"): string | null {
  const text = unstored[store].get(key);
  if (text !== undefined) return text;
  try {
    return globalThis[store].getItem(key);
  } catch {
    return null;
  }
}

/** Stores a text, or removes it. */
export function writeStored(key: string, text: string | null, store: Store = "localStorage"): void {
  unstored[store].delete(key);
  try {
    if (text === null) globalThis[store].removeItem(key);
    else globalThis[store].setItem(key, text);
  } catch {
    unstored[store].set(key, text);
  }
}
