import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import { deployProtocol } from "@dueday/devnet/deployProtocol";
import { deployToken } from "@dueday/devnet/deployToken";
import { approveToken, createSubscription, fund, remitThrough, subscribe } from "@dueday/devnet/scenarios/actions";
import type { DevnetScenario } from "@dueday/devnet/scenarios/devnetScenario";
import { ACCOUNT_INDEX } from "@dueday/devnet/testAccount";
import { type Address, parseEther } from "viem";

const SUBSCRIBERS = 6;
const PLENTY = parseEther("1000000");

/**
 * A weekly subscription for each day of the week, six subscribers in each, whose tokens never run out, and pages of four payments:
 * every day that begins brings two transactions for a keeper. All before today is settled.
 */
export const everyDay: DevnetScenario = {
  daysBefore: 9,
  accounts: ACCOUNT_INDEX.firstSubscriber + SUBSCRIBERS,
  async seed(client, now) {
    const accounts = await client.request({ method: "eth_accounts" });
    const at = (index: number): Address => {
      const account = accounts[index];
      if (account === undefined) throw new Error(`the node has no account ${index}`);
      return account;
    };
    const admin = at(ACCOUNT_INDEX.admin);
    const contract = await deployProtocol(client, {
      ...{ callerFee: 10200n, systemFee: 10000n, allowSystemFee: false, maxRemits: 4n, cancelLimit: 5n },
      ...{ admin, janitor: at(ACCOUNT_INDEX.janitor) },
    });
    const target = { client, contract, admin };
    const token = await deployToken(client, admin, { name: "Harbor Dollar", symbol: "HUSD", decimals: 18 });
    await approveToken(target, token, 18, parseEther("1"));
    const subscribers = Array.from({ length: SUBSCRIBERS }, (_, index) => at(ACCOUNT_INDEX.firstSubscriber + index));
    for (const subscriber of subscribers) await fund(target, token, subscriber, PLENTY, PLENTY);
    const subscriptions: Record<string, `0x${string}`> = {};
    for (let dueDay = 1; dueDay <= 7; dueDay++) {
      const id = await createSubscription(target, at(ACCOUNT_INDEX.firstProvider), {
        ...{ amount: parseEther("10"), token, frequency: 0, dueDay },
        details: { url: "https://harbor.example/plans", description: `Day ${dueDay}` },
      });
      for (const subscriber of subscribers) await subscribe(target, subscriber, id);
      subscriptions[`day${dueDay}`] = id;
    }
    const today = Math.floor(now / DAY_SECONDS);
    await client.setNextBlockTimestamp({ timestamp: BigInt(today * DAY_SECONDS) });
    await client.mine({ blocks: 1 });
    await remitThrough(target, at(ACCOUNT_INDEX.historyKeeper), today - 1);
    return { contract, tokens: [token], subscriptions };
  },
};
