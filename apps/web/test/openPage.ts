import type { Browser, BrowserContext, Page } from "playwright-core";
import { type InjectedWallet, type InjectedWalletOptions, injectWallet } from "./injectWallet";
import type { WebDemo } from "./startWebDemo";

export type WebPage = {
  page: Page;
  context: BrowserContext;
  wallet: InjectedWallet;
  /** What the page has reported: violations of its policy, errors, and requests to another origin. */
  faults: string[];
  /** Opens a path below /app, with the wallet connected. */
  open(path: string): Promise<void>;
};

/** Timeout of every step: a machine in CI is busy. */
const TIMEOUT_MS = 60_000;

/** A browser window with its own wallet on the web app of a demo. */
export async function openPage(
  browser: Browser,
  demo: Pick<WebDemo, "url" | "devnet">,
  { isPhone = false, ...options }: Omit<InjectedWalletOptions, "rpcUrl"> & { isPhone?: boolean },
): Promise<WebPage> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    isMobile: isPhone,
    hasTouch: isPhone,
    reducedMotion: "reduce",
  });
  context.setDefaultTimeout(TIMEOUT_MS);
  const wallet = await injectWallet(context, { ...options, rpcUrl: demo.devnet.url });
  // Logs each violation of the page's policy, with the fields that a report of it would have.
  await context.addInitScript(
    "addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => console.error('policy: ' + violatedDirective + ' ' + blockedURI))",
  );
  const page = await context.newPage();
  const faults: string[] = [];
  let isConnected = false;
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" && !/status of (?:4|5)\d\d/.test(message.text())) faults.push(message.text());
  });
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    // The node that the operator offers to wallets.
    const isOwn = origin === demo.url || origin === new URL(demo.devnet.url).origin;
    if (protocol.startsWith("http") && !isOwn) faults.push(`request to ${origin}`);
  });
  return {
    page,
    context,
    wallet,
    faults,
    async open(path) {
      await page.goto(`${demo.url}/app${path}`);
      const header = page.getByRole("banner");
      if (!isConnected) {
        await header.getByRole("button", { name: "Connect wallet" }).click();
        await page.getByRole("dialog").getByRole("button", { name: wallet.name }).click();
      }
      // A browser that was connected before connects again by itself.
      await header.getByRole("button", { name: /^0x/ }).waitFor();
      isConnected = true;
    },
  };
}
