/** Texts of this page where the browser refuses to store any, as with blocked cookies. They last until the page is closed. */
const unstored = new Map<string, string>();

/** A text that this browser has stored; null where there is none. */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return unstored.get(key) ?? null;
  }
}

/** Stores a text for later visits, or removes it. */
export function writeStored(key: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    if (text === null) unstored.delete(key);
    else unstored.set(key, text);
  }
}
