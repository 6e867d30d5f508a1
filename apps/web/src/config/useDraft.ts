import { useState } from "react";
import { readStored, writeStored } from "./stored";

/**
 * State of a form that outlasts a change of the page and a reload: it is kept until the tab is closed or `forget` is called. The
 * stored value is read back unchecked: a field that it lacks takes its value from `start`.
 */
export function useDraft<T extends object>(
  key: string,
  start: T,
): [value: T, set: (value: T) => void, forget: () => void] {
  const name = `dueday-draft-${key}`;
  const [value, setValue] = useState<T>(() => ({ ...start, ...readDraft(name) }));
  const set = (next: T) => {
    setValue(next);
    writeStored(name, JSON.stringify(next), "sessionStorage");
  };
  return [value, set, () => writeStored(name, null, "sessionStorage")];
}

function readDraft(name: string): object {
  const draft: unknown = JSON.parse(readStored(name, "sessionStorage") ?? "{}");
  return typeof draft === "object" && draft !== null ? draft : {};
}
