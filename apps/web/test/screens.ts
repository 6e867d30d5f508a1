import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { demo } from "@dueday/devnet/scenarios/demo";
import { empty } from "@dueday/devnet/scenarios/empty";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { openBrowser } from "@dueday/test-support/openBrowser";
import type { Browser } from "playwright-core";
import { findAxeFaults } from "./findAxeFaults";
import { startWebDemo, type WebDemo } from "./startWebDemo";
import { applyState, type ScreenState, screenPaths, screenStates, untilLoaded } from "./webScreens";

/**
 * Writes a picture of every page in every state, theme and width into docs/screens, and ends with 1 where one is wider than the window
 * or axe-core finds something: `bun run screens [part of a name]`.
 */

const FOLDER = join(import.meta.dir, "../../../docs/screens");
const WIDTHS = [360, 768, 1440];
const THEMES = ["light", "dark"] as const;
/** No block is mined while the pictures are made: figures would become stale. */
const LONG_FRESH = { STALE_AFTER_MS: "3600000" };
/** Two frames: a chart is drawn after the page. */
const PAINTED = "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))";

const [part = ""] = process.argv.slice(2);
await mkdir(FOLDER, { recursive: true });
const browser = await openBrowser();
const faults = [
  ...(await drawAll(browser, await startWebDemo(demo, LONG_FRESH), screenStates)),
  ...(await drawAll(browser, await startWebDemo(empty, LONG_FRESH), ["empty"])),
];
await browser.close();
for (const fault of faults) console.error(fault);
process.exit(faults.length === 0 ? 0 : 1);

async function drawAll(
  browser: Browser,
  service: WebDemo,
  states: readonly (ScreenState | "empty")[],
): Promise<string[]> {
  const paths = Object.entries(screenPaths(service.devnet, testAccount(ACCOUNT_INDEX.firstProvider).address));
  const faults: string[] = [];
  for (const state of states) {
    for (const theme of THEMES) {
      for (const width of WIDTHS) {
        const context = await browser.newContext({
          ...{ viewport: { width, height: 900 }, colorScheme: theme, reducedMotion: "reduce" },
        });
        for (const [name, path] of paths) {
          const file = `${name}-${state}-${theme}-${width}.png`;
          if (!file.includes(part)) continue;
          const page = await context.newPage();
          await applyState(page, state === "empty" ? "full" : state);
          await page.goto(`${service.url}/app${path}`);
          await untilLoaded(page);
          await page.evaluate(PAINTED);
          await page.screenshot({ path: join(FOLDER, file), fullPage: true });
          const excess = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
          if (excess > 0) faults.push(`${file}: ${excess} px wider than the window`);
          faults.push(...(await findAxeFaults(page)).map((fault) => `${file}: ${fault}`));
          await page.close();
        }
        await context.close();
      }
    }
  }
  await service.stop();
  return faults;
}
