import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { openPortalBrowser } from "@dueday/api/test/portalBrowser";
import { demo } from "@dueday/devnet/scenarios/demo";
import { settle } from "@dueday/devnet/test/settle";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { ensureBrowser, openBrowser } from "@dueday/test-support/openBrowser";
import { waitUntil } from "@dueday/test-support/waitUntil";
import type { Browser, Page } from "playwright-core";
import type { Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { openPage } from "./openPage";
import { startWebDemo, type WebDemo } from "./startWebDemo";

setDefaultTimeout(240_000);

const WINDOWS = [
  { width: 390, height: 844 },
  { width: 1440, height: 900 },
];
const seller = testAccount(ACCOUNT_INDEX.firstProvider);
const payer = testAccount(ACCOUNT_INDEX.firstSubscriber + 58);

/** A page whose content a test chooses. Its script records what other windows send to it. */
function openSite() {
  let body = "";
  const html = () => `<!doctype html><title>A site</title>
    <script>globalThis.received = []; addEventListener("message", ({ origin, data }) => received.push({ origin, data }));</script>${body}`;
  const server = Bun.serve({
    port: 0,
    fetch: () => new Response(html(), { headers: { "Content-Type": "text/html; charset=utf-8" } }),
  });
  return {
    origin: `http://localhost:${server.port}`,
    show: (content: string) => {
      body = content;
    },
    stop: () => server.stop(true),
  };
}

const received = (page: Page): Promise<{ origin: string; data: { type: string } }[]> => page.evaluate("received");

describe.if(ensureBrowser())("the checkout on pages of other origins", () => {
  let web: WebDemo;
  let browser: Browser;
  let id: Hex;
  const [listed, stranger] = [openSite(), openSite()];
  const cleanUps: (() => unknown)[] = [listed.stop, stranger.stop];

  beforeAll(async () => {
    web = await startWebDemo(demo, { ADMIN_SECRET: "a secret of this test, long and random" });
    cleanUps.push(web.stop);
    browser = await openBrowser();
    cleanUps.push(() => browser.close());
    id = web.devnet.subscriptions.reader ?? "0x";
    await settle(web.devnet);
    await web.caughtUp();
    const portal = openPortalBrowser(web, web.url);
    await portal.signIn(privateKeyToAccount(seller.privateKey));
    const settings = { origins: [listed.origin], returnUrls: [`${listed.origin}/thanks`] };
    const { status } = await portal.send("/portal/checkout", { method: "PUT", body: settings });
    expect(status).toBe(200);
  });
  afterAll(async () => {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  });

  const address = (query = "") => `${web.url}/pay/${id}${query}`;
  const frame = (query = "") =>
    `<iframe title="Checkout" src="${address(query)}" style="border:0;width:380px;height:800px"></iframe>`;
  const open = async (size = WINDOWS[1]) => {
    const opened = await openPage(browser, web, { account: payer, batches: true });
    if (size !== undefined) await opened.page.setViewportSize(size);
    return opened;
  };

  test("the policy of the page lists exactly the seller's origins", async () => {
    const response = await fetch(address());
    const policy = response.headers.get("Content-Security-Policy") ?? "";
    await response.body?.cancel();
    const ancestors = policy.split(";").find((each) => each.trim().startsWith("frame-ancestors"));
    expect(ancestors?.trim()).toBe(`frame-ancestors ${listed.origin}`);
    expect(response.headers.get("X-Frame-Options")).toBeNull();
  });

  test.each(WINDOWS)(
    "a listed page shows it in a frame, and gets the message that it can be seen ($width)",
    async (size) => {
      const { page, context } = await open(size);
      listed.show(frame(`?origin=${listed.origin}`));
      await page.goto(listed.origin);
      await page.frameLocator("iframe").getByRole("button", { name: "Choose a wallet" }).waitFor();
      await waitUntil("the message", async () => (await received(page)).length > 0);
      expect(await received(page)).toEqual([{ origin: web.url, data: { type: "dueday:ready" } }]);
      await context.close();
    },
  );

  test.each([
    ["an unlisted page", () => frame(`?origin=${listed.origin}`)],
    ["an unlisted page around a listed one", () => `<iframe src="${listed.origin}"></iframe>`],
  ])("%s does not show it in a frame, and gets no message", async (_, content) => {
    const { page, context } = await open();
    const refused = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
    listed.show(frame(`?origin=${listed.origin}`));
    stranger.show(content());
    await page.goto(stranger.origin);
    await refused;
    expect(page.frames().map((each) => each.url())).not.toContainEqual(expect.stringContaining("/pay/"));
    expect(await received(page)).toEqual([]);
    await context.close();
  });

  test.each([
    ["its own", () => stranger.origin],
    ["a listed", () => listed.origin],
  ])("an unlisted page that opens a tab with %s origin in the address gets no message", async (_, origin) => {
    const { page, context } = await open();
    stranger.show("");
    await page.goto(stranger.origin);
    const [tab] = await Promise.all([
      context.waitForEvent("page"),
      page.evaluate(`void window.open("${address(`?origin=${origin()}`)}")`),
    ]);
    await tab.getByRole("button", { name: "Choose a wallet" }).waitFor();
    // A message of the tab itself, sent after the checkout's, has arrived: so would have the checkout's.
    await tab.evaluate("window.opener.postMessage('last', '*')");
    await waitUntil("the last message", async () => (await received(page)).length > 0);
    expect((await received(page)).map(({ data }) => data)).toEqual(["last" as never]);
    await context.close();
  });

  test.each([
    ["covered by an element that lets clicks through", "background:#fff", ""],
    ["under a nearly invisible layer", "background:#fff;opacity:.02", ""],
    ["in a frame that can't be seen", "display:none", "opacity:.01"],
    ["in a frame that is turned and shrunk", "display:none", "transform:scale(.2) rotate(10deg)"],
  ])("a button %s does not work, and works once it can be seen", async (_, cover, ofFrame) => {
    const { page, context } = await open();
    const framed = frame(`?origin=${listed.origin}`);
    listed.show(`<div style="display:flex">
        <div style="position:relative"><div id="around" style="${ofFrame}">${framed}</div>
          <div id="cover" style="position:absolute;inset:0;pointer-events:none;${cover}"></div></div>
        ${framed}</div>`);
    await page.goto(listed.origin);
    const [hidden, seen] = [0, 1].map((place) =>
      page.frameLocator(`iframe >> nth=${place}`).getByRole("button", { name: "Choose a wallet" }),
    );
    if (hidden === undefined || seen === undefined) throw new Error("there are two frames");
    await hidden.waitFor({ state: "attached" });
    // The one beside it has come through the pause that every button begins with.
    await waitUntil("the other button works", () => seen.isEnabled());
    expect(await hidden.isDisabled()).toBe(true);
    await page.evaluate("document.getElementById('cover').remove(); document.getElementById('around').style = ''");
    await waitUntil("the button works", () => hidden.isEnabled());
    await context.close();
  });

  test.each(["https://evil.example/", "javascript:alert(1)", "data:text/html,x"])(
    "a return to %s is refused before anything of the plan is shown",
    async (returnUrl) => {
      const { page, context } = await open();
      await page.goto(address(`?return_url=${encodeURIComponent(returnUrl)}`));
      await page.getByRole("alert").filter({ hasText: "This link is not the seller's" }).waitFor();
      expect(await page.getByRole("main").textContent()).not.toContain("Today");
      expect(await page.locator(`a[href*="evil"], a[href^="javascript"], a[href^="data"]`).count()).toBe(0);
      await context.close();
    },
  );

  test("a return page under the listed path only, with another port, path or scheme, is refused too", async () => {
    const { page, context } = await open();
    for (const returnUrl of [`${stranger.origin}/thanks`, `${listed.origin}/thanks/more`, `${listed.origin}/`]) {
      await page.goto(address(`?return_url=${encodeURIComponent(returnUrl)}`));
      await page.getByRole("alert").filter({ hasText: "This link is not the seller's" }).waitFor();
    }
    await page.goto(address(`?return_url=${encodeURIComponent(`${listed.origin}/thanks?order=7`)}`));
    await page.getByRole("button", { name: "Choose a wallet" }).waitFor();
    await context.close();
  });
});
