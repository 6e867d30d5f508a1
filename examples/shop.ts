import { parseArgs } from "node:util";
import { createDueday } from "@dueday/sdk";
import { CheckoutError, createGate, type ReceivedProof } from "@dueday/sdk/gate";
import { createPublicClient, type Hex, http } from "viem";

/**
 * A shop that sells one plan with Dueday's button, and opens one page to those who pay for it.
 *
 *     SHOP_SECRET=... bun examples/shop.ts --service https://pay.example --rpc https://... --subscription 0x... [--chain 31337] [--origin http://localhost:8790]
 *
 * The seller lists the origin in `PUT /portal/checkout` first (docs/merchants.md). A shop of your own keeps its sessions in a database.
 */
export type ShopOptions = {
  /** Where visitors find the shop, such as `https://shop.example`. */
  origin: string;
  /** Origin of the Dueday service. */
  service: string;
  /** A node of the chain: it verifies signatures of smart wallets, which are checked by the wallet's code. */
  rpcUrl: string;
  chainId: number;
  /** Id of the plan that is sold. */
  subscription: Hex;
  /** Random text of at least 32 characters, known to the shop's servers alone. */
  secret: string;
  /** The page is closed at most this number of seconds after the paid time has ended. Default: 600. */
  endsWithinSeconds?: number;
};

const SESSION = "shop_session";
const MOST_SESSIONS = 10_000;

/** The shop as a handler for any server with `Request` and `Response`. */
export async function createShop(options: ShopOptions): Promise<(request: Request) => Promise<Response>> {
  const { origin, service, rpcUrl, chainId, subscription, secret, endsWithinSeconds } = options;
  const dueday = createDueday({ baseUrl: service, chainId });
  /** The order of the next checkout, by session. The first proof uses it up. */
  const orders = new Map<string, string>();
  const gate = await createGate({
    secret,
    endsWithinSeconds,
    origin,
    checkout: service,
    chainId,
    subscription,
    dueday,
    client: createPublicClient({ transport: http(rpcUrl) }),
    consume: (reference) => {
      const owner = [...orders].find(([, order]) => order === reference);
      return owner !== undefined && orders.delete(owner[0]);
    },
  });

  /** Each visitor has one order, in a session: the proof of another visitor is refused. */
  function showHome(request: Request): Response {
    const session = sessionOf(request) ?? crypto.randomUUID();
    const reference = orders.get(session) ?? `order-${crypto.randomUUID()}`;
    orders.set(session, reference);
    if (orders.size > MOST_SESSIONS) orders.delete([...orders.keys()][0] ?? "");
    return showPage(homePage({ service, subscription, reference }), {
      "Set-Cookie": `${SESSION}=${session}; Path=/; HttpOnly; SameSite=Lax${origin.startsWith("https:") ? "; Secure" : ""}`,
    });
  }

  /** Receives the proof of a checkout from the page. Only the payer's signature counts, and only for the order of this session. */
  async function signIn(request: Request): Promise<Response> {
    const reference = orders.get(sessionOf(request) ?? "");
    if (reference === undefined) return new Response("Your session is over. Load the page again.", { status: 400 });
    const { message, signature }: ReceivedProof = Object(await request.json().catch(() => null));
    try {
      const { cookie } = await gate.signIn({ message, signature, reference });
      return new Response(null, { status: 204, headers: { "Set-Cookie": cookie } });
    } catch (error) {
      if (!(error instanceof CheckoutError)) throw error;
      return new Response(`Not signed in: ${error.message}.`, { status: error.code === "UNAVAILABLE" ? 503 : 403 });
    }
  }

  const showMembers = gate.protect(
    (_request, { account }) => showPage(membersPage(account)),
    () => Response.redirect(`${origin}/`, 303),
  );

  return async (request) => {
    const { pathname } = new URL(request.url);
    if (request.method === "GET" && pathname === "/") return showHome(request);
    if (request.method === "GET" && pathname === "/members") return showMembers(request);
    if (request.method === "POST" && pathname === "/signed-in") return signIn(request);
    return new Response("There is no such page", { status: 404 });
  };
}

function sessionOf(request: Request): string | undefined {
  const cookies = (request.headers.get("Cookie") ?? "").split(";").map((cookie) => cookie.trim());
  return cookies.find((cookie) => cookie.startsWith(`${SESSION}=`))?.slice(SESSION.length + 1);
}

function showPage(body: string, headers: Record<string, string> = {}): Response {
  return new Response(`<!doctype html><html lang="en"><meta charset="utf-8">${HEAD}<main>${body}</main></html>`, {
    headers: { "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", ...headers },
  });
}

type Home = { service: string; subscription: Hex; reference: string };

const homePage = ({ service, subscription, reference }: Home) => `
  <p class="shop">The Coast, a sample shop</p>
  <h1>What the harbour pilots know</h1>
  <p>They board in the dark, from a ladder, at eight knots. The rest of this story is for readers.</p>
  <script src="${service}/pay.js" async></script>
  <p><dueday-button subscription="${subscription}" reference="${reference}" proof="1">Subscribe to read on</dueday-button></p>
  <p><output></output></p>
  <script type="module">
    addEventListener("dueday:result", async ({ detail }) => {
      if (detail.proof === null) return;
      const headers = { "Content-Type": "application/json" };
      const answer = await fetch("/signed-in", { method: "POST", headers, body: JSON.stringify(detail.proof) });
      if (answer.ok) location.assign("/members");
      else document.querySelector("output").textContent = await answer.text();
    });
  </script>`;

const membersPage = (account: string) => `
  <p class="shop">The Coast, a sample shop</p>
  <h1>What the harbour pilots know</h1>
  <p>They board in the dark, from a ladder, at eight knots, and the ladder is never twice the same.</p>
  <p><small>You read this because <code>${account}</code> pays for it.</small></p>`;

const HEAD = `
  <meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
  <title>The Coast, a sample shop</title><link rel="icon" href="data:,">
  <style>
    main { font: 1.125rem/1.6 Georgia, serif; max-width: 36rem; margin: 12vh auto; padding: 0 1.25rem; }
    h1 { font-size: 2rem; line-height: 1.2; } .shop, small { font-family: system-ui, sans-serif; font-size: 0.875rem; }
    code { overflow-wrap: anywhere; }
  </style>`;

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      service: { type: "string", default: "http://127.0.0.1:3000" },
      rpc: { type: "string", default: "http://127.0.0.1:8545" },
      chain: { type: "string", default: "31337" },
      subscription: { type: "string", default: "" },
      origin: { type: "string", default: "http://localhost:8790" },
    },
  });
  const { service, rpc, chain, subscription, origin } = values;
  if (!/^0x[0-9a-f]{64}$/i.test(subscription))
    throw new Error("--subscription must be the id of a plan: 0x and 64 hex digits");
  const shop = await createShop({
    origin,
    service,
    rpcUrl: rpc,
    chainId: Number(chain),
    subscription: `0x${subscription.slice(2)}`,
    secret: process.env.SHOP_SECRET ?? "",
  });
  Bun.serve({ port: Number(new URL(origin).port), hostname: "127.0.0.1", fetch: shop });
  console.error(`the shop is open at ${origin}`);
}
