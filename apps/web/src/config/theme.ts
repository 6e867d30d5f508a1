import { useSyncExternalStore } from "react";
import { readStored, writeStored } from "./stored";

export type Theme = "system" | "light" | "dark";

const KEY = "dueday-theme";
const listeners = new Set<() => void>();

/** The theme that the reader chose in this browser. */
function readTheme(): Theme {
  const stored = readStored(KEY);
  return stored === "light" || stored === "dark" ? stored : "system";
}

/** Puts the chosen theme on the page. */
export function applyTheme(): void {
  const theme = readTheme();
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  for (const listener of listeners) listener();
}

/** Stores a choice for later visits, and applies it. */
export function chooseTheme(theme: Theme): void {
  writeStored(KEY, theme === "system" ? null : theme);
  applyTheme();
}

/** Calls the listener when the reader or the system changes the colours: for parts such as charts, which are drawn and not styled by CSS. */
export function onThemeChange(listener: () => void): () => void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  listeners.add(listener);
  system.addEventListener("change", listener);
  return () => {
    listeners.delete(listener);
    system.removeEventListener("change", listener);
  };
}

export function useTheme(): Theme {
  return useSyncExternalStore(onThemeChange, readTheme);
}
