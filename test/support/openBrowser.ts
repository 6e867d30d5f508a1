import { type Browser, chromium } from "playwright-core";
import { ensureProgram, programs } from "./ensureProgram";

/** Whether a browser is installed, now or before. */
export function ensureBrowser(): boolean {
  return ensureProgram(programs.browser) !== null;
}

/** Starts a headless Chromium. @throws Error where none is installed */
export async function openBrowser(): Promise<Browser> {
  const executablePath = ensureProgram(programs.browser);
  if (executablePath === null) throw new Error("no Chromium on the PATH");
  // Without the flag it looks up hosts of its vendor at each start.
  return chromium.launch({ executablePath, args: ["--disable-quic"] });
}
