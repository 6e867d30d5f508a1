import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { demo } from "@dueday/devnet/scenarios/demo";
import { ensureBrowser, openBrowser } from "@dueday/test-support/openBrowser";
import { testDepth } from "@dueday/test-support/testDepth";
import type { Browser } from "playwright-core";
import { startWebDemo, type WebDemo } from "./startWebDemo";
import { fullViews, untilLoaded } from "./webViews";

setDefaultTimeout(240_000);

/** What browsers call good. */
const MOST_SHIFT = 0.1;
const ANSWER_MS = 250;
const SIDE_BY_SIDE = 3;

/** Adds up the largest burst of shifts as the metric does: bursts end after a second of rest, or after five seconds. */
const OBSERVE = `
  globalThis.shifts = { most: 0, parts: [] };
  let burst = { sum: 0, from: 0, to: -Infinity };
  new PerformanceObserver((list) => {
    for (const { value, startTime, hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue;
      if (startTime - burst.to > 1000 || startTime - burst.from > 5000) burst = { sum: 0, from: startTime, to: startTime };
      burst = { ...burst, sum: burst.sum + value, to: startTime };
      globalThis.shifts.most = Math.max(globalThis.shifts.most, burst.sum);
      globalThis.shifts.parts.push(value.toFixed(3) + " " + sources.map(({ node }) => (node?.nodeName ?? "") + "." + (node?.className ?? "")).join(" | "));
    }
  }).observe({ type: "layout-shift", buffered: true });
`;

describe.if(ensureBrowser())("a page of the web app that loads", () => {
  let web: WebDemo;
  let browser: Browser;
  beforeAll(async () => {
    [web, browser] = await Promise.all([startWebDemo(demo, { STALE_AFTER_MS: "3600000" }), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await web?.stop();
  });

  // Every second page, and every third on a computer, where less moves; all of them in `bun run test:deep`.
  test.each([
    [412, 823, testDepth > 1 ? 1 : 2],
    [1280, 900, testDepth > 1 ? 1 : 3],
  ])("moves what is in view by at most 0.1, %d px wide", async (width, height, each) => {
    const { timestamp } = await web.devnet.client.getBlock();
    const views = fullViews(web.devnet, new Date(Number(timestamp) * 1000).toISOString().slice(0, 10));
    const pages = new Map(views.map(({ name, path }) => [path, name]));
    const found: Record<string, { most: number; parts: string[] }> = {};
    const waiting = [...pages].filter((_, place) => place % each === 0);
    async function measure(): Promise<void> {
      const next = waiting.shift();
      if (next === undefined) return;
      const [path, name] = next;
      const context = await browser.newContext({ viewport: { width, height }, reducedMotion: "reduce" });
      const page = await context.newPage();
      await page.addInitScript(OBSERVE);
      // Each answer takes its time, as over a network: what is near would be there before the first paint.
      await page.route(
        (url) => !/^\/(?:app|events)/.test(url.pathname),
        async (route) => {
          await Bun.sleep(ANSWER_MS);
          await route.continue().catch(() => undefined);
        },
      );
      await page.goto(`${web.url}/app${path}`);
      await untilLoaded(page);
      // Until two frames have been painted.
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
      const { most, parts } = await page.evaluate<{ most: number; parts: string[] }>("globalThis.shifts");
      console.log(`${width} px ${name}: ${most.toFixed(3)}`);
      if (most > MOST_SHIFT) found[name] = { most, parts };
      await context.close();
      await measure();
    }
    // A page waits for its answers most of the time.
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, measure));
    expect(found).toEqual({});
  });
});
