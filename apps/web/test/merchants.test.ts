import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { openPortalBrowser } from "@dueday/api/test/portalBrowser";
import { devnetChain } from "@dueday/devnet/devnetChain";
import { fund } from "@dueday/devnet/scenarios/actions";
import { demo } from "@dueday/devnet/scenarios/demo";
import { demoProviders } from "@dueday/devnet/scenarios/demoPlans";
import { settle } from "@dueday/devnet/test/settle";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { startDemoNames } from "@dueday/local/startDemoNames";
import { createDueday } from "@dueday/sdk";
import { CheckoutError, type CheckoutProof, type VerifyCheckoutOptions, verifyCheckout } from "@dueday/sdk/gate";
import { ensureProgram, programs } from "@dueday/test-support/ensureProgram";
import { ensureBrowser, openBrowser } from "@dueday/test-support/openBrowser";
import { waitUntil } from "@dueday/test-support/waitUntil";
import type { Browser } from "playwright-core";
import { createPublicClient, type Hex, http, isHex, parseUnits } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { openPage } from "./openPage";
import { startWebDemo, type WebDemo } from "./startWebDemo";

setDefaultTimeout(240_000);

const DOCUMENT = await Bun.file(join(import.meta.dir, "../../../docs/merchants.md")).text();
const REFERENCE = "order-1042";
/** Subscribed to nothing in the plan's token. */
const [byButton, byLink] = [
  testAccount(ACCOUNT_INDEX.firstSubscriber + 58),
  testAccount(ACCOUNT_INDEX.firstSubscriber + 59),
];

const seller = testAccount(ACCOUNT_INDEX.firstProvider);

type Shop = {
  origin: string;
  /** What the button's script has sent to /signed-in. */
  signedIn: Promise<CheckoutProof>;
  /** Takes the code that the shop's page consists of. */
  show(html: string): void;
  stop(): Promise<void>;
};

function proofOf(body: unknown): CheckoutProof {
  const { message, signature } = Object(body);
  if (typeof message !== "string" || !isHex(signature)) throw new Error("no proof came");
  return { message, signature };
}

/** A page with the code of the document, and the two addresses that the code calls. */
function openShop(): Shop {
  let page = "";
  const signedIn = Promise.withResolvers<CheckoutProof>();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    routes: {
      "/": () => new Response(page, { headers: { "Content-Type": "text/html; charset=utf-8" } }),
      "/thanks": new Response("Thank you."),
      "/signed-in": {
        async POST(request) {
          signedIn.resolve(proofOf(await request.json()));
          return new Response(null, { status: 204 });
        },
      },
    },
  });
  return {
    origin: `http://localhost:${server.port}`,
    signedIn: signedIn.promise,
    show: (html) => {
      page = html;
    },
    stop: () => server.stop(true),
  };
}

describe.if(ensureBrowser() && ensureProgram(programs.curl) !== null)("docs/merchants.md, as it is written", () => {
  let web: WebDemo;
  let browser: Browser;
  let shop: Shop;
  let plan: Hex;
  const cleanUps: (() => unknown)[] = [];

  beforeAll(async () => {
    shop = openShop();
    cleanUps.push(shop.stop);
    const names = await startDemoNames(recordOfDocument());
    cleanUps.push(names.stop);
    web = await startWebDemo(demo, {
      ADMIN_SECRET: "a secret of this test, long and random",
      DNS_SERVERS: names.address,
    });
    cleanUps.push(web.stop);
    const { reader } = web.facts.subscriptions;
    if (reader === undefined) throw new Error("the demo has the plan");
    plan = reader;
    browser = await openBrowser();
    cleanUps.push(() => browser.close());
    await settle(web.devnet);
    const { client, contract, tokens } = web.devnet;
    const [token] = tokens;
    if (token === undefined) throw new Error("the demo has a token");
    const admin = testAccount(ACCOUNT_INDEX.admin).address;
    for (const { address } of [byButton, byLink])
      await fund({ client, contract, admin }, token, address, parseUnits("1000", 6), 0n);
    await web.caughtUp();
  });
  afterAll(async () => {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  });

  /** The document's text with the hosts and the plan of this test. */
  const filledIn = (text: string) =>
    text
      .replaceAll("https://pay.example", web.url)
      .replaceAll("https://shop.example", shop.origin)
      .replaceAll("<id>", plan)
      .replaceAll("0x...", plan);

  /** The only block of code in a language. */
  function codeOf(language: string): string {
    const [code, ...others] = [...DOCUMENT.matchAll(new RegExp(`^\`\`\`${language}\\n([^\`]*)^\`\`\`$`, "gm"))];
    if (code?.[1] === undefined || others.length > 0) throw new Error(`the document has one block of ${language}`);
    return filledIn(code[1]);
  }

  /** The record of step 2 for the demo's first seller. */
  function recordOfDocument() {
    const [, name = "", value = ""] = /TXT record `([^`]*)` with the value `([^`]*)`/.exec(DOCUMENT) ?? [];
    return {
      name: name.replace("<domain>", demoProviders[0].domain),
      value: value.replace("<chain id>", String(devnetChain.id)).replace("<your address>", seller.address),
    };
  }

  /** Runs the command of the document with the seller's session. */
  async function listShop(): Promise<unknown> {
    const portal = openPortalBrowser(web, web.url);
    await portal.signIn(privateKeyToAccount(seller.privateKey));
    const command = Bun.spawn(["sh", "-c", codeOf("sh")], {
      env: { ...process.env, COOKIE: portal.cookie ?? "" },
      stdout: "pipe",
      stderr: "ignore",
    });
    return new Response(command.stdout).json();
  }

  const verify = (proof: CheckoutProof, claim: Partial<VerifyCheckoutOptions> = {}) =>
    verifyCheckout({
      ...proof,
      reference: REFERENCE,
      checkout: web.url,
      origin: shop.origin,
      chainId: web.facts.chainId,
      subscription: plan,
      dueday: createDueday({ baseUrl: web.url, chainId: web.facts.chainId }),
      client: createPublicClient({ transport: http(web.facts.rpcUrl) }),
      consume: (reference) => reference === REFERENCE,
      ...claim,
    });

  test("its command lists the shop, and its button's code brings the shop a proof that counts", async () => {
    expect(await listShop()).toMatchObject({ origins: [shop.origin], returnUrls: [`${shop.origin}/thanks`] });
    shop.show(`<!doctype html><title>A shop</title>${codeOf("html")}<script type="module">${codeOf("js")}</script>`);
    const { page, context, wallet } = await openPage(browser, web, { account: byButton, batches: true });
    await page.goto(shop.origin);
    await page.getByRole("button", { name: "Subscribe" }).click();
    const checkout = page.frameLocator('iframe[title="Checkout"]');
    await checkout.getByRole("button", { name: "Choose a wallet" }).click();
    await checkout.getByRole("button", { name: wallet.name }).click();
    await checkout.getByRole("button", { name: /^Pay .* and subscribe$/ }).click();
    expect(await verify(await shop.signedIn)).toMatchObject({
      account: byButton.address,
      entitlement: { entitled: true },
    });
    expect(wallet.requests.filter((method) => /send|sign/i.test(method))).toEqual([
      "wallet_sendCalls",
      "personal_sign",
    ]);
    await context.close();
  });

  test("its link brings the payer back with the parameters that it names, and the same proof", async () => {
    await listShop();
    const [, link = ""] = /link to `([^`]*)`/.exec(DOCUMENT) ?? [];
    const { page, context, wallet } = await openPage(browser, web, { account: byLink });
    await page.goto(filledIn(link));
    await page.getByRole("button", { name: "Choose a wallet" }).click();
    await page.getByRole("button", { name: wallet.name }).click();
    await page.getByRole("button", { name: /^Pay .* and subscribe$/ }).click();
    // Without EIP-5792: approve, subscribe, and the proof.
    await page.waitForURL((url) => url.origin === shop.origin && url.pathname === "/thanks");
    expect(wallet.requests.filter((method) => /send|sign/i.test(method))).toEqual([
      "eth_sendTransaction",
      "eth_sendTransaction",
      "personal_sign",
    ]);
    const answer = new URL(page.url()).searchParams;
    const [, sentence = ""] = /comes back with\n([^.]*) in the query/.exec(DOCUMENT) ?? [];
    const named = [...sentence.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name);
    expect([...answer.keys()].sort()).toEqual(named.sort());
    expect(answer.get("reference")).toBe(REFERENCE);
    expect(await verify(proofOf(Object.fromEntries(answer)))).toMatchObject({
      account: byLink.address,
    });
    await context.close();
  });

  test("a shop refuses the browser's proof for anything else than what the payer has signed", async () => {
    const proof = await shop.signedIn;
    const refused = async (claim: Partial<VerifyCheckoutOptions>, changed: Partial<CheckoutProof> = {}) => {
      try {
        await verify({ ...proof, ...changed }, claim);
      } catch (error) {
        if (error instanceof CheckoutError) return error.code;
        throw error;
      }
      return null;
    };
    expect(await refused({})).toBeNull();
    const stranger = privateKeyToAccount(byLink.privateKey);
    const forged = {
      "another host": await refused({ checkout: "https://pay.example" }),
      "another seller's origin": await refused({ origin: "https://shop.example" }),
      "another reference": await refused({ reference: "order-1043" }),
      "a second use": await refused({ consume: () => false }),
      "after five minutes": await refused({ now: () => Date.now() + 301_000 }),
      "another chain": await refused({ chainId: 8453 }),
      "another plan": await refused({ subscription: `0x${"77".repeat(32)}` }),
      "another account in the text": await refused(
        {},
        { message: proof.message.replace(byButton.address, stranger.address) },
      ),
      "the signature of another account": await refused(
        {},
        { signature: await stranger.signMessage({ message: proof.message }) },
      ),
      "a random signature": await refused({}, { signature: `0x${"5a".repeat(65)}` }),
      "a text with another line": await refused({}, { message: `${proof.message}\n- https://evil.example` }),
      "a sign-in to the portal": await refused({}, await signInOf(byButton.address)),
    };
    const accepted = Object.entries(forged).filter(([, refusal]) => refusal === null);
    expect(accepted).toEqual([]);
  });

  /** The message with which an account signs in to the portal, and its signature. */
  async function signInOf(address: string): Promise<CheckoutProof> {
    const message = await openPortalBrowser(web, web.url).challenge(address);
    return { message, signature: await privateKeyToAccount(byButton.privateKey).signMessage({ message }) };
  }

  test("the TXT record that it asks for verifies the domain of a seller", async () => {
    const dueday = createDueday({ baseUrl: web.url });
    const domain = async () => (await dueday.getProviderProfile({ address: seller.address })).verifiedDomain;
    await waitUntil("the record is found", async () => (await domain()) === demoProviders[0].domain);
  });
});
