import { join } from "node:path";
import { freePort } from "@dueday/db/embedded/freePort";
import { demo } from "@dueday/devnet/scenarios/demo";
import { empty } from "@dueday/devnet/scenarios/empty";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { startDemoMail } from "@dueday/local/startDemoMail";
import { createDueday } from "@dueday/sdk";
import { openBrowser } from "@dueday/test-support/openBrowser";
import type { CDPSession, Page } from "playwright-core";
import { checkoutViews, lateView, openCheckout, prepareCheckout } from "./checkoutViews";
import { findAxeFaults } from "./findAxeFaults";
import { findLayoutFaults } from "./findLayoutFaults";
import { openPage, type WebPage } from "./openPage";
import { payer, payerSteps } from "./payerSteps";
import { seedSeller } from "./seedSeller";
import { signInAndPrepare } from "./signInAndPrepare";
import { startReceiver } from "./startReceiver";
import { startWebDemo, type WebDemo } from "./startWebDemo";
import { takePicture } from "./takePicture";
import { applyState, type WebState } from "./webStates";
import { emptyParts, emptyViews, fullViews, showView, untilLoaded, viewsProvider, type WebView } from "./webViews";

/**
 * Writes pictures of every page in its states, in each theme and width, into docs/screens, and ends with 1 where axe-core finds something or
 * something does not fit: `bun run screens [parts of names]`, for example `bun run screens keepers/stale sell`.
 */

const FOLDER = join(import.meta.dir, "../../../docs/screens");
const WIDTHS = [360, 768, 1440];
/** For the checkout, which is a page of one column, and for a payer's steps and a seller with many subscribers, whose pages are drawn in `WIDTHS` elsewhere. */
const TWO_WIDTHS = [390, 1440];
/** Shown of one picture: what does not fit has parts that do not fit either. */
const MOST_FAULTS = 3;
const THEMES = ["light", "dark"] as const;
/** No block is mined while the pictures are made: figures would become stale. */
const LONG_FRESH = { STALE_AFTER_MS: "3600000" };

const parts = process.argv.slice(2);
const isWanted = (file: string) => parts.length === 0 || parts.some((part) => file.includes(part));
const faults: string[] = [];
const browser = await openBrowser();
try {
  await drawDemo();
  await drawEmpty();
  await drawPayer();
  await drawSeller();
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

/** What a payer does on its page, step by step, and what its seller sees of it. */
async function drawPayer(): Promise<void> {
  const ofSeller = "provider-at-risk/signed";
  if (![ofSeller, ...payerSteps.map(([file]) => file)].some(isWanted)) return;
  const mail = await startDemoMail(0);
  const port = await freePort();
  const web = await startWebDemo(demo, {
    ...LONG_FRESH,
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    SMTP_URL: mail.smtpUrl,
    MAIL_FROM: "Dueday <reminders@dueday.example>",
  });
  try {
    const own = await openPage(browser, web, { account: payer });
    await own.open("/my");
    const session = await own.context.newCDPSession(own.page);
    for (const [file, step] of payerSteps) {
      await step(own.page, { app: `${web.url}/app`, inbox: mail.url });
      await untilLoaded(own.page);
      if (isWanted(file)) await drawWindow(own.page, session, { file, widths: TWO_WIDTHS });
    }
    const dueday = createDueday({ baseUrl: web.url });
    const { plans } = await dueday.getAccountHealth({ address: payer.address });
    const { subscription } = await dueday.getSubscription({ id: plans[0]?.id ?? "0x" });
    const view = { name: "provider-at-risk", widths: TWO_WIDTHS, text: "Signed approvals" } as const;
    await draw(own, web, "signed", [{ ...view, path: `/providers/${subscription.provider}?tab=at-risk` }]);
  } finally {
    await web.stop();
    await mail.stop();
  }
}

/** The home of a seller with 5,000 subscribers and three years of history. */
async function drawSeller(): Promise<void> {
  if (!["full", "stale", "empty"].some((state) => isWanted(`seller/${state}`))) return;
  const web = await startWebDemo(demo, LONG_FRESH);
  try {
    const own = await openPage(browser, web, { account: viewsProvider });
    await own.open("/providers");
    await web.caughtUp();
    const view = { name: "seller", widths: TWO_WIDTHS } as const;
    const stranger = testAccount(ACCOUNT_INDEX.keeper).address;
    await draw(own, web, "empty", [{ ...view, path: `/providers/${stranger}`, text: "No subscribers yet" }]);
    await seedSeller(web, viewsProvider.address);
    const full = { ...view, path: `/providers/${viewsProvider.address}`, text: "Monthly recurring revenue" };
    await draw(own, web, "full", [full]);
    await draw(own, web, "stale", [full], "stale");
  } finally {
    await web.stop();
  }
}

/** Every state of the checkout; the first is from before the demo's backlog is closed. */
async function drawCheckout(): Promise<void> {
  const wanted = [lateView, ...checkoutViews].filter(({ name }) => isWanted(`checkout/${name}`));
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
      await drawWindow(page, session, { file: `checkout/${view.name}`, widths: TWO_WIDTHS });
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
    if (!isWanted(`${view.name}/${name}`)) continue;
    await applyState(page, state);
    if (state === null) await showView(page, url, view);
    else {
      await page.goto(`${url}/app${view.path}`);
      await untilLoaded(page);
    }
    await drawWindow(page, session, { file: `${view.name}/${name}`, widths: view.widths ?? WIDTHS });
  }
  // A later poll of the page would be sent on to a service that has stopped.
  await applyState(page, null);
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
