import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { demo } from "@dueday/devnet/scenarios/demo";
import { settle } from "@dueday/devnet/test/settle";
import { ACCOUNT_INDEX, type TestAccount, testAccount } from "@dueday/devnet/testAccount";
import { ensureBrowser, openBrowser } from "@dueday/test-support/openBrowser";
import type { Browser } from "playwright-core";
import { openPage } from "./openPage";
import { type Hostile, seedHostile } from "./seedHostile";
import { startWebDemo, type WebDemo } from "./startWebDemo";
import { showView, type WebView } from "./webViews";

setDefaultTimeout(240_000);

/** What is left of the symbol when invisible characters are removed and it is cut. */
const SYMBOL = "DSU";
/** One more than `UntrustedText` shows of a description, with its mark for a cut. */
const MOST_CHARACTERS = 601;
/** Of a symbol, with the mark for a cut. */
const SYMBOL_CHARACTERS = 13;
const PLAN_NAME_CHARACTERS = 60;
/** Subscribed to nothing in the hostile token. */
const stranger = testAccount(ACCOUNT_INDEX.firstSubscriber + 40);

describe.if(ensureBrowser())(
  "hostile text from the chain is inert, cut, marked and without invisible characters",
  () => {
    let web: WebDemo;
    let browser: Browser;
    let hostile: Hostile;
    const cleanUps: (() => Promise<unknown>)[] = [];

    beforeAll(async () => {
      web = await startWebDemo(demo);
      cleanUps.push(web.stop);
      browser = await openBrowser();
      cleanUps.push(() => browser.close());
      hostile = await seedHostile(web.devnet);
      await web.travel(2);
    });
    afterAll(async () => {
      for (const cleanUp of cleanUps.toReversed()) await cleanUp();
    });

    /** Shows pages to a wallet, and holds what each of them contains against the rules. */
    async function judge(account: TestAccount, views: readonly (Omit<WebView, "name" | "text"> & { text?: string })[]) {
      const { page, open, context, faults } = await openPage(browser, web, { account });
      page.on("dialog", () => faults.push("a dialog"));
      await open("/accounts");
      for (const { path, text = SYMBOL, ...view } of views) {
        await showView(page, web.url, { name: path, path, text, ...view }).catch((cause) => {
          throw new Error(`${path} does not show ${text}`, { cause });
        });
        const main = page.locator("main");
        const built = await main.locator("script, img, b, iframe, object, embed, [onerror]").count();
        const links = await main.locator("a[href*=evil], a[href^=javascript]").count();
        expect({ path, built, links }).toEqual({ path, built: 0, links: 0 });
        const shown = (await main.textContent()) ?? "";
        // Controls (lines of code end in one) and what reverses or hides text.
        expect({ path, found: shown.replaceAll("\n", "").match(/[\p{Cc}\p{Cf}]/u) }).toEqual({ path, found: null });
        // The checkout marks nothing, as its preview beside the form of a plan.
        const marks = await page.evaluate<{ text: string; title: string | null }[]>(
          "[...document.querySelectorAll('main bdi')].filter((mark) => mark.closest('[aria-labelledby=plan]') === null).map((mark) => ({ text: mark.textContent, title: mark.getAttribute('title') }))",
        );
        for (const { text, title } of marks) {
          expect([...text].length).toBeLessThanOrEqual(text.includes(SYMBOL) ? SYMBOL_CHARACTERS : MOST_CHARACTERS);
          expect(title).toMatch(/on the chain/);
        }
      }
      expect(await page.evaluate("window.hacked")).toBeUndefined();
      expect(faults).toEqual([]);
      await context.close();
    }

    test("on the pages of its subscription and of its provider, as the provider's wallet sees them", async () => {
      const [subscription, provider] = [`/subscriptions/${hostile.id}`, `/providers/${hostile.provider.address}`];
      await judge(hostile.provider, [
        { path: "/subscriptions" },
        { path: subscription, press: "Edit or cancel" },
        { path: `${subscription}?tab=subscribers` },
        { path: `${subscription}?tab=history` },
        { path: provider },
        { path: `${provider}?tab=income` },
        { path: `${provider}?tab=subscriptions` },
        { path: `${provider}?tab=at-risk`, text: "At risk" },
        { path: `${provider}?tab=profile`, text: "evil.example" },
        { path: "/sell", text: "Choose a wallet" },
      ]);
    });

    test("on the pages of its subscriber, and where a stranger is about to subscribe", async () => {
      const account = `/accounts/${hostile.subscriber.address}`;
      await judge(hostile.subscriber, [
        { path: account, text: "Renew the approval" },
        { path: `${account}?tab=activity` },
        { path: `${account}?tab=spending` },
        { path: `${account}?tab=statement`, text: "Show the statement", press: "Show the statement" },
      ]);
      const subscription = `/subscriptions/${hostile.id}`;
      await judge(stranger, [
        { path: subscription, text: "Your balance" },
        { path: subscription, text: "evil.example" },
      ]);
    });

    test("on its checkout, as the names of plan, seller and token", async () => {
      const { page, context, wallet, faults } = await openPage(browser, web, { account: stranger });
      page.on("dialog", () => faults.push("a dialog"));
      await page.goto(`${web.url}/pay/${hostile.id}`);
      await page.getByRole("button", { name: "Choose a wallet" }).click();
      await page.getByRole("button", { name: wallet.name }).click();
      await page.getByText("Change wallet").waitFor();
      const main = page.getByRole("main");
      expect(await main.locator("script, img, b, iframe, object, embed, [onerror]").count()).toBe(0);
      expect(await main.locator("a[href*=evil], a[href^=javascript]").count()).toBe(0);
      const shown = (await main.textContent()) ?? "";
      expect(shown).toContain(SYMBOL);
      expect(shown.match(/[\p{Cc}\p{Cf}]/u)).toBeNull();
      const name = (await page.getByRole("heading", { level: 1 }).textContent()) ?? "";
      expect([...name].length).toBeLessThanOrEqual(PLAN_NAME_CHARACTERS);
      expect(await page.evaluate("window.hacked")).toBeUndefined();
      expect(faults).toEqual([]);
      await context.close();
    });

    test("on the pages that show no text of the chain", async () => {
      await judge(hostile.provider, [
        { path: "/accounts", text: "What I pay" },
        { path: "/providers", text: "What I earn" },
        { path: "/developers", text: "Sign in as" },
        { path: "/status", text: "Calls per minute" },
      ]);
    });

    test("on the pages of the plan, of the calendar and of keepers, before and after it is charged", async () => {
      const { keeper } = web.devnet;
      const keepers = { path: "/keepers?tab=settle", press: "Show the history" };
      await judge(keeper, [
        { path: "/keepers" },
        { path: "/calendar", text: "to come" },
        { path: `/calendar?day=${hostile.due}` },
        keepers,
      ]);
      await settle(web.devnet);
      await web.caughtUp();
      await judge(keeper, [{ path: "/keepers" }, { path: `/calendar?day=${hostile.due}` }, keepers]);
    });
  },
);
