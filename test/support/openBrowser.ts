import { type Browser, chromium } from "playwright-core";
import { ensureProgram, programs } from "./ensureProgram";

/** Whether there is a browser, or one could be installed. */
export function ensureBrowser(): boolean {
  return ensureProgram(programs.chromium) !== null;
}

/** Opens a headless Chromium of its own. @throws Error where there is none */
export async function openBrowser(): Promise<Browser> {
  const executablePath = ensureProgram(programs.chromium);
  if (executablePath === null) throw new Error("no Chromium on the PATH");
  // Without the flag it looks its maker's hosts up at each start.
  return chromium.launch({ executablePath, args: ["--disable-quic"] });
}
