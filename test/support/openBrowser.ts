import { type Browser, chromium } from "playwright-core";
import { ensureProgram, programs } from "./ensureProgram";

/** Whether a browser is installed, now or before. */
export function ensureBrowser(): boolean {
  return ensureProgram(programs.browser) !== null;
}

/** A page lives for seconds in a test: optimizing its scripts takes a sixth of the processor time, more than it saves. */
const WITHOUT_OPTIMIZER = "--js-flags=--no-maglev --no-turbofan";

/**
 * Starts a headless Chromium.
 *
 * @param options.optimizes whether its scripts are as fast as for people, for tests that measure. Default false
 * @throws Error where none is installed
 */
export async function openBrowser({ optimizes = false } = {}): Promise<Browser> {
  const executablePath = ensureProgram(programs.browser);
  if (executablePath === null) throw new Error("no Chromium on the PATH");
  // Without the first flag it looks up hosts of its vendor at each start.
  const args = ["--disable-quic", ...(optimizes ? [] : [WITHOUT_OPTIMIZER])];
  return chromium.launch({ executablePath, args });
}
