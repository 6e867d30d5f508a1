import { createDueday } from "@dueday/sdk";
import { duedayActions } from "@dueday/sdk/actions";
import { startDueday } from "@dueday/testkit";
import { Webhook } from "standardwebhooks";
import { createWalletClient, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { foundry } from "viem/chains";
import { expect, test } from "vitest";
import { createShop } from "./createShop.js";

test("an account reads once it has subscribed, and webhooks are believed by their signature", async () => {
  await using stack = await startDueday();
  const { url, rpcUrl, contract, wallets } = stack;
  const dueday = createDueday({ baseUrl: url });
  const [subscriber] = wallets.subscribers;
  const { reader } = stack.subscriptions;
  if (reader === undefined || subscriber === undefined) throw new Error("the demo has plans and subscribers");
  const { subscription: plan } = await dueday.getSubscription({ id: reader });
  const webhookSecret = `whsec_${Buffer.from("a secret of thirty-two bytes ...").toString("base64")}`;
  const shop = createShop({ service: url, subscription: plan.id, webhookSecret });
  const read = async (account: string) => (await shop.inject(`/article/${account}`)).statusCode;
  expect([await read("nobody"), await read(subscriber.address)]).toEqual([401, 402]);

  const account = privateKeyToAccount(subscriber.privateKey);
  const wallet = createWalletClient({ account, chain: foundry, transport: http(rpcUrl) });
  await wallet.extend(duedayActions({ dueday, contract })).subscribe({ id: plan.id, approvalPeriods: 12 });
  await stack.caughtUp();
  expect(await read(subscriber.address)).toBe(200);

  const { events } = await dueday.listEvents({ subscriber: subscriber.address, first: 1 });
  const body = JSON.stringify(events[0]);
  const sentAt = new Date();
  const signature = new Webhook(webhookSecret).sign("msg_1", sentAt, body);
  const headers = {
    "content-type": "application/json",
    "webhook-id": "msg_1",
    "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1000)),
    "webhook-signature": signature,
  };
  const deliver = async (payload: string) =>
    (await shop.inject({ method: "POST", url: "/webhooks", headers, payload })).statusCode;
  expect([await deliver(body), await deliver(`${body} `)]).toEqual([204, 400]);
});
