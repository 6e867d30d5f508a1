import { randomBytes } from "node:crypto";
import { privateKeyToAccount } from "viem/accounts";
import { createShop } from "../../../examples/shop";
import type { StackFacts } from "./stackFacts";

export type DemoShop = {
  /** Its host is `localhost`, so that it is another site than the service, not only another port. */
  url: string;
  stop(): Promise<void>;
};

/** The plan that the shop sells, of the seller whose domain is verified in the demo. */
const SOLD = "reader";

/** Starts the sample shop on this machine, and lists its origin as the seller would, in the developer portal. */
export async function startDemoShop(
  facts: Pick<StackFacts, "url" | "rpcUrl" | "chainId" | "wallets" | "subscriptions">,
  port: number,
): Promise<DemoShop> {
  const subscription = facts.subscriptions[SOLD];
  if (subscription === undefined) throw new Error(`the scenario has no plan ${SOLD}`);
  const opening = Promise.withResolvers<(request: Request) => Promise<Response>>();
  const server = Bun.serve({ port, hostname: "127.0.0.1", fetch: async (request) => (await opening.promise)(request) });
  try {
    const origin = `http://localhost:${server.port}`;
    const { url: service, rpcUrl, chainId } = facts;
    const secret = randomBytes(32).toString("hex");
    opening.resolve(await createShop({ origin, service, rpcUrl, chainId, subscription, secret }));
    await listOrigin(facts, origin);
    return { url: origin, stop: () => server.stop(true) };
  } catch (error) {
    await server.stop(true);
    throw error;
  }
}

/** Lists the shop's origin, so that its pages may show the checkout in a frame. */
async function listOrigin({ url, wallets }: Pick<StackFacts, "url" | "wallets">, shop: string): Promise<void> {
  const seller = privateKeyToAccount(wallets.provider.privateKey);
  const challenge = await ask(`${url}/portal/challenge`, "POST", { address: seller.address });
  const { message } = Object(await challenge.json());
  const signature = await seller.signMessage({ message });
  const session = await ask(`${url}/portal/session`, "POST", { message, signature });
  const cookie = session.headers.get("Set-Cookie")?.split(";")[0] ?? "";
  await ask(`${url}/portal/checkout`, "PUT", { origins: [shop], returnUrls: [] }, cookie);
}

async function ask(url: string, method: string, body: unknown, cookie = ""): Promise<Response> {
  const headers = { "Content-Type": "application/json", Origin: new URL(url).origin, Cookie: cookie };
  const response = await fetch(url, { method, headers, body: JSON.stringify(body) });
  if (!response.ok)
    throw new Error(`the shop's origin can't be listed: ${new URL(url).pathname} answers ${response.status}`);
  return response;
}
