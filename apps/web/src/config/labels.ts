import { useSyncExternalStore } from "react";
import { isHexOf } from "../format/isHexOf";
import { readStored, writeStored } from "./stored";

export const LABEL_CHARACTERS = 40;
export const MOST_LABELS = 500;

/** The reader's own labels, by address in lower case. They stay in this browser. */
export type Labels = ReadonlyMap<string, string>;

const KEY = "dueday-labels";
const listeners = new Set<() => void>();
let known: Labels | null = null;

export function readLabels(): Labels {
  known ??= parseLabels(readStored(KEY));
  return known;
}

/** Stores the label of an address for later visits; an empty text removes it. */
export function setLabel(address: string, text: string): void {
  const labels = new Map(readLabels());
  if (text === "") labels.delete(address.toLowerCase());
  else labels.set(address.toLowerCase(), text);
  writeStored(KEY, labels.size === 0 ? null : JSON.stringify(Object.fromEntries(labels)));
  refresh();
}

export function useLabels(): Labels {
  return useSyncExternalStore(onLabelsChange, readLabels);
}

/** The label of an address; undefined where it has none, and for a text that is not an address. */
export function useLabel(address: string): string | undefined {
  return useLabels().get(address.toLowerCase());
}

/** Reads the stored labels, without entries that this version would not store. */
export function parseLabels(text: string | null): Labels {
  const entries = Object.entries(Object(readJson(text ?? "{}")));
  const isLabel = (entry: [string, unknown]): entry is [string, string] =>
    isHexOf(20, entry[0]) && typeof entry[1] === "string" && [...entry[1]].length <= LABEL_CHARACTERS;
  return new Map(entries.filter(isLabel).slice(0, MOST_LABELS));
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // Not JSON, so this page did not write it.
  }
}

/** Calls back when labels change, in another tab too. */
function onLabelsChange(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener("storage", refresh);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) removeEventListener("storage", refresh);
  };
}

function refresh(): void {
  known = null;
  for (const listener of listeners) listener();
}
