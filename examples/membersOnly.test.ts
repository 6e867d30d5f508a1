import { expect, test } from "bun:test";
import { createDueday } from "@dueday/sdk";
import { duedayActions } from "@dueday/sdk/actions";
import { createGate } from "@dueday/sdk/gate";
import { answerChallenge, verifyWebhook, WebhookError } from "@dueday/sdk/webhooks";
import { startDueday, type Wallet } from "@dueday/testkit";
import { createWalletClient, http, parseAbi, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { foundry } from "viem/chains";

const ORIGIN = "https://shop.example";
const YEAR_SECONDS = 365 * 86_400;
/** bun test ends a test after 5 s otherwise. Chain and service take some seconds to start, and the first time on a machine longer. */
const TIMEOUT_MS = 120_000;

test(
  "a member is let in while it pays, and the shop hears of each payment",
  async () => {
    await using stack = await startDueday({ scenario: "empty" });
    const { url, rpcUrl, chainId, contract, wallets } = stack;
    const [token] = stack.tokens;
    const [member] = wallets.subscribers;
    if (token === undefined || member === undefined) throw new Error("the scenario has tokens and subscribers");
    const dueday = createDueday({ baseUrl: url });
    const connect = ({ privateKey }: Wallet) =>
      createWalletClient({ account: privateKeyToAccount(privateKey), chain: foundry, transport: http(rpcUrl) })
        .extend(publicActions)
        .extend(duedayActions({ dueday, contract })); // `contract`, because the SDK does not know that of a private chain

    // The plan: 10 tokens on the 15th of each month.
    const seller = connect(wallets.provider);
    const terms = { amount: "10", token: token.address, frequency: 1, dueDay: 15 } as const;
    const { id } = await seller.createSubscription({ ...terms, details: { url: ORIGIN, description: "Members" } });
    await stack.caughtUp();
    const statusOf = () => dueday.getEntitlement({ id, account: member.address });

    // The gate takes its time from `now`, here the chain's. A visitor proves the account again after `sessionSeconds`, 30 days by default.
    let now = Date.now();
    const orders = new Set<string>();
    const gate = await createGate({
      secret: "random, and at least 32 characters",
      checkout: url,
      origin: ORIGIN,
      chainId,
      subscription: id,
      dueday,
      client: seller,
      consume: (reference) => orders.delete(reference),
      now: () => now,
      sessionSeconds: YEAR_SECONDS,
    });
    const page = gate.protect((_request, { account }) => new Response(`Welcome, ${account}`));
    const visit = async (cookie = "") =>
      (await page(new Request(`${ORIGIN}/members`, { headers: { Cookie: cookie } }))).status;

    // The receiver starts first, because the webhook's URL has its port. It verifies once it has the webhook's secret.
    await using receiver = Bun.serve({ port: 0, fetch: () => new Response(null, { status: 503 }) });
    const { secret, enable } = await stack.createWebhook(`http://127.0.0.1:${receiver.port}`, {
      types: ["payment.paid", "payment.failed", "subscription.unsubscribed"],
    });
    const heard: string[] = [];
    const deliveries: { headers: Headers; body: string }[] = [];
    const receive = async ({ headers, body }: { headers: Headers; body: string }) => {
      try {
        const event = await verifyWebhook({ headers, body }, secret);
        const challenge = answerChallenge(event);
        if (challenge !== null) return challenge;
        heard.push(event.type);
        return new Response(null, { status: 204 });
      } catch (error) {
        if (!(error instanceof WebhookError)) throw error;
        return new Response(error.code, { status: 400 });
      }
    };
    receiver.reload({
      async fetch(request) {
        const delivery = { headers: new Headers(request.headers), body: await request.text() };
        deliveries.push(delivery);
        return receive(delivery);
      },
    });
    await enable();
    const hear = async (...types: string[]) => {
      while (heard.length < types.length) await Bun.sleep(50);
      expect(heard.splice(0).toSorted()).toEqual(types.toSorted());
    };

    // The member subscribes as on the checkout page, comes back with the proof, and gets a cookie.
    orders.add("order-1");
    const proof = await stack.checkout({ subscription: id, subscriber: member, origin: ORIGIN, reference: "order-1" });
    const { cookie } = await gate.signIn({ ...proof, reference: "order-1" });
    await hear("payment.paid");
    expect([await visit(cookie), await visit()]).toEqual([200, 403]);

    /** Travels to the next charge, which somebody settles, and on until the gate asks the service again. */
    async function charge(): Promise<void> {
      const { nextDueDate } = await statusOf();
      if (nextDueDate === null) throw new Error("nothing is due");
      await stack.travel({ to: nextDueDate });
      await stack.settle();
      now = (await stack.travel("10 minutes")).getTime();
    }

    await charge();
    await hear("payment.paid");
    expect([(await statusOf()).state, await visit(cookie)]).toEqual(["active", 200]);

    // The member has spent all its money. One failed charge ends the subscription: the contract does not try again.
    const abi = parseAbi(["function burn(address, uint256)", "function balanceOf(address) view returns (uint256)"]);
    const { writeContract, readContract } = connect(member);
    const money = { address: token.address, abi } as const;
    const balance = await readContract({ ...money, functionName: "balanceOf", args: [member.address] });
    await writeContract({ ...money, functionName: "burn", args: [member.address, balance] });
    await charge();
    await hear("payment.failed", "subscription.unsubscribed");
    expect([(await statusOf()).state, await visit(cookie)]).toEqual(["failed", 403]);

    // A delivery that was changed on its way is refused.
    const [delivery] = deliveries.splice(-1);
    if (delivery === undefined) throw new Error("there were deliveries");
    const changed = { ...delivery, body: delivery.body.replace(member.address, wallets.provider.address) };
    expect(await (await receive(changed)).text()).toBe("WRONG_SIGNATURE");
  },
  TIMEOUT_MS,
);
