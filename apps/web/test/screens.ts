import { join } from "node:path";
import { demo } from "@dueday/devnet/scenarios/demo";
import { empty } from "@dueday/devnet/scenarios/empty";
import { openBrowser } from "@dueday/test-support/openBrowser";
import type { CDPSession, Page } from "playwright-core";
import { checkoutViews, lateView, openCheckout, prepareCheckout } from "./checkoutViews";
import { findAxeFaults } from "./findAxeFaults";
import { findLayoutFaults } from "./findLayoutFaults";
import { openPage, type WebPage } from "./openPage";
import { signInAndPrepare } from "./signInAndPrepare";
import { startReceiver } from "./startReceiver";
import { startWebDemo, type WebDemo } from "./startWebDemo";
import { takePicture } from "./takePicture";
import { applyState, type WebState } from "./webStates";
import { emptyParts, emptyViews, fullViews, showView, untilLoaded, viewsProvider, type WebView } from "./webViews";

/**
 * Writes a picture of every page in every state, theme and width into docs/screens, and ends with 1 where axe-core finds something or
 * something does not fit: `bun run screens [part of a name]`, for example `bun run screens keepers/stale`.
 */

const FOLDER = join(import.meta.dir, "../../../docs/screens");
const WIDTHS = [360, 768, 1440];
/** The checkout is a page of one column. */
const CHECKOUT_WIDTHS = [390, 1440];
/** Shown of one picture: what does not fit has parts that do not fit either. */
const MOST_FAULTS = 3;
const THEMES = ["light", "dark"] as const;
/** No block is mined while the pictures are made: figures would become stale. */
const LONG_FRESH = { STALE_AFTER_MS: "3600000" };

const [part = ""] = process.argv.slice(2);
const faults: string[] = [];
const browser = await openBrowser();
try {
  await drawDemo();
  await drawEmpty();
  await drawCheckout();
} finally {
  await browser.close();
}
for (const fault of faults) console.error(fault);
process.exit(faults.length === 0 ? 0 : 1);

async function drawDemo(): Promise<void> {
  const web = await startWebDemo(demo, LONG_FRESH);
  const receiver = startReceiver();
  try {
    const own = await openPage(browser, web, { account: viewsProvider });
    const views = fullViews(web.devnet, await todayOf(web));
    await own.open("/developers");
    const signedOut = views.filter(({ name }) => name === "developers");
    await draw(own, web, "empty", [...signedOut, ...emptyParts(web.devnet)]);
    await own.open("/developers");
    await signInAndPrepare(own.page, receiver);
    await draw(own, web, "full", views);
    await draw(
      own,
      web,
      "stale",
      views.filter(({ hasBlock = true }) => hasBlock),
      "stale",
    );
    await draw(own, web, "error", views, "error");
    await draw(
      own,
      web,
      "limited",
      views.filter(({ name }) => name === "keepers"),
      "limited",
    );
  } finally {
    receiver.stop();
    await web.stop();
  }
}

async function drawEmpty(): Promise<void> {
  const web = await startWebDemo(empty, LONG_FRESH);
  try {
    const own = await openPage(browser, web, { account: viewsProvider });
    await draw(own, web, "empty", emptyViews(await todayOf(web)));
  } finally {
    await web.stop();
  }
}

/** Every state of the checkout; the first is from before the demo's backlog is closed. */
async function drawCheckout(): Promise<void> {
  const wanted = [lateView, ...checkoutViews].filter(({ name }) => `checkout/${name}`.includes(part));
  if (wanted.length === 0) return;
  const web = await startWebDemo(demo, LONG_FRESH);
  let isPrepared = false;
  try {
    for (const view of wanted) {
      if (view !== lateView && !isPrepared) {
        await prepareCheckout(web);
        isPrepared = true;
      }
      const { page, context } = await openCheckout(browser, web, view);
      const session = await context.newCDPSession(page);
      await drawWindow(page, session, { file: `checkout/${view.name}`, widths: CHECKOUT_WIDTHS });
      await context.close();
    }
  } finally {
    await web.stop();
  }
}

/** The chain's day. */
async function todayOf({ devnet }: WebDemo): Promise<string> {
  const { timestamp } = await devnet.client.getBlock();
  return new Date(Number(timestamp) * 1000).toISOString().slice(0, 10);
}

/** Each view is loaded once; its pictures differ in width and theme alone. */
async function draw(
  { page, context }: WebPage,
  { url }: WebDemo,
  name: string,
  views: readonly WebView[],
  state: WebState | null = null,
): Promise<void> {
  const session = await context.newCDPSession(page);
  for (const view of views) {
    if (!`${view.name}/${name}`.includes(part)) continue;
    await applyState(page, state);
    if (state === null) await showView(page, url, view);
    else {
      await page.goto(`${url}/app${view.path}`);
      await untilLoaded(page);
    }
    await drawWindow(page, session, { file: `${view.name}/${name}`, widths: WIDTHS });
  }
  await session.detach();
}

/** A window in each theme and width. */
async function drawWindow(
  page: Page,
  session: CDPSession,
  { file, widths }: { file: string; widths: readonly number[] },
): Promise<void> {
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    faults.push(...(await findAxeFaults(page)).map((fault) => `${file} ${colorScheme}: ${fault}`));
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      await takePicture(page, session, join(FOLDER, `${file}-${width}-${colorScheme}.webp`));
      if (colorScheme === "dark") continue;
      const found = await findLayoutFaults(page);
      faults.push(...found.slice(0, MOST_FAULTS).map((fault) => `${file} ${width}: ${fault}`));
    }
  }
}
