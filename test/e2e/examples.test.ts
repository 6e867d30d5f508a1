import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createDueday } from "@dueday/sdk";
import { startDueday } from "@dueday/testkit";
import { Webhook } from "standardwebhooks";
import { isAddress } from "viem";
import { foundry } from "viem/chains";
import { settleBacklog } from "../../examples/keeper";
import { createMerchantBackend } from "../../examples/merchantBackend";
import { subscribe } from "../../examples/subscribe";

setDefaultTimeout(120_000);

const stack = await startDueday();
afterAll(() => stack.stop());
const { url, rpcUrl, contract, wallets, subscriptions } = stack;
const dueday = createDueday({ baseUrl: url });
const id = subscriptions.reader ?? "0x";
const [newcomer] = wallets.subscribers;
if (newcomer === undefined) throw new Error("the demo has subscribers");

test("examples/subscribe.ts: the wallet is entitled, after an approval and a subscription", async () => {
  const hashes = await subscribe({ url, rpcUrl, contract, chain: foundry }, { key: newcomer.privateKey, id });
  expect(hashes.length).toBeGreaterThan(0);
  await stack.caughtUp();
  expect((await dueday.getEntitlement({ id, account: newcomer.address })).entitled).toBe(true);
});

test("examples/keeper.ts: nothing is sent where it is not worth it, else everything due is settled", async () => {
  const options = { rpcUrl, contract, chain: foundry, key: wallets.keeper.privateKey };
  expect(await settleBacklog({ ...options, isWorthIt: ({ failures }) => failures < 0 })).toEqual([]);
  const { totals } = await dueday.getRemitReadiness();
  const hashes = await settleBacklog({ ...options, isWorthIt: ({ callerFees }) => callerFees.length > 0 });
  expect(hashes.length).toBe(totals.transactions);
  await stack.caughtUp();
  expect((await dueday.getRemitReadiness()).ready).toBe(false);
});

describe("examples/merchantBackend.ts", () => {
  const webhookSecret = `whsec_${Buffer.from("a secret of thirty-two bytes ...").toString("base64")}`;
  let asked = 0;
  const backend = createMerchantBackend({
    subscription: id,
    webhookSecret,
    dueday: {
      getEntitlement(input) {
        asked++;
        return dueday.getEntitlement(input);
      },
    },
    accountOf(request) {
      const account = request.headers.get("x-account");
      return account !== null && isAddress(account) ? account : null;
    },
    content: () => new Response("an article"),
  });
  const visit = async (account?: string) => {
    const headers = account === undefined ? {} : { "x-account": account };
    const { status } = await backend(new Request("http://merchant.example/article", { headers }));
    return status;
  };

  /** A delivery as the service signs it. */
  function deliver(event: { id: string }, secret = webhookSecret): Promise<Response> {
    const body = JSON.stringify(event);
    const now = new Date();
    const headers = {
      "webhook-id": event.id,
      "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
      "webhook-signature": new Webhook(secret).sign(event.id, now, body),
    };
    return backend(new Request("http://merchant.example/webhooks", { method: "POST", headers, body }));
  }

  test("lets a subscriber in, sends others away, and asks the service once", async () => {
    expect([await visit(), await visit(wallets.provider.address)]).toEqual([401, 402]);
    asked = 0;
    expect([await visit(newcomer.address), await visit(newcomer.address)]).toEqual([200, 200]);
    expect(asked).toBe(1);
  });

  test("asks again after a webhook about the visitor, and refuses one that another has signed", async () => {
    expect(await visit(newcomer.address)).toBe(200);
    asked = 0;
    const { events } = await dueday.listEvents({ types: ["subscription.subscribed"], subscriber: newcomer.address });
    const event = events.at(-1);
    if (event === undefined) throw new Error("the subscription was announced");
    const other = `whsec_${Buffer.from("another one of thirty-two bytes.").toString("base64")}`;
    expect((await deliver(event, other)).status).toBe(400);
    expect([await visit(newcomer.address), asked]).toEqual([200, 0]);
    expect((await deliver(event)).status).toBe(204);
    expect([await visit(newcomer.address), asked]).toEqual([200, 1]);
    expect((await deliver(event)).status).toBe(204);
    expect([await visit(newcomer.address), asked]).toEqual([200, 1]);
  });
});
