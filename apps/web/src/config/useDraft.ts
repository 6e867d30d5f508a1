import { useState } from "react";

/** Drafts where the browser refuses to store any. They last until the page is closed. */
const unstored = new Map<string, string>();

/**
 * State of a form that outlasts a change of the page and a reload: it is kept until the tab is closed or `forget` is called. The value
 * must keep the fields of `start`.
 */
export function useDraft<T extends object>(
  key: string,
  start: T,
): [value: T, set: (value: T) => void, forget: () => void] {
  const name = `dueday-draft-${key}`;
  const [value, setValue] = useState<T>(() => ({ ...start, ...readDraft(name) }));
  const set = (next: T) => {
    setValue(next);
    write(name, JSON.stringify(next));
  };
  return [value, set, () => write(name, "{}")];
}

function readDraft(name: string): object {
  const draft: unknown = JSON.parse(unstored.get(name) ?? readSession(name) ?? "{}");
  return typeof draft === "object" && draft !== null ? draft : {};
}

function readSession(name: string): string | null {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null; // blocked: `unstored` has it
  }
}

function write(name: string, text: string): void {
  try {
    sessionStorage.setItem(name, text);
  } catch {
    unstored.set(name, text);
  }
}
