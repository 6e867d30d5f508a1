import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { demo } from "@dueday/devnet/scenarios/demo";
import { ensureBrowser, openBrowser } from "@dueday/test-support/openBrowser";
import { testDepth } from "@dueday/test-support/testDepth";
import type { Browser, Page } from "playwright-core";
import {
  type CheckoutView,
  checkoutViews,
  lateView,
  openCheckout,
  PAYMASTER,
  prepareCheckout,
  sponsoredView,
} from "./checkoutViews";
import { findAxeFaults } from "./findAxeFaults";
import { findLayoutFaults } from "./findLayoutFaults";
import { startWebDemo, type WebDemo } from "./startWebDemo";

setDefaultTimeout(240_000);

const PHONE = { width: 390, height: 844 };
const COMPUTER = { width: 1440, height: 900 };
/** Every third; all of them in `bun run test:deep`. */
const views = [lateView, ...checkoutViews].filter((_, place) => testDepth > 1 || place % 3 === 0);
/** An address or a hash, cut or whole. */
const HEX = /0x[0-9a-f]{4}/i;

describe.if(ensureBrowser())("a state of the checkout", () => {
  let web: WebDemo;
  let browser: Browser;
  let preparing: Promise<void> | null = null;
  /** After the state of a late keeper, which ends with it. */
  const prepared = () => (preparing ??= prepareCheckout(web));

  beforeAll(async () => {
    web = await startWebDemo(demo);
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await web?.stop();
  });

  test.each(views.map((view) => [view.name, view] as const))(
    "%s fits, can be read by everybody, and shows its button and the next charge without scrolling",
    async (name, view) => {
      if (name !== lateView.name) await prepared();
      const { page, context, faults, wallet } = await openCheckout(browser, web, view);
      for (const size of [PHONE, COMPUTER]) {
        await page.setViewportSize(size);
        expect(await findAxeFaults(page)).toEqual([]);
        expect(await findLayoutFaults(page)).toEqual([]);
        if (view.button === undefined) continue;
        expect(await bottomOf(page, view.button)).toBeLessThanOrEqual(size.height);
        expect(await page.getByText("Next", { exact: true }).isVisible()).toBe(true);
      }
      if (!wallet.requests.includes("eth_requestAccounts")) {
        expect(await page.getByRole("main").textContent()).not.toMatch(HEX);
      }
      expect(faults).toEqual([]);
      await context.close();
    },
  );

  test("a check of the wallet that fails keeps the plan on the page, and can be repeated", async () => {
    await prepared();
    const { page, context } = await openCheckout(browser, web, viewNamed("not-checked"));
    expect(await page.getByText("Next", { exact: true }).isVisible()).toBe(true);
    expect(await page.getByRole("button", { name: /^Pay / }).count()).toBe(0);
    await page.unrouteAll({ behavior: "wait" });
    await page.getByRole("button", { name: "Check again" }).click();
    await page.getByText("This wallet holds too little").waitFor();
    await context.close();
  });

  test("a paymaster of the seller is named to a wallet that takes one, in the same prompt as the payment", async () => {
    await prepared();
    const { page, context, wallet } = await openCheckout(browser, web, sponsoredView);
    await page.getByRole("button", { name: /^Pay / }).click();
    await page.getByText("You are subscribed").waitFor();
    expect(wallet.paymasterUrl).toBe(PAYMASTER);
    expect(wallet.requests.filter((method) => /send|sign/i.test(method))).toEqual(["wallet_sendCalls"]);
    // The page asks again after the payment.
    await page.unrouteAll({ behavior: "wait" });
    await context.close();
  });
});

function viewNamed(name: string): CheckoutView {
  const view = checkoutViews.find((each) => each.name === name);
  if (view === undefined) throw new Error(`no view is named ${name}`);
  return view;
}

/** Pixels from the top of the page to the lower edge of a button. */
async function bottomOf(page: Page, name: string | RegExp): Promise<number> {
  const box = await page.getByRole("button", { name }).boundingBox();
  return box === null ? Number.POSITIVE_INFINITY : box.y + box.height;
}
